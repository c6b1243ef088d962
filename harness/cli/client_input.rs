//! Which client runs: a file, a command, or the built-in reference.

use std::fs;
use std::path::Path;

use super::failure::Failure;
use crate::client::{self, Client};
use crate::judge::checks;
use crate::promise::ExpectedMatch;
use crate::source::{Problem, nearest, read_file};
use crate::suite::{self, Exit};

/// Reads a client's file; its command runs in the file's folder.
pub(super) fn from_file(path: &Path) -> Result<Client, Vec<Problem>> {
    let source = read_file(path).map_err(|problem| vec![problem])?;
    let folder = fs::canonicalize(path)
        .ok()
        .and_then(|whole| whole.parent().map(Path::to_path_buf));
    let client = client::load(source, folder)?;
    let problems = unknown_checks(&client);
    if problems.is_empty() {
        Ok(client)
    } else {
        Err(problems)
    }
}

/// An entry of `expected` that names no check could never match.
fn unknown_checks(client: &Client) -> Vec<Problem> {
    let ids = || checks::ALL.iter().map(|check| check.id);
    let mut problems = Vec::new();
    for entry in &client.expected {
        let ExpectedMatch::Finding { check, .. } = &entry.matches else {
            continue;
        };
        if !ids().any(|id| id == check) {
            let problem = Problem::at(&client.source, entry.span, format!("there is no check `{check}`"));
            let hint = match nearest(check, ids()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "`retrial list --checks` lists them".to_owned(),
            };
            problems.push(problem.hint(hint));
        }
    }
    problems
}

/// The client that is a command line.
pub(super) fn from_command(words: &[String]) -> Result<Client, Failure> {
    client::from_command(words).map_err(|sentence| Failure::usage(&sentence, None))
}

/// The built-in reference, which is this very program.
pub(super) fn reference(mutant: Option<&str>) -> Result<Client, Failure> {
    let program = std::env::current_exe().map_err(|e| {
        let sentence = format!("the program's own path is unknown: {e}");
        Failure::new(Exit::CouldNotRun, &sentence, None)
    })?;
    let program = program.to_string_lossy();
    suite::reference(&program, mutant).map_err(|problems| Failure::files(&problems))
}
