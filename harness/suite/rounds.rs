//! A trial that ran more than once: the report shows the worst of its runs, and says how all of them ended.

use crate::judge::Verdict;
use crate::report::TrialReport;

/// One report of all runs of one trial; `None` where there was none.
pub(super) fn fold(runs: Vec<TrialReport>) -> Option<TrialReport> {
    let several = runs.len() > 1;
    let mut ended = std::collections::BTreeMap::new();
    let mut worst: Option<TrialReport> = None;
    let mut not_begun = 0;
    for run in runs {
        *ended.entry(run.verdict).or_insert(0) += 1;
        not_begun += u32::from(run.not_run);
        // The first of equals: it is the one that the others repeat.
        if worst.as_ref().is_none_or(|worst| weight(&run) > weight(worst)) {
            worst = Some(run);
        }
    }
    let mut report = worst?;
    if several {
        report.runs = ended;
        if not_begun > 0 {
            report
                .remarks
                .push(format!("{not_begun} of its runs were not begun"));
        }
    }
    Some(report)
}

/// How bad a run is, in the order of the exit status.
fn weight(report: &TrialReport) -> u8 {
    match report.verdict {
        Verdict::Skipped => 0,
        Verdict::Pass => 1,
        Verdict::Noted => 2,
        Verdict::Inconclusive if report.known.is_some() => 3,
        Verdict::ExpectedFail => 4,
        Verdict::Warn => 5,
        Verdict::Inconclusive => 6,
        Verdict::UnexpectedPass => 7,
        Verdict::Fail => 8,
        Verdict::HarnessError => 9,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    fn runs(verdicts: &[Verdict]) -> TrialReport {
        let of = |verdict: &Verdict| TrialReport {
            verdict: *verdict,
            ..example::trial()
        };
        fold(verdicts.iter().map(of).collect()).expect("there are runs")
    }

    #[test]
    fn the_worst_run_decides_and_all_are_counted() {
        let report = runs(&[Verdict::Pass, Verdict::Fail, Verdict::Pass, Verdict::Noted]);
        assert_eq!(report.verdict, Verdict::Fail);
        assert_eq!(report.runs[&Verdict::Pass], 2);
        assert_eq!(report.flakes(), 2);
    }

    #[test]
    fn a_trial_that_ran_once_or_always_ended_alike_is_not_flaky() {
        assert!(runs(&[Verdict::Fail]).runs.is_empty());
        assert_eq!(runs(&[Verdict::Pass, Verdict::Pass]).flakes(), 0);
    }

    #[test]
    fn runs_that_were_not_begun_are_counted() {
        let begun = TrialReport {
            verdict: Verdict::Pass,
            ..example::trial()
        };
        let not_begun = TrialReport {
            verdict: Verdict::Inconclusive,
            not_run: true,
            ..example::trial()
        };
        let report = fold(vec![begun, not_begun]).expect("there are runs");
        assert!(report.not_run);
        assert_eq!(report.remarks, ["1 of its runs were not begun"]);
    }
}
