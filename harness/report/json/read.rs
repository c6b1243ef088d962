//! From JSON back to a report: what reports print of it, without the evidence and the scenario's text.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::mirror::{
    Dependency, Entry, KnownWhy, Layer, NotAsked, OneFinding, OneSegment, Snapshot, Suite, Trial, VERSION,
};
use super::sane::Sane;
use crate::judge::{DependencyCounts, Finding, LayerCounts, Segment, Split, TrialCounts};
use crate::promise::{ExpectedEntry, ExpectedMatch};
use crate::report::model::{AskedAt, Known, LeftOut, Listed, ReportedFinding, SuiteReport, TrialReport};
use crate::report::news::{SnapshotIs, SnapshotNews};
use crate::source::{Source, Span, from_json};

/// These two stand in every report, whatever else another retrial writes there.
#[derive(serde::Deserialize)]
struct Head {
    version: u32,
    harness: String,
}

/// A report that `harness`, this very version of retrial, wrote as JSON.
///
/// # Errors
/// A clause: the text is no JSON report, or one of another version of retrial, which may mean other things.
pub fn read_json(text: &str, harness: &str) -> Result<SuiteReport, String> {
    let head: Head = from_json(text.as_bytes()).map_err(|e| format!("not a JSON report of retrial: {e}"))?;
    if head.version != VERSION || head.harness != harness {
        let (version, by) = (head.version, head.harness);
        return Err(format!(
            "a report of version {version}, written by retrial {by}; this is retrial {harness}, which reads its own \
             of version {VERSION}"
        ));
    }
    let not_one = |e| format!("not a JSON report of retrial: {e}");
    from_json::<Sane>(text.as_bytes()).map_err(not_one)?;
    report(from_json(text.as_bytes()).map_err(not_one)?)
}

fn report(suite: Suite) -> Result<SuiteReport, String> {
    let snapshots: Result<Vec<_>, _> = suite.snapshots.into_iter().map(snapshot).collect();
    Ok(SuiteReport {
        harness: suite.harness,
        client: suite.client,
        client_versions: suite.client_versions,
        seed: suite.seed,
        trials: suite.trials.into_iter().map(trial).collect(),
        expected: suite.expected.into_iter().map(entry).collect::<Result<_, _>>()?,
        stale: suite.stale,
        deselected: suite.deselected,
        shard: suite.shard.map(|shard| shard.parse()).transpose()?,
        missing: suite.missing,
        snapshots: snapshots?,
        interrupted: suite.interrupted,
    })
}

fn entry(entry: Entry) -> Result<Listed, String> {
    let matches = match (entry.check, entry.scenario) {
        (Some(check), scenario) => ExpectedMatch::Finding { check, scenario },
        (None, Some(scenario)) => ExpectedMatch::Inconclusive { scenario },
        (None, None) => return Err("an expected entry without a check and a scenario".to_owned()),
    };
    let entry_of = ExpectedEntry {
        matches,
        because: entry.because,
        see: entry.see,
        span: Span::default(),
        place: entry.place,
    };
    Ok(Listed {
        entry: entry_of,
        matched: entry.matched,
    })
}

fn snapshot(snapshot: Snapshot) -> Result<SnapshotNews, String> {
    let found = SnapshotIs::ALL.into_iter().find(|is| is.word() == snapshot.is);
    let is = found.ok_or_else(|| format!("a snapshot that is `{}`", snapshot.is))?;
    Ok(SnapshotNews {
        is,
        file: snapshot.file,
        detail: snapshot.detail,
    })
}

fn trial(trial: Trial) -> TrialReport {
    let dependencies = trial.dependencies.into_iter();
    let counts = TrialCounts {
        operations: trial.operations,
        stop_reasons: trial.stop_reasons,
        dependencies: dependencies.map(|(n, d)| (n, dependency(&d))).collect(),
        side_calls: trial.side_calls,
        layers: layers(trial.layers),
        segments: trial.segments.into_iter().map(segment).collect(),
        fleet: trial.fleet,
    };
    TrialReport {
        trial: trial.trial,
        scenario: trial.scenario,
        title: trial.title,
        source: Arc::new(Source::new(trial.file, "")),
        time: trial.time,
        verdict: trial.verdict,
        because: trial.because,
        known: trial.known.map(known),
        not_run: trial.not_run,
        acted: trial.acted,
        runs: trial.runs,
        findings: trial.findings.into_iter().map(finding).collect(),
        counts,
        figures: trial.figures,
        left_out: trial.left_out.into_iter().map(left_out).collect(),
        evidence: Arc::default(),
        repeat: trial.repeat,
        evidence_file: trial.evidence,
        took: Duration::from_millis(trial.took_ms),
        remarks: trial.remarks,
    }
}

fn layers(layers: BTreeMap<String, Layer>) -> Vec<LayerCounts> {
    let mut layers: Vec<(String, Layer)> = layers.into_iter().collect();
    layers.sort_by_key(|(_, layer)| layer.place);
    let counts = |(name, layer): (String, Layer)| LayerCounts {
        name,
        role: layer.role,
        calls: layer.calls,
        acknowledged: layer.acknowledged,
        multiplier_per_mille: per_mille(layer.multiplier),
    };
    layers.into_iter().map(counts).collect()
}

fn segment(segment: OneSegment) -> Segment {
    Segment {
        from: segment.from,
        to: segment.to,
        above: segment.above,
        calls: segment.calls,
        unmarked: segment.unmarked,
        side_calls: segment.side_calls,
        split: segment.split.map(|split| Split {
            by: split.by,
            calls: split.calls,
        }),
    }
}

/// Multipliers are written as thousandths; a cast of what is out of range saturates.
fn per_mille(multiplier: f64) -> u64 {
    (multiplier * 1000.0).round() as u64
}

fn dependency(dependency: &Dependency) -> DependencyCounts {
    DependencyCounts {
        calls: dependency.calls,
        accept_cuts: dependency.accept_cuts,
        delivered: dependency.delivered,
        begun: dependency.begun,
        acknowledged: dependency.acknowledged,
        key_conflicts: dependency.key_conflicts,
        operations: dependency.operations,
        multiplier_per_mille: per_mille(dependency.multiplier),
        load: dependency.load.clone(),
    }
}

fn finding(finding: OneFinding) -> ReportedFinding {
    let asked = finding.place.zip(finding.line);
    ReportedFinding {
        finding: Finding {
            check: finding.check,
            level: finding.level,
            grade: finding.verdict,
            because: finding.because,
            operations: finding.operations,
            calls: finding.calls,
            span: None,
            cites: finding.cites,
        },
        known: finding.known.map(known),
        asked: asked.map(|(place, line)| AskedAt { place, line }),
    }
}

fn left_out(left_out: NotAsked) -> LeftOut {
    LeftOut {
        operation: left_out.operation,
        request: left_out.request,
        because: left_out.because,
    }
}

fn known(known: KnownWhy) -> Known {
    Known {
        because: known.because,
        see: known.see,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Verdict;
    use crate::report::{example, json};

    /// A report in which every key has something to say.
    fn full() -> SuiteReport {
        let known = Known {
            because: "upstream".to_owned(),
            see: Some("https://example.org".to_owned()),
        };
        let entry = |matches, matched| Listed {
            entry: ExpectedEntry {
                matches,
                because: "upstream".to_owned(),
                see: None,
                span: Span::default(),
                place: "client.yaml:9".to_owned(),
            },
            matched,
        };
        let mut report = example::report();
        let trial = &mut report.trials[0];
        trial.runs = [(Verdict::Pass, 2), (Verdict::Fail, 1)].into();
        trial.known = Some(known.clone());
        trial.findings[0].known = Some(known);
        trial.not_run = true;
        trial.counts.layers = example::layers();
        trial.counts.segments = example::segments();
        trial.counts.fleet = Some(example::fleet());
        trial.remarks = vec!["a \u{1b} remark".to_owned()];
        report.expected = vec![
            entry(
                ExpectedMatch::Finding {
                    check: "attempts.capped".to_owned(),
                    scenario: None,
                },
                true,
            ),
            entry(
                ExpectedMatch::Inconclusive {
                    scenario: "lost-ack".to_owned(),
                },
                false,
            ),
        ];
        report.shard = "2/3".parse().ok();
        report.missing = vec!["shard 3/3".to_owned()];
        report.stale = vec!["client.yaml:9: nothing".to_owned()];
        report.deselected = vec!["healthy".to_owned()];
        report.snapshots = vec![SnapshotNews {
            is: SnapshotIs::Different,
            file: "a.snap".to_owned(),
            detail: vec!["- calls: 2".to_owned()],
        }];
        report
    }

    #[test]
    fn what_was_written_is_read_back_whole() {
        let written = json(&full(), 1).expect("it can be written");
        let read = read_json(&written, "0.1.0").expect("it can be read");
        assert_eq!(json(&read, 1).expect("it can be written"), written);
        assert_eq!(read.trials[0].counts, full().trials[0].counts);
    }

    #[test]
    fn what_nobody_can_have_counted_is_refused_and_a_seed_may_be_any_number() {
        let mut report = full();
        report.seed = Some(u64::MAX);
        let written = json(&report, 1).expect("it can be written");
        assert_eq!(
            read_json(&written, "0.1.0").expect("it can be read").seed,
            Some(u64::MAX)
        );
        let calls = written.replacen("\"side_calls\": 0", "\"side_calls\": 18446744073709551615", 1);
        assert_ne!(calls, written);
        let said = read_json(&calls, "0.1.0").expect_err("nobody counts so far");
        assert!(
            said.contains("18446744073709551615 is more than can be counted"),
            "{said}"
        );
        let shard = written.replace("\"2/3\"", "\"2/4294967295\"");
        let said = read_json(&shard, "0.1.0").expect_err("no run has so many parts");
        assert_eq!(said, "a run has at most 10000 parts, and not 4294967295");
    }

    #[test]
    fn what_another_retrial_wrote_is_refused() {
        let written = json(&example::report(), 1).expect("it can be written");
        let said = read_json(&written, "0.2.0").expect_err("it is of another version");
        assert!(
            said.contains("written by retrial 0.1.0; this is retrial 0.2.0"),
            "{said}"
        );
        assert!(
            read_json("{}", "0.1.0")
                .expect_err("no report")
                .starts_with("not a JSON report")
        );
    }
}
