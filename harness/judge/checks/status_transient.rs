//! A failure that the client promises to repeat is repeated.

use super::status_permanent::{repeated, repeats_failure};
use super::{Check, CheckResult, Levels};
use std::time::Duration;

use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::far_beyond;
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level, Reading, statuses};
use crate::promise::FailureKind;
use crate::term::{Claim, Stamp, StopReason};

const ID: &str = "status.transient";
const CITES: &[&str] = &["rfc9110-9.2.2"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation is not given up at a failure that the client promises to repeat while attempts are left.",
    requirement: "A client that promises to repeat a failure does so while it has attempts left, the method is one it \
        repeats or the operation carries a key and the client promises `key`, and the deadline has room. However the end of a call can be read, it must be a failure that the \
        client promises to repeat; otherwise nothing is said. No liveness is asked for where a wait was asked for (to \
        stop is right), where a budget, a breaker, a cancellation or a deadline may have decided, or where refused \
        connections hide attempts. Of a client that promises nothing it is noted that it gave up an idempotent \
        operation after one failure.",
    cites: CITES,
    levels: Levels {
        silent: "note",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Garbled,
    ],
    mutants: &["never-retries", "distrusts-keys"],
    judge,
};

/// What is promised of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Promise {
    /// To repeat it, whichever way it is read.
    Repeats,
    /// Nothing, and most clients would repeat it.
    Silent,
    /// Not to repeat it, or not for sure.
    Unsure,
}

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        let attempts = course.attempts.iter().copied();
        for call in attempts.filter(|call| case.surely_failed(call) && case.pushback_of(call).is_none()) {
            match promise(case, course, call) {
                // Whoever went on has shown it, promised or not.
                _ if course.attempts.last().is_some_and(|last| last.comes_after(call)) => {
                    ruling.exercise(course)
                }
                Promise::Unsure => {}
                promise => judge_call(case, course, call, promise, &mut ruling),
            }
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "a passing failure was followed by another attempt in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_call(case: &Case, course: &Course, call: &Call, promise: Promise, ruling: &mut Ruling) {
    if may_rightly_end(case, course, call) {
        return;
    }
    ruling.exercise(course);
    let what = match (
        case.status_of(call).filter(|_| call.answer_began.is_some()),
        case.cut_of(call),
    ) {
        (_, Some((place, by))) => format!("an exchange cut {place} by {by}"),
        (Some(status), None) => format!("its {status}"),
        (None, None) => "a failed exchange".to_owned(),
    };
    let after = count(course.attempts.len() as u64, "call");
    let (worth, why) = match promise {
        Promise::Repeats if !case.promises.opted_out(ID) => (
            Worth::BROKEN_PROMISE,
            "the client promises to repeat that and had attempts left",
        ),
        Promise::Repeats => (
            Worth::note(Level::Promised),
            "the client opted out of repeating that",
        ),
        Promise::Silent | Promise::Unsure => (Worth::note(Level::Promised), "the client promises nothing"),
    };
    let because = format!("{} was given up after {after}, at {what}; {why}", course.id());
    ruling.charge_unless_late(
        case,
        Charge::new(worth, because)
            .about(course)
            .shown_by([call])
            .asked_at(case.span_of(call)),
    );
}

fn promise(case: &Case, course: &Course, call: &Call) -> Promise {
    let readings = case.readings(call);
    let Some(retries) = &case.promises.retries else {
        let usual = readings.iter().all(|reading| match reading {
            Reading::Status(status) => statuses::transient(*status),
            Reading::Broken(FailureKind::Timeout) | Reading::Success => false,
            Reading::Broken(_) => true,
        });
        let harmless = statuses::idempotent(&course.planned.request().method);
        return if usual && harmless && course.attempts.len() == 1 {
            Promise::Silent
        } else {
            Promise::Unsure
        };
    };
    let statuses = repeated(case);
    let promised = readings.iter().all(|reading| match reading {
        Reading::Success => false,
        Reading::Status(status) => statuses
            .as_ref()
            .is_some_and(|lists| lists.iter().all(|list| list.contains(status))),
        Reading::Broken(kind) => repeats_failure(case, *kind),
    });
    let method = &course.planned.request().method;
    let methods = retries.methods.as_ref();
    let method_promised = methods.map_or_else(|| statuses::idempotent(method), |list| list.contains(method));
    // A key makes any method one that is repeated.
    let keyed = case.promises.key && course.takes_a_key() && !call.head.keys.is_empty();
    if promised && (method_promised || keyed) {
        Promise::Repeats
    } else {
        Promise::Unsure
    }
}

/// Whether an honest client may end an operation at this failure although it repeats such failures.
fn may_rightly_end(case: &Case, course: &Course, call: &Call) -> bool {
    let Some((reported, outcome)) = course.outcome() else {
        return true;
    };
    // What is claimed as a success was not given up, and what comes after the report is no attempt of it.
    if outcome.claim == Claim::Ok || call.at() > reported {
        return true;
    }
    let ended = course.over_at_the_latest(call);
    let capped = attempts_possible(case, course) >= least_cap(case);
    let limited =
        case.promises.budget.is_some() || case.trial.given.as_ref().is_some_and(|g| g.budget.is_some());
    let decided = match outcome.stop {
        StopReason::Deadline
        | StopReason::RetryBudget
        | StopReason::CircuitOpen
        | StopReason::Cancelled
        | StopReason::AttemptTimeout => true,
        StopReason::Unreported => short_of_time(course, ended),
        StopReason::Ok
        | StopReason::Terminal
        | StopReason::Unsafe
        | StopReason::AttemptCap
        | StopReason::Pushback => false,
    };
    let pushed_back = case.wait_pending(&call.head.point, ended);
    let request = course.planned.request();
    capped
        || limited
        || decided
        || pushed_back
        || request.stream
        || course.planned.group.cancel_after.is_some()
        || course.met_refusals(case)
}

/// Attempts that were seen, and those that may have been connections cut at accept.
fn attempts_possible(case: &Case, course: &Course) -> u64 {
    course.calls.len() as u64 + course.accept_cuts(case)
}

/// The least cap that may hold: of what is promised and what was handed over.
fn least_cap(case: &Case) -> u64 {
    let given = case.trial.given.as_ref().and_then(|g| g.attempts);
    // A client that promises to repeat and says nothing of a cap tries at least twice; and of one that hedges nobody
    // knows how many of the calls that it may make are second ones, which it does not make where answers come at once.
    let hedges = case.promises.hedges.then_some(2);
    [case.promises.attempts, given, hedges]
        .into_iter()
        .flatten()
        .min()
        .map_or(2, u64::from)
}

/// Whether a deadline that reached the client leaves too little room after `ended` to be sure that its next wait
/// fitted.
fn short_of_time(course: &Course, ended: Stamp) -> bool {
    course
        .deadline()
        .is_some_and(|deadline| deadline.since(ended) < far_beyond(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::Retries;
    use crate::scenario::Pushback;
    use crate::term::{CutBy, Place};

    fn story() -> Story {
        Story::of(vec![answered(503).times(1), answered(200)])
    }

    fn promising(story: Story) -> Story {
        let failures = Some(vec![FailureKind::Closed, FailureKind::Reset]);
        let retries = Retries {
            statuses: Some(vec![503]),
            failures,
            methods: None,
        };
        story.promising(|p| {
            p.attempts = Some(3);
            p.retries = Some(retries);
        })
    }

    #[test]
    fn trying_again_passes() {
        assert_eq!(
            promising(story())
                .call(0, 0)
                .call(1, 100)
                .ok(110)
                .check(ID)
                .findings[0]
                .grade,
            Grade::Pass
        );
    }

    #[test]
    fn giving_up_with_attempts_left_fails_the_promise_and_is_noted_in_silence() {
        let (grade, because) = promising(story()).call(0, 0).failed(5).worst(ID);
        assert_eq!(grade, Grade::Fail);
        let why = "the client promises to repeat that and had attempts left";
        assert_eq!(
            because,
            format!("op-1 was given up after 1 call, at its 503; {why}")
        );
        assert_eq!(story().call(0, 0).failed(5).worst(ID).0, Grade::Note);
    }

    #[test]
    fn the_last_attempt_a_pushback_and_an_unkeyed_post_may_end_it() {
        let spent = promising(Story::of(vec![answered(503)]))
            .call(0, 0)
            .call(0, 100)
            .call(0, 200)
            .failed(210);
        assert!(spent.blamed().is_empty());
        let pushed = promising(Story::of(vec![answered(503).pushing_back(Pushback::Seconds(3))]))
            .call(0, 0)
            .failed(5);
        assert_eq!(pushed.worst(ID).0, Grade::Pass);
        assert_eq!(
            promising(story()).by("POST").call(0, 0).failed(5).worst(ID).0,
            Grade::Pass
        );
    }

    #[test]
    fn a_key_that_is_promised_to_count_makes_a_post_one_that_is_repeated() {
        let keyed = |promised| {
            promising(story())
                .promising(|p| p.key = promised)
                .by("POST")
                .keyed()
        };
        assert_eq!(keyed(true).call(0, 0).failed(5).worst(ID).0, Grade::Fail);
        assert_eq!(
            keyed(true).call(0, 0).call(1, 100).ok(110).worst(ID).0,
            Grade::Pass
        );
        assert_eq!(keyed(false).call(0, 0).failed(5).worst(ID).0, Grade::Pass);
        // Whoever sends no key has none to trust in.
        let dropped = keyed(true).call(0, 0).under(&[]).failed(5);
        assert_eq!(dropped.worst(ID).0, Grade::Pass);
    }

    #[test]
    fn a_deadline_may_have_decided_where_no_reason_is_reported() {
        let story = |ms| promising(story()).deadline_ms(ms).call(0, 0).failed(5);
        assert_eq!(story(5_000).worst(ID).0, Grade::Pass);
        assert_eq!(story(60_000).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn what_a_silence_took_of_the_deadline_is_gone() {
        let silent = Story::of(vec![answered(200).cut(Place::BeforeAnswer, CutBy::Hang)]);
        let story = promising(silent)
            .promising(|p| {
                let timeouts = Some(vec![FailureKind::Timeout]);
                p.retries.get_or_insert_default().failures = timeouts;
            })
            .deadline_ms(11_000)
            .call(0, 0)
            .left(4_000);
        assert_eq!(story.clone().failed(4_001).worst(ID).0, Grade::Pass);
        assert_eq!(story.deadline_ms(60_000).failed(4_001).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn a_failure_that_can_be_read_otherwise_is_left_unjudged() {
        let cut = |at| {
            promising(Story::of(vec![answered(503).cut(at, CutBy::Fin)]))
                .call(0, 0)
                .failed(5)
                .worst(ID)
                .0
        };
        assert_eq!(cut(Place::BeforeAnswer), Grade::Fail);
        // A body that ends early may be read as truncated, which is not promised to be repeated.
        assert_eq!(cut(Place::Body(10)), Grade::Pass);
    }

    #[test]
    fn an_operation_that_is_claimed_was_not_given_up() {
        assert_eq!(promising(story()).call(0, 0).ok(5).worst(ID).0, Grade::Pass);
        let late = promising(story())
            .call(0, 0)
            .call(1, 100)
            .failed(110)
            .call(0, 500);
        assert_eq!(late.worst(ID).0, Grade::Pass);
    }

    #[test]
    fn a_breaker_or_a_budget_that_is_reported_may_have_decided() {
        for stop in [StopReason::CircuitOpen, StopReason::RetryBudget] {
            let story = promising(story()).call(0, 0).reported(5, Claim::Failed, stop);
            assert_eq!(story.worst(ID).0, Grade::Pass, "{stop}");
        }
    }
}
