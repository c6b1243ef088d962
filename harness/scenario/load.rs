//! From a file to its trials.

use std::sync::Arc;

use super::check::{Check, Uses, choices, head, unused};
use super::{Trial, raw, unplayed};
use crate::source::{Problem, Problems, Source, read_yaml};

/// The trials of a scenario file: one for each combination of what it varies. `name` is the file's name without its
/// ending.
///
/// # Errors
///
/// The first structural problem (syntax, unknown key, wrong type), or else every problem of meaning, in the order of
/// the file; never an empty list.
pub fn load(source: Arc<Source>, name: &str) -> Result<Vec<Trial>, Vec<Problem>> {
    load_citing(source, name, &|_| true)
}

/// As [`load`], with a say on which keys of citations exist.
///
/// # Errors
///
/// As [`load`]; a citation that is not known is a problem of meaning.
pub fn load_citing(
    source: Arc<Source>,
    name: &str,
    known_cites: &dyn Fn(&str) -> bool,
) -> Result<Vec<Trial>, Vec<Problem>> {
    let raw: raw::Scenario = read_yaml(&source).map_err(|p| vec![p])?;
    let problems = Problems::new(&source);
    head(&raw, known_cites, &problems);
    unplayed::refuse(&raw, &problems);
    let uses = Uses::default();
    let trials = choices(&raw.vary, &problems)
        .into_iter()
        .map(|choice| {
            Check {
                problems: &problems,
                choice,
                uses: &uses,
                raw: &raw,
            }
            .trial(name)
        })
        .collect();
    unused(&raw.vary, &uses, &problems);
    problems.none_or(trials)
}
