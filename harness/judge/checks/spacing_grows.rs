//! The waits between the attempts of an operation are as long, and grow, as promised.

use std::time::Duration;

use super::spacing_chance::Drawn;
use super::{Check, CheckResult, FAILURES, Levels};
use crate::evidence::Call;
use crate::judge::checks::attempts_capped::may_have_been_resent;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::schedule::Schedule;
use crate::judge::tolerance::{CONSEQUENCE, EARLY_TOLERANCE};
use crate::judge::wording::{answer, count, time};
use crate::judge::{Case, Course, Level, statuses};
use crate::scenario::{Asked, Pushback};
use crate::term::Stamp;

pub(super) const ID: &str = "spacing.grows";
const CITES: &[&str] = &["sre-cascading", "aws-jitter"];

/// From so many waits on, an operation of a client that promises none shows whether there are any.
const SOME: usize = 3;

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The waits between the attempts of an operation are as long as promised, and grow as promised.",
    requirement: "A client that promises `backoff` waits before each retry, and longer each time. The wait counts from \
        before the answer's first byte was handed over; 5 ms are tolerated. Judged is the least that the jitter leaves: \
        with none the whole window, with `equal` half of it, with `decorrelated` the base. With `full` jitter any \
        single wait may be next to nothing, so all waits of a trial are judged together: each is worth \
        1/3 * (wait / window)^(-2/3), whose mean over an honest draw is 1, and one that was never seen the least that \
        any draw is worth; an honest client reaches a product of a million at most once in a million trials. Only \
        whole failing answers are judged, and only in operations with one target and no hedges; a retry after a lost \
        answer, one that the status foresees, one that the transport may have made, one whose wait may not fit the \
        deadline, and whatever a server's own wish may have decided (a wait that it asks for, or junk that begins with \
        a digit) are left alone, and the count begins anew after a wish. After a wish for no wait at all, 0 or a \
        moment that has passed, hurrying is only noted: both are found in good clients. Where nothing is promised, \
        three or more retries within 20 ms each are noted.",
    cites: CITES,
    levels: Levels {
        silent: "note",
        promised: "fail (`backoff`); note after a wish for no wait",
        opted_out: "note",
    },
    bears_on: &FAILURES,
    mutants: &["flat-backoff", "hurries-on-junk", "skips-backoff"],
    judge,
};

/// A failing answer after which a client waits of its own accord, and the call that followed from it.
pub(super) struct Pause<'a> {
    pub answered: &'a Call,
    /// Which retry of its operation would follow, at least, counted from 1.
    pub retry: u32,
    /// The attempts made by then.
    pub attempts: usize,
    /// The next attempt, where it can only be a consequence of this answer.
    pub next: Option<&'a Call>,
    /// Whether the answer named a wait of nothing: 0, or a moment that has passed.
    pub leave_to_hurry: bool,
}

impl Pause<'_> {
    /// The wait before the next attempt, if one followed.
    pub fn gap(&self) -> Option<Duration> {
        Some(self.next?.at().since(self.answered.answer_began?))
    }
}

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let schedule = Schedule::of(case);
    let mut drawn = Drawn::default();
    if !case.promises.hedges {
        for course in &case.courses() {
            let pauses = pauses(case, course);
            match &schedule {
                None => judge_silent(course, &pauses, &mut ruling),
                Some(s) if s.is_from_nothing() => drawn.add(case, s, course, &pauses),
                Some(s) => pauses
                    .iter()
                    .for_each(|p| judge_pause(case, s, course, p, &mut ruling)),
            }
        }
    }
    drawn.rule(case, worth(case), &mut ruling);
    ruling.finish(Level::Promised, |ops| {
        let ops = count(ops.len() as u64, "operation");
        match schedule {
            Some(_) => format!("the waits between the attempts of {ops} were as long as promised"),
            None => format!("there were waits between the attempts of {ops}"),
        }
    })
}

fn judge_pause(case: &Case, schedule: &Schedule, course: &Course, pause: &Pause, ruling: &mut Ruling) {
    let least = schedule.least(pause.retry);
    let Some((next, gap)) = pause.next.zip(pause.gap()) else {
        return;
    };
    if least.is_zero() || !fits(course, pause, least) {
        return;
    }
    if !pause.leave_to_hurry {
        ruling.exercise(course);
    }
    if gap + EARLY_TOLERANCE >= least {
        return;
    }
    let (wish, worth) = match pause.leave_to_hurry {
        true => (
            ", which named no wait: 0, or a moment that is past",
            Worth::note(Level::Promised),
        ),
        false => ("", worth(case)),
    };
    let because = format!(
        "{} came {} after {}{wish}; the client promises to wait at least {} before retry {}",
        next.id(),
        time(gap),
        answer(pause.answered),
        time(least),
        pause.retry,
    );
    let charge = Charge::new(worth, because).about(course);
    ruling.charge(
        charge
            .shown_by([pause.answered, next])
            .asked_at(case.span_of(pause.answered)),
    );
}

fn judge_silent(course: &Course, pauses: &[Pause], ruling: &mut Ruling) {
    let waited = |p: &&Pause| !p.leave_to_hurry && p.next.is_some();
    let pauses: Vec<&Pause> = pauses.iter().filter(waited).collect();
    if pauses.len() < SOME {
        return;
    }
    ruling.exercise(course);
    let longest = pauses.iter().filter_map(|p| p.gap()).max().unwrap_or_default();
    if longest > CONSEQUENCE {
        return;
    }
    let because = format!(
        "{} was sent {} times more, each within {} of the failure before; the client promises no wait",
        course.id(),
        pauses.len(),
        time(CONSEQUENCE),
    );
    let calls = pauses.iter().filter_map(|p| p.next).take(SOME);
    ruling.charge(
        Charge::new(Worth::note(Level::Promised), because)
            .about(course)
            .shown_by(calls),
    );
}

fn worth(case: &Case) -> Worth {
    match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    }
}

/// Whether a wait fits the deadline, where one reached the client: one that does not may be cut short.
pub(super) fn fits(course: &Course, pause: &Pause, wait: Duration) -> bool {
    let over = pause.answered.answer_began.unwrap_or_default().plus(wait);
    course.deadline().is_none_or(|deadline| over <= deadline)
}

/// The failing answers of an operation after which its client waits of its own accord.
///
/// What decides whether an answer is among them is known before the wait after it: a choice by its length would make
/// short waits look more frequent than they are.
pub(super) fn pauses<'a>(case: &Case, course: &Course<'a>) -> Vec<Pause<'a>> {
    let mut pauses = Vec::new();
    if course.planned.request().to.len() != 1 {
        return pauses;
    }
    let mut retry = 0;
    let mut in_sequence = course.calls.len() == course.attempts.len();
    for (i, answered) in course.attempts.iter().copied().enumerate() {
        let next = course.attempts.get(i + 1).copied();
        in_sequence &= next.is_some_and(|next| is_answered_before(answered, next));
        if !is_plain_failure(case, answered) {
            continue;
        }
        let Some(wish) = wish(case, answered) else {
            retry = 0;
            continue;
        };
        retry += 1;
        let began = answered.answer_began;
        let next = next.filter(|next| began.is_some_and(|began| next.at() >= began));
        pauses.push(Pause {
            answered,
            retry,
            attempts: i + 1,
            next: next.filter(|next| in_sequence || course.follows(case, answered, next)),
            leave_to_hurry: wish == Wish::Hurry,
        });
    }
    pauses
}

/// Whether a call was answered at once, and before the next one came.
///
/// Where that holds from the first call of an operation on, no timer and no call beside it set off the next one.
fn is_answered_before(call: &Call, next: &Call) -> bool {
    let before = |began: Stamp| began.since(call.at()) <= CONSEQUENCE && began <= next.at();
    call.complete && call.answer_began.is_some_and(before)
}

/// Whether a call failed by a whole answer that every client takes for a failure of its own attempt.
fn is_plain_failure(case: &Case, call: &Call) -> bool {
    let foreseen = case.status_of(call).is_some_and(statuses::repeat_is_foreseen);
    case.certainly_read(call)
        && case.surely_failed(call)
        && call.answer_began.is_some()
        && !foreseen
        && !may_have_been_resent(case, call)
}

/// What an answer says of the wait after it, where that leaves the wait to the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Nothing,
    Hurry,
}

/// `None` where a wish for a wait may decide it.
fn wish(case: &Case, call: &Call) -> Option<Wish> {
    let Some(pushback) = case.pushback_of(call) else {
        return (!case.hints_at_a_wait(call)).then_some(Wish::Nothing);
    };
    match pushback.asks() {
        Asked::Wait(wait) => wait.is_zero().then_some(Wish::Hurry),
        Asked::Nothing => (!may_be_read_as_a_number(pushback)).then_some(Wish::Nothing),
    }
}

/// Whether a lenient reader finds a number in a value that is none.
fn may_be_read_as_a_number(pushback: &Pushback) -> bool {
    let begins = |text: &str| {
        text.trim()
            .starts_with(|c: char| c.is_ascii_digit() || c == '+' || c == '.')
    };
    match pushback {
        Pushback::Raw(text) => begins(text),
        Pushback::Twice(texts) => texts.iter().any(|text| begins(text)),
        Pushback::Seconds(_) | Pushback::Date { .. } => true,
    }
}

#[cfg(test)]
#[path = "spacing_grows_tests.rs"]
mod tests;
