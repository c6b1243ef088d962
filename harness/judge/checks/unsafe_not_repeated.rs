//! What may have been applied and is not known to be harmless is not sent again.

use super::{Check, CheckResult, Levels, unsafe_in_layers};
use crate::evidence::Call;
use crate::judge::keyed::same_key;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::CONSEQUENCE;
use crate::judge::wording::{cited, count};
use crate::judge::{Case, Course, FaultClass, Grade, Level, statuses};
use crate::scenario::{AnswerStatus, Dependency};
use crate::term::CutBy;

const ID: &str = super::UNSAFE;
const CITES: &[&str] = &["rfc9110-9.2.2", "rfc9112-9.3.1", "rfc9110-13.1.1", "gcs-retry"];

/// Headers that make a request conditional on the state that it is meant for.
const CONDITIONS: [&str; 3] = ["if-match", "if-none-match", "if-unmodified-since"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "A POST or PATCH without a key is not sent again once its head has reached a server.",
    requirement: "A request whose method is not idempotent should not be repeated automatically unless the client \
        knows that it was not applied: a refused connection, or one that was closed before any request was read, \
        says so; an answer or a lost one does not. Answers that foresee a repeat (401, 407, 408, 417, 421, 425) \
        are excepted, and statuses on which the client's documentation says it repeats are noted. Any dependency \
        counts: a repeat at another server is a repeat. A second call while the first is still running is left \
        unjudged where the client declares hedges, and noted otherwise. A repeat under the same key is safe at a \
        dependency that recognises keys; at one that does not, it is judged like any other, and noted of a client that \
        promises to repeat under keys. So is a repeat safe that carries the precondition which the caller handed over \
        (If-Match, If-None-Match, If-Unmodified-Since), at a dependency that answers 412 to one that does not hold: what \
        was applied makes it false. A corrected request after a refusal of its key (400, 422) is no repeat. \
        Where the client is made of layers, each layer is judged by what one call at its tap set off below it: a gateway \
        must not send such a request again at all, keyed or not, and a service's requests must say the same to be one.",
    cites: CITES,
    levels: Levels {
        silent: "warn; fail at a gateway",
        promised: "fail",
        opted_out: "note, duplicates counted",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Permanent,
        FaultClass::Pushback,
        FaultClass::Date,
        FaultClass::Malformed,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Garbled,
        FaultClass::Slow,
    ],
    mutants: &["repeats-unsafe"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    if case.is_layered() {
        unsafe_in_layers::judge(case, &mut ruling);
    }
    for course in case.courses().iter().filter(|_| !case.is_layered()) {
        if statuses::not_idempotent(&course.planned.request().method) {
            judge_course(case, course, &mut ruling);
        }
    }
    ruling.finish(Level::Normative, |ops| {
        format!(
            "nothing was sent again that may have been applied in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

/// What one attempt and the next are to each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeat {
    /// The first had failed.
    AfterFailure,
    /// The first was still running.
    WhileRunning,
    /// The first was answered in a way that foresees it, or with success.
    Foreseen,
}

/// What a key makes of a repeat.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cover {
    /// The same key as before, at a dependency that recognises keys.
    Recognised,
    /// The same key as before, which this dependency does not know.
    Unrecognised,
    /// No key, or not the same one.
    None,
}

fn cover(case: &Case, first: &Call, second: &Call) -> Cover {
    // Two dependencies do not share what they remember.
    let known = first.head.point == second.head.point && case.recognises_keys(second);
    match (same_key(first, second), known) {
        (true, true) => Cover::Recognised,
        (true, false) => Cover::Unrecognised,
        (false, _) => Cover::None,
    }
}

fn judge_course(case: &Case, course: &Course, ruling: &mut Ruling) {
    for (i, first) in course.attempts.iter().copied().enumerate() {
        let Some(second) = course.attempts.get(i + 1).copied() else {
            let failed = course.over().is_some() && case.surely_failed(first) && !foreseen(case, first);
            if failed && first.head.keys.is_empty() {
                ruling.exercise(course);
            }
            continue;
        };
        if cover(case, first, second) == Cover::Recognised || is_conditional(case, course, second) {
            continue;
        }
        match repeat(case, first, second) {
            Repeat::AfterFailure => {
                ruling.exercise(course);
                ruling.charge(charge(case, course, first, second));
            }
            Repeat::WhileRunning if !case.promises.hedges => {
                let because = format!(
                    "{} came for {} while {} was still running; the client declares no hedges",
                    second.id(),
                    course.id(),
                    first.id(),
                );
                let charge = Charge::new(Worth::note(Level::Normative), because).about(course);
                ruling.charge(charge.shown_by([first, second]).asked_at(case.span_of(first)));
            }
            Repeat::WhileRunning | Repeat::Foreseen => {}
        }
    }
}

fn repeat(case: &Case, first: &Call, second: &Call) -> Repeat {
    // The server may see the client leave a little after the call that follows.
    let left = first
        .peer_left
        .is_some_and(|left| left <= second.at().plus(CONSEQUENCE));
    let ended = first.answer_ended.is_some_and(|ended| ended <= second.at());
    // After a cut the dependency drains what the client still sends, so the exchange's recorded end may come later.
    let cut = matches!(first.cut, Some((_, CutBy::Fin | CutBy::Rst))) && !case.promises.hedges;
    if !(left || ended || cut) {
        return Repeat::WhileRunning;
    }
    let crossing = first
        .answer_began
        .is_some_and(|began| second.at().since(began) <= CONSEQUENCE);
    if case.promises.hedges && crossing {
        return Repeat::WhileRunning;
    }
    match case.surely_failed(first) && !foreseen(case, first) {
        true => Repeat::AfterFailure,
        false => Repeat::Foreseen,
    }
}

/// Whether a call carries a precondition that was handed over, at a dependency that evaluates preconditions.
fn is_conditional(case: &Case, course: &Course, call: &Call) -> bool {
    let carries = |name: &str| {
        let lacked = call
            .head
            .lacks
            .iter()
            .any(|lacked| lacked.eq_ignore_ascii_case(name));
        !lacked && CONDITIONS.iter().any(|c| c.eq_ignore_ascii_case(name))
    };
    let evaluates = |d: &Dependency| {
        let answers = d.turns.iter().filter_map(|turn| turn.answer.as_ref());
        answers.into_iter().any(|a| a.status == AnswerStatus::Code(412))
    };
    let mut headers = course.planned.request().headers.iter();
    headers.any(|(name, _)| carries(name)) && case.dependency_of(call).is_some_and(evaluates)
}

/// Whether the repeat carries the same key, at a dependency that recognises keys.
pub(super) fn recognised(case: &Case, first: &Call, second: &Call) -> bool {
    cover(case, first, second) == Cover::Recognised
}

/// Whether a call was answered in a way that foresees a repeat.
pub(super) fn foreseen(case: &Case, call: &Call) -> bool {
    let by_status = case.status_of(call).is_some_and(statuses::repeat_is_foreseen);
    (call.answer_began.is_some() && by_status) || case.refused_for_its_key(call)
}

fn charge(case: &Case, course: &Course, first: &Call, second: &Call) -> Charge {
    let method = &course.planned.request().method;
    let status = case.status_of(first).filter(|_| first.answer_began.is_some());
    let failure = match (status, case.cut_of(first)) {
        (_, Some((place, by))) => format!("{} was cut {place} by {by}", first.id()),
        (Some(status), None) => format!("{} was answered {status}", first.id()),
        (None, None) => format!("{} got no answer", first.id()),
    };
    let cover = cover(case, first, second);
    let because = format!(
        "{} sent the {} of {} again{} after {failure}; {}{}",
        second.id(),
        if keyless(course) {
            format!("unkeyed {method}")
        } else {
            method.clone()
        },
        course.id(),
        under(course, second, cover),
        applied(course),
        cited(CITES[0]),
    );
    let worth = match cover == Cover::Unrecognised && case.promises.key {
        true => Worth::note(Level::Promised),
        false => worth(case, course, status),
    };
    Charge::new(worth, because)
        .about(course)
        .shown_by([first, second])
        .asked_at(case.span_of(first))
}

fn keyless(course: &Course) -> bool {
    course.attempts.iter().all(|call| call.head.keys.is_empty())
}

/// Under which key an operation was sent again, where keys are in play.
fn under(course: &Course, second: &Call, cover: Cover) -> String {
    match cover {
        Cover::Unrecognised => format!(" under a key that {} does not recognise", second.head.point),
        Cover::None | Cover::Recognised if keyless(course) => String::new(),
        Cover::None | Cover::Recognised if second.head.keys.is_empty() => " without its key".to_owned(),
        Cover::None | Cover::Recognised => " under another key".to_owned(),
    }
}

fn applied(course: &Course) -> String {
    applied_by(course.attempts.iter().copied())
}

/// How often these calls applied the effect.
pub(super) fn applied_by<'a>(calls: impl Iterator<Item = &'a Call>) -> String {
    match calls.filter(|c| c.delivered()).count() {
        0 => "its effect was applied at no call".to_owned(),
        1 => "its effect was applied once".to_owned(),
        n => format!("its effect was applied {n} times"),
    }
}

fn worth(case: &Case, course: &Course, status: Option<u16>) -> Worth {
    let method = &course.planned.request().method;
    promised(case, method, status).unwrap_or(Worth::advice(Grade::Warn))
}

/// What a repeat is worth by what the client promises, if it says anything.
pub(super) fn promised(case: &Case, method: &str, status: Option<u16>) -> Option<Worth> {
    let documented = status.is_some_and(|s| case.promises.repeats_unsafe_on.contains(&s));
    if case.promises.opted_out(ID) || documented {
        return Some(Worth::note(Level::Promised));
    }
    let methods = case.promises.retries.as_ref().and_then(|r| r.methods.as_ref());
    let not_listed = methods.is_some_and(|list| !list.iter().any(|m| m == method));
    (case.promises.never_repeats_unsafe || not_listed).then_some(Worth::BROKEN_PROMISE)
}

#[cfg(test)]
#[path = "unsafe_not_repeated_tests.rs"]
mod tests;
