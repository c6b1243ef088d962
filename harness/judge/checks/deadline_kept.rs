//! An operation ends by its deadline, where the deadline reached the client.

use super::{Check, CheckResult, Levels};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, FaultClass, Grade, Level};
use crate::term::{Claim, CutBy, Stamp};

const ID: &str = "deadline.kept";
const CITES: &[&str] = &["grpc-a6", "sre-cascading"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation is over by the deadline that was passed to the client.",
    requirement: "A deadline spans all attempts and all waits of an operation: its caller has left when it is over. It \
        is judged only where it reached the client, counts from the arrival of the first call (so that a client's \
        start is not counted), and grants 250 ms on top. An operation without an end counts as late, and so does one \
        whose success came late. Where refused connections came before the first call, the deadline counts from that \
        call all the same, which favours the client.",
    cites: CITES,
    levels: Levels {
        silent: "warn where the deadline reached the client, else skipped",
        promised: "fail",
        opted_out: "skipped",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Pushback,
        FaultClass::Date,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Slow,
    ],
    mutants: &["late-deadline"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    if case.promises.opted_out(ID) {
        return CheckResult::default();
    }
    for course in &case.courses() {
        judge_operation(case, course, &mut ruling);
    }
    ruling.finish(Level::Promised, |ops| {
        format!("{} ended by the deadline", count(ops.len() as u64, "operation"))
    })
}

fn judge_operation(case: &Case, course: &Course, ruling: &mut Ruling) {
    // Without a call nothing is known of when the client began.
    let Some(deadline) = course.deadline().filter(|_| !course.calls.is_empty()) else {
        return;
    };
    let Some(over) = course.over() else { return };
    if is_pressed(case, course, deadline) {
        ruling.exercise(course);
    }
    if over <= deadline.plus(LATE_GRACE) {
        return;
    }
    ruling.exercise(course);
    let late = time(over.since(deadline));
    let because = match course.outcome() {
        Some(_) => format!("{} was reported {late} after its deadline", course.id()),
        None => format!("{} had no end {late} after its deadline", course.id()),
    };
    let last = course.calls.last().copied();
    let charge = Charge::new(worth(case), because)
        .about(course)
        .shown_by(last)
        .asked_at(last.and_then(|call| case.span_of(call)));
    ruling.charge_unless_late(case, charge);
}

fn worth(case: &Case) -> Worth {
    match case.promises.deadline {
        true => Worth::BROKEN_PROMISE,
        false => Worth::advice(Grade::Warn),
    }
}

/// Whether a client without a deadline would have gone on beyond it: something hung, was slower than that, or asked for
/// a longer wait, and no success came of it.
fn is_pressed(case: &Case, course: &Course, deadline: Stamp) -> bool {
    let held_up = course.calls.iter().any(|call| {
        let hung = matches!(case.cut_of(call), Some((_, CutBy::Hang)));
        let slow = call.answer_ended.is_none_or(|ended| ended > deadline);
        let asked = case.wait_over(call).is_some_and(|over| over > deadline);
        hung || slow || asked
    });
    held_up && !matches!(course.claim(), Some(Claim::Ok | Claim::Answered))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::scenario::Pushback;
    use crate::term::Place;

    fn hanging() -> Story {
        let hang = answered(200).cut(Place::BeforeAnswer, CutBy::Hang);
        Story::of(vec![hang])
            .deadline_ms(2_000)
            .promising(|p| p.deadline = true)
            .call(0, 1_000)
    }

    #[test]
    fn ending_by_the_deadline_passes_and_a_grace_is_granted() {
        for over in [2_900, 3_250] {
            let result = hanging().left(2_900).failed(over).check(ID);
            assert!(result.exercised);
            assert_eq!(result.findings[0].grade, Grade::Pass, "{over}");
        }
    }

    #[test]
    fn ending_late_fails_the_promise_and_is_warned_of_in_silence() {
        let (grade, because) = hanging().failed(3_251).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(because, "op-1 was reported 251 ms after its deadline");
        let silent = hanging().promising(|p| p.deadline = false);
        assert_eq!(silent.failed(3_251).worst(ID).0, Grade::Warn);
    }

    #[test]
    fn never_ending_is_late() {
        let (grade, because) = hanging().gave_no_result(1, 5_000).worst(ID);
        assert_eq!(
            (grade, because.as_str()),
            (Grade::Fail, "op-1 had no end 2 s after its deadline")
        );
    }

    #[test]
    fn a_deadline_that_did_not_reach_the_client_binds_nobody() {
        let mut story = hanging();
        story.deadline_passed = false;
        assert!(story.failed(9_000).check(ID).findings.is_empty());
    }

    #[test]
    fn a_late_success_is_late_and_a_late_harness_accuses_nobody() {
        let turns = vec![
            answered(503).times(1).pushing_back(Pushback::Seconds(3)),
            answered(200),
        ];
        let story = Story::of(turns)
            .deadline_ms(2_000)
            .promising(|p| p.deadline = true);
        let story = story.call(0, 0).call(1, 3_010).ok(3_020);
        assert_eq!(story.worst(ID).0, Grade::Fail);
        assert!(story.late_by_ms(60).check(ID).withheld);
    }
}
