//! What a scenario's author expects of the clients it is run against.

use std::time::Duration;

use crate::source::Span;
use crate::term::{LayerRole, Name, StopReason};

/// The expectations of a scenario.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Expect {
    /// How many operations end for which reason.
    pub stop: Vec<StopExpect>,
    /// Counts per dependency.
    pub dependencies: Vec<Counts>,
    /// Counts per layer of the client, by its role: a client is not known to its scenario by the names of its layers.
    pub layers: Vec<LayerExpect>,
    /// Peaks per dependency.
    pub ticks: Vec<TicksExpect>,
    /// What besides is expected of a client that takes the policy handed over, and of no other.
    pub given: Option<Box<Expect>>,
}

/// The most that comes to a dependency in one tick.
#[derive(Debug, Clone, PartialEq)]
pub struct TicksExpect {
    /// The dependency.
    pub name: Name,
    /// The length of a tick; the first begins with the first call of the trial, wherever it goes.
    pub every: Duration,
    /// The most calls of a tick.
    pub peak_calls: Option<Bound>,
    /// The most of a tick's calls that are not the first of their operation.
    pub peak_retries: Option<Bound>,
    /// Where it is written.
    pub span: Span,
}

/// What is counted at the tap before a layer.
#[derive(Debug, Clone, PartialEq)]
pub struct LayerExpect {
    /// Its role.
    pub role: LayerRole,
    /// Which of that role, from 1, from the entry down.
    pub nth: usize,
    /// Calls that arrived.
    pub calls: Option<Bound>,
    /// Calls whose complete success answer passed back.
    pub acknowledged: Option<Bound>,
    /// Where it is written.
    pub span: Span,
}

/// How many operations end for a reason.
#[derive(Debug, Clone, PartialEq)]
pub struct StopExpect {
    /// The reason.
    pub reason: StopReason,
    /// How many.
    pub bound: Bound,
    /// Where it is written.
    pub span: Span,
}

/// What is counted at a dependency.
#[derive(Debug, Clone, PartialEq)]
pub struct Counts {
    /// The dependency.
    pub name: Name,
    /// Calls that arrived.
    pub calls: Option<Bound>,
    /// Effects applied.
    pub delivered: Option<Bound>,
    /// Calls whose complete success answer was handed over.
    pub acknowledged: Option<Bound>,
    /// Where it is written.
    pub span: Span,
}

/// A bound on a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// Exactly so many.
    Exactly(u64),
    /// Within these.
    Between {
        /// No fewer.
        at_least: Option<u64>,
        /// No more.
        at_most: Option<u64>,
    },
    /// A number that the client promises; without that promise nothing is expected.
    Policy(PolicyNumber),
}

impl Bound {
    /// Whether `n` is within it; a policy's number is asked for by the caller.
    pub fn admits(&self, n: u64, policy: impl Fn(PolicyNumber) -> Option<u64>) -> bool {
        match *self {
            Bound::Exactly(k) => n == k,
            Bound::Between { at_least, at_most } => {
                at_least.is_none_or(|k| n >= k) && at_most.is_none_or(|k| n <= k)
            }
            Bound::Policy(p) => policy(p).is_none_or(|k| n <= k),
        }
    }
}

/// A number that a client promises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyNumber {
    /// At most as many as its promised attempts.
    Attempts,
}
