//! The facts of one trial, counted as they happen and dropped.

use std::collections::BTreeMap;

use super::{EffectOutcome, Fact, Outcome};
use crate::term::{Name, OperationId, Role, StopReason};

/// What is counted where facts are not kept: exact, and of a size that does not grow with the trial.
///
/// Everything else is dropped: stamps, heads, bodies, answers, and which call was whose. The judge needs those, so a
/// trial that was only tallied is counted and not judged, and has no evidence file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    /// Operations that were handed over.
    pub operations: u64,
    /// How many ended for which reason, as the client reported it.
    pub stops: BTreeMap<StopReason, u64>,
    /// How many operations made so many calls before their end was reported.
    pub calls_per_operation: BTreeMap<u32, u64>,
    /// Attempts that arrived, by dependency.
    pub calls: BTreeMap<Name, u64>,
    /// Effects applied.
    pub delivered: u64,
    /// Calls that belong to no operation, and redirects followed.
    pub other_calls: u64,
    /// Operations without an end, and what broke or was hit: nothing of that is to be expected of a sound run.
    pub troubles: Vec<String>,
    /// Calls so far of the operations that have not ended.
    running: BTreeMap<OperationId, u32>,
}

/// More troubles than this tell nothing new.
const MOST_TROUBLES: usize = 20;

impl Tally {
    /// All attempts that arrived.
    pub fn attempts(&self) -> u64 {
        self.calls.values().sum()
    }

    /// Counts a fact. Returns the operation whose end it tells.
    pub(super) fn add(&mut self, fact: &Fact) -> Option<OperationId> {
        match fact {
            Fact::Asked { op, .. } => {
                self.operations += 1;
                self.running.insert(*op, 0);
            }
            Fact::Arrived(head) => match (head.role, head.op) {
                (Role::Attempt, Some(op)) => self.attempt(op, &head.point),
                (Role::Attempt | Role::Redirect | Role::Side, _) => self.other_calls += 1,
            },
            Fact::EffectDone { effect, .. } => {
                self.delivered += u64::from(*effect == EffectOutcome::Applied);
            }
            Fact::Reported { op, result, .. } => {
                self.ended(*op, result);
                return Some(*op);
            }
            Fact::GaveNoResult { op, .. } => self.trouble(format!("{op} gave no result")),
            Fact::CouldNotRun { op, because, .. } => self.trouble(format!("{op} could not run: {because}")),
            Fact::LeftOut { op, because, .. } => self.trouble(format!("{op} was left out: {because}")),
            Fact::ClientBroke { because, .. } => self.trouble(because.clone()),
            Fact::CeilingHit { ceiling, .. } => self.trouble(format!("a ceiling was hit: {ceiling:?}")),
            Fact::Interrupted { .. } => self.trouble("interrupted".to_owned()),
            Fact::Unreadable { because, .. } => {
                self.trouble(format!("a request could not be read: {because}"))
            }
            Fact::TrialBegan { .. }
            | Fact::PointServed { .. }
            | Fact::LayerServed { .. }
            | Fact::GateChanged { .. }
            | Fact::ClientReady { .. }
            | Fact::Cancelled { .. }
            | Fact::Connected { .. }
            | Fact::BodyRead { .. }
            | Fact::Decided { .. }
            | Fact::AnswerBegan { .. }
            | Fact::AnswerEnded { .. }
            | Fact::PeerLeft { .. }
            | Fact::Talk { .. }
            | Fact::ClientEnded { .. }
            | Fact::ClientRestarted { .. }
            | Fact::Lagged { .. }
            | Fact::WatchEnded { .. } => {}
        }
        None
    }

    fn attempt(&mut self, op: OperationId, point: &Name) {
        match self.calls.get_mut(point) {
            Some(calls) => *calls += 1,
            None => {
                self.calls.insert(point.clone(), 1);
            }
        }
        match self.running.get_mut(&op) {
            Some(calls) => *calls += 1,
            None => self.trouble(format!("a call of {op} came after its end")),
        }
    }

    fn ended(&mut self, op: OperationId, result: &Outcome) {
        *self.stops.entry(result.stop).or_default() += 1;
        match self.running.remove(&op) {
            Some(calls) => *self.calls_per_operation.entry(calls).or_default() += 1,
            None => self.trouble(format!("{op} was reported twice")),
        }
    }

    fn trouble(&mut self, sentence: String) {
        if self.troubles.len() < MOST_TROUBLES {
            self.troubles.push(sentence);
        }
    }
}
