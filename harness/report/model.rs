//! What a report is made of.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use super::news::SnapshotNews;
use super::shard::Shard;
use crate::evidence::Evidence;
use crate::judge::{Figures, Finding, Grade, Level, TrialCounts, Verdict};
use crate::promise::ExpectedEntry;
use crate::source::Source;
use crate::term::{OperationId, StopReason, Time};

/// One run of a client through some trials.
#[derive(Debug, Clone, PartialEq)]
pub struct SuiteReport {
    /// The harness's version.
    pub harness: String,
    /// The client's name.
    pub client: String,
    /// The versions the client gave, each once, in order of appearance.
    pub client_versions: Vec<String>,
    /// The seed; `None` where reports of several seeds were joined: each trial's `repeat` has its own.
    pub seed: Option<u64>,
    /// The trials, in the order of selection.
    pub trials: Vec<TrialReport>,
    /// The client's `expected` list, and what of it was matched.
    pub expected: Vec<Listed>,
    /// Sentences about the client's `expected` list that no trial can carry: entries that match nothing.
    pub stale: Vec<String>,
    /// Trials that exist and were deselected, by id.
    pub deselected: Vec<String>,
    /// Which part of a run this is.
    pub shard: Option<Shard>,
    /// Sentences about what is missing of the run: shards whose reports were not there.
    pub missing: Vec<String>,
    /// What is new about the snapshots.
    pub snapshots: Vec<SnapshotNews>,
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
    /// The time it was played in.
    pub time: Time,
    /// The verdict, with the client's `expected` list and strictness applied.
    pub verdict: Verdict,
    /// Why, where no finding says so.
    pub because: Option<String>,
    /// The entry that lists the trial as inconclusive, if one does.
    pub known: Option<Known>,
    /// Whether it never began: the user interrupted, or time was up.
    pub not_run: bool,
    /// Whether the client did anything at all: a call, a connection or a result.
    pub acted: bool,
    /// How its runs ended, where it ran more than once; the report shows the worst of them.
    pub runs: BTreeMap<Verdict, u64>,
    /// The findings, in the order of the checks.
    pub findings: Vec<ReportedFinding>,
    /// What was counted.
    pub counts: TrialCounts,
    /// What retries did over all its operations.
    pub figures: Figures,
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
    /// The line of the scenario that asked for it.
    pub asked: Option<AskedAt>,
}

/// A line of a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedAt {
    /// `outage.yaml:4`.
    pub place: String,
    /// Its text.
    pub line: String,
}

/// An entry of the client's `expected` list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The entry.
    pub entry: ExpectedEntry,
    /// Whether it matched anything.
    pub matched: bool,
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

impl SuiteReport {
    /// The figures of all trials, added up.
    pub fn figures(&self) -> Figures {
        let mut sum = Figures::default();
        self.trials.iter().for_each(|trial| sum.add(&trial.figures));
        sum
    }
}

impl TrialReport {
    /// How many of its runs ended otherwise than most of them.
    pub fn flakes(&self) -> u64 {
        let all: u64 = self.runs.values().sum();
        all - self.runs.values().max().copied().unwrap_or(0)
    }

    /// The reasons for which its operations ended, and how many ended for each.
    pub fn stops(&self) -> impl Iterator<Item = (StopReason, u64)> {
        self.counts.stop_reasons.iter().map(|(reason, n)| (*reason, *n))
    }
}

/// Where virtual time begins, in a sentence, if any trial was played in it.
pub(super) fn epoch(report: &SuiteReport) -> Option<String> {
    let epochs = report.trials.iter().filter_map(|trial| trial.time.epoch());
    epochs
        .max()
        .map(|epoch| format!("virtual time begins at {epoch}"))
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

/// Where a requirement comes from, for people.
pub(super) const fn level_words(level: Level) -> &'static str {
    match level {
        Level::Normative => "normative",
        Level::Promised => "promised",
        Level::Integrity => "integrity",
        Level::Asked => "your scenario asks",
    }
}

/// Verdicts in the order in which reports count them.
pub(super) const VERDICTS: [Verdict; 9] = [
    Verdict::Pass,
    Verdict::Noted,
    Verdict::Warn,
    Verdict::Fail,
    Verdict::UnexpectedPass,
    Verdict::ExpectedFail,
    Verdict::Inconclusive,
    Verdict::HarnessError,
    Verdict::Skipped,
];

/// A trial that did not always end alike: `outage: 10 runs ended 7 pass, 3 fail`.
pub(super) fn flaky(trial: &TrialReport) -> Option<String> {
    if trial.flakes() == 0 {
        return None;
    }
    let ended = VERDICTS.into_iter().filter_map(|verdict| {
        let n = trial.runs.get(&verdict)?;
        Some(format!("{n} {}", verdict_word(verdict)))
    });
    let (all, ended) = (
        trial.runs.values().sum::<u64>(),
        ended.collect::<Vec<_>>().join(", "),
    );
    Some(format!("{}: {all} runs ended {ended}", trial.trial))
}
