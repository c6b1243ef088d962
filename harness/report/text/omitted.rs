//! What was not tried, and why: a report that leaves something out says so.

use std::collections::BTreeMap;

use super::super::model::SuiteReport;
use super::super::plain::plain;
use super::colour::Colour;
use crate::judge::{Grade, Verdict};

/// Operations that were not asked, one line for each reason.
pub(super) fn not_asked(report: &SuiteReport) -> String {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    // A skipped trial says in its own sentence why nothing of it was asked.
    for trial in report.trials.iter().filter(|t| t.verdict != Verdict::Skipped) {
        for left_out in &trial.left_out {
            let which = format!("{} {} of {}", left_out.operation, left_out.request, trial.trial);
            reasons.entry(&left_out.because).or_default().push(which);
        }
    }
    section("not asked", reasons)
}

/// Trials that were skipped, one line for each reason.
pub(super) fn skipped(report: &SuiteReport) -> String {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for trial in report.trials.iter().filter(|t| t.verdict == Verdict::Skipped) {
        let because = trial.because.as_deref().unwrap_or("no reason was given");
        reasons.entry(because).or_default().push(trial.trial.clone());
    }
    section("skipped", reasons)
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

fn section(title: &str, reasons: BTreeMap<&str, Vec<String>>) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    let lines = reasons.iter().map(|(because, which)| {
        let which = plain(&which.join("; "));
        format!("  {}: {which}\n", plain(because))
    });
    format!("{title}\n{}", lines.collect::<String>())
}
