//! The command that repeats one trial.

use std::path::Path;

use super::arguments::{Compare, Run, WantedTime};
use crate::report::shell_word;
use crate::scenario::Trial;

/// What of a run's arguments its repetition needs.
pub(super) struct Repeat {
    scenarios: Vec<String>,
    client: Vec<String>,
    command: Vec<String>,
    seed: u64,
}

impl Repeat {
    /// From the arguments of the run that is to be repeated.
    pub(super) fn of(run: &Run, seed: u64) -> Self {
        let path = |path: &Path| path.display().to_string();
        let mut client = Vec::new();
        if let Some(file) = &run.client {
            client.extend(["--client".to_owned(), path(file)]);
        }
        if let Some(mutant) = &run.mutant {
            client.extend(["--mutant".to_owned(), mutant.clone()]);
        }
        if let Some(policy) = &run.given {
            client.extend(["--given".to_owned(), path(policy)]);
        }
        client.extend(in_time(run.time));
        if run.output.strict {
            client.push("--strict".to_owned());
        }
        Repeat {
            scenarios: run
                .selection
                .filter
                .scenarios
                .iter()
                .map(|file| path(file))
                .collect(),
            client,
            command: run.command.clone(),
            seed,
        }
    }

    /// From the arguments of a comparison; without a client.
    pub(super) fn of_comparison(compare: &Compare, seed: u64) -> Self {
        Repeat {
            scenarios: compare
                .filter
                .scenarios
                .iter()
                .map(|f| f.display().to_string())
                .collect(),
            client: in_time(compare.time),
            command: Vec::new(),
            seed,
        }
    }

    /// For one side of a comparison: with this option and its value, if it takes one.
    pub(super) fn with_client(&self, option: Option<(&str, String)>) -> Self {
        let mut client = self.client.clone();
        client.extend(
            option
                .into_iter()
                .flat_map(|(name, value)| [name.to_owned(), value]),
        );
        Repeat {
            scenarios: self.scenarios.clone(),
            client,
            command: Vec::new(),
            seed: self.seed,
        }
    }

    /// The command, for a shell.
    pub(super) fn command(&self, trial: &Trial) -> String {
        let mut words = vec!["retrial".to_owned(), "run".to_owned(), trial.id.clone()];
        if self.scenarios.contains(&trial.source.path) {
            words.extend(["--scenario".to_owned(), trial.source.path.clone()]);
        }
        words.extend(self.client.iter().cloned());
        words.extend(["--seed".to_owned(), self.seed.to_string()]);
        if !self.command.is_empty() {
            words.push("--".to_owned());
            words.extend(self.command.iter().cloned());
        }
        let quoted: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
        quoted.join(" ")
    }
}

fn in_time(time: WantedTime) -> Vec<String> {
    match time {
        // Which time a trial is played in hangs on the trial alone.
        WantedTime::Auto => Vec::new(),
        WantedTime::Real => vec!["--time".to_owned(), "real".to_owned()],
        WantedTime::Virtual => vec!["--time".to_owned(), "virtual".to_owned()],
    }
}
