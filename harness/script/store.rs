//! The key store of a dependency: which idempotency keys it remembers, and what became of them.
//!
//! It decides whether an effect happens again. Calls without an effect store nothing. Moments come in as arguments.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::term::{CallId, Effect, KeyState, Stamp};

/// What is remembered, by key.
#[derive(Debug, Default)]
pub(super) struct KeyStore {
    keep: Duration,
    entries: BTreeMap<String, Entry>,
}

#[derive(Debug)]
struct Entry {
    /// What the key came with: the same key with other content is refused.
    content: String,
    by: CallId,
    turn: u32,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The call that brought the key is still at work towards this effect.
    AtWork(Effect),
    /// Started then and never committed: the next call starts it again.
    Begun(Stamp),
    /// Applied then.
    Applied(Stamp),
}

impl KeyStore {
    /// An empty store that remembers a key for so long after its effect.
    pub fn new(keep: Duration) -> Self {
        KeyStore {
            keep,
            entries: BTreeMap::new(),
        }
    }

    /// What is known at `at` of a key that comes with this content.
    pub fn state(&self, key: Option<&str>, content: &str, at: Stamp) -> KeyState {
        let Some(key) = key else { return KeyState::Missing };
        let Some(entry) = self.entries.get(key).filter(|e| !self.is_forgotten(e, at)) else {
            return KeyState::New;
        };
        match entry.state {
            _ if entry.content != content => KeyState::OtherContent,
            State::AtWork(_) => KeyState::InFlight,
            State::Begun(_) => KeyState::New,
            State::Applied(_) => KeyState::Done,
        }
    }

    fn is_forgotten(&self, entry: &Entry, at: Stamp) -> bool {
        match entry.state {
            State::AtWork(_) => false,
            State::Begun(since) | State::Applied(since) => at.since(since) >= self.keep,
        }
    }

    /// A call of this turn goes to work under a key of which nothing is stored.
    pub fn begin(&mut self, key: &str, content: &str, (by, turn): (CallId, u32), effect: Effect) {
        let entry = Entry {
            content: content.to_owned(),
            by,
            turn,
            state: State::AtWork(effect),
        };
        self.entries.insert(key.to_owned(), entry);
    }

    /// The effect that a call worked towards is done.
    pub fn done(&mut self, key: &str, by: CallId, at: Stamp) {
        let Some(entry) = self.entries.get_mut(key).filter(|e| e.by == by) else {
            return;
        };
        if let State::AtWork(effect) = entry.state {
            entry.state = match effect {
                Effect::Applied => State::Applied(at),
                Effect::Begun | Effect::None => State::Begun(at),
            };
        }
    }

    /// The call that applied the effect under this key, and its turn.
    pub fn applied(&self, key: &str) -> Option<(CallId, u32)> {
        let entry = self.entries.get(key)?;
        matches!(entry.state, State::Applied(_)).then_some((entry.by, entry.turn))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEEP_MS: u64 = 1_000;

    fn ms(ms: u64) -> Stamp {
        Stamp::from_ms(ms)
    }

    /// A store in which call 1 works under `k` with the content `a`.
    fn at_work(effect: Effect) -> KeyStore {
        let mut store = KeyStore::new(Duration::from_millis(KEEP_MS));
        store.begin("k", "a", (CallId(1), 3), effect);
        store
    }

    #[test]
    fn a_key_is_new_then_in_flight_then_done() {
        let empty = KeyStore::new(Duration::from_secs(1));
        assert_eq!(empty.state(None, "a", ms(0)), KeyState::Missing);
        assert_eq!(empty.state(Some("k"), "a", ms(0)), KeyState::New);
        let mut store = at_work(Effect::Applied);
        assert_eq!(store.state(Some("k"), "a", ms(90_000)), KeyState::InFlight);
        assert_eq!(store.applied("k"), None);
        store.done("k", CallId(1), ms(100));
        assert_eq!(store.state(Some("k"), "a", ms(200)), KeyState::Done);
        assert_eq!(store.applied("k"), Some((CallId(1), 3)));
        assert_eq!(store.state(Some("other"), "a", ms(200)), KeyState::New);
    }

    #[test]
    fn other_content_is_told_apart_whatever_became_of_the_first() {
        for effect in [Effect::Applied, Effect::Begun] {
            let mut store = at_work(effect);
            assert_eq!(store.state(Some("k"), "b", ms(1)), KeyState::OtherContent);
            store.done("k", CallId(1), ms(1));
            assert_eq!(store.state(Some("k"), "b", ms(2)), KeyState::OtherContent);
        }
    }

    #[test]
    fn what_only_began_may_begin_again() {
        let mut store = at_work(Effect::Begun);
        store.done("k", CallId(1), ms(1));
        assert_eq!(store.state(Some("k"), "a", ms(2)), KeyState::New);
        store.begin("k", "a", (CallId(2), 4), Effect::Applied);
        // The first call is not the one at work any more.
        store.done("k", CallId(1), ms(3));
        assert_eq!(store.state(Some("k"), "a", ms(3)), KeyState::InFlight);
        store.done("k", CallId(2), ms(4));
        assert_eq!(store.applied("k"), Some((CallId(2), 4)));
    }

    #[test]
    fn a_key_is_forgotten_when_its_time_is_over_and_not_while_its_call_is_at_work() {
        let mut store = at_work(Effect::Applied);
        store.done("k", CallId(1), ms(500));
        assert_eq!(store.state(Some("k"), "a", ms(500 + KEEP_MS - 1)), KeyState::Done);
        assert_eq!(store.state(Some("k"), "a", ms(500 + KEEP_MS)), KeyState::New);
        assert_eq!(store.state(Some("k"), "b", ms(500 + KEEP_MS)), KeyState::New);
    }
}
