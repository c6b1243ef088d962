//! Scenario, promises and evidence in; findings out. Pure and total: no clock, no async, no I/O.

pub mod checks;
mod counts;
mod course;
mod ending;
mod ends;
#[cfg(test)]
mod evidence_builder;
mod faults;
mod figures;
mod finding;
mod fleet;
mod keyed;
mod layers;
mod load;
#[cfg(test)]
mod properties;
mod restraint;
mod ruling;
mod schedule;
mod scripted;
#[cfg(test)]
mod soundness;
mod statuses;
mod ticks;
mod tolerance;
mod too_many;
mod verdict;
mod wording;

use crate::evidence::Evidence;
use crate::promise::{Can, Promises};
use crate::scenario::Trial;

pub use counts::{DependencyCounts, TrialCounts};
pub use course::Course;
pub use ending::Reading;
pub use faults::FaultClass;
pub use figures::Figures;
pub use finding::{Finding, Grade, Judgement, Level, Verdict};
pub use fleet::FleetCounts;
pub use layers::{LayerCounts, Segment, Split};
pub use load::{Load, Tick};
pub use tolerance::{CONSEQUENCE, EARLY_TOLERANCE, LAG_LIMIT, LATE_GRACE};
pub use verdict::judge;

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
