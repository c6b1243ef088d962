//! Whether a turn's conditions hold for a call.

use std::time::Duration;

use crate::scenario::{Bound, HeaderIs, When};
use crate::term::{ConnId, KeyState, OperationId, Stamp};

/// How much too soon a call may come and still count as in time for `when: {early: ..}`.
///
/// Client timers that count whole milliseconds fire up to one early, and stamps are taken on two sides of a socket;
/// a client that waited must not be punished for either. The judge grants the same.
const EARLY_TOLERANCE: Duration = Duration::from_millis(5);

/// What is known of a call when its turn is decided.
pub struct Asking<'a> {
    /// The operation it belongs to; `None` for a side call.
    pub op: Option<OperationId>,
    /// Its connection.
    pub conn: ConnId,
    /// Which request on its connection it is, from 1.
    pub nth_on_conn: u32,
    /// When its first byte arrived.
    pub at: Stamp,
    /// How long ago the first operation was handed over: the time of outages.
    pub since_start: Duration,
    /// Its method.
    pub method: &'a str,
    /// Its path, without marker and query.
    pub path: &'a str,
    /// Looks up a request header by its lower-case name: each value, in order.
    pub header: &'a dyn Fn(&str) -> Vec<String>,
}

/// What the script itself knows of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// Which call of its operation it is, from 1.
    pub attempt: u32,
    /// Until when its operation was last asked to wait.
    pub asked_until: Option<Stamp>,
    /// For how long it is in its dependency's line, worked on and slowed, once it was let in.
    pub queued: Duration,
}

impl Known {
    fn early(&self, at: Stamp) -> bool {
        self.asked_until
            .is_some_and(|until| at.plus(EARLY_TOLERANCE) < until)
    }
}

/// Whether every condition holds; `lucky` draws the turn's chance. Where `key` is not known, any may be its state.
pub(super) fn holds(
    when: &When,
    call: &Asking<'_>,
    known: Known,
    key: Option<KeyState>,
    lucky: impl FnOnce(f64) -> bool,
) -> bool {
    when.method.as_ref().is_none_or(|m| m == call.method)
        && when.path.as_ref().is_none_or(|p| p == call.path)
        && when
            .headers
            .iter()
            .all(|(name, is)| header_holds(is, &(call.header)(name)))
        && when.key.is_none_or(|wanted| key.is_none_or(|is| is == wanted))
        && admits(when.attempt, known.attempt)
        && admits(when.on_connection, call.nth_on_conn)
        && when.early.is_none_or(|early| early == known.early(call.at))
        && when.chance.is_none_or(lucky)
}

/// Whether the conditions hold for a connection whose request is still to come; `None` where that cannot be known.
pub(super) fn holds_at_accept(
    when: &When,
    at: Stamp,
    next: Option<Known>,
    lucky: impl FnOnce(f64) -> bool,
) -> Option<bool> {
    let unknowable =
        when.method.is_some() || when.path.is_some() || when.key.is_some() || !when.headers.is_empty();
    let of_operation = when.attempt.is_some() || when.early.is_some();
    if unknowable || (of_operation && next.is_none()) {
        return None;
    }
    let of_operation = next.is_none_or(|known| {
        admits(when.attempt, known.attempt) && when.early.is_none_or(|early| early == known.early(at))
    });
    Some(of_operation && admits(when.on_connection, 1) && when.chance.is_none_or(lucky))
}

fn admits(bound: Option<Bound>, n: u32) -> bool {
    // Bounds by policy are refused before a script is made.
    bound.is_none_or(|b| b.admits(u64::from(n), |_| None))
}

fn header_holds(is: &HeaderIs, values: &[String]) -> bool {
    match is {
        HeaderIs::Absent => values.is_empty(),
        HeaderIs::Present => !values.is_empty(),
        HeaderIs::Exactly(wanted) => values.iter().any(|v| v == wanted),
    }
}
