//! After the client has reported an operation's end, no call of it comes any more.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, Level};

const ID: &str = "end.final";
const CITES: &[&str] = &[];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "No call of an operation comes after the client has reported its end.",
    requirement: "When the client has told its caller that an operation is over, nothing of it may still be sent: such \
        orphans act behind the caller's back. A call is late when it arrives more than 250 ms after the report was \
        read; what crossed the report on the way is within that.",
    cites: CITES,
    levels: Levels {
        silent: "fail",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &[],
    mutants: &["late-call"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        judge_operation(case, course, &mut ruling);
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "no call came after the report of {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, ruling: &mut Ruling) {
    let Some((reported, _)) = course.outcome() else {
        return;
    };
    if case.evidence.watch_ended.is_some() {
        ruling.exercise(course);
    }
    let late: Vec<&Call> = course
        .calls
        .iter()
        .copied()
        .filter(|c| c.at() > reported.plus(LATE_GRACE))
        .collect();
    let Some(first) = late.first() else { return };
    let more = match late.len() {
        1 => String::new(),
        n => format!(", and {} followed", count(n as u64 - 1, "call")),
    };
    let because = format!(
        "{} came {} after the client had reported the end of {}{more}",
        first.id(),
        time(first.at().since(reported)),
        course.id(),
    );
    let span = case.span_of(first);
    ruling.charge_unless_late(
        case,
        Charge::new(Worth::UNTRUE, because)
            .about(course)
            .shown_by(late)
            .asked_at(span),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, answered};

    #[test]
    fn calls_after_the_report_fail() {
        let story = Story::of(vec![answered(503)])
            .call(0, 0)
            .failed(500)
            .call(0, 1_000)
            .call(0, 1_500);
        let (grade, because) = story.worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 came 500 ms after the client had reported the end of op-1, and 1 call followed"
        );
    }

    #[test]
    fn an_operation_that_was_given_up_on_has_no_end_to_keep() {
        let story = Story::of(vec![answered(503)])
            .call(0, 0)
            .gave_no_result(1, 500)
            .call(0, 1_000);
        assert!(story.check(ID).findings.is_empty());
    }

    #[test]
    fn a_late_harness_withholds_it() {
        let story = Story::of(vec![answered(503)])
            .call(0, 0)
            .failed(500)
            .call(0, 1_000)
            .late_by_ms(100);
        assert!(story.check(ID).withheld);
    }
}
