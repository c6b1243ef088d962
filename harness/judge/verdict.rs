//! From the results of the checks to the verdict of the trial.

use std::collections::BTreeSet;
use std::time::Duration;

use super::checks::{self, Check, CheckResult};
use super::faults::FaultClass;
use super::{
    Case, Course, Figures, Finding, Grade, Judgement, TrialCounts, Verdict, ends, restraint, too_many,
    wording,
};
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
        figures: Figures::of(case, &counts),
        counts,
    }
}

/// Where nothing can be judged: the verdict and why.
fn unjudgeable(case: &Case, courses: &[Course]) -> Option<(Verdict, String)> {
    let evidence = case.evidence;
    if evidence.interrupted {
        return Some((Verdict::Inconclusive, "the trial was interrupted".to_owned()));
    }
    // Its operations went on where nobody looks, but for a client that reached a ceiling, which is judged for that.
    if let Some(because) = too_many::too_many_calls(case) {
        return Some((Verdict::Inconclusive, because));
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
    let results: Vec<(&Check, CheckResult)> = checks::of(case).map(|c| (c, (c.judge)(case))).collect();
    let doubt = doubt(case, courses, &results);
    let findings: Vec<Finding> = results.into_iter().flat_map(|(_, r)| r.findings).collect();
    let worst = findings.iter().map(|f| f.grade).max().unwrap_or(Grade::Pass);
    match (worst, doubt) {
        (Grade::Fail, _) => (Verdict::Fail, None, findings),
        (_, Some(because)) => (Verdict::Inconclusive, Some(because), findings),
        (Grade::Warn, None) => (Verdict::Warn, None, findings),
        (Grade::Note, None) => (Verdict::Noted, None, findings),
        (Grade::Pass, None) => (Verdict::Pass, restrained(case, courses), findings),
    }
}

/// Why the trial proves nothing, if so.
///
/// What the client left open comes before what the trial lacks: it may be why.
fn doubt(case: &Case, courses: &[Course], results: &[(&Check, CheckResult)]) -> Option<String> {
    if results.iter().any(|(_, r)| r.withheld) {
        let lag = wording::time(Duration::from_micros(case.evidence.worst_lag_us));
        return Some(format!(
            "the harness was {lag} late, so counts and lateness were not held against the client"
        ));
    }
    if let Some(because) = left_open(case, courses) {
        return Some(because);
    }
    if results.iter().any(|(_, r)| r.cut_short) {
        return Some(stopped_waiting(courses));
    }
    let in_reach: BTreeSet<FaultClass> = courses.iter().flat_map(|c| case.faults_in_reach(c)).collect();
    if in_reach.is_empty() {
        if case.scripts_a_fault() {
            let dead = "no operation can meet the trial's faults: see the paths and methods of its turns";
            return Some(dead.to_owned());
        }
        let silent = courses.iter().all(|course| course.calls.is_empty());
        return silent.then(|| "the client made no call, so nothing was put to the test".to_owned());
    }
    if !courses.iter().any(|c| case.met_a_fault(c)) {
        let unreached = restrained(case, courses).is_none();
        return unreached.then(|| "the trial's first fault was not reached".to_owned());
    }
    if restraint::waited_out(case, courses) {
        return None;
    }
    let bears = |check: &Check| check.bears_on.iter().any(|f| in_reach.contains(f));
    let exercised = results.iter().any(|(check, r)| r.exercised && bears(check));
    (!exercised).then(|| "no check that bears on the trial's faults was exercised".to_owned())
}

/// Why a trial proves something in which nobody met a fault, if so.
fn restrained(case: &Case, courses: &[Course]) -> Option<String> {
    if courses.iter().any(|c| case.met_a_fault(c)) {
        return None;
    }
    let spared = restraint::spared(case, courses)?;
    Some(format!(
        "the client held operations back, so that `{}` never had more than it takes",
        spared.name
    ))
}

/// What the client left open of that which it was to do, if anything.
fn left_open(case: &Case, courses: &[Course]) -> Option<String> {
    let unasked = ends::not_reached(case);
    if let (Some(first), Some((waited_for, _))) = (unasked.first(), ends::waited_for(courses)) {
        let op = waited_for.id();
        let which = match unasked.len() {
            1 => format!("{first} was not asked"),
            n => format!("{n} operations from {first} on were not asked"),
        };
        return Some(format!("{op} had no end while it was waited for, so {which}"));
    }
    courses.iter().find_map(|course| {
        let op = course.id();
        if is_dropped(case, course) {
            return Some(format!(
                "the client neither called nor said anything of {op}, which it was asked"
            ));
        }
        if course.failed_untried(case) {
            return Some(format!("the client reported {op} as failed, and never tried it"));
        }
        let last = course.silent_since(case)?;
        Some(format!(
            "the client did not say what became of {op} after {}",
            last.id()
        ))
    })
}

/// That the harness left before the client was done, and what to do about it.
fn stopped_waiting(courses: &[Course]) -> String {
    let ops = courses.iter().filter(|c| c.record.no_result.is_some());
    let ops: Vec<String> = ops.map(|c| c.id().to_string()).collect();
    format!(
        "retrial stopped waiting for {} before it had ended, so what more waiting could have changed was not held against \
         the client; give the operation a longer `deadline`",
        ops.join(", ")
    )
}

/// Whether nothing at all came of an operation that was waited for to the end: nobody knows what its caller was told.
fn is_dropped(case: &Case, course: &Course) -> bool {
    let called = !course.calls.is_empty() || course.accept_cuts(case) > 0 || course.met_refusals(case);
    course.record.no_result.is_some() && !called && case.evidence.ceilings.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Ceiling, Fact};
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::scenario::Pushback;
    use crate::term::{Claim, Stamp, StopReason};

    fn broke() -> Fact {
        Fact::ClientBroke {
            at: Stamp::from_ms(5),
            because: "it printed garbage".to_owned(),
        }
    }

    #[test]
    fn a_trial_whose_fault_was_not_reached_proves_nothing() {
        let turns = vec![answered(200).times(1), answered(503)];
        let judgement = Story::of(turns).call(0, 0).ok(5).judge();
        assert_eq!(judgement.verdict, Verdict::Inconclusive);
        assert_eq!(
            judgement.because.unwrap(),
            "the trial's first fault was not reached"
        );
    }

    #[test]
    fn a_healthy_dependency_that_nobody_calls_proves_nothing() {
        let healthy = || Story::of(vec![answered(200).applied()]);
        let judgement = healthy().failed(5).judge();
        assert_eq!(judgement.verdict, Verdict::Inconclusive);
        assert!(judgement.because.unwrap().contains("made no call"));
        assert_eq!(healthy().call(0, 0).ok(5).judge().verdict, Verdict::Pass);
    }

    #[test]
    fn a_trial_whose_fault_waits_on_a_path_that_nobody_takes_proves_nothing() {
        let mut misspelt = answered(503).times(1);
        misspelt.when = Some(crate::scenario::When {
            path: Some("/chrage".to_owned()),
            ..Default::default()
        });
        let judgement = Story::of(vec![misspelt, answered(200)]).call(1, 0).ok(5).judge();
        assert_eq!(judgement.verdict, Verdict::Inconclusive);
        assert!(judgement.because.unwrap().starts_with("no operation can meet"));
    }

    #[test]
    fn a_trial_without_faults_passes() {
        let story = Story::of(Vec::new()).call(0, 0).ok(5);
        assert_eq!(story.judge().verdict, Verdict::Pass);
    }

    #[test]
    fn a_fault_that_no_check_learns_from_proves_nothing() {
        let turns = vec![
            answered(429).times(1).pushing_back(Pushback::Seconds(1)),
            answered(200),
        ];
        let judgement = Story::of(turns)
            .call(0, 0)
            .call(1, 1_200)
            .reported(1_210, Claim::Ok, StopReason::Unreported)
            .judge();
        assert_eq!(
            judgement.because.as_deref(),
            Some("no check that bears on the trial's faults was exercised")
        );
    }

    #[test]
    fn a_client_that_broke_is_no_ones_failure_unless_it_reached_a_ceiling() {
        let story = Story::of(vec![answered(503)]).call(0, 0).and(broke());
        let judgement = story.judge();
        assert_eq!(judgement.verdict, Verdict::HarnessError);
        assert_eq!(judgement.because.as_deref(), Some("it printed garbage"));
        let flooding = story.and(Fact::CeilingHit {
            at: Stamp::from_ms(4),
            ceiling: Ceiling::Calls,
        });
        assert_eq!(flooding.judge().verdict, Verdict::Fail);
    }

    #[test]
    fn a_client_that_neither_calls_nor_reports_could_not_run() {
        assert_eq!(
            Story::of(vec![answered(503)])
                .gave_no_result(1, 9_000)
                .judge()
                .verdict,
            Verdict::HarnessError
        );
    }

    #[test]
    fn an_operation_of_which_nothing_came_leaves_the_trial_open() {
        let story = Story::of(vec![answered(503).times(1), answered(200)]).operation("GET", "/", "quota");
        let one = story
            .call_of(1, 0, 0)
            .call_of(1, 1, 100)
            .reported_of(1, 110, Claim::Ok, StopReason::Ok);
        let dropped = one.clone().gave_no_result(2, 9_000).judge();
        assert_eq!(dropped.verdict, Verdict::Inconclusive);
        assert_eq!(
            dropped.because.as_deref(),
            Some("the client neither called nor said anything of op-2, which it was asked")
        );
        let waiting = one.call_of(2, 0, 200).gave_no_result(2, 9_000);
        assert_eq!(waiting.judge().verdict, Verdict::Noted);
    }

    #[test]
    fn a_trial_of_which_nothing_that_meets_a_fault_was_asked_is_skipped() {
        let op = OperationId(1);
        let left_out = Fact::LeftOut {
            op,
            because: "the client can only GET".to_owned(),
            at: None,
        };
        let alone = Story::of(vec![answered(503)])
            .by("POST")
            .and(left_out.clone())
            .judge();
        assert_eq!(alone.verdict, Verdict::Skipped);
        assert_eq!(
            alone.because.as_deref(),
            Some("no operation can be asked of the client: the client can only GET")
        );
        let story = Story::of(vec![answered(503)])
            .by("POST")
            .and(left_out)
            .dependency("member", Vec::new());
        let story = story
            .operation("GET", "/", "member")
            .call_of(2, 0, 0)
            .reported_of(2, 5, Claim::Ok, StopReason::Ok);
        assert_eq!(story.judge().verdict, Verdict::Skipped);
    }

    #[test]
    fn an_interrupted_trial_is_inconclusive() {
        let story = Story::of(vec![answered(503)]).call(0, 0).and(Fact::Interrupted {
            at: Stamp::from_ms(5),
        });
        assert_eq!(
            story.judge().because.as_deref(),
            Some("the trial was interrupted")
        );
    }

    #[test]
    fn counts_are_taken_whatever_the_verdict() {
        let story = Story::of(vec![answered(503).times(1).applied(), answered(200).applied()]);
        let counts = story.call(0, 0).call(1, 100).ok(110).judge().counts;
        let quota = &counts.dependencies["quota"];
        assert_eq!((quota.calls, quota.delivered, quota.acknowledged), (2, 2, 1));
        assert_eq!((quota.operations, quota.multiplier_per_mille), (1, 2_000));
        assert_eq!(counts.stop_reasons[&StopReason::Ok], 1);
    }
}
