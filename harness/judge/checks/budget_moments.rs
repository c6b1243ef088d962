//! Between which two moments a retry was decided, and an operation may have paid for retries.
//!
//! A stretch of time is judged by what surely fell into it and by what may have paid in it, so that threads, clocks and the
//! wire may put anything before or behind anything else without a correct client being blamed.

use std::time::Duration;

use super::attempts_capped::may_have_been_resent;
use crate::evidence::{Call, GateState};
use crate::judge::tolerance::{CONSEQUENCE, EARLY_TOLERANCE, LATE_GRACE};
use crate::judge::{Case, Course};
use crate::term::{Claim, Stamp};

/// Later than anything.
const NEVER: Stamp = Stamp::from_us(u64::MAX);

/// From one moment to another, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Between {
    pub from: Stamp,
    pub until: Stamp,
}

/// What of a trial bears on all its operations.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moments {
    /// Calls may have been begun long before they came, while nobody answered.
    may_wait_to_connect: bool,
    /// Attempts may have left no trace.
    may_hide: bool,
}

impl Moments {
    /// Those of a trial.
    pub fn of(case: &Case) -> Self {
        let gates = || case.evidence.gates.iter().map(|(.., gate)| *gate);
        let is_shut = |gate| !matches!(gate, GateState::Open);
        Moments {
            may_wait_to_connect: gates().any(|gate| matches!(gate, GateState::BlackHole)),
            may_hide: gates().any(is_shut) || !case.evidence.accept_cuts.is_empty(),
        }
    }

    /// When a retry was decided.
    pub fn decided(self, case: &Case, course: &Course, retry: &Call) -> Between {
        let from = self.failed_before(case, course, retry);
        let until = retry.at();
        Between {
            from: from.or(course.record.asked).unwrap_or_default().min(until),
            until,
        }
    }

    /// A moment before the client can have known of the failure that a retry repeats: when the answer to the attempt before
    /// began, or else when that attempt came. `None` where another attempt may have led to it.
    fn failed_before(self, case: &Case, course: &Course, retry: &Call) -> Option<Stamp> {
        if case.promises.hedges || self.may_wait_to_connect || !course.comes_alone(retry) {
            return None;
        }
        // What a transport may have sent again was decided before what it repeats was sent.
        let former = course.attempts.get(..course.place(retry)?)?.iter().rev();
        let mut sent_again = former.clone().take_while(|call| may_have_been_resent(case, call));
        let is_sent_again = sent_again.next().is_some();
        let before = former
            .copied()
            .find(|call| !may_have_been_resent(case, call))
            .filter(|call| course.comes_alone(call))?;
        // What was not answered at once may have been given up by a timer, an answer or not.
        let at_once = |began: &Stamp| began.since(before.at()) <= CONSEQUENCE;
        let read = case.certainly_read(before) && !is_sent_again;
        let began = before.answer_began.filter(|began| read && at_once(began));
        Some(began.unwrap_or(before.at()))
    }

    /// Whether an operation that may have succeeded may have made a retry first.
    pub fn may_have_retried(self, course: &Course) -> bool {
        self.may_hide || course.attempts.len() > 1
    }
}

/// When an operation may have paid as one that begins: before its first attempt.
pub(super) fn paid_at_first(course: &Course) -> Between {
    let first = course.attempts.first().map(|call| call.at());
    Between::about(course.record.asked, first)
}

/// When an operation may have paid as one that succeeded: from the first answer that may count as a success until somewhat
/// after its report; `None` where it surely did not.
pub(super) fn paid_at_last(case: &Case, course: &Course) -> Option<Between> {
    let may_count = |call: &&&Call| !super::budget_ledger::drains(case, call);
    let counts = course.attempts.iter().filter(may_count);
    let answered = counts.map(|call| call.answer_began.unwrap_or(call.at())).min();
    let claims = course.claim() == Some(Claim::Ok);
    if answered.is_none() && !claims {
        return None;
    }
    Some(Between::about(answered.or(course.record.asked), reported(course)))
}

/// When an operation may have given back what it had paid for a retry that it never made: where it may have been broken off
/// while it waited, by its caller or its deadline.
pub(super) fn gave_back(course: &Course) -> Option<Between> {
    let record = course.record;
    let deadline = record.deadline_ms.map(Duration::from_millis);
    let asked = record.asked.unwrap_or_default();
    // Who sees beforehand that a wait does not fit pays nothing, and is done in the first half of its time as a rule.
    let is_late =
        deadline.is_some_and(|deadline| course.over().is_none_or(|over| over.since(asked) >= deadline / 2));
    if course.claim() == Some(Claim::Ok) || !(is_late || record.cancelled.is_some()) {
        return None;
    }
    let last = course.attempts.last()?.at();
    Some(Between::about(Some(last), reported(course)))
}

/// Until when the client may count what became of an operation.
fn reported(course: &Course) -> Option<Stamp> {
    course.outcome().map(|(at, _)| at.plus(LATE_GRACE))
}

impl Between {
    /// With what the clocks of two stamps may differ by: arrivals may be stamped by the kernel's.
    fn about(from: Option<Stamp>, until: Option<Stamp>) -> Self {
        Between {
            from: from.unwrap_or_default().minus(EARLY_TOLERANCE),
            until: until.map_or(NEVER, |until| until.plus(EARLY_TOLERANCE)),
        }
    }
}
