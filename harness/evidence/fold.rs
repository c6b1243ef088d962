//! The facts of one trial, folded.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use super::{Arrival, Beyond, Ceiling, ClientRecord, Digest, EffectOutcome, Fact, GateState, Outcome};
use super::{Packed, Restarted, unmarked};
use crate::term::{
    CallId, ConnId, CutBy, KeyState, LayerRole, Name, OperationId, Place, ProcessId, Role, Stamp,
};

/// Everything observed in one trial.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Evidence {
    /// The wall clock at the epoch, in microseconds since 1970.
    pub unix_us: u64,
    /// Calls, in order of arrival: `calls[i].id() == CallId(i + 1)` in evidence that the engine made.
    pub calls: Vec<Call>,
    /// The layers that the client is made of, from its entry down; empty where it is of one piece.
    pub layers: Vec<Layer>,
    /// Calls at the taps before its layers, in order of arrival. They share their numbers with `calls`.
    pub passed: Vec<Call>,
    /// Operations that were asked or left out, by id.
    pub operations: BTreeMap<OperationId, Operation>,
    /// Connections cut at accept.
    pub accept_cuts: Vec<AcceptCut>,
    /// Requests that could not be read as HTTP: where, when, why.
    pub unreadable: Vec<(Name, Stamp, String)>,
    /// The client.
    pub client: ClientRecord,
    /// Clients that were started anew, by the new one.
    pub restarts: BTreeMap<ProcessId, Restarted>,
    /// Gates that changed: where, when, to what.
    pub gates: Vec<(Name, Stamp, GateState)>,
    /// Ceilings that were reached.
    pub ceilings: Vec<(Stamp, Ceiling)>,
    /// The worst lateness of the harness, in microseconds.
    pub worst_lag_us: u64,
    /// When the watch for late calls ended.
    pub watch_ended: Option<Stamp>,
    /// Whether the user interrupted the trial.
    pub interrupted: bool,
    /// Calls that were counted and are not among these.
    pub beyond: Beyond,
}

/// A layer of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layer {
    /// Its name, which is that of the tap before it.
    pub name: Name,
    /// What it is to what passes through it.
    pub role: LayerRole,
}

/// A connection that the script cut at accept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptCut {
    /// Which.
    pub conn: ConnId,
    /// Where.
    pub point: Name,
    /// When.
    pub at: Stamp,
    /// How.
    pub by: CutBy,
    /// The turn, from 0.
    pub turn: Option<u32>,
    /// The only operation running then.
    pub op: Option<OperationId>,
}

/// One call, folded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Its head.
    pub head: Arrival,
    /// What the key store of its dependency knew of its key, where there is one.
    pub key: Option<KeyState>,
    /// The call whose stored answer it was answered with.
    pub replays: Option<CallId>,
    /// Its body, as far as it was read.
    pub body: Option<Digest>,
    /// Its effect, and when.
    pub effect: Option<(Stamp, EffectOutcome)>,
    /// When its answer was begun.
    pub answer_began: Option<Stamp>,
    /// The status that was answered.
    pub status: Option<u16>,
    /// The wait its pushback asked for, in milliseconds.
    pub asked_wait_ms: Option<u64>,
    /// The moment a date named.
    pub asked_until: Option<Stamp>,
    /// Retry-After as it was written.
    pub retry_after: Option<String>,
    /// When the exchange was over.
    pub answer_ended: Option<Stamp>,
    /// Whether a complete answer was handed to the kernel.
    pub complete: bool,
    /// The cut that was played.
    pub cut: Option<(Place, CutBy)>,
    /// When the client was seen to have left.
    pub peer_left: Option<Stamp>,
}

impl Call {
    /// A call of which only the head is known.
    pub fn new(head: Arrival) -> Self {
        Call {
            head,
            key: None,
            replays: None,
            body: None,
            effect: None,
            answer_began: None,
            status: None,
            asked_wait_ms: None,
            asked_until: None,
            retry_after: None,
            answer_ended: None,
            complete: false,
            cut: None,
            peer_left: None,
        }
    }

    /// Its id.
    pub fn id(&self) -> CallId {
        self.head.call
    }

    /// Whether it arrived after another call. Where time stands still two calls have one stamp; their ids tell the order.
    pub fn comes_after(&self, other: &Call) -> bool {
        (self.at(), self.id()) > (other.at(), other.id())
    }

    /// When it arrived.
    pub fn at(&self) -> Stamp {
        self.head.at
    }

    /// Whether it is an attempt of an operation.
    pub fn is_attempt(&self) -> bool {
        self.head.role == Role::Attempt && self.head.op.is_some()
    }

    /// Whether its effect was applied.
    pub fn delivered(&self) -> bool {
        matches!(self.effect, Some((_, EffectOutcome::Applied)))
    }
}

/// One operation, folded.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Operation {
    /// Why it was not asked of this client.
    pub left_out: Option<String>,
    /// When the asking ended before its turn came.
    pub not_reached: Option<Stamp>,
    /// When it was handed over.
    pub asked: Option<Stamp>,
    /// The deadline handed over with it, in milliseconds.
    pub deadline_ms: Option<u64>,
    /// The key handed over with it.
    pub key: Option<String>,
    /// The instance of the client that it was handed to.
    pub process: ProcessId,
    /// When its caller gave it up.
    pub cancelled: Option<Stamp>,
    /// What the client reported, and when.
    pub outcome: Option<(Stamp, Outcome)>,
    /// Results after the first: when each came.
    pub repeated_results: Vec<Stamp>,
    /// Why the client could not run it.
    pub could_not_run: Option<String>,
    /// When it was given up on.
    pub no_result: Option<Stamp>,
}

impl Evidence {
    /// Folds the facts of a trial as they are kept.
    pub fn of(facts: &Packed) -> Self {
        Evidence {
            beyond: facts.beyond(),
            ..Evidence::fold(facts)
        }
    }

    /// Folds facts. Total: facts about unknown calls or operations are passed over.
    pub fn fold(facts: impl IntoIterator<Item: Borrow<Fact>>) -> Self {
        let mut evidence = Evidence::default();
        let mut index = BTreeMap::new();
        for fact in facts {
            evidence.add(fact.borrow(), &mut index);
        }
        unmarked::set_apart(&mut evidence);
        evidence
    }

    /// The attempts of an operation, in order of arrival.
    pub fn attempts(&self, op: OperationId) -> impl Iterator<Item = &Call> {
        self.calls
            .iter()
            .filter(move |c| c.head.op == Some(op) && c.head.role == Role::Attempt)
    }

    /// The call with this id, at a dependency or at a tap.
    pub fn call(&self, id: CallId) -> Option<&Call> {
        self.calls.iter().chain(&self.passed).find(|c| c.id() == id)
    }

    /// Whether a point is a tap before a layer.
    pub fn is_layer(&self, point: &str) -> bool {
        self.layers.iter().any(|layer| &*layer.name == point)
    }

    /// The operations that were asked of the client.
    pub fn asked(&self) -> impl Iterator<Item = (OperationId, &Operation)> {
        self.operations
            .iter()
            .filter(|(_, o)| o.asked.is_some())
            .map(|(id, o)| (*id, o))
    }

    fn calls_at(&mut self, tap: bool) -> &mut Vec<Call> {
        match tap {
            true => &mut self.passed,
            false => &mut self.calls,
        }
    }

    fn add(&mut self, fact: &Fact, index: &mut BTreeMap<CallId, (bool, usize)>) {
        match fact {
            Fact::TrialBegan { unix_us } => self.unix_us = *unix_us,
            Fact::PointServed { .. } => {}
            Fact::LayerServed { point, role, .. } => {
                let (name, role) = (point.clone(), *role);
                // They are told from the bottom up.
                self.layers.insert(0, Layer { name, role });
            }
            Fact::GateChanged { point, at, gate } => self.gates.push((point.clone(), *at, *gate)),
            Fact::Connected {
                conn,
                point,
                at,
                cut,
                turn,
                op,
            } => {
                if let Some(by) = *cut {
                    let (point, turn, op) = (point.clone(), *turn, *op);
                    self.accept_cuts.push(AcceptCut {
                        conn: *conn,
                        point,
                        at: *at,
                        by,
                        turn,
                        op,
                    });
                }
            }
            Fact::Arrived(head) => {
                let at_tap = self.is_layer(&head.point);
                let calls = self.calls_at(at_tap);
                index.insert(head.call, (at_tap, calls.len()));
                calls.push(Call::new((**head).clone()));
            }
            Fact::BodyRead { call, .. }
            | Fact::Decided { call, .. }
            | Fact::EffectDone { call, .. }
            | Fact::AnswerBegan { call, .. }
            | Fact::AnswerEnded { call, .. }
            | Fact::PeerLeft { call, .. } => {
                let known = index.get(call).copied();
                if let Some(call) = known.and_then(|(at_tap, i)| self.calls_at(at_tap).get_mut(i)) {
                    call.add(fact);
                }
            }
            Fact::Unreadable {
                point, at, because, ..
            } => self.unreadable.push((point.clone(), *at, because.clone())),
            Fact::LeftOut { op, .. }
            | Fact::Asked { op, .. }
            | Fact::Cancelled { op, .. }
            | Fact::Reported { op, .. }
            | Fact::CouldNotRun { op, .. }
            | Fact::GaveNoResult { op, .. } => self.operations.entry(*op).or_default().add(fact),
            Fact::ClientReady { .. }
            | Fact::Talk { .. }
            | Fact::ClientBroke { .. }
            | Fact::ClientEnded { .. } => self.client.add(fact),
            Fact::ClientRestarted {
                at,
                process,
                successor,
            } => self.note_restart(*at, *process, *successor),
            Fact::CeilingHit { at, ceiling } => self.ceilings.push((*at, *ceiling)),
            Fact::Lagged { worst_us } => self.worst_lag_us = self.worst_lag_us.max(*worst_us),
            Fact::WatchEnded { at } => self.watch_ended = Some(*at),
            Fact::Interrupted { .. } => self.interrupted = true,
        }
    }
}

impl Call {
    fn add(&mut self, fact: &Fact) {
        match fact {
            Fact::BodyRead { body, .. } => self.body = Some(body.clone()),
            Fact::Decided {
                turn,
                effect,
                key,
                replays,
                ..
            } => {
                self.head.turn = Some(*turn);
                self.head.effect = *effect;
                self.key = Some(*key);
                self.replays = *replays;
            }
            Fact::EffectDone { at, effect, .. } => self.effect = Some((*at, *effect)),
            Fact::AnswerBegan {
                at,
                status,
                asked_wait_ms,
                asked_until,
                retry_after,
                ..
            } => {
                self.answer_began = Some(*at);
                self.status = *status;
                self.asked_wait_ms = *asked_wait_ms;
                self.asked_until = *asked_until;
                self.retry_after.clone_from(retry_after);
            }
            Fact::AnswerEnded {
                at, complete, cut, ..
            } => {
                self.answer_ended = Some(*at);
                self.complete = *complete;
                self.cut = *cut;
            }
            Fact::PeerLeft { at, .. } => self.peer_left = self.peer_left.or(Some(*at)),
            _ => {}
        }
    }
}

impl Operation {
    fn add(&mut self, fact: &Fact) {
        match fact {
            Fact::LeftOut { because, at, .. } => {
                (self.left_out, self.not_reached) = (Some(because.clone()), *at);
            }
            Fact::Asked {
                at,
                deadline_ms,
                key,
                process,
                ..
            } => {
                self.process = *process;
                self.asked = Some(*at);
                self.deadline_ms = *deadline_ms;
                self.key.clone_from(key);
            }
            Fact::Cancelled { at, .. } => self.cancelled = Some(*at),
            Fact::Reported { at, result, .. } => match self.outcome {
                None => self.outcome = Some((*at, result.clone())),
                Some(_) => self.repeated_results.push(*at),
            },
            Fact::CouldNotRun { because, .. } => self.could_not_run = Some(because.clone()),
            Fact::GaveNoResult { at, .. } => self.no_result = Some(*at),
            _ => {}
        }
    }
}
