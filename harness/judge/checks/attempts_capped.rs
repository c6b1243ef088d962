//! An operation costs no more calls than the client's cap.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level, statuses};

const ID: &str = "attempts.capped";
const CITES: &[&str] = &["sre-retry-budget", "sre-cascading"];

/// From so many calls on an operation of a client without a declared cap is worth a note.
///
/// The usual caps lie between 3 and 6; layers that multiply show from 9 on.
const MANY: u64 = 9;

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "No operation costs more calls than the attempts that the client promises.",
    requirement: "Every call that arrives for an operation counts as an attempt, the first included; redirects, side \
        calls, calls by another method, and repeats that an answer foresees (401, 407, 408, 417, 421, 425) do not. A \
        call that follows on a kept connection that closed without an answer may be the transport's own resend and \
        is only noted. Refused connections leave no trace, so counts are lower bounds while a dependency refuses. \
        The cap is put to the test where the failures outlast it.",
    cites: CITES,
    levels: Levels {
        silent: "note (a ceiling that is hit fails client.bounded)",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Garbled,
        FaultClass::Slow,
    ],
    mutants: &["one-more"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let cap = cap(case);
    for course in &case.courses() {
        match cap {
            Some(cap) => judge_promised(case, course, cap, &mut ruling),
            None => judge_silent(case, course, &mut ruling),
        }
    }
    ruling.finish(Level::Promised, |ops| {
        let ops = count(ops.len() as u64, "operation");
        match cap {
            Some(cap) => format!(
                "{ops} failed until the cap of {} and went no further",
                count(cap, "attempt")
            ),
            None => format!("{ops} ended although the failures went on"),
        }
    })
}

/// The cap that holds: the promised one. A policy handed over may raise it, and a client need not take it.
fn cap(case: &Case) -> Option<u64> {
    let promised = u64::from(case.promises.attempts?);
    let given = case
        .trial
        .given
        .as_ref()
        .and_then(|g| g.attempts)
        .map_or(0, u64::from);
    Some(promised.max(given))
}

fn judge_promised(case: &Case, course: &Course, cap: u64, ruling: &mut Ruling) {
    let counted = counted(case, course);
    let n = counted.len() as u64;
    if n >= cap
        && counted
            .iter()
            .take(usize::try_from(cap).unwrap_or(usize::MAX))
            .all(|c| case.surely_failed(c))
    {
        ruling.exercise(course);
    }
    if n <= cap {
        return;
    }
    let resent = counted
        .iter()
        .filter(|call| may_have_been_resent(case, call))
        .count() as u64;
    let worth = match n - resent.min(n) > cap && !case.promises.opted_out(ID) {
        true => Worth::BROKEN_PROMISE,
        false => Worth::note(Level::Promised),
    };
    let because = format!(
        "{} arrived for {}; the client promises {} in all",
        count(n, "call"),
        course.id(),
        count(cap, "attempt")
    );
    let first_too_many = counted
        .iter()
        .copied()
        .skip(usize::try_from(cap).unwrap_or(usize::MAX));
    let span = counted.last().and_then(|call| case.span_of(call));
    ruling.charge_unless_late(
        case,
        Charge::new(worth, because)
            .about(course)
            .shown_by(first_too_many)
            .asked_at(span),
    );
}

fn judge_silent(case: &Case, course: &Course, ruling: &mut Ruling) {
    let n = course.attempts.len() as u64;
    if n > 1 && course.over().is_some() && course.attempts.iter().all(|call| case.surely_failed(call)) {
        ruling.exercise(course);
    }
    if n < MANY {
        return;
    }
    let because = format!(
        "{} arrived for {}; the client promises no cap on attempts",
        count(n, "call"),
        course.id()
    );
    let span = course.attempts.last().and_then(|call| case.span_of(call));
    let charge = Charge::new(Worth::note(Level::Promised), because)
        .about(course)
        .asked_at(span);
    ruling.charge(
        charge.shown_by(
            course
                .attempts
                .iter()
                .copied()
                .take(usize::try_from(MANY).unwrap_or(usize::MAX)),
        ),
    );
}

/// The attempts that count: those that no answer before them foresaw.
pub(super) fn counted<'a>(case: &Case, course: &Course<'a>) -> Vec<&'a Call> {
    let foreseen = |before: Option<&&Call>| {
        before.is_some_and(|b| case.status_of(b).is_some_and(statuses::repeat_is_foreseen) && b.complete)
    };
    let with_former = course
        .attempts
        .iter()
        .enumerate()
        .map(|(i, call)| (i.checked_sub(1).and_then(|i| course.attempts.get(i)), *call));
    with_former
        .filter(|(before, _)| !foreseen(*before))
        .map(|(_, call)| call)
        .collect()
}

/// Whether the transport may lawfully have sent a call once more below the client's own loop (RFC 9112 §9.3.1).
pub(super) fn may_have_been_resent(case: &Case, call: &Call) -> bool {
    call.head.nth_on_conn > 1 && call.answer_began.is_none() && case.cut_of(call).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, answered};
    use crate::term::CallId;

    fn story(calls: u64, status: u16) -> Story {
        let story = (0..calls).fold(Story::of(vec![answered(status)]), |s, n| s.call(0, n * 100));
        story.failed(calls * 100)
    }

    #[test]
    fn stopping_at_the_cap_passes_and_puts_it_to_the_test() {
        let result = story(3, 503).promising(|p| p.attempts = Some(3)).check(ID);
        assert_eq!(result.findings[0].grade, Grade::Pass);
        assert!(
            !story(2, 503)
                .promising(|p| p.attempts = Some(3))
                .check(ID)
                .exercised
        );
    }

    #[test]
    fn one_attempt_more_than_promised_fails() {
        let result = story(4, 503).promising(|p| p.attempts = Some(3)).check(ID);
        assert_eq!(result.findings[0].grade, Grade::Fail);
        assert_eq!(
            result.findings[0].because,
            "4 calls arrived for op-1; the client promises 3 attempts in all"
        );
        assert_eq!(result.findings[0].calls, [CallId(4)]);
    }

    #[test]
    fn repeats_that_an_answer_foresees_are_no_attempts() {
        assert_eq!(
            story(2, 401).promising(|p| p.attempts = Some(1)).worst(ID).0,
            Grade::Pass
        );
    }

    #[test]
    fn without_a_promise_many_calls_are_noted() {
        assert_eq!(story(4, 503).worst(ID).0, Grade::Pass);
        assert_eq!(story(16, 503).worst(ID).0, Grade::Note);
    }
}
