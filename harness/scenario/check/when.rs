//! Conditions of turns.

use std::collections::BTreeMap;

use super::super::raw;
use super::super::{HeaderIs, KeyState, When};
use super::Check;
use crate::source::Placed;

impl Check<'_> {
    /// The conditions of a turn.
    pub(super) fn when(&self, raw: &Placed<raw::When>) -> When {
        let written = &raw.value;
        let when = When {
            method: written.method.as_ref().map(|m| self.method_or_varied(m)),
            path: written.path.as_ref().map(|p| self.bare_path(p)),
            headers: self.header_conditions(written),
            key: written.key.as_ref().map(|k| key_state(k.value)),
            attempt: written.attempt.as_ref().map(|b| self.ordinal(b)),
            on_connection: written.on_connection.as_ref().map(|b| self.ordinal(b)),
            early: written.early,
            chance: written.chance.as_ref().map(|c| self.chance(c)),
        };
        if when == When::default() {
            self.problems.say(
                raw.span,
                "a `when` without a condition says nothing",
                "leave it out",
            );
        }
        when
    }

    fn bare_path(&self, path: &Placed<String>) -> String {
        if let Some((bare, _)) = path.value.split_once('?') {
            self.problems.add(
                self.problems
                    .at(path.span, "the path is compared without its query")
                    .labelled("never holds")
                    .instead(Some(bare)),
            );
        }
        self.path(path)
    }

    fn header_conditions(&self, raw: &raw::When) -> Vec<(String, HeaderIs)> {
        let mut seen = BTreeMap::new();
        raw.header
            .iter()
            .map(|(name, is)| {
                let is = match is {
                    raw::HeaderIs::Absent => HeaderIs::Absent,
                    raw::HeaderIs::Present => HeaderIs::Present,
                    raw::HeaderIs::Exactly(text) => HeaderIs::Exactly(text.clone()),
                };
                (self.header_name(name, &mut seen), is)
            })
            .collect()
    }

    fn chance(&self, raw: &Placed<f64>) -> f64 {
        if !(0.0..=1.0).contains(&raw.value) {
            self.problems
                .say(raw.span, format!("{} is not a chance", raw.value), "from 0 to 1");
        }
        raw.value
    }
}

fn key_state(raw: raw::KeyState) -> KeyState {
    match raw {
        raw::KeyState::Missing => KeyState::Missing,
        raw::KeyState::New => KeyState::New,
        raw::KeyState::InFlight => KeyState::InFlight,
        raw::KeyState::Done => KeyState::Done,
        raw::KeyState::OtherContent => KeyState::OtherContent,
    }
}
