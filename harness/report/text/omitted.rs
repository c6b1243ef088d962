//! What was not tried, and why: a report that leaves something out says so.

use std::collections::{BTreeMap, BTreeSet};

use super::super::model::SuiteReport;
use super::super::plain::plain;
use super::colour::Colour;
use crate::judge::{Grade, Verdict};
use crate::term::OperationId;

/// A reason, and for each scenario what was left out for it.
type Reasons<'a, T> = BTreeMap<&'a str, BTreeMap<&'a str, BTreeSet<T>>>;

/// Operations that were not asked: a heading for each reason, a line for each scenario.
pub(super) fn not_asked(report: &SuiteReport) -> String {
    let mut reasons: Reasons<(OperationId, &str)> = BTreeMap::new();
    // A skipped trial says in its own sentence why nothing of it was asked.
    for trial in report.trials.iter().filter(|t| t.verdict != Verdict::Skipped) {
        for left_out in &trial.left_out {
            let scenarios = reasons.entry(&left_out.because).or_default();
            let operations = scenarios.entry(&trial.scenario).or_default();
            operations.insert((left_out.operation, &left_out.request));
        }
    }
    written("not asked", &reasons, |(id, request)| format!("{id} {request}"))
}

/// Trials that were skipped: a heading for each reason, a line for each scenario.
pub(super) fn skipped(report: &SuiteReport) -> String {
    let mut reasons: Reasons<&str> = BTreeMap::new();
    for trial in report.trials.iter().filter(|t| t.verdict == Verdict::Skipped) {
        let because = trial.because.as_deref().unwrap_or("no reason was given");
        let scenarios = reasons.entry(because).or_default();
        scenarios.entry(&trial.scenario).or_default().insert(&trial.trial);
    }
    written("skipped", &reasons, |trial| (*trial).to_owned())
}

/// Entries of the client's `expected` list that match nothing.
pub(super) fn stale(report: &SuiteReport, colour: Colour) -> String {
    let mark = colour.grade(Grade::Fail, "stale");
    let lines = report
        .stale
        .iter()
        .map(|sentence| format!("{mark} {}\n", plain(sentence)));
    lines.collect()
}

/// What is missing of the run.
pub(super) fn missing(report: &SuiteReport, colour: Colour) -> String {
    let mark = colour.grade(Grade::Fail, "missing");
    let lines = report
        .missing
        .iter()
        .map(|sentence| format!("{mark} {}\n", plain(sentence)));
    lines.collect()
}

fn written<T>(title: &str, reasons: &Reasons<T>, word: impl Fn(&T) -> String) -> String {
    let mut text = String::new();
    for (because, scenarios) in reasons {
        text += &format!("{title}: {}\n", plain(because));
        for (scenario, items) in scenarios {
            let words: Vec<_> = items.iter().map(&word).collect();
            let words = words.join(", ");
            // A scenario that varies nothing is its only trial.
            let line = if words == *scenario {
                words
            } else {
                format!("{scenario}: {words}")
            };
            text += &format!("  {}\n", plain(&line));
        }
    }
    text
}
