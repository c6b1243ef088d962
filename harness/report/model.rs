//! What a report is made of.

use std::sync::Arc;
use std::time::Duration;

use crate::evidence::Evidence;
use crate::judge::{Finding, Grade, TrialCounts, Verdict};
use crate::source::Source;
use crate::term::{OperationId, StopReason};

/// One run of a client through some trials.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteReport {
    /// The harness's version.
    pub harness: String,
    /// The client's name.
    pub client: String,
    /// The versions the client gave, each once, in order of appearance.
    pub client_versions: Vec<String>,
    /// The seed.
    pub seed: u64,
    /// The trials, in the order of selection.
    pub trials: Vec<TrialReport>,
    /// Sentences about the client's `expected` list that no trial can carry: entries that match nothing.
    pub stale: Vec<String>,
    /// Whether the user interrupted the run.
    pub interrupted: bool,
}

/// One trial of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct TrialReport {
    /// The trial's id.
    pub trial: String,
    /// Its scenario's name.
    pub scenario: String,
    /// Its scenario's title.
    pub title: String,
    /// Its scenario's file.
    pub source: Arc<Source>,
    /// The verdict, with the client's `expected` list and strictness applied.
    pub verdict: Verdict,
    /// Why, where no finding says so.
    pub because: Option<String>,
    /// The entry that lists the trial as inconclusive, if one does.
    pub known: Option<Known>,
    /// The findings, in the order of the checks.
    pub findings: Vec<ReportedFinding>,
    /// What was counted.
    pub counts: TrialCounts,
    /// Operations that were not asked.
    pub left_out: Vec<LeftOut>,
    /// What was observed.
    pub evidence: Arc<Evidence>,
    /// The command that repeats this trial alone.
    pub repeat: String,
    /// Where its evidence was saved.
    pub evidence_file: Option<String>,
    /// How long it took.
    pub took: Duration,
    /// Sentences about the trial's circumstances: it was run again, its evidence is not whole.
    pub remarks: Vec<String>,
}

/// A finding, and whether it is known.
#[derive(Debug, Clone, PartialEq)]
pub struct ReportedFinding {
    /// The finding.
    pub finding: Finding,
    /// The entry of the client's `expected` list that matches it.
    pub known: Option<Known>,
}

/// Why a finding is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    /// The entry's reason.
    pub because: String,
    /// Where it is discussed.
    pub see: Option<String>,
}

/// An operation that was not asked of the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Which.
    pub operation: OperationId,
    /// What it asks for: `POST /send`.
    pub request: String,
    /// Why, as a clause: "the client can only GET".
    pub because: String,
}

impl TrialReport {
    /// Whether the client did anything at all: a call, a connection or a result.
    pub fn client_did_something(&self) -> bool {
        let evidence = &self.evidence;
        !evidence.calls.is_empty()
            || !evidence.accept_cuts.is_empty()
            || evidence.operations.values().any(|o| o.outcome.is_some())
    }

    /// The reasons for which its operations ended, and how many ended for each.
    pub fn stops(&self) -> impl Iterator<Item = (StopReason, u64)> {
        self.counts.stop_reasons.iter().map(|(reason, n)| (*reason, *n))
    }
}

/// The word for a verdict in every format.
pub(super) const fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Noted => "noted",
        Verdict::Warn => "warn",
        Verdict::Fail => "fail",
        Verdict::Inconclusive => "inconclusive",
        Verdict::Skipped => "skipped",
        Verdict::ExpectedFail => "expected_fail",
        Verdict::UnexpectedPass => "unexpected_pass",
        Verdict::HarnessError => "harness_error",
    }
}

/// The word for a finding's grade in every format.
pub(super) const fn grade_word(grade: Grade) -> &'static str {
    match grade {
        Grade::Pass => "pass",
        Grade::Note => "note",
        Grade::Warn => "warn",
        Grade::Fail => "fail",
    }
}
