//! From a report to its JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::mirror::{
    Dependency, Entry, KnownWhy, Layer, NotAsked, OneFinding, OneSegment, OneSplit, Snapshot, Suite, Trial,
    VERSION,
};
use crate::judge::{DependencyCounts, LayerCounts, Segment, Verdict};
use crate::promise::ExpectedMatch;
use crate::report::layers::sentence;
use crate::report::model::{Known, LeftOut, Listed, ReportedFinding, SuiteReport, TrialReport};
use crate::report::news::SnapshotNews;
use crate::report::plain::steers;

/// The report as JSON, indented, with a newline at its end; `exit` is the exit status that it deserves.
///
/// Client text is kept exactly, and every character that steers a terminal is written as an escape.
///
/// # Errors
/// None that this data can cause; the serialiser's type says otherwise.
pub fn json(report: &SuiteReport, exit: u8) -> serde_json::Result<String> {
    let text = serde_json::to_string_pretty(&suite(report, exit))?;
    Ok(escaped(&text) + "\n")
}

fn suite(report: &SuiteReport, exit: u8) -> Suite {
    Suite {
        version: VERSION,
        client: report.client.clone(),
        client_versions: report.client_versions.clone(),
        harness: report.harness.clone(),
        seed: report.seed,
        shard: report.shard.map(|shard| shard.to_string()),
        interrupted: report.interrupted,
        exit,
        totals: totals(report),
        expected: report.expected.iter().map(entry).collect(),
        stale: report.stale.clone(),
        missing: report.missing.clone(),
        deselected: report.deselected.clone(),
        snapshots: report.snapshots.iter().map(snapshot).collect(),
        figures: report.figures(),
        trials: report.trials.iter().map(trial).collect(),
    }
}

/// How many trials came out how.
fn totals(report: &SuiteReport) -> BTreeMap<Verdict, u64> {
    let mut totals = BTreeMap::new();
    for trial in &report.trials {
        *totals.entry(trial.verdict).or_default() += 1;
    }
    totals
}

fn entry(listed: &Listed) -> Entry {
    let entry = &listed.entry;
    Entry {
        check: match &entry.matches {
            ExpectedMatch::Finding { check, .. } => Some(check.clone()),
            ExpectedMatch::Inconclusive { .. } => None,
        },
        scenario: entry.scope().map(str::to_owned),
        because: entry.because.clone(),
        see: entry.see.clone(),
        place: entry.place.clone(),
        matched: listed.matched,
    }
}

fn snapshot(news: &SnapshotNews) -> Snapshot {
    Snapshot {
        is: news.is.word().to_owned(),
        file: news.file.clone(),
        detail: news.detail.clone(),
    }
}

fn trial(report: &TrialReport) -> Trial {
    let counts = &report.counts;
    let dependencies = counts.dependencies.iter();
    Trial {
        scenario: report.scenario.clone(),
        trial: report.trial.clone(),
        title: report.title.clone(),
        file: report.source.path.clone(),
        time: report.time,
        epoch: report.time.epoch().map(str::to_owned),
        verdict: report.verdict,
        because: report.because.clone(),
        known: report.known.as_ref().map(known),
        not_run: report.not_run,
        acted: report.acted,
        runs: report.runs.clone(),
        flakes: report.flakes(),
        operations: counts.operations,
        stop_reasons: counts.stop_reasons.clone(),
        dependencies: dependencies.map(|(n, c)| (n.clone(), dependency(c))).collect(),
        layers: layers(&counts.layers),
        segments: counts.segments.iter().map(segment).collect(),
        side_calls: counts.side_calls,
        fleet: counts.fleet.clone(),
        figures: report.figures.clone(),
        findings: report.findings.iter().map(finding).collect(),
        left_out: report.left_out.iter().map(not_asked).collect(),
        repeat: report.repeat.clone(),
        evidence: report.evidence_file.clone(),
        took_ms: u64::try_from(report.took.as_millis()).unwrap_or(u64::MAX),
        remarks: report.remarks.clone(),
    }
}

pub(super) fn layers(layers: &[LayerCounts]) -> BTreeMap<String, Layer> {
    let layer = |(place, counts): (usize, &LayerCounts)| {
        let layer = Layer {
            place,
            role: counts.role,
            calls: counts.calls,
            acknowledged: counts.acknowledged,
            multiplier: counts.multiplier_per_mille as f64 / 1000.0,
        };
        (counts.name.clone(), layer)
    };
    (1..).zip(layers).map(layer).collect()
}

fn segment(segment: &Segment) -> OneSegment {
    OneSegment {
        from: segment.from.clone(),
        to: segment.to.clone(),
        above: segment.above,
        calls: segment.calls,
        unmarked: segment.unmarked,
        side_calls: segment.side_calls,
        multiplier: segment.per_mille() as f64 / 1000.0,
        split: segment.split.as_ref().map(|split| OneSplit {
            by: split.by.clone(),
            calls: split.calls,
        }),
        because: sentence(segment),
    }
}

pub(super) fn dependency(counts: &DependencyCounts) -> Dependency {
    Dependency {
        calls: counts.calls,
        accept_cuts: counts.accept_cuts,
        delivered: counts.delivered,
        begun: counts.begun,
        acknowledged: counts.acknowledged,
        key_conflicts: counts.key_conflicts,
        operations: counts.operations,
        multiplier: counts.multiplier_per_mille as f64 / 1000.0,
        load: counts.load.clone(),
    }
}

fn finding(reported: &ReportedFinding) -> OneFinding {
    let finding = &reported.finding;
    let asked = reported.asked.as_ref();
    OneFinding {
        check: finding.check.clone(),
        level: finding.level,
        verdict: finding.grade,
        because: finding.because.clone(),
        operations: finding.operations.clone(),
        calls: finding.calls.clone(),
        cites: finding.cites.clone(),
        place: asked.map(|asked| asked.place.clone()),
        line: asked.map(|asked| asked.line.clone()),
        known: reported.known.as_ref().map(known),
    }
}

fn not_asked(left_out: &LeftOut) -> NotAsked {
    NotAsked {
        operation: left_out.operation,
        request: left_out.request.clone(),
        because: left_out.because.clone(),
    }
}

fn known(known: &Known) -> KnownWhy {
    KnownWhy {
        because: known.because.clone(),
        see: known.see.clone(),
    }
}

/// JSON text holds such characters only inside strings (the serialiser's own newlines aside), where an escape means
/// the same character.
pub(super) fn escaped(text: &str) -> String {
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
        let text = json(&example::report(), 1).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        let trial = &value["trials"][0];
        assert_eq!(value["version"], 1);
        assert_eq!((&value["exit"], &value["totals"]["fail"]), (&1.into(), &1.into()));
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
        let text = json(&report, 0).unwrap();
        assert!(!text.chars().any(|c| c != '\n' && steers(c)));
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["client"], hostile);
    }
}
