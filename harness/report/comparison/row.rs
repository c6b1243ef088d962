//! The rows of a comparison: what is held side by side, and whether it differs.

use super::{Comparison, Side, played};
use crate::judge::{DependencyCounts, Grade, Load};
use crate::report::figures::rows as figure_rows;
use crate::report::layers::multiplier;
use crate::report::model::{TrialReport, grade_word, verdict_word};

/// One thing in every column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::report) struct Row {
    /// What it is. It may hold a name out of a scenario.
    pub name: String,
    /// It in each column; `None` where the subject did not play the trial.
    pub cells: Vec<Option<String>>,
}

impl Row {
    /// Whether those who have it have it differently.
    pub(in crate::report) fn differs(&self) -> bool {
        let mut cells = self.cells.iter().flatten();
        let first = cells.next();
        cells.any(|cell| Some(cell) != first)
    }
}

/// The rows of one trial.
pub(in crate::report) fn rows_of(side: &Side<'_>) -> Vec<Row> {
    let mut rows = vec![Row {
        name: "verdict".to_owned(),
        cells: side
            .each
            .iter()
            .map(|t| Some(verdict_word(t.verdict).to_owned()))
            .collect(),
    }];
    rows.push(row(side, "findings", findings));
    rows.push(row(side, "operations", |t| t.counts.operations.to_string()));
    for name in layers(side) {
        rows.push(row(side, &format!("calls at the layer {name}"), |t| {
            let layer = t.counts.layers.iter().find(|layer| layer.name == name);
            layer.map_or_else(|| "-".to_owned(), |layer| layer.calls.to_string())
        }));
    }
    for name in dependencies(side) {
        rows.extend(dependency(side, &name));
        rows.extend(load(side, &name));
    }
    rows.push(row(side, "stop reasons", stops));
    rows
}

/// The figures over all comparable trials; none where there is no such trial.
pub(in crate::report) fn over_all(comparison: &Comparison) -> Vec<Row> {
    let (_, each) = comparison.figures();
    let columns: Vec<_> = each.iter().map(figure_rows).collect();
    let Some(first) = columns.first() else {
        return Vec::new();
    };
    let cell = |i: usize| move |rows: &Vec<(&str, String)>| rows.get(i).map(|(_, value)| value.clone());
    first
        .iter()
        .enumerate()
        .map(|(i, (name, _))| Row {
            name: (*name).to_owned(),
            cells: columns.iter().map(cell(i)).collect(),
        })
        .collect()
}

fn row(side: &Side<'_>, name: &str, cell: impl Fn(&TrialReport) -> String) -> Row {
    let cells = side
        .each
        .iter()
        .map(|trial| played(trial).then(|| cell(trial)))
        .collect();
    Row {
        name: name.to_owned(),
        cells,
    }
}

fn dependency(side: &Side<'_>, name: &str) -> [Row; 3] {
    let counted = |what: &str, count: fn(&DependencyCounts) -> String| {
        row(side, &format!("{what} {name}"), |trial| {
            let counts = trial.counts.dependencies.get(name);
            counts.map_or_else(|| "-".to_owned(), count)
        })
    };
    [
        counted("calls", calls),
        counted("delivered", |counts| counts.delivered.to_string()),
        counted("multiplier", |counts| multiplier(counts.multiplier_per_mille)),
    ]
}

/// What came of a dependency's load, where it has one.
fn load(side: &Side<'_>, name: &str) -> Vec<Row> {
    let load_of = |trial: &TrialReport| trial.counts.dependencies.get(name)?.load.clone();
    if side.each.iter().all(|trial| load_of(trial).is_none()) {
        return Vec::new();
    }
    let told = |what: &str, of: fn(&Load) -> String| {
        row(side, &format!("{what} {name}"), |trial| {
            load_of(trial).map_or_else(|| "-".to_owned(), |load| of(&load))
        })
    };
    vec![
        told("useful answers", |load| load.useful.to_string()),
        told("wasted calls", |load| load.wasted.to_string()),
        told("overshoot", |load| multiplier(load.overshoot_per_mille)),
        told("drained after (ms)", |load| load.drained_ms.to_string()),
    ]
}

/// Connections cut at accept carry no call, and are attempts all the same.
fn calls(counts: &DependencyCounts) -> String {
    match counts.accept_cuts {
        0 => counts.calls.to_string(),
        cut => format!("{}+{cut} cut", counts.calls),
    }
}

/// The checks by which something was found.
fn findings(trial: &TrialReport) -> String {
    let found = trial.findings.iter().map(|f| &f.finding);
    let mut said: Vec<String> = Vec::new();
    for finding in found.filter(|finding| finding.grade > Grade::Pass) {
        let sentence = format!("{} {}", grade_word(finding.grade), finding.check);
        if !said.contains(&sentence) {
            said.push(sentence);
        }
    }
    match said.is_empty() {
        true => "none".to_owned(),
        false => said.join(", "),
    }
}

fn stops(trial: &TrialReport) -> String {
    let stops: Vec<_> = trial.stops().map(|(reason, n)| format!("{reason} {n}")).collect();
    stops.join(", ")
}

fn layers(side: &Side<'_>) -> Vec<String> {
    each_once(side, |t| {
        t.counts.layers.iter().map(|layer| layer.name.clone()).collect()
    })
}

fn dependencies(side: &Side<'_>) -> Vec<String> {
    each_once(side, |t| t.counts.dependencies.keys().cloned().collect())
}

fn each_once(side: &Side<'_>, names: impl Fn(&TrialReport) -> Vec<String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in side.each.iter().flat_map(|trial| names(trial)) {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}
