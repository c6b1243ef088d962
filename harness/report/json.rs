//! The JSON report, version 1: the part of the output that tools may rely on.
//!
//! Mirror types, so that no rename inside the house changes what tools read.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use super::model::{Known, LeftOut, ReportedFinding, SuiteReport, TrialReport};
use super::plain::steers;
use crate::judge::{DependencyCounts, Grade, Level, Verdict};
use crate::term::{CallId, OperationId, StopReason};

/// The version of the JSON report.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Suite<'a> {
    version: u32,
    client: &'a str,
    client_versions: &'a [String],
    harness: &'a str,
    seed: u64,
    interrupted: bool,
    stale: &'a [String],
    trials: Vec<Trial<'a>>,
}

#[derive(Serialize)]
struct Trial<'a> {
    scenario: &'a str,
    trial: &'a str,
    verdict: Verdict,
    because: Option<&'a str>,
    known: Option<KnownWhy<'a>>,
    operations: u64,
    stop_reasons: &'a BTreeMap<StopReason, u64>,
    dependencies: BTreeMap<&'a str, Dependency>,
    // Layers come with a driver that has them; the key is there from the first day.
    layers: BTreeMap<&'a str, u64>,
    side_calls: u64,
    findings: Vec<OneFinding<'a>>,
    left_out: Vec<NotAsked<'a>>,
    repeat: &'a str,
    evidence: Option<&'a str>,
    took_ms: u64,
    remarks: &'a [String],
}

#[derive(Serialize)]
struct Dependency {
    calls: u64,
    accept_cuts: u64,
    delivered: u64,
    begun: u64,
    acknowledged: u64,
    key_conflicts: u64,
    multiplier: f64,
}

#[derive(Serialize)]
struct OneFinding<'a> {
    check: &'a str,
    level: Level,
    verdict: Grade,
    because: &'a str,
    operations: &'a [OperationId],
    calls: &'a [CallId],
    cites: &'a [String],
    place: Option<String>,
    known: Option<KnownWhy<'a>>,
}

#[derive(Serialize)]
struct NotAsked<'a> {
    operation: OperationId,
    request: &'a str,
    because: &'a str,
}

#[derive(Serialize)]
struct KnownWhy<'a> {
    because: &'a str,
    see: Option<&'a str>,
}

/// The report as JSON, indented, with a newline at its end.
///
/// Client text is kept exactly, and every character that steers a terminal is written as an escape.
///
/// # Errors
/// None that this data can cause; the serialiser's type says otherwise.
pub fn json(report: &SuiteReport) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(&suite(report))?;
    Ok(escaped(&text) + "\n")
}

fn suite(report: &SuiteReport) -> Suite<'_> {
    Suite {
        version: VERSION,
        client: &report.client,
        client_versions: &report.client_versions,
        harness: &report.harness,
        seed: report.seed,
        interrupted: report.interrupted,
        stale: &report.stale,
        trials: report.trials.iter().map(trial).collect(),
    }
}

fn trial(report: &TrialReport) -> Trial<'_> {
    let counts = &report.counts;
    let one = |f| finding(report, f);
    Trial {
        scenario: &report.scenario,
        trial: &report.trial,
        verdict: report.verdict,
        because: report.because.as_deref(),
        known: report.known.as_ref().map(known),
        operations: counts.operations,
        stop_reasons: &counts.stop_reasons,
        dependencies: counts
            .dependencies
            .iter()
            .map(|(n, c)| (n.as_str(), dependency(c)))
            .collect(),
        layers: BTreeMap::new(),
        side_calls: counts.side_calls,
        findings: report.findings.iter().map(one).collect(),
        left_out: report.left_out.iter().map(not_asked).collect(),
        repeat: &report.repeat,
        evidence: report.evidence_file.as_deref(),
        took_ms: u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX),
        remarks: &report.remarks,
    }
}

fn dependency(counts: &DependencyCounts) -> Dependency {
    Dependency {
        calls: counts.calls,
        accept_cuts: counts.accept_cuts,
        delivered: counts.delivered,
        begun: counts.begun,
        acknowledged: counts.acknowledged,
        key_conflicts: counts.key_conflicts,
        multiplier: counts.multiplier_per_mille as f64 / 1000.0,
    }
}

fn finding<'a>(trial: &TrialReport, reported: &'a ReportedFinding) -> OneFinding<'a> {
    let finding = &reported.finding;
    OneFinding {
        check: &finding.check,
        level: finding.level,
        verdict: finding.grade,
        because: &finding.because,
        operations: &finding.operations,
        calls: &finding.calls,
        cites: &finding.cites,
        place: finding.span.map(|span| trial.source.place(span)),
        known: reported.known.as_ref().map(known),
    }
}

fn not_asked(left_out: &LeftOut) -> NotAsked<'_> {
    NotAsked {
        operation: left_out.operation,
        request: &left_out.request,
        because: &left_out.because,
    }
}

fn known(known: &Known) -> KnownWhy<'_> {
    KnownWhy {
        because: &known.because,
        see: known.see.as_deref(),
    }
}

/// JSON text holds such characters only inside strings (the serialiser's own newlines aside), where an escape means
/// the same character.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !steers(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn the_stable_part_is_as_designed() {
        let text = json(&example::report()).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let trial = &value["trials"][0];
        assert_eq!(value["version"], 1);
        assert_eq!(value["client"], "reference");
        assert_eq!(trial["verdict"], "fail");
        assert_eq!(trial["stop_reasons"]["ok"], 1);
        assert_eq!(trial["dependencies"]["notification"]["multiplier"], 2.0);
        assert_eq!(trial["layers"], serde_json::json!({}));
        assert_eq!(trial["findings"][0]["verdict"], "fail");
        assert_eq!(trial["findings"][0]["calls"], serde_json::json!([1, 2]));
    }

    #[test]
    fn hostile_text_is_kept_and_cannot_steer_a_terminal() {
        let mut report = example::report();
        let hostile = "x\u{1b}]0;\u{9b}\u{202e}\u{e0041}";
        report.client = hostile.to_owned();
        let text = json(&report).unwrap();
        assert!(!text.chars().any(|c| c != '\n' && steers(c)));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["client"], hostile);
    }
}
