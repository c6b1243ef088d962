//! The command that repeats one trial.

use std::path::Path;

use super::arguments::{Run, WantedTime};
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
        match run.time {
            // Which time a trial is played in hangs on the trial alone.
            WantedTime::Auto => {}
            WantedTime::Real => client.extend(["--time".to_owned(), "real".to_owned()]),
            WantedTime::Virtual => client.extend(["--time".to_owned(), "virtual".to_owned()]),
        }
        if run.output.strict {
            client.push("--strict".to_owned());
        }
        Repeat {
            scenarios: run.selection.scenarios.iter().map(|file| path(file)).collect(),
            client,
            command: run.command.clone(),
            seed,
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
