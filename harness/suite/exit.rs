//! The exit status, exactly: it is part of the interface.

use crate::judge::Verdict;
use crate::report::{SuiteReport, TrialReport};

/// How the program ends. The numbers are a promise to scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// No trial failed.
    Fine = 0,
    /// A trial failed, passed unexpectedly, proved nothing or was not begun; an entry of `expected` matches nothing; a
    /// snapshot differs; or a shard is missing.
    Failed = 1,
    /// Wrong usage or a bad file; nothing ran.
    Usage = 2,
    /// The harness or the client could not run.
    CouldNotRun = 3,
    /// Nothing was selected, or everything was skipped.
    Nothing = 4,
    /// Interrupted by the user; the report is written.
    Interrupted = 130,
}

/// The exit status that a report deserves.
pub fn exit(report: &SuiteReport) -> Exit {
    if report.interrupted {
        return Exit::Interrupted;
    }
    let ran: Vec<_> = report
        .trials
        .iter()
        .filter(|t| t.verdict != Verdict::Skipped)
        .collect();
    if could_not_run(&ran) {
        return Exit::CouldNotRun;
    }
    let unsound = !report.stale.is_empty() || !report.missing.is_empty();
    let unlike = report.snapshots.iter().any(|news| news.is.fails());
    if unsound || unlike || ran.iter().any(|trial| failed(trial)) {
        return Exit::Failed;
    }
    // An empty part says nothing of the whole: that is for `retrial merge` to say.
    match ran.is_empty() && report.shard.is_none() {
        true => Exit::Nothing,
        false => Exit::Fine,
    }
}

/// A client that never made a call and never gave a result was not tried, whatever the verdicts say.
fn could_not_run(ran: &[&TrialReport]) -> bool {
    let begun: Vec<_> = ran.iter().filter(|t| !t.not_run).collect();
    let silent = !begun.is_empty() && !begun.iter().any(|t| t.acted);
    silent || ran.iter().any(|t| t.verdict == Verdict::HarnessError)
}

fn failed(trial: &TrialReport) -> bool {
    match trial.verdict {
        Verdict::Fail | Verdict::UnexpectedPass => true,
        Verdict::Inconclusive => trial.not_run || trial.known.is_none(),
        Verdict::Pass
        | Verdict::Noted
        | Verdict::Warn
        | Verdict::Skipped
        | Verdict::ExpectedFail
        | Verdict::HarnessError => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Known, SnapshotIs, SnapshotNews, example};

    fn of(verdicts: &[Verdict]) -> Exit {
        exit(&with(verdicts))
    }

    fn with(verdicts: &[Verdict]) -> SuiteReport {
        let mut report = example::report();
        report.trials = verdicts
            .iter()
            .map(|verdict| TrialReport {
                verdict: *verdict,
                ..example::trial()
            })
            .collect();
        report
    }

    #[test]
    fn green_verdicts_warnings_and_known_failures_are_fine() {
        use Verdict::{ExpectedFail, Noted, Pass, Skipped, Warn};
        assert_eq!(of(&[Pass, Noted, Warn, Skipped, ExpectedFail]), Exit::Fine);
    }

    #[test]
    fn failures_unexpected_passes_and_vacuous_trials_fail() {
        for verdict in [Verdict::Fail, Verdict::UnexpectedPass, Verdict::Inconclusive] {
            assert_eq!(of(&[Verdict::Pass, verdict]), Exit::Failed, "{verdict:?}");
        }
    }

    #[test]
    fn a_listed_inconclusive_trial_is_fine() {
        let mut report = with(&[Verdict::Inconclusive]);
        report.trials[0].known = Some(Known {
            because: "it needs a faster machine".to_owned(),
            see: None,
        });
        assert_eq!(exit(&report), Exit::Fine);
    }

    #[test]
    fn a_stale_entry_fails_a_run_without_failures() {
        let mut report = with(&[Verdict::Pass]);
        report.stale.push("client.yaml:3: matches nothing".to_owned());
        assert_eq!(exit(&report), Exit::Failed);
    }

    #[test]
    fn a_harness_error_beats_a_failure() {
        assert_eq!(of(&[Verdict::Fail, Verdict::HarnessError]), Exit::CouldNotRun);
    }

    #[test]
    fn a_client_that_did_nothing_at_all_could_not_run() {
        let mut report = with(&[Verdict::Fail, Verdict::Skipped]);
        report.trials[0].acted = false;
        report.trials[1].acted = false;
        assert_eq!(exit(&report), Exit::CouldNotRun);
    }

    #[test]
    fn a_trial_that_was_not_begun_fails_the_run_and_is_not_held_against_the_client() {
        let mut report = with(&[Verdict::Inconclusive]);
        report.trials[0].not_run = true;
        report.trials[0].acted = false;
        assert_eq!(exit(&report), Exit::Failed);
    }

    #[test]
    fn a_snapshot_that_differs_and_a_shard_that_is_missing_fail_the_run() {
        let news = |is| SnapshotNews {
            is,
            file: "a.snap".to_owned(),
            detail: Vec::new(),
        };
        let mut report = with(&[Verdict::Pass]);
        report.snapshots = vec![news(SnapshotIs::New), news(SnapshotIs::Unreferenced)];
        assert_eq!(exit(&report), Exit::Fine);
        report.snapshots.push(news(SnapshotIs::Different));
        assert_eq!(exit(&report), Exit::Failed);
        let mut report = with(&[Verdict::Pass]);
        report.missing.push("shard 2/2".to_owned());
        assert_eq!(exit(&report), Exit::Failed);
    }

    #[test]
    fn an_empty_shard_is_fine() {
        let mut report = with(&[]);
        report.shard = "1/2".parse().ok();
        assert_eq!(exit(&report), Exit::Fine);
    }

    #[test]
    fn nothing_selected_or_everything_skipped_is_said_so() {
        assert_eq!(of(&[]), Exit::Nothing);
        assert_eq!(of(&[Verdict::Skipped]), Exit::Nothing);
    }

    #[test]
    fn an_interruption_beats_everything() {
        let mut report = with(&[Verdict::HarnessError]);
        report.interrupted = true;
        assert_eq!(exit(&report), Exit::Interrupted);
    }
}
