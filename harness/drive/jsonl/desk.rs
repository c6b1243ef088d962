//! Which operations are with the client, and what it said of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, oneshot};

use super::result::Told;
use crate::drive::talk::Talk;
use crate::drive::{Brief, OperationEnd};
use crate::evidence::Fact;
use crate::term::OperationId;

/// Where operations are handed over and results come in.
pub(super) struct Desk {
    brief: Brief,
    talk: Talk,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: BTreeMap<OperationId, Waiting>,
    ended: BTreeSet<OperationId>,
    /// Why nothing more can come of the client, as a clause: `left with exit status 0`.
    gone: Option<String>,
    broke: bool,
    dismissed: bool,
}

struct Waiting {
    tell: oneshot::Sender<OperationEnd>,
    /// Given back when the result comes, not when the waiting is given up: the client is still at it.
    _place: OwnedSemaphorePermit,
}

impl Desk {
    pub(super) fn new(brief: Brief, talk: Talk) -> Self {
        let state = Mutex::default();
        Desk { brief, talk, state }
    }

    pub(super) fn talk(&self) -> &Talk {
        &self.talk
    }

    pub(super) fn brief(&self) -> &Brief {
        &self.brief
    }

    /// Notes an operation as handed over. `None`: the client has left, which is recorded.
    pub(super) fn hand_over(
        &self,
        op: OperationId,
        place: OwnedSemaphorePermit,
    ) -> Option<oneshot::Receiver<OperationEnd>> {
        let mut state = self.state();
        if let Some(did) = state.gone.clone() {
            self.record_broke(&mut state, &format!("{did} before {op} could be handed over"));
            return None;
        }
        let (tell, end) = oneshot::channel();
        let waiting = Waiting { tell, _place: place };
        state.waiting.insert(op, waiting);
        Some(end)
    }

    /// Takes a result.
    ///
    /// # Errors
    /// The operation was never asked, or has ended: what the client did, as a clause.
    pub(super) fn take(&self, op: OperationId, told: Told) -> Result<(), String> {
        let mut state = self.state();
        let Some(waiting) = state.waiting.remove(&op) else {
            return Err(match state.ended.contains(&op) {
                true => format!("gave a second result for {op}"),
                false => format!("gave a result for {op}, which it was not asked"),
            });
        };
        state.ended.insert(op);
        if state.dismissed && waiting.tell.is_closed() {
            // The engine gave up, and retrial is ending the client: what it says to that is not its own claim.
            return Ok(());
        }
        let at = self.brief.clock.now();
        let (fact, end) = match told {
            Told::Outcome(result) => {
                let end = OperationEnd::Reported(result.clone());
                (Fact::Reported { op, at, result }, end)
            }
            Told::CouldNotRun(because) => (Fact::CouldNotRun { op, at, because }, OperationEnd::CouldNotRun),
        };
        self.brief.recorder.record(fact);
        // A result that comes after the engine gave up, while others are waited for, is a fact all the same.
        let _ = waiting.tell.send(end);
        Ok(())
    }

    /// The client broke the protocol: recorded, and whoever waits is told.
    pub(super) fn broke(&self, did: &str) {
        let mut state = self.state();
        self.record_broke(&mut state, did);
        state.gone.get_or_insert_with(|| did.to_owned());
        state.waiting.clear();
    }

    /// The client left or fell silent. That breaks the protocol only where operations are outstanding and the trial
    /// is not over.
    pub(super) fn gone(&self, did: &str) {
        let mut state = self.state();
        if !state.dismissed && !state.waiting.is_empty() {
            let ops: Vec<String> = state.waiting.keys().take(3).map(ToString::to_string).collect();
            let did = format!("{did} while {} was outstanding", ops.join(", "));
            self.record_broke(&mut state, &did);
        }
        state.gone.get_or_insert_with(|| did.to_owned());
        state.waiting.clear();
    }

    /// The trial is over: from now on the client may leave.
    pub(super) fn dismiss(&self) {
        self.state().dismissed = true;
    }

    /// Whether the client broke the protocol.
    pub(super) fn is_broken(&self) -> bool {
        self.state().broke
    }

    fn record_broke(&self, state: &mut State, did: &str) {
        if !std::mem::replace(&mut state.broke, true) {
            let at = self.brief.clock.now();
            let because = format!("the client {did}{}", self.talk.last_words());
            self.brief.recorder.record(Fact::ClientBroke { at, because });
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
