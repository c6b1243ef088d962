//! Which trials run: built-in scenarios and files, by name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::failure::Failure;
use super::nearest::hint;
use super::pattern::matches;
use crate::scenario::{self, Trial};
use crate::source::{Problem, Source, read_file};
use crate::spec;
use crate::suite::Exit;

/// Reads the trials of one file.
pub(super) fn from_file(path: &Path) -> Result<Vec<Trial>, Vec<Problem>> {
    let source = read_file(path).map_err(|problem| vec![problem])?;
    loaded(source, &name_of(path))
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

/// The trials that `names` select; without names those of `files`, without files every built-in one.
pub(super) fn select(names: &[String], files: &[PathBuf]) -> Result<Vec<Arc<Trial>>, Failure> {
    let mut trials = gathered(files.iter().map(|file| from_file(file))).map_err(|p| Failure::files(&p))?;
    refuse_twins(&trials)?;
    if files.is_empty() || !names.is_empty() {
        let built_in = built_in().map_err(|p| Failure::files(&p))?;
        // A file stands in for the built-in scenario of its name.
        let shadowed = |t: &Trial| trials.iter().any(|own| own.scenario == t.scenario);
        let kept: Vec<_> = built_in.into_iter().filter(|t| !shadowed(t)).collect();
        trials.extend(kept);
    }
    let trials = trials.into_iter().map(Arc::new).collect();
    if names.is_empty() {
        Ok(trials)
    } else {
        named(names, trials)
    }
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

fn named(names: &[String], trials: Vec<Arc<Trial>>) -> Result<Vec<Arc<Trial>>, Failure> {
    for name in names {
        let found = trials.iter().any(|t| is_named(t, name));
        if !found && !name.contains('*') {
            let known = trials.iter().flat_map(|t| [t.scenario.as_str(), t.id.as_str()]);
            let hint = hint(name, known, "retrial list --scenarios");
            return Err(Failure::usage(
                &format!("no scenario is called {name}"),
                Some(&hint),
            ));
        }
    }
    let selected: Vec<_> = trials
        .into_iter()
        .filter(|t| names.iter().any(|name| is_named(t, name)))
        .collect();
    if selected.is_empty() {
        let sentence = format!("nothing is selected by {}", names.join(" "));
        return Err(Failure::new(
            Exit::Nothing,
            &sentence,
            Some("`retrial list --scenarios` lists them"),
        ));
    }
    Ok(selected)
}

fn is_named(trial: &Trial, name: &str) -> bool {
    matches(name, &trial.scenario) || matches(name, &trial.id)
}
