//! A policy that the user wants to try: where it comes from, and how it is laid over what scenarios hand over.

use std::path::Path;
use std::sync::Arc;

use super::failure::Failure;
use crate::client::Client;
use crate::promise::{Given, PolicyCan};
use crate::scenario::{self, Trial};
use crate::source::read_file;

/// A policy and its name.
pub(super) struct Policy {
    /// The file's name without its ending.
    pub name: String,
    given: Given,
}

impl Policy {
    /// Reads a policy's file.
    pub(super) fn from_file(path: &Path) -> Result<Self, Failure> {
        let source = read_file(path).map_err(|problem| Failure::files(&[problem]))?;
        let given = scenario::load_policy(&source).map_err(|problems| Failure::files(&problems))?;
        let name = path.file_stem().unwrap_or(path.as_os_str());
        Ok(Policy {
            name: name.to_string_lossy().into_owned(),
            given,
        })
    }

    /// Has the client play the trials under this policy. What the policy leaves open, a scenario may still say.
    pub(super) fn hand_over(&self, client: &mut Client, trials: &mut [Arc<Trial>]) -> Result<(), Failure> {
        if client.can.policy != PolicyCan::Given {
            let sentence = format!(
                "{} follows its own policy, and none can be handed to it",
                client.name
            );
            let hint = "leave the client out to try the policy on the reference client; a client that takes one says \
                        `can: {policy: given}` in its file";
            return Err(Failure::usage(&sentence, Some(hint)));
        }
        client.name = format!("{} with the policy {}", client.name, self.name);
        for trial in trials {
            let beneath = trial.given.clone().unwrap_or_default();
            let given = self.given.clone().over(beneath);
            *trial = Arc::new(Trial::clone(trial).under(given));
        }
        Ok(())
    }
}
