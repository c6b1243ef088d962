//! What a check has to say.

use serde::{Deserialize, Serialize};

use super::{Figures, TrialCounts};
use crate::source::Span;
use crate::term::{CallId, OperationId};

/// What a finding is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// The conduct was exercised and is right.
    Pass,
    /// Worth knowing.
    Note,
    /// Against a recommendation, and not against a promise.
    Warn,
    /// Against a requirement or a promise.
    Fail,
}

/// Where a requirement comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A standard's text.
    Normative,
    /// The client's own promise.
    Promised,
    /// Plain truthfulness: what no client may get wrong.
    Integrity,
    /// The scenario's `expect`.
    Asked,
}

/// What one check says of one trial, or of some operations in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The check's id.
    pub check: String,
    /// Where the requirement comes from.
    pub level: Level,
    /// What it is worth.
    #[serde(rename = "verdict")]
    pub grade: Grade,
    /// A sentence.
    pub because: String,
    /// The operations it is about.
    pub operations: Vec<OperationId>,
    /// The calls that show it.
    pub calls: Vec<CallId>,
    /// The line of the scenario that asked for it.
    pub span: Option<Span>,
    /// Keys of the citations (see `spec`).
    pub cites: Vec<String>,
}

/// The verdict of a trial.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// What was exercised is right.
    Pass,
    /// Right, with notes.
    Noted,
    /// The worst finding is a warning.
    Warn,
    /// A requirement or promise was broken.
    Fail,
    /// The trial proved nothing.
    Inconclusive,
    /// The client cannot be asked this.
    Skipped,
    /// It failed as its entry in `expected` says.
    ExpectedFail,
    /// It passed although an entry in `expected` says otherwise.
    UnexpectedPass,
    /// The harness or the client could not run.
    HarnessError,
}

/// What the judge says of one trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Why, where no finding says so (`inconclusive`, `skipped`, `harness_error`).
    pub because: Option<String>,
    /// The findings, in the order of the checks.
    pub findings: Vec<Finding>,
    /// What was counted.
    pub counts: TrialCounts,
    /// What retries did over all its operations.
    pub figures: Figures,
}
