//! The comparison as JSON, version 1.

use std::collections::BTreeMap;

use serde::Serialize;

use super::mirror::{Dependency, Layer};
use super::write::{dependency, escaped, layers};
use crate::judge::{Figures, Verdict};
use crate::report::comparison::{Comparison, Row, Side, over_all, played, rows_of};
use crate::report::model::{SuiteReport, TrialReport};
use crate::term::{StopReason, Time};

#[derive(Serialize)]
struct Compared {
    version: u32,
    harness: Option<String>,
    seed: Option<u64>,
    interrupted: bool,
    /// The columns; every `each` below is in their order.
    subjects: Vec<Subject>,
    trials: Vec<Trial>,
    /// Over the trials that all of them played with as many operations.
    figures: OverAll,
}

#[derive(Serialize)]
struct Subject {
    name: String,
    client: String,
    client_versions: Vec<String>,
    policy: Option<String>,
}

#[derive(Serialize)]
struct Trial {
    scenario: String,
    trial: String,
    title: String,
    file: String,
    time: Time,
    /// The names of the rows in which they differ.
    differs: Vec<String>,
    each: Vec<OfSubject>,
}

#[derive(Serialize)]
struct OfSubject {
    verdict: Verdict,
    because: Option<String>,
    /// Whether it was played to its end; where it was not, its counts are held against nobody's.
    played: bool,
    operations: u64,
    stop_reasons: BTreeMap<StopReason, u64>,
    dependencies: BTreeMap<String, Dependency>,
    layers: BTreeMap<String, Layer>,
    figures: Figures,
    repeat: String,
}

#[derive(Serialize)]
struct OverAll {
    trials: usize,
    differs: Vec<String>,
    each: Vec<Figures>,
}

/// The comparison as JSON, indented, with a newline at its end.
///
/// # Errors
/// None that this data can cause; the serialiser's type says otherwise.
pub fn comparison_json(comparison: &Comparison) -> serde_json::Result<String> {
    let first = comparison.reports.first();
    let (trials, each) = comparison.figures();
    let compared = Compared {
        version: 1,
        harness: first.map(|report| report.harness.clone()),
        seed: first.and_then(|report| report.seed),
        interrupted: comparison.reports.iter().any(|report| report.interrupted),
        subjects: subjects(comparison),
        trials: comparison.trials().iter().filter_map(trial).collect(),
        figures: OverAll {
            trials,
            differs: differing(&over_all(comparison)),
            each,
        },
    };
    Ok(escaped(&serde_json::to_string_pretty(&compared)?) + "\n")
}

fn subjects(comparison: &Comparison) -> Vec<Subject> {
    let columns = comparison.subjects.iter().zip(&comparison.reports);
    let subject = |(subject, report): (&crate::report::Subject, &SuiteReport)| Subject {
        name: subject.name.clone(),
        client: report.client.clone(),
        client_versions: report.client_versions.clone(),
        policy: subject.policy.clone(),
    };
    columns.map(subject).collect()
}

fn trial(side: &Side<'_>) -> Option<Trial> {
    let common = side.common()?;
    Some(Trial {
        scenario: common.scenario.clone(),
        trial: common.trial.clone(),
        title: common.title.clone(),
        file: common.source.path.clone(),
        time: common.time,
        differs: differing(&rows_of(side)),
        each: side.each.iter().map(|trial| of_subject(trial)).collect(),
    })
}

fn of_subject(trial: &TrialReport) -> OfSubject {
    let counts = &trial.counts;
    let dependencies = counts.dependencies.iter();
    OfSubject {
        verdict: trial.verdict,
        because: trial.because.clone(),
        played: played(trial),
        operations: counts.operations,
        stop_reasons: counts.stop_reasons.clone(),
        dependencies: dependencies.map(|(n, c)| (n.clone(), dependency(c))).collect(),
        layers: layers(&counts.layers),
        figures: trial.figures.clone(),
        repeat: trial.repeat.clone(),
    }
}

fn differing(rows: &[Row]) -> Vec<String> {
    let differing = rows.iter().filter(|row| row.differs());
    differing.map(|row| row.name.clone()).collect()
}
