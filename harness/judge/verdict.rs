//! From the results of the checks to the verdict of the trial.

use std::collections::BTreeSet;
use std::time::Duration;

use super::checks::{self, Check, CheckResult};
use super::faults::FaultClass;
use super::{Case, Course, Finding, Grade, Judgement, TrialCounts, Verdict, wording};
use crate::term::OperationId;

/// Judges one trial. Total: any scenario, promises and evidence give a judgement.
///
/// `expected` entries, retries of a late trial and `--strict` are not known here; see `suite`.
pub fn judge(case: &Case) -> Judgement {
    let counts = TrialCounts::of(case);
    let courses = case.courses();
    let (verdict, because, findings) = match unjudgeable(case, &courses) {
        Some((verdict, because)) => (verdict, Some(because), Vec::new()),
        None => weigh(case, &courses),
    };
    Judgement {
        verdict,
        because,
        findings,
        counts,
    }
}

/// Where nothing can be judged: the verdict and why.
fn unjudgeable(case: &Case, courses: &[Course]) -> Option<(Verdict, String)> {
    let evidence = case.evidence;
    if evidence.interrupted {
        return Some((Verdict::Inconclusive, "the trial was interrupted".to_owned()));
    }
    // A client that was ended because it reached a ceiling is judged for that.
    if let Some(broke) = evidence
        .client
        .broke
        .as_ref()
        .filter(|_| evidence.ceilings.is_empty())
    {
        return Some((Verdict::HarnessError, broke.clone()));
    }
    if let Some(because) = nothing_asked(case, courses) {
        return Some((Verdict::Skipped, because));
    }
    silent_client(case, courses).map(|because| (Verdict::HarnessError, because))
}

/// Why nothing was asked that meets a fault, if so.
fn nothing_asked(case: &Case, courses: &[Course]) -> Option<String> {
    let reasons = || {
        let of = case.evidence.operations.values();
        let mut reasons: Vec<&str> = of
            .filter_map(|o| o.left_out.as_deref().or(o.could_not_run.as_deref()))
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons.join("; ")
    };
    if courses.is_empty() {
        let why = reasons();
        return Some(match why.is_empty() {
            true => "no operation was asked of the client".to_owned(),
            false => format!("no operation can be asked of the client: {why}"),
        });
    }
    let in_reach = |op: OperationId| {
        let planned = case.trial.operation(op)?;
        let record = case.evidence.operations.get(&op)?;
        Some(!case.faults_in_reach(&Course::unasked(planned, record)).is_empty())
    };
    let asked_meets = courses.iter().any(|c| in_reach(c.id()) == Some(true));
    let other_meets = case
        .evidence
        .operations
        .keys()
        .any(|op| in_reach(*op) == Some(true));
    (!asked_meets && other_meets)
        .then(|| format!("what could be asked of the client meets no fault: {}", reasons()))
}

/// Whether the client neither called nor said anything, so that nothing is known of it.
fn silent_client(case: &Case, courses: &[Course]) -> Option<String> {
    let said = courses.iter().any(|c| c.outcome().is_some());
    let called = !case.evidence.calls.is_empty() || !case.evidence.accept_cuts.is_empty();
    let hidden = courses.iter().any(|c| c.met_refusals(case)) || !case.evidence.ceilings.is_empty();
    (!said && !called && !hidden).then(|| "the client made no call and gave no result".to_owned())
}

fn weigh(case: &Case, courses: &[Course]) -> (Verdict, Option<String>, Vec<Finding>) {
    let results: Vec<(&Check, CheckResult)> = checks::ALL.iter().map(|c| (c, (c.judge)(case))).collect();
    let doubt = doubt(case, courses, &results);
    let findings: Vec<Finding> = results.into_iter().flat_map(|(_, r)| r.findings).collect();
    let worst = findings.iter().map(|f| f.grade).max().unwrap_or(Grade::Pass);
    match (worst, doubt) {
        (Grade::Fail, _) => (Verdict::Fail, None, findings),
        (_, Some(because)) => (Verdict::Inconclusive, Some(because), findings),
        (Grade::Warn, None) => (Verdict::Warn, None, findings),
        (Grade::Note, None) => (Verdict::Noted, None, findings),
        (Grade::Pass, None) => (Verdict::Pass, None, findings),
    }
}

/// Why the trial proves nothing, if so.
fn doubt(case: &Case, courses: &[Course], results: &[(&Check, CheckResult)]) -> Option<String> {
    if results.iter().any(|(_, r)| r.withheld) {
        let lag = wording::time(Duration::from_micros(case.evidence.worst_lag_us));
        return Some(format!(
            "the harness was {lag} late, so counts and lateness were not held against the client"
        ));
    }
    let in_reach: BTreeSet<FaultClass> = courses.iter().flat_map(|c| case.faults_in_reach(c)).collect();
    if in_reach.is_empty() {
        return None;
    }
    if !courses.iter().any(|c| case.met_a_fault(c)) {
        return Some("the trial's first fault was not reached".to_owned());
    }
    let bears = |check: &Check| check.bears_on.iter().any(|f| in_reach.contains(f));
    let exercised = results.iter().any(|(check, r)| r.exercised && bears(check));
    (!exercised).then(|| "no check that bears on the trial's faults was exercised".to_owned())
}
