//! An attempt that the client gives up on is closed before the next one is made.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::{CutBy, Stamp};

const ID: &str = "attempts.one_at_a_time";
const CITES: &[&str] = &["grpc-a6", "sre-cascading"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An attempt that the client gives up on is closed before the next one is made.",
    requirement: "A client whose timer ends an attempt closes it, so that the server may stop working on it; otherwise \
        each timeout adds a call to those that a slow server has under way already, and a late answer may be taken for \
        that of a later attempt. A call overlaps where the one before it was neither answered nor left until 250 ms \
        after it arrived. Connections that a cut has closed are not under way, and what a client that declares hedges \
        does is right. To put this to the test, a call must have been left, or have hung, before another came.",
    cites: CITES,
    levels: Levels {
        silent: "note",
        promised: "fail (`one_at_a_time`)",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Slow, FaultClass::Lost, FaultClass::Truncated],
    mutants: &["overlaps-attempts"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    if !case.promises.hedges {
        for course in &case.courses() {
            judge_operation(case, course, &mut ruling);
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "every attempt that was given up on in {} was closed before the next",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, ruling: &mut Ruling) {
    for pair in course.attempts.windows(2) {
        let &[first, second] = pair else { continue };
        let given_up = first.peer_left.is_some() || is_under_way(first, second.at());
        if given_up && !is_closed_by_cut(case, first) {
            ruling.exercise(course);
        }
        if is_closed_by_cut(case, first) || !is_under_way(first, second.at().plus(LATE_GRACE)) {
            continue;
        }
        let because = format!(
            "{} of {} came while {} was still under way, {} after it",
            second.id(),
            course.id(),
            first.id(),
            time(second.at().since(first.at())),
        );
        let charge = Charge::new(worth(case), because)
            .about(course)
            .shown_by([first, second])
            .asked_at(case.span_of(first));
        ruling.charge_unless_late(case, charge);
    }
}

/// Whether nothing had been answered to a call at `at`, and its client was still there.
fn is_under_way(call: &Call, at: Stamp) -> bool {
    let over = [call.answer_began, call.answer_ended, call.peer_left];
    over.into_iter().flatten().all(|over| over > at)
}

/// Whether the dependency itself ends the connection: what is recorded as its end may come later, as it drains.
fn is_closed_by_cut(case: &Case, call: &Call) -> bool {
    matches!(case.cut_of(call), Some((_, CutBy::Fin | CutBy::Rst)))
}

fn worth(case: &Case) -> Worth {
    match case.promises.one_at_a_time && !case.promises.opted_out(ID) {
        true => Worth::BROKEN_PROMISE,
        false => Worth::note(Level::Promised),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::Place;

    fn slow() -> Story {
        let turns = vec![answered(200).times(1).taking_ms(1_500), answered(200)];
        Story::of(turns).promising(|p| p.one_at_a_time = true)
    }

    #[test]
    fn leaving_the_first_before_the_second_passes_even_where_it_is_seen_late() {
        let result = slow().call(0, 0).left(550).call(1, 500).ok(510).check(ID);
        assert_eq!(result.findings[0].grade, Grade::Pass);
    }

    #[test]
    fn going_on_beside_it_fails_the_promise_and_is_noted_in_silence() {
        let overlapping = slow().call(0, 0).call(1, 500).ok(510);
        let (grade, because) = overlapping.worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 of op-1 came while call 1 was still under way, 500 ms after it"
        );
        let silent = overlapping.promising(|p| p.one_at_a_time = false);
        assert_eq!(silent.worst(ID).0, Grade::Note);
    }

    #[test]
    fn an_answer_that_crosses_the_second_call_is_no_overlap() {
        assert_eq!(
            slow().call(0, 0).call(1, 1_300).ok(1_510).worst(ID).0,
            Grade::Pass
        );
    }

    #[test]
    fn a_cut_connection_is_not_under_way_and_a_hanging_one_is() {
        let cut = |by| {
            let lost = answered(200).times(1).cut(Place::BeforeAnswer, by);
            let story = Story::of(vec![lost, answered(200)]).promising(|p| p.one_at_a_time = true);
            story.call(0, 0).call(1, 500).ok(510).worst(ID).0
        };
        assert_eq!(cut(CutBy::Fin), Grade::Pass);
        assert_eq!(cut(CutBy::Hang), Grade::Fail);
    }

    #[test]
    fn declared_hedges_are_right() {
        let hedging = slow()
            .promising(|p| p.hedges = true)
            .call(0, 0)
            .call(1, 500)
            .ok(510);
        assert!(hedging.check(ID).findings.is_empty());
    }
}
