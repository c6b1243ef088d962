//! Delivered counts, multipliers and stop reasons of one trial.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::term::StopReason;

/// What was counted in a trial.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TrialCounts {
    /// Operations asked of the client.
    pub operations: u64,
    /// How many ended for which reason.
    pub stop_reasons: BTreeMap<StopReason, u64>,
    /// Per dependency, by name.
    pub dependencies: BTreeMap<String, DependencyCounts>,
    /// Calls that belong to no operation.
    pub side_calls: u64,
}

/// What was counted at a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DependencyCounts {
    /// Calls that arrived for an operation, redirects followed excepted.
    pub calls: u64,
    /// Connections cut at accept, which carry no call.
    pub accept_cuts: u64,
    /// Effects applied.
    pub delivered: u64,
    /// Effects begun and not committed.
    pub begun: u64,
    /// Calls whose complete success answer was handed to the kernel.
    pub acknowledged: u64,
    /// Operations that may go to it.
    pub operations: u64,
    /// Calls for each thousand operations.
    pub multiplier_per_mille: u64,
}
