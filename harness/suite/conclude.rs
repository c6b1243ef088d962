//! From what was observed to what is reported.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::evidence::Evidence;
use crate::judge::{Case, Figures, Finding, Judgement, TrialCounts, Verdict, judge};
use crate::promise::{Can, PolicyCan, Promises};
use crate::report::{AskedAt, LeftOut, ReportedFinding, TrialReport};
use crate::scenario::Trial;
use crate::term::{OperationId, Time};

/// What a trial is reported with, apart from its verdict.
pub(super) struct Frame<'a> {
    /// The trial.
    pub trial: &'a Trial,
    /// The time it is played in.
    pub time: Time,
    /// Operations that were not asked.
    pub left_out: &'a [(OperationId, String)],
    /// The command that repeats it.
    pub repeat: String,
    /// How long it took.
    pub took: Duration,
    /// Where its evidence was saved.
    pub evidence_file: Option<String>,
}

/// Judges what was observed.
pub(super) fn conclude(frame: Frame<'_>, promises: &Promises, can: &Can, evidence: Evidence) -> TrialReport {
    let given = frame.trial.given.as_ref();
    let taken = given.filter(|_| can.policy == PolicyCan::Given);
    let promises = taken.map_or(Cow::Borrowed(promises), |given| {
        Cow::Owned(promises.clone().taking(given))
    });
    let judgement = judge(&Case {
        trial: frame.trial,
        promises: &promises,
        can,
        evidence: &evidence,
    });
    report(frame, judgement, evidence)
}

/// A trial that ended without anything to judge.
pub(super) fn unjudged(frame: Frame<'_>, verdict: Verdict, because: String) -> TrialReport {
    let judgement = Judgement {
        verdict,
        because: Some(because),
        findings: Vec::new(),
        counts: TrialCounts::default(),
        figures: Figures::default(),
    };
    report(frame, judgement, Evidence::default())
}

fn report(frame: Frame<'_>, judgement: Judgement, evidence: Evidence) -> TrialReport {
    let trial = frame.trial;
    let reported = |finding: Finding| ReportedFinding {
        asked: finding.span.map(|span| AskedAt {
            place: trial.source.place(span),
            line: trial.source.line_text(span).to_owned(),
        }),
        finding,
        known: None,
    };
    TrialReport {
        trial: trial.id.clone(),
        scenario: trial.scenario.clone(),
        title: trial.title.clone(),
        source: Arc::clone(&trial.source),
        time: frame.time,
        verdict: judgement.verdict,
        because: judgement.because,
        known: None,
        not_run: false,
        acted: acted(&evidence),
        runs: BTreeMap::new(),
        findings: judgement.findings.into_iter().map(reported).collect(),
        counts: judgement.counts,
        figures: judgement.figures,
        left_out: not_asked(trial, frame.left_out, &evidence),
        evidence: Arc::new(evidence),
        repeat: frame.repeat,
        evidence_file: frame.evidence_file,
        took: frame.took,
        remarks: Vec::new(),
    }
}

/// Whether the client did anything at all: a call, a connection or a result.
fn acted(evidence: &Evidence) -> bool {
    !evidence.calls.is_empty()
        || !evidence.accept_cuts.is_empty()
        || evidence.operations.values().any(|o| o.outcome.is_some())
}

/// What cannot be asked, what the client said it could not run (that counts the same), and what it was not asked any more.
fn not_asked(trial: &Trial, known: &[(OperationId, String)], evidence: &Evidence) -> Vec<LeftOut> {
    let refused = evidence.operations.iter().filter_map(|(id, operation)| {
        let said = operation.could_not_run.as_ref()?;
        let because = format!("the client could not run it: {said}");
        Some(left_out(trial, *id, &because))
    });
    let unreached = evidence.operations.iter().filter_map(|(id, operation)| {
        operation.not_reached?;
        Some(left_out(trial, *id, operation.left_out.as_deref()?))
    });
    let known = known.iter().map(|(id, because)| left_out(trial, *id, because));
    known.chain(refused).chain(unreached).collect()
}

fn left_out(trial: &Trial, operation: OperationId, because: &str) -> LeftOut {
    let request = trial.operation(operation).map(|planned| {
        let request = planned.request();
        format!("{} {}", request.method, request.path)
    });
    LeftOut {
        operation,
        request: request.unwrap_or_default(),
        because: because.to_owned(),
    }
}

/// Turns warnings into failures, where the user asked for it. Findings keep their grade.
pub(super) fn be_strict(trials: &mut [TrialReport]) {
    for trial in trials.iter_mut().filter(|t| t.verdict == Verdict::Warn) {
        trial.verdict = Verdict::Fail;
    }
}

/// The versions that the client gave, each once.
pub(super) fn versions<'a>(trials: impl Iterator<Item = &'a TrialReport>) -> Vec<String> {
    let mut versions: Vec<String> = Vec::new();
    for version in trials.filter_map(|t| t.evidence.client.version.as_ref()) {
        if !versions.contains(version) {
            versions.push(version.clone());
        }
    }
    versions
}
