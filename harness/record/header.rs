//! The first line of an evidence file.

use serde::{Deserialize, Serialize};

use crate::promise::{Can, ExpectedEntry, Given, Promises};
use crate::source::Source;
use crate::term::{OperationId, Time};

/// The version of the evidence file.
pub const VERSION: u32 = 1;

/// Everything that a verdict depends on, apart from the facts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`VERSION`].
    pub retrial_evidence: u32,
    /// The harness's version.
    pub harness: String,
    /// The client's name; its version is in the fact `client_ready`.
    pub client: String,
    /// The seed.
    pub seed: u64,
    /// The time it was played in.
    #[serde(default)]
    pub time: Time,
    /// The trial's id: `dates[503,Asia/Tokyo]`.
    pub trial: String,
    /// The scenario's name, without what was varied.
    pub scenario: String,
    /// The scenario: its path and its whole text.
    pub source: Source,
    /// The policy that was handed over: the scenario's, or what was laid over it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
    /// What the client promises.
    pub promises: Promises,
    /// What the client can be asked.
    pub can: Can,
    /// What is known of it.
    #[serde(default)]
    pub expected: Vec<ExpectedEntry>,
    /// How much evidence the whole run makes.
    #[serde(default)]
    pub run: RunOf,
    /// The operations that are asked, in order of id.
    pub asked: Vec<OperationId>,
    /// The others, with the clause that says why.
    pub left_out: Vec<(OperationId, String)>,
    /// The command that repeats this one trial.
    pub repeat: String,
}

/// What a run was made of, so that its evidence tells whether it is all there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunOf {
    /// Trials of which there is evidence: those that were not skipped.
    pub trials: usize,
    /// Whether nothing was deselected or skipped: then every entry of `expected` must match.
    pub whole: bool,
}

#[cfg(test)]
impl Header {
    /// A header of a trial of one GET.
    pub(crate) fn example() -> Self {
        Header {
            retrial_evidence: VERSION,
            harness: "0.1.0".to_owned(),
            client: "curl".to_owned(),
            seed: 7,
            time: Time::Real,
            trial: "outage[503]".to_owned(),
            scenario: "outage".to_owned(),
            source: Source::new("outage.yaml", "version: 1\n"),
            given: None,
            promises: Promises::default(),
            can: Can::default(),
            expected: Vec::new(),
            run: RunOf::default(),
            asked: vec![OperationId(1)],
            left_out: vec![(OperationId(2), "the client can only GET".to_owned())],
            repeat: "retrial run 'outage[503]' --seed 7".to_owned(),
        }
    }
}
