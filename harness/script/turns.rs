//! The rule of turns: what a connection and a call fall to.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::capacity::{InFlight, Room};
use super::chance::Lot;
use super::matching::{self, Asking, Known};
use super::outages::Outages;
use super::store::KeyStore;
use crate::scenario::{Dependency, Scope, Turn};
use crate::term::{ConnId, CutBy, KeyState, OperationId, PerOperation, Place, Stamp};

/// A dependency's script, and how far it has got.
pub struct Script {
    pub(super) dependency: Arc<Dependency>,
    pub(super) store: KeyStore,
    outages: Outages,
    seed: u64,
    /// Calls that each turn took.
    used: Vec<Used>,
    /// Calls decided so far, by scope: of side calls, and, where a turn has a chance, of all.
    calls: BTreeMap<Counted, u32>,
    has_chances: bool,
    operations: PerOperation<History>,
    connections: u32,
    room: Room,
    in_flight: InFlight,
}

/// What a dependency remembers of an operation.
#[derive(Debug, Clone, Copy, Default)]
struct History {
    calls: u32,
    asked_until: Option<Stamp>,
}

/// Calls that a turn took, by scope. Side calls use up nothing of what others are counted by.
#[derive(Default)]
struct Used {
    by_operations: PerOperation<u32>,
    by_others: BTreeMap<Counted, u32>,
}

impl Used {
    fn by(&self, scope: Counted) -> u32 {
        let by = match scope {
            Counted::Operation(op) => self.by_operations.get(op),
            other => self.by_others.get(&other),
        };
        by.copied().unwrap_or(0)
    }

    fn by_all(&self) -> u32 {
        let others = self
            .by_others
            .iter()
            .filter(|(scope, _)| **scope != Counted::Side);
        self.by_operations.values().chain(others.map(|(_, n)| n)).sum()
    }

    fn one_more_by(&mut self, scope: Counted) {
        *match scope {
            Counted::Operation(op) => self.by_operations.of(op),
            other => self.by_others.entry(other).or_default(),
        } += 1;
    }
}

/// Whose count it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Counted {
    /// The whole dependency's.
    Dependency,
    /// One operation's.
    Operation(OperationId),
    /// One connection's.
    Connection(ConnId),
    /// Calls of no operation: they are listed and never use up a turn of somebody else's.
    Side,
}

impl Counted {
    /// A number that no other scope has, for drawing lots.
    fn number(self) -> u64 {
        match self {
            Counted::Dependency => 0,
            Counted::Side => 1 << 32,
            Counted::Operation(op) => 2 << 32 | u64::from(op.0),
            Counted::Connection(conn) => 3 << 32 | u64::from(conn.0),
        }
    }
}

/// What a call falls to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Falls {
    /// This turn of the script, from 0.
    Turn(u32),
    /// This outage, from 0: it uses no turn.
    Outage(u32),
    /// More than the dependency takes: it uses no turn.
    Overflow,
}

/// What a call gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decision {
    /// What it falls to: that part of the dependency is to be played.
    pub falls: Falls,
    /// Which call of its operation at this dependency it is, from 1; of all side calls, if it is one.
    pub attempt: u32,
    /// For how long it is in line, worked on and slowed before its turn is played: that hangs on the dependency's load.
    pub queued: Duration,
}

/// A connection that is to be cut as soon as it is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AcceptCut {
    /// How.
    pub by: CutBy,
    /// The turn that says so, from 0.
    pub turn: u32,
}

impl Script {
    /// A script at its start. What [`super::refusal`] refuses is not to be given here.
    pub fn new(dependency: Arc<Dependency>, seed: u64) -> Self {
        Script {
            outages: Outages::of(dependency.clone()),
            store: KeyStore::new(dependency.keys.as_ref().map_or(Duration::ZERO, |k| k.keep)),
            has_chances: dependency.turns.iter().any(has_chance),
            seed,
            used: dependency.turns.iter().map(|_| Used::default()).collect(),
            calls: BTreeMap::new(),
            operations: PerOperation::default(),
            dependency,
            connections: 0,
            room: Room::default(),
            in_flight: InFlight::default(),
        }
    }

    /// Whether a connection that was accepted at `at` is to be cut at once; that uses one of the turn's `times`,
    /// counted over the whole dependency.
    ///
    /// Its request is not known yet. A turn before it counts as used up by the counts of `alone`, the only operation
    /// that is running, else by those of all; one whose conditions need the request is passed over.
    pub fn accept(&mut self, alone: Option<OperationId>, at: Stamp) -> Option<AcceptCut> {
        self.connections += 1;
        let dependency = self.dependency.clone();
        let next = (0..)
            .zip(&dependency.turns)
            .find(|(i, t)| self.is_next_at_accept(*i, t, alone, at))?;
        let (turn, Turn { cut: Some(cut), .. }) = next else {
            return None;
        };
        if cut.at != Place::Accept {
            return None;
        }
        self.use_up(turn, Counted::Dependency);
        Some(AcceptCut { by: cut.by, turn })
    }

    fn is_next_at_accept(&self, index: u32, turn: &Turn, alone: Option<OperationId>, at: Stamp) -> bool {
        let accepts = turn.cut.is_some_and(|c| c.at == Place::Accept);
        let used = match (accepts, self.dependency.per, alone) {
            (true, _, _) => self.used(index, Counted::Dependency),
            (false, Scope::Connection, _) => 0,
            (false, Scope::Operation, Some(op)) => self.used(index, Counted::Operation(op)),
            (false, Scope::Operation, None) | (false, Scope::Dependency, _) => self.used_by_all(index),
        };
        if turn.times.is_some_and(|times| used >= times) {
            return false;
        }
        let next = alone.map(|op| {
            let history = self.operations.get(op).copied().unwrap_or_default();
            Known {
                attempt: history.calls + 1,
                asked_until: history.asked_until,
                queued: Duration::ZERO,
            }
        });
        let lucky = |chance| self.lot(index, Counted::Dependency, self.connections).draw() < chance;
        turn.when
            .as_ref()
            .is_none_or(|w| matching::holds_at_accept(w, at, next, lucky).unwrap_or(false))
    }

    /// The outage that the call meets.
    fn outage(&self, call: &Asking<'_>, known: Known) -> Option<Decision> {
        let outage = self.outages.first(call.since_start)?;
        Some(Decision {
            falls: Falls::Outage(outage),
            attempt: known.attempt,
            queued: Duration::ZERO,
        })
    }

    /// The outage or the overflow that the call meets before any turn; where it meets none, it has taken its place in
    /// the dependency's capacity.
    pub(super) fn gate(&mut self, call: &Asking<'_>, known: &mut Known) -> Option<Decision> {
        if let Some(outage) = self.outage(call, *known) {
            return Some(outage);
        }
        let accept = self.dependency.capacity.as_ref().map(|c| c.accept);
        let room = accept.map_or(Some(Duration::ZERO), |a| self.room.take(a, call.since_start));
        let Some(queued) = room else {
            return Some(Decision {
                falls: Falls::Overflow,
                attempt: known.attempt,
                queued: Duration::ZERO,
            });
        };
        let slowed = self.dependency.slows.map(|slows| self.in_flight.begin(slows));
        known.queued = queued.saturating_add(slowed.unwrap_or_default());
        None
    }

    /// Notes that a call that its dependency's load may have slowed is worked on no more, and slows no other.
    pub fn worked_off(&mut self) {
        self.in_flight.end();
    }

    /// Uses one of the `times` of the turn that the call falls to.
    pub(super) fn take_turn(&mut self, call: &Asking<'_>, known: Known, key: Option<KeyState>) -> Decision {
        let turn = self.next_turn(call, known, key);
        let scope = self.scope_of(call);
        if self.has_chances || scope == Counted::Side {
            *self.calls.entry(scope).or_default() += 1;
        }
        let limited = self
            .dependency
            .turns
            .get(turn as usize)
            .filter(|t| t.times.is_some());
        if let Some(counted) = limited.map(|limited| counted_in(limited, scope)) {
            self.use_up(turn, counted);
        }
        Decision {
            falls: Falls::Turn(turn),
            attempt: known.attempt,
            queued: known.queued,
        }
    }

    /// The turn that the call falls to, as things stand; nothing is used up.
    pub(super) fn next_turn(&self, call: &Asking<'_>, known: Known, key: Option<KeyState>) -> u32 {
        let scope = self.scope_of(call);
        // Counts are looked up where they decide: most turns have no chance, and the last has no `times`.
        let ordinal = || self.calls.get(&scope).map_or(1, |n| n + 1);
        let next = (0..).zip(&self.dependency.turns).find(|(i, turn)| {
            let used = || self.used(*i, counted_in(turn, scope));
            let lucky = |chance| self.lot(*i, scope, ordinal()).draw() < chance;
            turn.times.is_none_or(|times| used() < times)
                && turn
                    .when
                    .as_ref()
                    .is_none_or(|w| matching::holds(w, call, known, key, lucky))
        });
        // The last turn takes every call that is left, so there is one; it is the fallback in name only.
        let last = u32::try_from(self.dependency.turns.len().saturating_sub(1)).unwrap_or(u32::MAX);
        next.map_or(last, |(i, _)| i)
    }

    /// Notes that an answer asked this operation to wait so long from `at`.
    pub fn asked(&mut self, op: OperationId, at: Stamp, wait: Duration) {
        self.operations.of(op).asked_until = Some(at.plus(wait));
    }

    /// Notes that a call that fell to a turn is over: its place in the dependency's capacity is free.
    pub fn leave(&mut self) {
        self.room.leave();
    }

    /// Counts the call to its operation, and says what is known of it.
    pub(super) fn meet(&mut self, call: &Asking<'_>) -> Known {
        let Some(op) = call.op else {
            let attempt = self.calls.get(&Counted::Side).map_or(1, |n| n + 1);
            return Known {
                attempt,
                asked_until: None,
                queued: Duration::ZERO,
            };
        };
        let history = self.operations.of(op);
        history.calls += 1;
        Known {
            attempt: history.calls,
            asked_until: history.asked_until,
            queued: Duration::ZERO,
        }
    }

    fn scope_of(&self, call: &Asking<'_>) -> Counted {
        match (call.op, self.dependency.per) {
            (None, _) => Counted::Side,
            (Some(op), Scope::Operation) => Counted::Operation(op),
            (Some(_), Scope::Dependency) => Counted::Dependency,
            (Some(_), Scope::Connection) => Counted::Connection(call.conn),
        }
    }

    fn used(&self, turn: u32, scope: Counted) -> u32 {
        self.used.get(turn as usize).map_or(0, |used| used.by(scope))
    }

    fn used_by_all(&self, turn: u32) -> u32 {
        self.used.get(turn as usize).map_or(0, Used::by_all)
    }

    fn use_up(&mut self, turn: u32, scope: Counted) {
        if let Some(used) = self.used.get_mut(turn as usize) {
            used.one_more_by(scope);
        }
    }

    fn lot(&self, turn: u32, scope: Counted, ordinal: u32) -> Lot<'_> {
        Lot {
            seed: self.seed,
            dependency: &self.dependency.name,
            scope: scope.number(),
            ordinal,
            turn,
        }
    }
}

fn has_chance(turn: &Turn) -> bool {
    turn.when.as_ref().is_some_and(|when| when.chance.is_some())
}

/// Accept cuts are counted over the whole dependency, whoever meets them.
fn counted_in(turn: &Turn, scope: Counted) -> Counted {
    match turn.cut {
        Some(cut) if cut.at == Place::Accept && scope != Counted::Side => Counted::Dependency,
        _ => scope,
    }
}

#[cfg(test)]
#[path = "turns_tests.rs"]
mod tests;
