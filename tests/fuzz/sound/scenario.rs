//! Scenario files. What is accepted is played in virtual time, judged, and reported in every format.

use std::sync::Arc;

use retrial::judge::Verdict;
use retrial::report::{self, Colour, SuiteReport};
use retrial::scenario::{Trial, built_in, load};
use retrial::source::{Source, render};

use crate::stand::{report as played, suite};

/// More operations than this are sound too, and take long.
const FEW: u32 = 200;

/// The built-in scenarios.
pub fn seeds() -> Vec<Vec<u8>> {
    let built_in = built_in().iter();
    built_in.map(|(_, yaml)| yaml.as_bytes().to_vec()).collect()
}

/// It is played to its end, or refused with a sentence.
pub fn is_sound(bytes: &[u8]) -> Result<(), String> {
    let yaml = String::from_utf8_lossy(bytes).into_owned();
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
