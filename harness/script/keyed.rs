//! Deciding with a key store: the script decides the answer, the store whether the effect happens again.
//!
//! What a key stands for is only known when the whole request was read, so a call is decided then, unless the turn it
//! falls to cuts or answers it before that, whatever is stored.

use super::matching::{Asking, Known};
use super::turns::{Decision, Falls, Script};
use crate::scenario::AnswerStatus;
use crate::term::{CallId, Effect, KeyState, Place, Stamp};

/// What is known of a call's treatment from its head alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AtHead {
    /// It is decided.
    Decided(Decision),
    /// Its key decides, and what came with it: the whole request is to be read first.
    AwaitsBody(Known),
}

/// A call that was read whole, as the key store sees it.
#[derive(Debug, Clone, Copy)]
pub struct Whole<'a> {
    /// The call.
    pub call: CallId,
    /// Its key.
    pub key: Option<&'a str>,
    /// A digest of what it asks for.
    pub content: &'a str,
}

/// What a call gets that was decided by its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ByKey {
    /// What it falls to.
    pub decision: Decision,
    /// What the store knew of its key.
    pub state: KeyState,
    /// Whether it has its turn's effect itself, because nothing was stored that stands for it.
    pub works: bool,
    /// The call whose answer it is answered with, and that call's turn.
    pub replays: Option<(CallId, u32)>,
}

impl Script {
    /// What this call gets, as far as its head decides. Counts it to its operation.
    pub fn decide_at_head(&mut self, call: &Asking<'_>) -> AtHead {
        let mut known = self.meet(call);
        if let Some(turned_away) = self.gate(call, &mut known) {
            return AtHead::Decided(turned_away);
        }
        match self.dependency.keys.is_some() && !self.is_cut_short(call, known) {
            true => AtHead::AwaitsBody(known),
            false => AtHead::Decided(self.take_turn(call, known, None)),
        }
    }

    /// Whether the call is cut or answered within its request, whatever is stored under its key.
    fn is_cut_short(&self, call: &Asking<'_>, known: Known) -> bool {
        let turn = self.next_turn(call, known, None);
        let turn = self.dependency.turns.get(turn as usize);
        turn.is_some_and(|t| {
            let by_key = t.when.as_ref().is_some_and(|w| w.key.is_some());
            let at = t.cut.map(|c| c.at);
            let cut = matches!(
                at,
                Some(Place::Accept | Place::RequestHead | Place::RequestBody(_))
            );
            !by_key && (cut || t.answer.as_ref().is_some_and(|a| a.early))
        })
    }

    /// What a call gets whose head left that open; where it works under a key, that key is in flight from now on.
    pub fn decide_by_key(&mut self, asking: &Asking<'_>, known: Known, whole: Whole<'_>) -> ByKey {
        let state = self.store.state(whole.key, whole.content, asking.at);
        let decision = self.take_turn(asking, known, Some(state));
        let Falls::Turn(index) = decision.falls else {
            return ByKey {
                decision,
                state,
                works: false,
                replays: None,
            };
        };
        let turn = self.dependency.turns.get(index as usize);
        let effect = turn.map_or(Effect::None, |t| t.effect);
        let stored = turn.and_then(|t| t.answer.as_ref()).map(|a| a.status) == Some(AnswerStatus::Stored);
        let works = effect != Effect::None && matches!(state, KeyState::Missing | KeyState::New);
        let replays = whole.key.filter(|_| stored && state == KeyState::Done);
        let replays = replays.and_then(|key| self.replayed(key));
        if let (Some(key), true) = (whole.key, works) {
            self.store.begin(key, whole.content, (whole.call, index), effect);
        }
        ByKey {
            decision,
            state,
            works,
            replays,
        }
    }

    /// The call that applied the effect under a key, if its answer was stored: one that was cut is not.
    fn replayed(&self, key: &str) -> Option<(CallId, u32)> {
        let (call, turn) = self.store.applied(key)?;
        self.dependency.turns.get(turn as usize)?.stored()?;
        Some((call, turn))
    }

    /// Notes that the effect is done that a call worked towards under this key.
    pub fn effect_done(&mut self, key: &str, call: CallId, at: Stamp) {
        self.store.done(key, call, at);
    }
}

#[cfg(test)]
#[path = "keyed_tests.rs"]
mod tests;
