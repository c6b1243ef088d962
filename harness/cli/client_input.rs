//! Which client runs: a file, a command, or the built-in reference.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use super::failure::Failure;
use crate::client::{self, Client};
use crate::judge::checks;
use crate::source::{Problem, Source, read_file};
use crate::suite::{self, Exit};

/// Reads a client's file; its command runs in the file's folder.
pub(super) fn from_file(path: &Path) -> Result<Client, Vec<Problem>> {
    let source = read_file(path).map_err(|problem| vec![problem])?;
    from_source(source, path)
}

/// Reads a client's file whose text was read: a pipe gives it only once.
pub(super) fn from_source(source: Arc<Source>, path: &Path) -> Result<Client, Vec<Problem>> {
    let folder = fs::canonicalize(path)
        .ok()
        .and_then(|whole| whole.parent().map(Path::to_path_buf));
    // An entry of `expected` that names no check could never match.
    let ids: Vec<&str> = checks::ALL.iter().map(|check| check.id).collect();
    client::load_knowing(source, folder, &ids)
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
