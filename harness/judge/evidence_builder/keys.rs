//! Keys in stories: what the last call carried, and what the store knew of it.

use std::time::Duration;

use super::Story;
use crate::evidence::{EffectOutcome, Fact};
use crate::scenario::Keys;
use crate::term::{CallId, Effect, KeyState, Stamp};

impl Story {
    /// Every dependency recognises keys, and remembers them for a second.
    pub fn recognising_keys(mut self) -> Self {
        for dependency in &mut self.trial.dependencies {
            dependency.keys = Some(Keys {
                header: "idempotency-key".to_owned(),
                keep: Duration::from_secs(1),
            });
        }
        self
    }

    /// The last call carried these keys.
    pub fn under(mut self, keys: &[&str]) -> Self {
        let last = CallId(self.calls);
        for fact in &mut self.facts {
            if let Fact::Arrived(head) = fact
                && head.call == last
            {
                head.keys = keys.iter().map(|key| (*key).to_owned()).collect();
            }
        }
        self
    }

    /// The store knew this of the last call's key; where that stands for an effect, it has not happened again.
    pub fn key_is(mut self, key: KeyState) -> Self {
        let last = CallId(self.calls);
        let head = self.facts.iter().find_map(|fact| match fact {
            Fact::Arrived(head) if head.call == last => Some((head.turn, head.at)),
            _ => None,
        });
        let (turn, at) = head.unwrap_or((None, Stamp::ZERO));
        let again = !matches!(key, KeyState::Missing | KeyState::New);
        for fact in &mut self.facts {
            if let Fact::EffectDone { call, effect, .. } = fact
                && *call == last
                && again
            {
                *effect = EffectOutcome::Recognised;
            }
        }
        self.and(Fact::Decided {
            call: last,
            at,
            turn: turn.unwrap_or_default(),
            effect: Effect::Applied,
            key,
            replays: None,
        })
    }

    /// The last call had no effect.
    pub fn without_effect(mut self) -> Self {
        let last = CallId(self.calls);
        self.facts
            .retain(|fact| !matches!(fact, Fact::EffectDone { call, .. } if *call == last));
        self
    }
}
