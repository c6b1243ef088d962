//! Scenarios, by name, from text or from a file.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use tower_service::Service;

use super::operation::Operation;
use super::run::OnTrial;
use super::transport::Transport;
use crate::evidence::Outcome;
use crate::scenario::{self, Trial};
use crate::source::{Problem, Source, nearest, read_file, render};

/// A scenario: one trial, or several where it varies something.
#[derive(Debug, Clone)]
pub struct Scenario {
    pub(super) trials: Vec<Arc<Trial>>,
}

/// What is wrong with a scenario, each problem with its line.
#[derive(Clone, PartialEq, Eq)]
pub struct ScenarioError(String);

impl fmt::Display for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// As it is displayed: this is what `unwrap` shows.
impl fmt::Debug for ScenarioError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\n{self}")
    }
}

impl std::error::Error for ScenarioError {}

impl Scenario {
    /// Reads a scenario from a file.
    ///
    /// # Errors
    /// The file cannot be read, or is no sound scenario.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, ScenarioError> {
        let path = path.as_ref();
        let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
        let source = read_file(path).map_err(|problem| shown(&[problem]))?;
        Self::of(source, &name)
    }

    /// A scenario that is written in the test itself.
    ///
    /// # Errors
    /// It is no sound scenario.
    pub fn from_yaml(yaml: &str) -> Result<Self, ScenarioError> {
        Self::of(Arc::new(Source::new("scenario.yaml", yaml)), "scenario")
    }

    /// A built-in scenario (`status-before-effect`), or one trial of it (`status-before-effect[503]`), as
    /// `retrial list` names them.
    ///
    /// # Errors
    /// There is none of that name.
    pub fn built_in(name: &str) -> Result<Self, ScenarioError> {
        let scenario = name.split('[').next().unwrap_or(name);
        let found = scenario::built_in().iter().find(|(known, _)| *known == scenario);
        let (_, yaml) = found.ok_or_else(|| none_called(name))?;
        let source = Arc::new(Source::new(format!("built-in:{scenario}"), *yaml));
        let mut all = Self::of(source, scenario)?;
        if name != scenario {
            all.trials.retain(|trial| trial.id == name);
        }
        match all.trials.is_empty() {
            true => Err(none_called(name)),
            false => Ok(all),
        }
    }

    /// The ids of its trials.
    pub fn trials(&self) -> impl Iterator<Item = &str> {
        self.trials.iter().map(|trial| trial.id.as_str())
    }

    /// Puts an async closure on trial: it carries out one operation and says what came of it.
    ///
    /// In virtual time it must reach its dependencies through the [`Transport`], and wait by `tokio::time` alone:
    /// the clock runs ahead of whatever else it waits for.
    pub fn client<F, R>(self, name: &str, operate: F) -> OnTrial
    where
        F: Fn(Operation, Transport) -> R + Send + Sync + 'static,
        R: Future<Output = Outcome> + Send + 'static,
    {
        OnTrial::new(self, name, operate)
    }

    /// Puts a stack of tower layers on trial: `make` is given the transport that belongs at its bottom, once for each
    /// trial.
    ///
    /// An answer below 400 is reported as success, another as failure, and an error as not known.
    pub fn tower<M, S, B>(self, name: &str, make: M) -> OnTrial
    where
        M: Fn(Transport) -> S + Send + Sync + 'static,
        S: Service<Request<Bytes>, Response = Response<B>> + Clone + Send + Sync + 'static,
        S::Future: Send,
        S::Error: fmt::Display,
        B: Send + 'static,
    {
        OnTrial::of_service(self, name, make)
    }

    fn of(source: Arc<Source>, name: &str) -> Result<Self, ScenarioError> {
        let trials = scenario::load(source, name).map_err(|problems| shown(&problems))?;
        Ok(Scenario {
            trials: trials.into_iter().map(Arc::new).collect(),
        })
    }
}

fn none_called(name: &str) -> ScenarioError {
    let near = nearest(name, scenario::built_in().iter().map(|(known, _)| *known));
    let hint = near.map_or_else(
        || "`retrial list` names them".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    ScenarioError(format!(
        "no built-in scenario or trial is called `{name}`; {hint}"
    ))
}

fn shown(problems: &[Problem]) -> ScenarioError {
    ScenarioError(render(problems, false))
}
