//! The reported stop reason is one that can be true.

use super::stop_conditions::{Bench, impossible};
use super::{Check, CheckResult, Levels};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::StopReason;

const ID: &str = "stop.allowed";
const CITES: &[&str] = &[];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The stop reason that the client reports is one whose condition holds.",
    requirement: "A client may test its cap, budget, deadline and safety in any order, so every reason whose condition \
        holds is right; a POST with one attempt and a 503 may end as unsafe, attempt_cap or terminal. A reason is \
        wrong only where its condition cannot hold: ok without a success answer, attempt_cap with attempts left, \
        deadline where none was passed or far more than a wait had room, pushback where no wait was asked for, \
        terminal at a failure that the client promises to repeat with attempts left or without any call, and so on. A client that \
        reports no reason is not judged.",
    cites: CITES,
    levels: Levels {
        silent: "skipped where no reason is reported",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Permanent,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Closing,
        FaultClass::Garbled,
        FaultClass::Refused,
        FaultClass::Slow,
    ],
    mutants: &["wrong-stop", "drops-operations"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let bench = Bench::of(case);
    let mut ruling = Ruling::new(ID, CITES);
    for course in &bench.courses {
        judge_operation(case, &bench, course, &mut ruling);
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "the stop reasons of {} can be true",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, bench: &Bench, course: &Course, ruling: &mut Ruling) {
    let Some((_, outcome)) = course.outcome() else {
        return;
    };
    if outcome.stop == StopReason::Unreported {
        return;
    }
    if case.met_a_fault(course) {
        ruling.exercise(course);
    }
    let Some(why) = impossible(bench, course, outcome.stop) else {
        return;
    };
    let possible = StopReason::ALL
        .into_iter()
        .filter(|reason| *reason != StopReason::Unreported && impossible(bench, course, *reason).is_none());
    let possible: Vec<String> = possible.map(|reason| format!("`{reason}`")).collect();
    let instead = match possible.is_empty() {
        true => String::new(),
        false => format!("; possible here: {}", possible.join(", ")),
    };
    let because = format!(
        "{} was reported as ended by `{}`, but {why}{instead}",
        course.id(),
        outcome.stop
    );
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    let last = course.calls.last().copied();
    let charge = Charge::new(worth, because)
        .about(course)
        .shown_by(last)
        .asked_at(last.and_then(|c| case.span_of(c)));
    ruling.charge_unless_late(case, charge);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::{FailureKind, Retries};
    use crate::scenario::Pushback;
    use crate::term::{Claim, CutBy, Place};

    fn promising(story: Story) -> Story {
        story.promising(|p| {
            p.attempts = Some(3);
            p.retries = Some(Retries {
                statuses: Some(vec![429, 503]),
                failures: Some(vec![FailureKind::Timeout]),
                methods: None,
            });
        })
    }

    fn failing(stop: StopReason) -> (Grade, String) {
        promising(Story::of(vec![answered(503)]))
            .call(0, 0)
            .reported(5, Claim::Failed, stop)
            .worst(ID)
    }

    #[test]
    fn after_one_promised_failure_most_reasons_cannot_be_true() {
        let wrong = [
            (StopReason::Ok, "the client reports a failure"),
            (
                StopReason::Terminal,
                "the client promises to repeat the failure of call 1 and had attempts left",
            ),
            (StopReason::Unsafe, "GET is idempotent"),
            (
                StopReason::AttemptCap,
                "it made 1 call; the client promises 3 attempts in all",
            ),
            (StopReason::AttemptTimeout, "call 1 was answered or cut at once"),
            (StopReason::Deadline, "no deadline was passed to the client"),
            (StopReason::Pushback, "no wait was asked for"),
            (StopReason::Cancelled, "nobody cancelled it"),
        ];
        for (stop, why) in wrong {
            let (grade, because) = failing(stop);
            assert_eq!(grade, Grade::Fail, "{stop}");
            assert!(because.contains(why), "{because}");
        }
        for stop in [
            StopReason::RetryBudget,
            StopReason::CircuitOpen,
            StopReason::Unreported,
        ] {
            assert_eq!(failing(stop).0, Grade::Pass, "{stop}");
        }
    }

    #[test]
    fn the_finding_says_what_was_possible() {
        let because = failing(StopReason::AttemptCap).1;
        assert!(
            because.ends_with("; possible here: `retry_budget`, `circuit_open`"),
            "{because}"
        );
    }

    #[test]
    fn of_a_client_that_promises_nothing_little_is_impossible() {
        for stop in [
            StopReason::Terminal,
            StopReason::AttemptCap,
            StopReason::RetryBudget,
            StopReason::CircuitOpen,
        ] {
            let story = Story::of(vec![answered(503)])
                .call(0, 0)
                .reported(5, Claim::Failed, stop);
            assert_eq!(story.worst(ID).0, Grade::Pass, "{stop}");
        }
    }

    #[test]
    fn a_success_ends_by_ok_and_by_nothing_else() {
        let ended = |stop| {
            promising(Story::of(vec![answered(200)]))
                .call(0, 0)
                .reported(5, Claim::Ok, stop)
                .worst(ID)
                .0
        };
        assert_eq!(ended(StopReason::Ok), Grade::Pass);
        assert_eq!(ended(StopReason::AttemptCap), Grade::Fail);
        let false_ok = promising(Story::of(vec![answered(503)]))
            .call(0, 0)
            .ok(5)
            .worst(ID);
        assert!(
            false_ok.1.contains("it got no whole success answer"),
            "{}",
            false_ok.1
        );
    }

    #[test]
    fn a_deadline_is_believed_unless_another_operation_shows_how_soon_this_client_goes_on() {
        let alone = |ms| {
            promising(Story::of(vec![answered(503)]))
                .deadline_ms(ms)
                .call(0, 0)
        };
        let stopped = |s: Story| s.reported(5, Claim::Failed, StopReason::Deadline).worst(ID).0;
        assert_eq!(stopped(alone(60_000)), Grade::Pass);
        let beside = Story::of(vec![answered(503)]).operation("GET", "/b", "quota");
        let beside = |ms| {
            let story = promising(beside.clone()).deadline_ms(ms).call(0, 0);
            story
                .call_of(2, 0, 100)
                .call_of(2, 0, 200)
                .call_of(2, 0, 300)
                .reported_of(2, 310, Claim::Failed, StopReason::AttemptCap)
        };
        assert_eq!(stopped(beside(60_000)), Grade::Fail);
        assert_eq!(stopped(beside(5_000)), Grade::Pass);
    }

    #[test]
    fn pushback_and_timers_are_believed_where_they_can_be_true() {
        let pushed = Story::of(vec![answered(503).pushing_back(Pushback::Seconds(90))]);
        assert_eq!(
            promising(pushed)
                .call(0, 0)
                .reported(5, Claim::Failed, StopReason::Pushback)
                .worst(ID)
                .0,
            Grade::Pass
        );
        // Its own timer was quicker than the answer, which went out to nobody.
        let overtaken = |stop| {
            let late = Story::of(vec![answered(200).applied().taking_ms(2_000)]);
            let left = promising(late).call(0, 0).left(1_000);
            left.reported(1_010, Claim::Failed, stop).worst(ID).0
        };
        for stop in [StopReason::RetryBudget, StopReason::CircuitOpen] {
            assert_eq!(overtaken(stop), Grade::Pass, "{stop}");
        }
        let silent = Story::of(vec![answered(200).cut(Place::BeforeAnswer, CutBy::Hang)])
            .call(0, 0)
            .left(1_000);
        assert_eq!(
            promising(silent)
                .reported(1_010, Claim::Failed, StopReason::AttemptTimeout)
                .worst(ID)
                .0,
            Grade::Pass
        );
    }
}
