//! The report as JSON holds it. Mirror types, so that no rename inside the house changes what tools read.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::judge::{Figures, FleetCounts, Grade, Level, Load, Verdict};
use crate::term::{CallId, LayerRole, OperationId, StopReason, Time};

/// The version of the JSON report.
pub(super) const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Suite {
    pub version: u32,
    pub client: String,
    pub client_versions: Vec<String>,
    pub harness: String,
    pub seed: Option<u64>,
    pub shard: Option<String>,
    pub interrupted: bool,
    /// The exit status of the run that wrote the report.
    pub exit: u8,
    pub totals: BTreeMap<Verdict, u64>,
    pub expected: Vec<Entry>,
    pub stale: Vec<String>,
    pub missing: Vec<String>,
    pub deselected: Vec<String>,
    pub snapshots: Vec<Snapshot>,
    /// Of all trials, added up.
    pub figures: Figures,
    pub trials: Vec<Trial>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// The check whose finding is known; `null` where an inconclusive trial is.
    pub check: Option<String>,
    pub scenario: Option<String>,
    pub because: String,
    pub see: Option<String>,
    pub place: String,
    pub matched: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Snapshot {
    pub is: String,
    pub file: String,
    pub detail: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Trial {
    pub scenario: String,
    pub trial: String,
    pub title: String,
    pub file: String,
    pub time: Time,
    /// Where its clock started, in RFC 3339; `null` in real time.
    pub epoch: Option<String>,
    pub verdict: Verdict,
    pub because: Option<String>,
    pub known: Option<KnownWhy>,
    pub not_run: bool,
    pub acted: bool,
    pub runs: BTreeMap<Verdict, u64>,
    pub flakes: u64,
    pub operations: u64,
    pub stop_reasons: BTreeMap<StopReason, u64>,
    pub dependencies: BTreeMap<String, Dependency>,
    /// Empty where the client is of one piece.
    pub layers: BTreeMap<String, Layer>,
    /// From the caller down, where the client has layers.
    pub segments: Vec<OneSegment>,
    pub side_calls: u64,
    /// `null` where the client is one process.
    #[serde(default)]
    pub fleet: Option<FleetCounts>,
    pub figures: Figures,
    pub findings: Vec<OneFinding>,
    pub left_out: Vec<NotAsked>,
    pub repeat: String,
    pub evidence: Option<String>,
    pub took_ms: u64,
    pub remarks: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dependency {
    pub calls: u64,
    pub accept_cuts: u64,
    pub delivered: u64,
    pub begun: u64,
    pub acknowledged: u64,
    pub key_conflicts: u64,
    pub operations: u64,
    pub multiplier: f64,
    /// `null` where few operations may go to it.
    #[serde(default)]
    pub load: Option<Load>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Layer {
    /// From the entry down, from 1.
    pub place: usize,
    pub role: LayerRole,
    pub calls: u64,
    pub acknowledged: u64,
    pub multiplier: f64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OneSegment {
    /// The point above; `null` is the caller.
    pub from: Option<String>,
    pub to: String,
    pub above: u64,
    pub calls: u64,
    /// Those of them that count because nothing else ran.
    #[serde(default)]
    pub unmarked: u64,
    /// Not among the calls.
    #[serde(default)]
    pub side_calls: u64,
    pub multiplier: f64,
    /// The healthy dependency whose count tells the parts apart, and its calls.
    pub split: Option<OneSplit>,
    /// What it did, where it multiplied.
    pub because: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OneSplit {
    pub by: String,
    pub calls: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OneFinding {
    pub check: String,
    pub level: Level,
    pub verdict: Grade,
    pub because: String,
    pub operations: Vec<OperationId>,
    pub calls: Vec<CallId>,
    pub cites: Vec<String>,
    pub place: Option<String>,
    pub line: Option<String>,
    pub known: Option<KnownWhy>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NotAsked {
    pub operation: OperationId,
    pub request: String,
    pub because: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct KnownWhy {
    pub because: String,
    pub see: Option<String>,
}
