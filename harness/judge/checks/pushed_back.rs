//! What the pushback checks share: which answers asked for a wait, what the promise says of it, and the controls.

use std::time::Duration;

use super::controls::{Alike, Controls};
use crate::evidence::Call;
use crate::judge::ruling::Worth;
use crate::judge::{Case, Course, Grade, Level};
use crate::promise::{Above, PushbackForm, PushbackPromise, Then};
use crate::scenario::{Asked, Pushback};

/// The form in which a wait was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A number of seconds.
    Seconds,
    /// A date.
    Date,
}

/// One answer that asked for a wait.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The call that was answered so.
    pub call: &'a Call,
    /// The wait.
    pub wait: Duration,
    /// How it was written.
    pub form: Form,
    /// Its status.
    pub status: u16,
}

/// The answers of an operation that asked for a wait and were surely read.
pub fn requests<'a>(case: &Case<'a>, course: &Course<'a>) -> Vec<Request<'a>> {
    let attempts = course
        .attempts
        .iter()
        .copied()
        .filter(|call| case.certainly_read(call));
    let request = |call: &'a Call| {
        let form = if case.pushback_of(call)?.is_date() {
            Form::Date
        } else {
            Form::Seconds
        };
        Some(Request {
            call,
            wait: case.wait_asked(call)?,
            form,
            status: case.status_of(call)?,
        })
    };
    attempts.filter_map(request).collect()
}

/// The calls of an operation that were answered with a Retry-After that asks for nothing.
pub fn malformed<'a>(case: &Case<'a>, course: &Course<'a>) -> Vec<&'a Call> {
    let asks_nothing = |p: &Pushback| p.asks() == Asked::Nothing;
    let attempts = course
        .attempts
        .iter()
        .copied()
        .filter(|call| case.certainly_read(call));
    attempts
        .filter(|call| case.pushback_of(call).is_some_and(asks_nothing))
        .collect()
}

/// Whether a wait is beyond the operation's deadline or the client's promised ceiling.
pub fn is_long(case: &Case, course: &Course, request: &Request) -> bool {
    let deadline = course.planned.group.deadline;
    deadline.is_some_and(|d| request.wait > d)
        || ceiling(case).is_some_and(|above| request.wait > above.limit)
}

/// The client's promised ceiling on pushback.
pub fn ceiling(case: &Case) -> Option<Above> {
    case.promises.pushback.as_ref().and_then(|p| p.above)
}

/// The promise to honour this request, if there is one.
pub fn promise<'a>(case: &Case<'a>, request: &Request) -> Option<&'a PushbackPromise> {
    let form = match request.form {
        Form::Seconds => PushbackForm::Seconds,
        Form::Date => PushbackForm::Dates,
    };
    let promise = case.promises.pushback.as_ref()?;
    (promise.honours.contains(&request.status) && promise.forms.contains(&form)).then_some(promise)
}

/// The least wait that the client's promise leaves of this request: all of it, its ceiling, or nothing.
pub fn promised_wait(case: &Case, request: &Request) -> Duration {
    match ceiling(case).filter(|above| request.wait > above.limit) {
        None | Some(Above { then: Then::Stop, .. }) => request.wait,
        Some(Above {
            then: Then::Cap,
            limit,
        }) => limit,
        Some(Above {
            then: Then::Ignore, ..
        }) => Duration::ZERO,
    }
}

/// What a call before the end of the wait is worth (the table's rows of pushback).
pub fn worth_of_early(case: &Case, check: &str, request: &Request) -> Worth {
    if case.promises.opted_out(check) {
        return Worth::note(Level::Promised);
    }
    if promise(case, request).is_some() {
        return Worth::BROKEN_PROMISE;
    }
    match request.status {
        // "Ought to wait" is said for 503 and 3xx (RFC 9110 §10.2.3); 429 and 413 only may carry the header.
        503 | 300..=399 => Worth::advice(Grade::Warn),
        _ => Worth::advice(Grade::Note),
    }
}

/// The controls of calls that were pushed back: like calls, answered with the same status and without pushback.
///
/// They tell how long this client waits of its own accord.
pub fn controls<'a>(case: &Case<'a>, courses: &[Course<'a>]) -> Controls<'a> {
    let plain = |call: &Call| {
        case.pushback_of(call).is_none() && case.certainly_read(call) && !case.hints_at_a_wait(call)
    };
    Controls::of(courses, case, Alike::InStatus, plain)
}

/// The longest gap of a call's controls.
pub fn control_gap<'a>(
    case: &Case<'a>,
    controls: &Controls<'a>,
    course: &Course<'a>,
    call: &'a Call,
) -> Option<Duration> {
    controls.gap(case, course, call, Alike::InStatus)
}

/// Whether an operation is over for good, so that no further call can follow.
pub fn ended(case: &Case, course: &Course) -> bool {
    course.over().is_some() && !case.evidence.interrupted
}
