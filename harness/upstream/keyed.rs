//! Calls at a dependency with a key store: decided when the whole request was read.

use std::time::Duration;

use hyper::HeaderMap;

use super::arrival::Call;
use super::exchange::Line;
use super::head;
use super::served::{Ordered, Served};
use super::shared::lock;
use crate::evidence::{Digest, EffectOutcome, Fact};
use crate::scenario::{AnswerStatus, plain_success};
use crate::script::{Asking, ByKey, Decision, Falls, Known, Whole};
use crate::term::{CallId, Effect, Stamp};

/// How a call's treatment is decided.
pub(super) enum Decided {
    /// By its head.
    AtHead(Decision),
    /// By its key, when its body was read.
    AwaitsBody(Box<Awaiting>),
}

/// What is needed of a head to decide later.
pub(super) struct Awaiting {
    pub known: Known,
    pub nth_on_conn: u32,
    pub at: Stamp,
    pub since_start: Duration,
    pub path: String,
}

/// What is done with a call, all decided.
pub(super) struct Treatment<'a> {
    pub ordered: Ordered<'a>,
    pub work: Work,
}

/// The effect that a call works towards.
pub(super) struct Work {
    pub takes: Duration,
    pub outcome: Option<EffectOutcome>,
    /// The key under which its end is to be stored.
    pub key: Option<String>,
}

impl Line {
    /// What is done with a call whose whole request was read.
    pub(super) fn by_key(
        &self,
        call: &Call,
        awaiting: &Awaiting,
        headers: &HeaderMap,
        body: &Digest,
    ) -> Treatment<'_> {
        let served = &self.served;
        let asking = Asking {
            op: call.op,
            conn: self.conn,
            nth_on_conn: awaiting.nth_on_conn,
            at: awaiting.at,
            since_start: awaiting.since_start,
            method: call.method.as_str(),
            path: &awaiting.path,
            header: &|name| head::values(headers, name),
        };
        let key = head::key(&served.keys_of(headers));
        let content = format!("{} {} {}", call.method, awaiting.path, body.sha256);
        let whole = Whole {
            call: call.id,
            key: key.as_deref(),
            content: &content,
        };
        // The fact is recorded under the script's lock, so that the facts of one key come in the order of its states.
        let mut script = lock(&served.script);
        let by_key = script.decide_by_key(&asking, awaiting.known, whole);
        let ordered = served.ordered(by_key.decision.falls);
        served.record_decided(call.id, by_key, ordered.effect);
        drop(script);
        let outcome = match (outcome(ordered.effect), by_key.works) {
            (Some(outcome), true) => Some(outcome),
            (Some(_), false) => Some(EffectOutcome::Recognised),
            (None, _) => None,
        };
        let treatment = treatment(
            served.with_stored(ordered, by_key),
            outcome,
            key.filter(|_| by_key.works),
        );
        treatment.after_queue(by_key.decision.queued)
    }
}

impl Treatment<'_> {
    /// As before, once the call was in line for so long.
    fn after_queue(mut self, queued: Duration) -> Self {
        self.work.takes = self.work.takes.saturating_add(queued);
        self
    }
}

fn treatment(ordered: Ordered<'_>, outcome: Option<EffectOutcome>, key: Option<String>) -> Treatment<'_> {
    Treatment {
        ordered,
        work: Work {
            takes: ordered.takes,
            outcome,
            key,
        },
    }
}

fn outcome(effect: Effect) -> Option<EffectOutcome> {
    match effect {
        Effect::None => None,
        Effect::Applied => Some(EffectOutcome::Applied),
        Effect::Begun => Some(EffectOutcome::Begun),
    }
}

impl Served {
    /// What is done with a call that was decided by its head.
    pub(super) fn at_head(&self, decision: Decision) -> Treatment<'_> {
        let ordered = self.ordered(decision.falls);
        treatment(ordered, outcome(ordered.effect), None).after_queue(decision.queued)
    }

    fn record_decided(&self, call: CallId, by_key: ByKey, effect: Effect) {
        let turn = match by_key.decision.falls {
            Falls::Turn(turn) => turn,
            Falls::Outage(_) | Falls::Overflow => return,
        };
        self.shared.recorder.record(Fact::Decided {
            call,
            at: self.shared.clock.now(),
            turn,
            effect,
            key: by_key.state,
            replays: by_key.replays.map(|(call, _)| call),
        });
    }

    /// The same order with the stored answer in the place of `stored`; how long it takes stays as it was written.
    fn with_stored<'a>(&'a self, ordered: Ordered<'a>, by_key: ByKey) -> Ordered<'a> {
        if ordered.answer.map(|a| a.status) != Some(AnswerStatus::Stored) {
            return ordered;
        }
        let turn = by_key
            .replays
            .and_then(|(_, turn)| self.dependency.turns.get(turn as usize));
        let stored = turn.and_then(|t| t.stored());
        Ordered {
            answer: Some(stored.unwrap_or(plain_success())),
            ..ordered
        }
    }
}
