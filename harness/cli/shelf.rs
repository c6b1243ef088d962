//! One trial out of all there are, for who serves one: by name, or the only one of a file.

use std::path::PathBuf;
use std::sync::Arc;

use super::failure::Failure;
use super::nearest::hint;
use super::scenario_input::{self, All};
use crate::report::plain;
use crate::scenario::Trial;
use crate::serve::Wanted;
use crate::source::render;

/// Where names are listed.
const LIST: &str = "retrial list --scenarios";

/// The name of a scenario that came over the control endpoint, in messages and as the name of its trial.
const POSTED: &str = "posted";

/// The trials that can be served.
pub(super) struct Shelf {
    /// Those of the user's files.
    own: Vec<Arc<Trial>>,
    /// Those that the program carries.
    built_in: Vec<Arc<Trial>>,
}

impl Shelf {
    /// The trials of `files`, and the built-in ones.
    pub(super) fn of(files: &[PathBuf]) -> Result<Self, Failure> {
        let All { own, built_in } = scenario_input::all(files)?;
        let shared = |trials: Vec<Trial>| trials.into_iter().map(Arc::new).collect();
        Ok(Shelf {
            own: shared(own),
            built_in: shared(built_in),
        })
    }

    /// The trial of this name, or the only one of the scenario of this name.
    pub(super) fn named(&self, name: &str) -> Result<Arc<Trial>, Failure> {
        let all = || self.own.iter().chain(&self.built_in);
        if let Some(trial) = all().find(|t| t.id == name) {
            return Ok(trial.clone());
        }
        let of_scenario: Vec<_> = all().filter(|t| t.scenario == name).cloned().collect();
        if of_scenario.is_empty() {
            let known = all().flat_map(|t| [t.scenario.as_str(), t.id.as_str()]);
            let sentence = format!("no scenario is called {name}");
            return Err(Failure::usage(&sentence, Some(&hint(name, known, LIST))));
        }
        only(of_scenario, name, "name one after it")
    }

    /// The only trial of the user's files.
    pub(super) fn only_own(&self) -> Result<Arc<Trial>, Failure> {
        only(self.own.clone(), "what is given", "name one after it")
    }

    /// What the control endpoint asks for, or why not, as text for who asked.
    pub(super) fn find(&self, wanted: &Wanted) -> Result<Arc<Trial>, String> {
        match wanted {
            Wanted::Named(name) => self.named(name).map_err(|failure| failure.text),
            Wanted::Text { yaml, trial } => {
                let trials =
                    scenario_input::from_text(yaml.clone(), POSTED).map_err(|p| render(&p, false))?;
                let mut trials: Vec<_> = trials.into_iter().map(Arc::new).collect();
                if let Some(id) = trial.as_ref().filter(|id| trials.iter().any(|t| t.id == **id)) {
                    trials.retain(|t| t.id == *id);
                } else if let Some(id) = trial {
                    let ids = trials.iter().map(|t| t.id.as_str());
                    let sentence = format!("no trial of it is called {id}");
                    let known = format!("there is {}", ids.collect::<Vec<_>>().join(", "));
                    return Err(Failure::usage(&sentence, Some(&known)).text);
                }
                only(trials, POSTED, "name one with ?trial=").map_err(|failure| failure.text)
            }
        }
    }
}

/// The only one of these trials; `how` tells how to choose among several.
fn only(mut trials: Vec<Arc<Trial>>, of: &str, how: &str) -> Result<Arc<Trial>, Failure> {
    match (trials.pop(), trials.is_empty()) {
        (Some(trial), true) => Ok(trial),
        (last, _) => {
            let ids: Vec<_> = trials.iter().chain(&last).map(|t| plain(&t.id)).collect();
            let sentence = format!("{of} makes {} trials, and one can be served", ids.len());
            Err(Failure::usage(
                &sentence,
                Some(&format!("{how}: {}", ids.join(", "))),
            ))
        }
    }
}
