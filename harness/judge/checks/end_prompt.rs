//! Who makes no further attempt says so at once.

use std::time::Duration;

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::StopReason;

const ID: &str = "end.prompt";
const CITES: &[&str] = &["aws-jitter"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "A client that makes no further attempt reports the end without another wait.",
    requirement: "After the last attempt there is nothing to wait for: a client that sleeps all the same keeps its \
        caller waiting for nothing. How long this client takes to report is known from an operation of the same trial \
        that succeeded; an end is late where it came 250 ms later than that after the last failure. It is judged only \
        where the stop reason leaves nothing to wait for (terminal, unsafe, attempt_cap, retry_budget), the last \
        failure was an answer that was read or a connection that was cut, and nothing hidden (refused connections, \
        cuts at accept, other calls) may have taken the time.",
    cites: CITES,
    levels: Levels {
        silent: "note",
        promised: "fail (`prompt`)",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Permanent,
        FaultClass::Truncated,
    ],
    mutants: &["sleeps-after-last"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    // Calls that could not be attributed may be anybody's.
    if case.evidence.calls.iter().any(|call| call.head.op.is_none()) {
        return CheckResult::default();
    }
    let own = courses.iter().filter_map(|course| own_delay(case, course)).max();
    for course in &courses {
        if let (Some(own), Some((last, delay))) = (own, delay(case, course)) {
            judge_operation(case, course, (last, delay, own), &mut ruling);
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "the end of {} was reported without another wait",
            count(ops.len() as u64, "operation")
        )
    })
}

/// How long after the end of its only success an operation was reported.
fn own_delay(case: &Case, course: &Course) -> Option<Duration> {
    let (reported, outcome) = course.outcome()?;
    let last = course.calls.last()?;
    let plain = outcome.stop == StopReason::Ok || outcome.stop == StopReason::Unreported;
    let ended = last
        .answer_ended
        .filter(|_| case.certainly_read(last) && case.means_success(last))?;
    (plain && reported >= ended).then(|| reported.since(ended))
}

/// The last failure of an operation after which nothing was to come, and how long after it the report came.
fn delay<'a>(case: &Case, course: &Course<'a>) -> Option<(&'a Call, Duration)> {
    let (reported, outcome) = course.outcome()?;
    let over = match outcome.stop {
        StopReason::Terminal | StopReason::Unsafe | StopReason::AttemptCap | StopReason::RetryBudget => true,
        StopReason::Ok
        | StopReason::AttemptTimeout
        | StopReason::Deadline
        | StopReason::Pushback
        | StopReason::CircuitOpen
        | StopReason::Cancelled
        | StopReason::Unreported => false,
    };
    let last = course.calls.last().copied()?;
    let seen = case.certainly_read(last) && case.surely_failed(last) && last.at() <= reported;
    let hidden = course.met_refusals(case) || course.accept_cuts(case) > 0;
    let all_ended = course
        .calls
        .iter()
        .all(|c| c.answer_ended.is_some() || c.peer_left.is_some());
    let ended = last.answer_ended.filter(|ended| *ended <= reported)?;
    (over && seen && all_ended && !hidden).then(|| (last, reported.since(ended)))
}

fn judge_operation(
    case: &Case,
    course: &Course,
    (last, delay, own): (&Call, Duration, Duration),
    ruling: &mut Ruling,
) {
    ruling.exercise(course);
    if delay <= own + LATE_GRACE {
        return;
    }
    let because = format!(
        "{} was reported {} after its last failure; a success was reported after {}",
        course.id(),
        time(delay),
        time(own),
    );
    let worth = match case.promises.prompt && !case.promises.opted_out(ID) {
        true => Worth::BROKEN_PROMISE,
        false => Worth::note(Level::Promised),
    };
    let charge = Charge::new(worth, because)
        .about(course)
        .shown_by([last])
        .asked_at(case.span_of(last));
    ruling.charge_unless_late(case, charge);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::Claim;

    /// op-1 fails, and ends by its cap so many milliseconds after its last answer; op-2 succeeds.
    fn story(delay: u64, stop: StopReason) -> Story {
        let turns = vec![answered(503).path("/"), answered(200)];
        let story = Story::of(turns)
            .operation("GET", "/control", "quota")
            .promising(|p| p.prompt = true);
        let story = story
            .call_of(2, 1, 0)
            .reported_of(2, 31, Claim::Ok, StopReason::Ok);
        story
            .call(0, 100)
            .call(0, 200)
            .reported(201 + delay, Claim::Failed, stop)
    }

    #[test]
    fn an_end_at_once_passes_and_a_grace_is_granted() {
        for delay in [0, 280] {
            let result = story(delay, StopReason::AttemptCap).check(ID);
            assert_eq!(result.findings[0].grade, Grade::Pass, "{delay}");
        }
    }

    #[test]
    fn another_wait_fails_the_promise_and_is_noted_in_silence() {
        let (grade, because) = story(1_000, StopReason::AttemptCap).worst(ID);
        assert_eq!(grade, Grade::Fail);
        let told = "op-1 was reported 1 s after its last failure; a success was reported after 30 ms";
        assert_eq!(because, told);
        let silent = story(1_000, StopReason::AttemptCap).promising(|p| p.prompt = false);
        assert_eq!(silent.worst(ID).0, Grade::Note);
    }

    #[test]
    fn a_reason_that_leaves_something_to_wait_for_is_left_unjudged() {
        for stop in [
            StopReason::Deadline,
            StopReason::CircuitOpen,
            StopReason::Unreported,
        ] {
            assert!(story(1_000, stop).check(ID).findings.is_empty(), "{stop}");
        }
    }

    #[test]
    fn without_a_success_to_compare_with_nothing_is_known() {
        let alone = Story::of(vec![answered(503)]).promising(|p| p.prompt = true);
        let alone = alone
            .call(0, 0)
            .reported(3_000, Claim::Failed, StopReason::AttemptCap);
        assert!(alone.check(ID).findings.is_empty());
    }
}
