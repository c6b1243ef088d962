//! Where trials come from: built-in scenarios and files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use crate::scenario::{self, Trial};
use crate::source::{Problem, Source, read_file};
use crate::spec;

/// Reads the trials of one file.
pub(super) fn from_file(path: &Path) -> Result<Vec<Trial>, Vec<Problem>> {
    let source = read_file(path).map_err(|problem| vec![problem])?;
    from_source(source, path)
}

/// The trials of a file whose text was read: a pipe gives it only once.
pub(super) fn from_source(source: Arc<Source>, path: &Path) -> Result<Vec<Trial>, Vec<Problem>> {
    loaded(source, &name_of(path))
}

/// Reads the trials of a text that came without a file.
pub(super) fn from_text(text: String, name: &str) -> Result<Vec<Trial>, Vec<Problem>> {
    loaded(Arc::new(Source::new(name.to_owned(), text)), name)
}

fn loaded(source: Arc<Source>, name: &str) -> Result<Vec<Trial>, Vec<Problem>> {
    scenario::load_citing(source, name, &|key| spec::citation(key).is_some())
}

/// A scenario is named after its file, without the ending.
fn name_of(path: &Path) -> String {
    path.file_stem()
        .unwrap_or(path.as_os_str())
        .to_string_lossy()
        .into_owned()
}

/// The trials of every built-in scenario.
pub(super) fn built_in() -> Result<Vec<Trial>, Vec<Problem>> {
    let loaded = scenario::built_in().iter().map(|(name, text)| {
        let source = Source::new(format!("built-in:{name}"), *text);
        loaded(Arc::new(source), name)
    });
    gathered(loaded)
}

/// Every problem of every file, or every trial.
fn gathered(
    loaded: impl Iterator<Item = Result<Vec<Trial>, Vec<Problem>>>,
) -> Result<Vec<Trial>, Vec<Problem>> {
    let (mut trials, mut problems) = (Vec::new(), Vec::new());
    for one in loaded {
        match one {
            Ok(more) => trials.extend(more),
            Err(more) => problems.extend(more),
        }
    }
    if problems.is_empty() {
        Ok(trials)
    } else {
        Err(problems)
    }
}

/// The trials of `files`, then every built-in one that no file of its name stands in for.
pub(super) fn all(files: &[PathBuf]) -> Result<All, Failure> {
    let own = gathered(files.iter().map(|file| from_file(file))).map_err(|p| Failure::files(&p))?;
    refuse_twins(&own)?;
    let built_in = built_in().map_err(|p| Failure::files(&p))?;
    let shadowed = |t: &Trial| own.iter().any(|mine| mine.scenario == t.scenario);
    let built_in = built_in.into_iter().filter(|t| !shadowed(t)).collect();
    Ok(All { own, built_in })
}

/// Every trial there is.
pub(super) struct All {
    /// Those of the user's files.
    pub own: Vec<Trial>,
    /// Those that the program carries.
    pub built_in: Vec<Trial>,
}

fn refuse_twins(trials: &[Trial]) -> Result<(), Failure> {
    for (i, trial) in trials.iter().enumerate() {
        if let Some(twin) = trials[..i].iter().find(|t| t.id == trial.id) {
            let (one, other) = (&twin.source.path, &trial.source.path);
            let sentence = format!("{one} and {other} both make a trial {}", trial.id);
            return Err(Failure::usage(
                &sentence,
                Some("a scenario is named after its file: rename one"),
            ));
        }
    }
    Ok(())
}
