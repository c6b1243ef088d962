//! Scenario, promises and evidence in; findings out. Pure and total: no clock, no async, no I/O.

pub mod checks;
mod counts;
mod finding;

use crate::evidence::Evidence;
use crate::promise::{Can, Promises};
use crate::scenario::Trial;

pub use counts::{DependencyCounts, TrialCounts};
pub use finding::{Finding, Grade, Judgement, Level, Verdict};

/// All that a verdict depends on.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// What was scripted.
    pub trial: &'a Trial,
    /// What the client promises.
    pub promises: &'a Promises,
    /// What it can be asked, and what its results mean.
    pub can: &'a Can,
    /// What was observed.
    pub evidence: &'a Evidence,
}
