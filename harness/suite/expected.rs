//! The client's list of known findings, applied so that it cannot rot.
//!
//! An entry that is matched turns its trial into `expected_fail`. An entry that could have been matched and was not
//! is stale: its trials become `unexpected_pass`, or a sentence says that it matches nothing.

use crate::client::{Client, ExpectedEntry, ExpectedMatch};
use crate::judge::{Grade, Verdict};
use crate::report::{Known, ReportedFinding, TrialReport};

/// Applies the client's `expected` list to its trials. `whole` says that nothing was deselected by the user.
///
/// Returns a sentence for each entry that matches nothing and belongs to no trial that could say so.
pub(super) fn apply(client: &Client, trials: &mut [TrialReport], whole: bool) -> Vec<String> {
    let mut stale = Vec::new();
    for entry in &client.expected {
        let matched = trials.iter_mut().filter(|t| mark(entry, t)).count();
        if matched == 0 && is_stale(entry, trials, whole) && !passed_unexpectedly(entry, trials) {
            stale.push(format!("{}: {}", client.source.place(entry.span), matches_nothing(entry)));
        }
    }
    for trial in trials {
        trial.verdict = with_known(trial);
    }
    stale
}

/// Marks what the entry matches in this trial; whether anything was.
fn mark(entry: &ExpectedEntry, trial: &mut TrialReport) -> bool {
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

/// The scenario an entry names, if it names one.
fn scope(entry: &ExpectedEntry) -> Option<&str> {
    match &entry.matches {
        ExpectedMatch::Finding { scenario, .. } => scenario.as_deref(),
        ExpectedMatch::Inconclusive { scenario } => Some(scenario),
    }
}

/// Whether an unmatched entry is to blame: it may only lie outside what was selected or could be tried.
fn is_stale(entry: &ExpectedEntry, trials: &[TrialReport], whole: bool) -> bool {
    let in_scope: Vec<_> = trials.iter().filter(|t| scope(entry).is_none_or(|s| is_of(t, s))).collect();
    if in_scope.is_empty() {
        return whole;
    }
    let all_judged = in_scope.iter().all(|t| is_judged(t, entry));
    all_judged && (whole || scope(entry).is_some())
}

fn is_judged(trial: &TrialReport, entry: &ExpectedEntry) -> bool {
    match trial.verdict {
        Verdict::Skipped | Verdict::HarnessError => false,
        Verdict::Inconclusive => matches!(entry.matches, ExpectedMatch::Inconclusive { .. }),
        _ => true,
    }
}

/// Turns the trials in an unmatched entry's scope that passed into `unexpected_pass`; whether there were any.
fn passed_unexpectedly(entry: &ExpectedEntry, trials: &mut [TrialReport]) -> bool {
    let Some(scenario) = scope(entry) else {
        return false;
    };
    let mut any = false;
    for trial in trials.iter_mut().filter(|t| is_of(t, scenario)) {
        if matches!(trial.verdict, Verdict::Pass | Verdict::Noted | Verdict::UnexpectedPass) {
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
    let worst = trial.findings.iter().filter(|f| f.known.is_none()).map(|f| f.finding.grade).max();
    match worst {
        Some(Grade::Fail) => Verdict::Fail,
        Some(Grade::Warn) => Verdict::Warn,
        Some(Grade::Pass | Grade::Note) | None => Verdict::ExpectedFail,
    }
}

fn matches_nothing(entry: &ExpectedEntry) -> String {
    match &entry.matches {
        ExpectedMatch::Finding { check, scenario: None } => {
            format!("no trial has the expected finding {check}")
        }
        ExpectedMatch::Finding { check, scenario: Some(scenario) } => {
            format!("{scenario} has no finding {check}, which was expected")
        }
        ExpectedMatch::Inconclusive { scenario } => {
            format!("{scenario} is not inconclusive, which was expected")
        }
    }
}
