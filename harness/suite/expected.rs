//! The client's list of known findings, applied so that it cannot rot.
//!
//! An entry that is matched turns its trial into `expected_fail`. An entry that could have been matched and was not
//! is stale: its trials become `unexpected_pass`, or a sentence says that it matches nothing.

use crate::judge::{Grade, Verdict};
use crate::promise::{ExpectedEntry, ExpectedMatch};
use crate::report::{Known, Listed, ReportedFinding, TrialReport};

/// What of the client's trials is not in a report, and could have matched an entry.
#[derive(Debug, Clone, Copy)]
pub(super) struct Elsewhere<'a> {
    /// Trials that exist and were deselected, by id.
    pub trials: &'a [String],
    /// Whether there may be others, of scenarios of which nothing is known.
    pub others: bool,
}

/// Marks what the entries match, and turns trials whose worst is known into `expected_fail`. Says of each entry
/// whether it matched.
pub(super) fn mark<'a>(
    entries: &[ExpectedEntry],
    trials: impl Iterator<Item = &'a mut TrialReport>,
) -> Vec<Listed> {
    let listed = |entry: &ExpectedEntry| Listed {
        entry: entry.clone(),
        matched: false,
    };
    let mut all: Vec<_> = entries.iter().map(listed).collect();
    for trial in trials {
        for one in &mut all {
            one.matched |= mark_one(&one.entry, trial);
        }
        trial.verdict = with_known(trial);
    }
    all
}

/// Finds the entries that could have been matched and were not: their trials become `unexpected_pass`. Gives a
/// sentence for each that matches nothing and belongs to no trial that could say so.
pub(super) fn settle(listed: &[Listed], trials: &mut [TrialReport], elsewhere: Elsewhere<'_>) -> Vec<String> {
    let mut stale = Vec::new();
    for one in listed.iter().filter(|one| !one.matched) {
        let entry = &one.entry;
        if is_stale(entry, trials, elsewhere) && !passed_unexpectedly(entry, trials) {
            stale.push(format!("{}: {}", entry.place, matches_nothing(entry)));
        }
    }
    stale
}

/// Marks what the entry matches in this trial; whether anything was.
fn mark_one(entry: &ExpectedEntry, trial: &mut TrialReport) -> bool {
    if trial.not_run {
        return false;
    }
    let known = Known {
        because: entry.because.clone(),
        see: entry.see.clone(),
    };
    match &entry.matches {
        ExpectedMatch::Inconclusive { scenario } => {
            let matches = is_of(trial, scenario) && trial.verdict == Verdict::Inconclusive;
            if matches {
                trial.known = Some(known);
            }
            matches
        }
        ExpectedMatch::Finding { check, scenario } => {
            // A trial that could not run, or proves nothing, never satisfies "expected to fail".
            let judged = matches!(trial.verdict, Verdict::Warn | Verdict::Fail);
            let matches = |f: &&mut ReportedFinding| f.finding.check == *check && is_bad(f);
            if !judged || scenario.as_ref().is_some_and(|s| !is_of(trial, s)) {
                return false;
            }
            let found = trial.findings.iter_mut().filter(matches);
            found.map(|f| f.known = Some(known.clone())).count() > 0
        }
    }
}

fn is_bad(finding: &ReportedFinding) -> bool {
    finding.finding.grade >= Grade::Warn
}

fn is_of(trial: &TrialReport, scenario: &str) -> bool {
    trial.scenario == scenario || trial.trial == scenario
}

/// Whether an unmatched entry is to blame: what it means may only lie outside what was selected or could be tried.
fn is_stale(entry: &ExpectedEntry, trials: &[TrialReport], elsewhere: Elsewhere<'_>) -> bool {
    let in_scope = |t: &&TrialReport| entry.scope().is_none_or(|s| is_of(t, s));
    let nothing_else = elsewhere.trials.is_empty() && !elsewhere.others;
    let complete = match entry.scope() {
        None => nothing_else,
        Some(scope) if !trials.iter().any(|t| is_of(t, scope)) => nothing_else,
        Some(scope) => !elsewhere.trials.iter().any(|id| id_is_of(id, scope)),
    };
    complete && trials.iter().filter(in_scope).all(|t| is_judged(t, entry))
}

/// Whether a trial of which only the id is known is one of this scenario, or is this trial.
fn id_is_of(id: &str, scope: &str) -> bool {
    id == scope || id.strip_prefix(scope).is_some_and(|rest| rest.starts_with('['))
}

fn is_judged(trial: &TrialReport, entry: &ExpectedEntry) -> bool {
    if trial.not_run {
        return false;
    }
    match trial.verdict {
        Verdict::Skipped | Verdict::HarnessError => false,
        Verdict::Inconclusive => matches!(entry.matches, ExpectedMatch::Inconclusive { .. }),
        _ => true,
    }
}

/// Turns the trials in an unmatched entry's scope that passed into `unexpected_pass`; whether there were any.
fn passed_unexpectedly(entry: &ExpectedEntry, trials: &mut [TrialReport]) -> bool {
    let Some(scenario) = entry.scope() else {
        return false;
    };
    let mut any = false;
    for trial in trials.iter_mut().filter(|t| is_of(t, scenario)) {
        if matches!(
            trial.verdict,
            Verdict::Pass | Verdict::Noted | Verdict::UnexpectedPass
        ) {
            trial.verdict = Verdict::UnexpectedPass;
            trial.because = Some(format!("it was expected otherwise: {}", entry.because));
            any = true;
        }
    }
    any
}

fn with_known(trial: &TrialReport) -> Verdict {
    if !trial.findings.iter().any(|f| f.known.is_some()) {
        return trial.verdict;
    }
    let worst = trial
        .findings
        .iter()
        .filter(|f| f.known.is_none())
        .map(|f| f.finding.grade)
        .max();
    match worst {
        Some(Grade::Fail) => Verdict::Fail,
        Some(Grade::Warn) => Verdict::Warn,
        Some(Grade::Pass | Grade::Note) | None => Verdict::ExpectedFail,
    }
}

fn matches_nothing(entry: &ExpectedEntry) -> String {
    match &entry.matches {
        ExpectedMatch::Finding {
            check,
            scenario: None,
        } => {
            format!("no trial has the expected finding {check}")
        }
        ExpectedMatch::Finding {
            check,
            scenario: Some(scenario),
        } => {
            format!("{scenario} has no finding {check}, which was expected")
        }
        ExpectedMatch::Inconclusive { scenario } => {
            format!("{scenario} is not inconclusive, which was expected")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;
    use crate::source::Span;

    const CHECK: &str = "pushback.honoured";

    fn finding(check: &str, scenario: Option<&str>) -> ExpectedMatch {
        ExpectedMatch::Finding {
            check: check.to_owned(),
            scenario: scenario.map(str::to_owned),
        }
    }

    fn inconclusive(scenario: &str) -> ExpectedMatch {
        ExpectedMatch::Inconclusive {
            scenario: scenario.to_owned(),
        }
    }

    const NOWHERE: Elsewhere<'static> = Elsewhere {
        trials: &[],
        others: false,
    };

    fn entry(matches: ExpectedMatch) -> ExpectedEntry {
        ExpectedEntry {
            matches,
            because: "upstream issue".to_owned(),
            see: None,
            span: Span::default(),
            place: "client.yaml:1".to_owned(),
        }
    }

    /// Applies one entry to one trial of scenario `lost-ack` that has a failed finding of [`CHECK`].
    fn applied(matches: ExpectedMatch, change: impl FnOnce(&mut TrialReport)) -> (TrialReport, Vec<String>) {
        applied_with(NOWHERE, matches, change)
    }

    fn applied_with(
        elsewhere: Elsewhere<'_>,
        matches: ExpectedMatch,
        change: impl FnOnce(&mut TrialReport),
    ) -> (TrialReport, Vec<String>) {
        let mut trials = [example::trial()];
        change(&mut trials[0]);
        let listed = mark(&[entry(matches)], trials.iter_mut());
        let stale = settle(&listed, &mut trials, elsewhere);
        let [trial] = trials;
        (trial, stale)
    }

    fn passed(trial: &mut TrialReport) {
        trial.findings.clear();
        trial.verdict = Verdict::Pass;
    }

    #[test]
    fn a_listed_failure_is_expected() {
        for scope in [None, Some("lost-ack")] {
            let (trial, stale) = applied(finding(CHECK, scope), |_| {});
            assert_eq!((trial.verdict, stale.len()), (Verdict::ExpectedFail, 0));
        }
    }

    #[test]
    fn another_failure_beside_a_listed_one_still_fails() {
        let (trial, _) = applied(finding(CHECK, None), |trial| {
            let mut other = trial.findings[0].clone();
            other.finding.check = "attempts.capped".to_owned();
            trial.findings.push(other);
        });
        assert_eq!(trial.verdict, Verdict::Fail);
    }

    #[test]
    fn a_listed_failure_that_does_not_happen_is_an_unexpected_pass() {
        let (trial, stale) = applied(finding(CHECK, Some("lost-ack")), passed);
        assert_eq!((trial.verdict, stale.len()), (Verdict::UnexpectedPass, 0));
    }

    #[test]
    fn an_entry_that_matches_nothing_anywhere_is_stale() {
        let (trial, stale) = applied(finding(CHECK, None), passed);
        assert_eq!(trial.verdict, Verdict::Pass);
        assert_eq!(
            stale,
            ["client.yaml:1: no trial has the expected finding pushback.honoured"]
        );
        let (_, stale) = applied(finding(CHECK, Some("no-such-scenario")), passed);
        assert_eq!(stale.len(), 1);
    }

    #[test]
    fn what_was_not_tried_makes_no_entry_stale() {
        for verdict in [Verdict::Skipped, Verdict::HarnessError, Verdict::Inconclusive] {
            let (trial, stale) = applied(finding(CHECK, Some("lost-ack")), |trial| {
                passed(trial);
                trial.verdict = verdict;
            });
            assert_eq!((trial.verdict, stale.len()), (verdict, 0));
        }
    }

    #[test]
    fn a_harness_error_never_satisfies_an_expected_failure() {
        let (trial, _) = applied(finding(CHECK, None), |trial| {
            trial.verdict = Verdict::HarnessError
        });
        assert_eq!(trial.verdict, Verdict::HarnessError);
        assert_eq!(trial.findings[0].known, None);
    }

    #[test]
    fn an_inconclusive_trial_can_be_listed_and_cannot_rot() {
        let (trial, stale) = applied(inconclusive("lost-ack"), |trial| {
            passed(trial);
            trial.verdict = Verdict::Inconclusive;
        });
        assert!(trial.known.is_some() && stale.is_empty());
        let (trial, _) = applied(inconclusive("lost-ack"), passed);
        assert_eq!(trial.verdict, Verdict::UnexpectedPass);
        let (trial, stale) = applied(inconclusive("lost-ack"), |_| {});
        assert_eq!((trial.verdict, stale.len()), (Verdict::Fail, 1));
    }
    #[test]
    fn an_entry_is_not_stale_while_a_trial_that_it_means_was_deselected() {
        let left = |id: &str, scope: Option<&str>| {
            let trials = [id.to_owned()];
            let elsewhere = Elsewhere {
                trials: &trials,
                others: false,
            };
            let (trial, stale) = applied_with(elsewhere, finding(CHECK, scope), passed);
            (trial.verdict, stale.len())
        };
        assert_eq!(left("lost-ack[503]", Some("lost-ack")), (Verdict::Pass, 0));
        assert_eq!(left("other", None), (Verdict::Pass, 0));
        assert_eq!(
            left("lost-acknowledgment", Some("lost-ack")),
            (Verdict::UnexpectedPass, 0)
        );
    }

    #[test]
    fn a_trial_that_was_not_begun_matches_nothing_and_makes_nothing_stale() {
        let (trial, stale) = applied(inconclusive("lost-ack"), |trial| {
            passed(trial);
            trial.verdict = Verdict::Inconclusive;
            trial.not_run = true;
        });
        assert_eq!((trial.known, stale.len()), (None, 0));
    }
}
