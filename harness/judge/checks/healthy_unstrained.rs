//! A healthy dependency does not pay for another one's faults.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::count;
use crate::judge::{Case, Course, Level};

const ID: &str = "healthy.unstrained";
const CITES: &[&str] = &["sre-cascading"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "A healthy dependency gets one call for each operation that is sent there.",
    requirement: "A dependency that answers every call at once with success has given no reason for a second call. Each \
        further call of one operation to it is load that the client adds to what works. Calls side by side of a client \
        that declares hedges are left unjudged, and so is a call that came before the first was answered in good time. A \
        service may ask it for several things, and for one of them twice: there only a request counts that is the same as one \
        before, comes after a failure, and is none that the service also makes beside its work.",
    cites: CITES,
    levels: Levels {
        silent: "fail",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &[],
    mutants: &["strains-healthy"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let courses = case.courses();
    let mut ruling = Ruling::new(ID, CITES);
    for dependency in case.trial.dependencies.iter().filter(|d| d.healthy) {
        for course in courses
            .iter()
            .filter(|c| c.planned.request().to.contains(&dependency.name))
        {
            judge_operation(case, course, &dependency.name, &mut ruling);
        }
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "one call each was made to a healthy dependency by {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, name: &str, ruling: &mut Ruling) {
    for calls in requests_at(case, course, name) {
        judge_calls(case, course, name, &calls, ruling);
    }
}

/// The calls of an operation to a dependency, those of one request together. A service may well ask twice, for different
/// things; other clients are handed one request.
fn requests_at<'a>(case: &Case, course: &Course<'a>, name: &str) -> Vec<Vec<&'a Call>> {
    if !case.is_layered() {
        return vec![course.attempts_at(name).collect()];
    }
    let mut requests: Vec<Vec<&Call>> = Vec::new();
    for call in course.calls.iter().copied().filter(|c| &*c.head.point == name) {
        let same = requests.iter_mut().find(|r| asks_the_same(r[0], call));
        match same {
            Some(request) => request.push(call),
            None => requests.push(vec![call]),
        }
    }
    requests
}

fn asks_the_same(one: &Call, other: &Call) -> bool {
    let head = |c: &Call| (c.head.method.clone(), c.head.path.clone(), c.head.query.clone());
    let body = |c: &Call| c.body.as_ref().map(|b| (b.len, b.sha256));
    head(one) == head(other) && body(one) == body(other)
}

/// Whether a call of a service may be one more time through its work. A service may ask the same thing twice of its own
/// accord, and look after its dependencies beside its work: only what comes after a failure may be a repeat, and only
/// where the service does not ask the same for no operation too.
fn may_be_a_repeat(case: &Case, course: &Course, call: &Call) -> bool {
    let failed_before =
        |c: &&Call| case.surely_failed(c) && c.answer_ended.is_some_and(|ended| ended <= call.at());
    let beside_work = |c: &Call| {
        let same = c.head.method == call.head.method && c.head.path == call.head.path;
        c.head.op.is_none() && c.head.point == call.head.point && same
    };
    course.calls.iter().any(failed_before) && !case.evidence.calls.iter().any(beside_work)
}

fn judge_calls(case: &Case, course: &Course, name: &str, calls: &[&Call], ruling: &mut Ruling) {
    let Some(first) = calls.first().copied() else {
        return;
    };
    ruling.exercise(course);
    let Some(answered) = first.answer_ended.filter(|_| case.certainly_read(first)) else {
        return;
    };
    let prompt = answered.since(first.at()) <= LATE_GRACE;
    let extra: Vec<&Call> = calls
        .iter()
        .copied()
        .skip(1)
        .filter(|c| c.at() >= answered)
        .filter(|c| !case.is_layered() || may_be_a_repeat(case, course, c))
        .collect();
    let hedged = case.promises.hedges && extra.iter().all(|c| !course.follows(case, first, c));
    if extra.is_empty() || !prompt || hedged {
        return;
    }
    let n = count(extra.len() as u64 + 1, "call");
    let because = format!(
        "{} made {n} to the healthy dependency `{name}`, which had answered the first at once",
        course.id()
    );
    let span = case.trial.dependency(name).map(|d| d.span);
    let charge = Charge::new(Worth::UNTRUE, because)
        .about(course)
        .shown_by(calls.iter().copied())
        .asked_at(span);
    ruling.charge_unless_late(case, charge);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::{Claim, StopReason};

    fn story() -> Story {
        let story = Story::of(vec![answered(503).times(1), answered(200)]).dependency("member", Vec::new());
        let story = story
            .operation("GET", "/member", "member")
            .call(0, 0)
            .call(1, 100)
            .ok(110);
        story
            .call_of(2, 0, 200)
            .reported_of(2, 210, Claim::Ok, StopReason::Ok)
    }

    #[test]
    fn one_call_passes_and_repeats_at_the_faulty_dependency_do_not_matter() {
        assert_eq!(story().check(ID).findings[0].grade, Grade::Pass);
    }

    #[test]
    fn a_second_call_to_it_fails() {
        let (grade, because) = story().call_of(2, 0, 205).worst(ID);
        assert_eq!(grade, Grade::Fail);
        let told =
            "op-2 made 2 calls to the healthy dependency `member`, which had answered the first at once";
        assert_eq!(because, told);
    }

    #[test]
    fn declared_hedges_and_a_late_harness_are_left_unjudged() {
        assert!(
            story()
                .call_of(2, 0, 205)
                .promising(|p| p.hedges = true)
                .blamed()
                .is_empty()
        );
        assert!(story().call_of(2, 0, 205).late_by_ms(60).check(ID).withheld);
    }
}
