//! A client does not report fewer attempts than arrived.

use super::attempts_capped::counted;
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Grade, Level, statuses};
use crate::promise::AttemptsCount;

const ID: &str = "attempts.counted";
const CITES: &[&str] = &["rfc9110-9.2.2", "rfc9112-9.3.1"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "No operation costs more calls than the client counted.",
    requirement: "Calls that a client does not know of are repeats below its own loop: its transport's. They are \
        lawful for idempotent methods on a kept connection, and still load that no cap and no budget sees. Only an \
        excess counts, since attempts that were refused leave no call: calls that arrived before the report, without \
        redirects, side calls and repeats that an answer foresees, against the attempts that were reported. Where the \
        client's file says that it counts every call (`attempts_count: calls`), an excess breaks that; where it \
        counts its own loop's, an excess is noted, and warned of for a method that is not idempotent.",
    cites: CITES,
    levels: Levels {
        silent: "note; warn for POST and PATCH (skipped where no attempts are reported)",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Garbled,
        FaultClass::Closing,
    ],
    mutants: &["undercounts"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    if case.can.attempts_count != AttemptsCount::None {
        for course in &case.courses() {
            judge_operation(case, course, &mut ruling);
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "no call went uncounted in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, ruling: &mut Ruling) {
    let Some((reported, outcome)) = course.outcome() else {
        return;
    };
    let Some(claimed) = outcome.attempts.map(u64::from) else {
        return;
    };
    let before = counted(case, course)
        .into_iter()
        .filter(|call| call.at() <= reported);
    let arrived: Vec<&Call> = before.collect();
    if arrived.len() > 1 {
        ruling.exercise(course);
    }
    let n = arrived.len() as u64;
    if n <= claimed {
        return;
    }
    let because = format!(
        "{} arrived for {}; the client counted {}: its transport sent {} more, or its count is wrong",
        count(n, "call"),
        course.id(),
        count(claimed, "attempt"),
        n - claimed
    );
    let span = arrived.last().and_then(|call| case.span_of(call));
    let charge = Charge::new(worth(case, course), because)
        .about(course)
        .shown_by(arrived)
        .asked_at(span);
    ruling.charge_unless_late(case, charge);
}

fn worth(case: &Case, course: &Course) -> Worth {
    let idempotent = !statuses::not_idempotent(&course.planned.request().method);
    match case.can.attempts_count {
        _ if case.promises.opted_out(ID) => Worth::note(Level::Promised),
        AttemptsCount::Calls => Worth::BROKEN_PROMISE,
        AttemptsCount::Own if idempotent => Worth::note(Level::Normative),
        AttemptsCount::Own => Worth::advice(Grade::Warn),
        AttemptsCount::None => Worth::note(Level::Promised),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::evidence_builder::{Story, Written, answered};

    fn story(counts: AttemptsCount, claimed: u32) -> Story {
        by("GET", counts, claimed)
    }

    fn by(method: &str, counts: AttemptsCount, claimed: u32) -> Story {
        let mut story = Story::of(vec![answered(503).times(1), answered(200)])
            .by(method)
            .call(0, 0)
            .call(1, 100)
            .ok(110)
            .telling(|outcome| outcome.attempts = Some(claimed));
        story.can.attempts_count = counts;
        story
    }

    #[test]
    fn as_many_as_arrived_or_more_pass() {
        for claimed in [2, 3] {
            let result = story(AttemptsCount::Calls, claimed).check(ID);
            assert_eq!(result.findings[0].grade, Grade::Pass, "{claimed}");
        }
    }

    #[test]
    fn fewer_fail_a_client_that_counts_calls_and_are_noted_of_one_that_counts_its_loop() {
        let (grade, because) = story(AttemptsCount::Calls, 1).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "2 calls arrived for op-1; the client counted 1 attempt: its transport sent 1 more, or its count is wrong"
        );
        assert_eq!(story(AttemptsCount::Own, 1).worst(ID).0, Grade::Note);
        assert_eq!(by("POST", AttemptsCount::Own, 1).worst(ID).0, Grade::Warn);
        assert_eq!(story(AttemptsCount::None, 1).worst(ID).0, Grade::Pass);
    }

    #[test]
    fn a_call_after_the_report_and_a_foreseen_repeat_are_no_matter_of_counting() {
        let late = story(AttemptsCount::Calls, 2).call(1, 500);
        assert_eq!(late.worst(ID).0, Grade::Pass);
        let mut refreshed = Story::of(vec![answered(401).times(1), answered(200)])
            .call(0, 0)
            .call(1, 100)
            .ok(110)
            .telling(|outcome| outcome.attempts = Some(1));
        refreshed.can.attempts_count = AttemptsCount::Calls;
        assert_eq!(refreshed.worst(ID).0, Grade::Pass);
    }
}
