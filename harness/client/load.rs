//! From a client's file to the client.

use std::path::PathBuf;
use std::sync::Arc;

use super::check::Check;
use super::{Client, raw};
use crate::source::{Problem, Problems, Source, read_yaml};

/// The client that a `client.yaml` describes; its command runs in `folder`.
///
/// # Errors
///
/// The first structural problem, or else every problem of meaning, in the order of the file; never an empty list.
pub fn load(source: Arc<Source>, folder: Option<PathBuf>) -> Result<Client, Vec<Problem>> {
    loaded(source, folder, None)
}

/// As [`load`], knowing the ids of the checks that exist.
///
/// # Errors
///
/// As [`load`]; the id of a check that does not exist is a problem of meaning.
pub fn load_knowing(
    source: Arc<Source>,
    folder: Option<PathBuf>,
    known_checks: &[&str],
) -> Result<Client, Vec<Problem>> {
    loaded(source, folder, Some(known_checks))
}

fn loaded(
    source: Arc<Source>,
    folder: Option<PathBuf>,
    known_checks: Option<&[&str]>,
) -> Result<Client, Vec<Problem>> {
    let raw: raw::ClientFile = read_yaml(&source, raw::HOMES).map_err(|p| vec![p])?;
    let problems = Problems::new(&source);
    let check = Check {
        problems: &problems,
        known_checks,
        folder: folder.as_deref(),
    };
    let client = check.client(&raw);
    problems.none_or(client)
}
