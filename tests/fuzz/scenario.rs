//! Scenario files. What is accepted is played in virtual time, judged, and reported in every format.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use retrial::judge::Verdict;
use retrial::report::{self, Colour, SuiteReport};
use retrial::scenario::{Trial, built_in, load};
use retrial::source::{Source, render};

use crate::change::{Corpus, changes, fuzz};
use crate::stand::{report as played, suite};

/// More operations than this are sound too, and take long.
const FEW: u32 = 200;

#[test]
fn a_scenario_is_played_or_refused_with_a_sentence() {
    let corpus = Corpus::of(
        built_in()
            .iter()
            .map(|(_, yaml)| yaml.as_bytes().to_vec())
            .collect(),
    );
    let cases = (any::<Index>(), changes()).prop_map(move |(which, changes)| corpus.changed(which, &changes));
    fuzz(
        cases.prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        1,
        is_sound,
    );
}

/// The property.
pub fn is_sound(yaml: String) -> Result<(), String> {
    match load(Arc::new(Source::new("fuzz.yaml", yaml)), "fuzz") {
        Err(problems) if problems.is_empty() => Err("refused without a sentence".to_owned()),
        Err(problems) => match render(&problems, false).trim().is_empty() {
            true => Err("refused with an empty sentence".to_owned()),
            false => Ok(()),
        },
        Ok(trials) => trials.into_iter().try_for_each(is_played),
    }
}

fn is_played(trial: Trial) -> Result<(), String> {
    let operations = trial.operations.iter().map(|g| g.count.saturating_mul(g.clients));
    if operations.fold(0, u32::saturating_add) > FEW {
        return Ok(());
    }
    let report = played(suite(None, vec![Arc::new(trial)]));
    let because = report.trials[0].because.clone().unwrap_or_default();
    match report.trials[0].verdict {
        Verdict::HarnessError if because.is_empty() || because.contains("panicked") => {
            Err(format!("the harness failed: {because}"))
        }
        _ => is_reported(&report),
    }
}

/// Whether a report can be written in every format.
pub fn is_reported(of: &SuiteReport) -> Result<(), String> {
    let json = report::json(of, 0).map_err(|e| e.to_string())?;
    serde_json::from_str::<serde_json::Value>(&json).map_err(|e| e.to_string())?;
    report::junit(of).map_err(|e| e.to_string())?;
    report::markdown(of);
    let text = report::text(of, Colour::Never);
    match text.chars().find(|c| c.is_control() && *c != '\n') {
        Some(c) => Err(format!("{c:?} in the text")),
        None => Ok(()),
    }
}
