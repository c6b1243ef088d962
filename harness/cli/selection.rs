//! Which trials run: by name, tag and shard.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;

use super::arguments::Filter;
use super::failure::Failure;
use super::nearest::hint;
use super::pattern::matches;
use super::remarks;
use super::scenario_input::{self, All};
use crate::client::Client;
use crate::report::Shard;
use crate::scenario::Trial;
use crate::suite::{Exit, in_shard};

/// Where names and tags are listed.
const LIST: &str = "retrial list --scenarios";

/// What runs, and what else there is.
pub(super) struct Selected {
    /// The trials that run.
    pub trials: Vec<Arc<Trial>>,
    /// The ids of the others.
    pub deselected: Vec<String>,
}

impl Selected {
    /// What is odd about the client's list of known findings, of all the trials there are.
    pub fn remarks_on(&self, client: &Client) -> String {
        let here = self.trials.iter().map(|trial| &**trial);
        remarks::of_client(client, here, &self.deselected)
    }
}

/// The trials that are selected. Without names those of the user's files, without files every built-in one.
pub(super) fn select(names: &[String], filter: &Filter, shard: Option<Shard>) -> Result<Selected, Failure> {
    let All { own, built_in } = scenario_input::all(&filter.scenarios)?;
    let all: Vec<Arc<Trial>> = own.into_iter().chain(built_in).map(Arc::new).collect();
    refuse_unknown(names, filter, &all)?;
    let (mut trials, others): (Vec<_>, Vec<_>) = all.into_iter().partition(|t| is_selected(names, filter, t));
    if trials.is_empty() {
        return Err(nothing(names, filter));
    }
    let mut deselected: Vec<_> = others.iter().map(|t| t.id.clone()).collect();
    if let Some(shard) = shard {
        // A part may be empty: the others have the rest.
        let (here, elsewhere): (Vec<_>, Vec<_>) = trials.into_iter().partition(|t| in_shard(shard, &t.id));
        deselected.extend(elsewhere.iter().map(|t| t.id.clone()));
        trials = here;
    }
    Ok(Selected { trials, deselected })
}

fn is_selected(names: &[String], filter: &Filter, trial: &Trial) -> bool {
    let named = match (names, &filter.scenarios[..]) {
        ([], []) => true,
        ([], files) => files
            .iter()
            .any(|file| file.display().to_string() == trial.source.path),
        (names, _) => names.iter().any(|name| is_named(trial, name)),
    };
    let tagged = |tags: &[String]| tags.iter().any(|tag| trial.tags.contains(tag));
    named
        && (filter.tags.is_empty() || tagged(&filter.tags))
        && !tagged(&filter.skip_tag)
        && !filter.skip.iter().any(|name| is_named(trial, name))
}

fn is_named(trial: &Trial, name: &str) -> bool {
    matches(name, &trial.scenario) || matches(name, &trial.id)
}

/// A name without a star, or a tag, that nothing has is a slip of the pen.
fn refuse_unknown(names: &[String], filter: &Filter, all: &[Arc<Trial>]) -> Result<(), Failure> {
    for name in names.iter().chain(&filter.skip) {
        if !name.contains('*') && !all.iter().any(|t| is_named(t, name)) {
            let known = all.iter().flat_map(|t| [t.scenario.as_str(), t.id.as_str()]);
            let sentence = format!("no scenario is called {name}");
            let hint = match is_a_file(name) {
                true => format!("a file is given after -s: `-s {name}`"),
                false => hint(name, known, LIST),
            };
            return Err(Failure::usage(&sentence, Some(&hint)));
        }
    }
    for tag in filter.tags.iter().chain(&filter.skip_tag) {
        if !all.iter().any(|t| t.tags.contains(tag)) {
            let known = all.iter().flat_map(|t| &t.tags).map(String::as_str);
            let sentence = format!("no scenario has the tag {tag}");
            return Err(Failure::usage(&sentence, Some(&hint(tag, known, LIST))));
        }
    }
    Ok(())
}

/// Whether a name is rather that of a file with a scenario.
fn is_a_file(name: &str) -> bool {
    let path = Path::new(name);
    let ending = path.extension().and_then(OsStr::to_str);
    matches!(ending, Some("yaml" | "yml")) || path.is_file()
}

fn nothing(names: &[String], filter: &Filter) -> Failure {
    let mut by = names.to_vec();
    for (option, values) in [
        ("--tag", &filter.tags),
        ("--skip", &filter.skip),
        ("--skip-tag", &filter.skip_tag),
    ] {
        by.extend(values.iter().map(|value| format!("{option} {value}")));
    }
    let sentence = format!("nothing is selected by {}", by.join(" "));
    Failure::new(Exit::Nothing, &sentence, Some(&format!("`{LIST}` lists them")))
}
