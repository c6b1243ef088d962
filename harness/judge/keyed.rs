//! What keys say: whether a call carries one, and whether two calls carry the same.

use super::{Case, Course};
use crate::evidence::Call;
use crate::scenario::KeyPlan;
use crate::term::KeyState;

/// How much of a key is shown: it is the client's text, and may be long.
const SHOWN: usize = 48;

/// Methods that ask for no change of state: a key with them says nothing (RFC 9110 §9.2.1).
const SAFE: [&str; 4] = ["GET", "HEAD", "OPTIONS", "TRACE"];

impl Case<'_> {
    /// Whether a call arrived at a dependency that recognises keys.
    pub fn recognises_keys(&self, call: &Call) -> bool {
        self.dependency_of(call).is_some_and(|d| d.keys.is_some())
    }

    /// Whether a call was refused because of its key, and the caller is to change that before it asks again.
    pub fn refused_for_its_key(&self, call: &Call) -> bool {
        let status = self.status_of(call).filter(|_| call.answer_began.is_some());
        matches!(
            (status, call.key),
            (Some(400), Some(KeyState::Missing)) | (Some(422), Some(KeyState::OtherContent))
        )
    }

    /// Whether a call was told that the first one with its key is at work: it may be sent again as it is.
    pub fn refused_while_in_flight(&self, call: &Call) -> bool {
        call.answer_began.is_some()
            && self.status_of(call) == Some(409)
            && call.key == Some(KeyState::InFlight)
    }
}

impl Course<'_> {
    /// Whether a key means anything with this operation: it asks for a change of state.
    pub fn takes_a_key(&self) -> bool {
        !SAFE.contains(&self.planned.request().method.as_str())
    }

    /// Whether two operations are meant to go under one key.
    pub fn shares_its_key_with(&self, other: &Course) -> bool {
        match (&self.planned.request().key, &other.planned.request().key) {
            (Some(KeyPlan::Shared(mine)), Some(KeyPlan::Shared(theirs))) => mine == theirs,
            (Some(KeyPlan::Shared(_) | KeyPlan::Own) | None, _) => false,
        }
    }

    /// The dependencies at which it arrived, in order of arrival.
    pub fn points(&self) -> Vec<&str> {
        let mut points: Vec<&str> = Vec::new();
        for call in &self.attempts {
            if !points.contains(&&*call.head.point) {
                points.push(&call.head.point);
            }
        }
        points
    }
}

/// Whether both calls carry a key, and the same one.
pub fn same_key(one: &Call, other: &Call) -> bool {
    !one.head.keys.is_empty() && one.head.keys == other.head.keys
}

/// `the key k`, `no key`, `2 keys`.
pub fn key_of(call: &Call) -> String {
    match &call.head.keys[..] {
        [] => "no key".to_owned(),
        [key] => format!("the key {}", shown(key)),
        several => format!("{} keys", several.len()),
    }
}

/// A key, cut short where it is long.
pub fn shown(key: &str) -> String {
    match key.chars().count() <= SHOWN {
        true => key.to_owned(),
        false => format!("{}...", key.chars().take(SHOWN).collect::<String>()),
    }
}
