//! Operations that came to no end that anybody was told of, and whether their wait or their failure has a cause.

use std::time::Duration;

use super::Case;
use super::course::{Course, is_surely_its};
use crate::evidence::Call;
use crate::scenario::Answer;
use crate::term::{Claim, OperationId, Stamp, StopReason};

/// A client that has nothing to wait for is silent after this long, and not only slow to speak.
const SILENT_AFTER: Duration = Duration::from_secs(1);

impl<'a> Case<'a> {
    /// Whether an operation that was never called may have failed all the same: something hidden met it, or it was
    /// held back by what the client had seen before.
    fn may_have_failed_unseen(&self, course: &Course<'a>) -> bool {
        let evidence = self.evidence;
        // Calls, connections and bytes that could not be told whose they are may be its own.
        let strays = evidence.calls.iter().any(|c| c.head.op.is_none()) || !evidence.unreadable.is_empty();
        let hidden =
            course.met_refusals(self) || course.accept_cuts(self) > 0 || !evidence.ceilings.is_empty();
        strays
            || hidden
            || self.harness_was_late()
            || self.is_layered()
            || self.may_have_met_a_dead_connection(course)
    }

    /// Whether it may have gone out on a kept connection that was closing: such a request is read by nobody.
    fn may_have_met_a_dead_connection(&self, course: &Course<'a>) -> bool {
        let closes = |answer: &Answer| answer.keep_alive == Some(false);
        let targets = &course.planned.request().to;
        let here = self
            .evidence
            .calls
            .iter()
            .filter(|c| targets.contains(&c.head.point));
        here.into_iter()
            .any(|c| c.cut.is_some() || !c.complete || self.answer_of(c).is_some_and(closes))
    }

    /// Whether a client may rightly hold an operation back before its first call, by the reason that it gives; without
    /// one, by whatever it may have seen or promises.
    fn may_be_held_back(&self, course: &Course<'a>, reason: StopReason, over: Stamp) -> bool {
        let asked = course.record.asked.unwrap_or_default();
        let deadline = course.record.deadline_ms.map(Duration::from_millis);
        let gives = |r: StopReason| reason == r;
        let silent = reason == StopReason::Unreported;
        let given = self.trial.given.as_ref();
        let breaks = self.promises.breaker.is_some() || given.is_some_and(|g| g.breaker.is_some());
        let budget = self.promises.budget.is_some() || given.is_some_and(|g| g.budget.is_some());
        let targets = &course.planned.request().to;
        let pushed = targets.iter().any(|to| self.wait_pending(to, over));
        let late = deadline.is_some_and(|d| over.since(asked) >= d);
        course.record.cancelled.is_some()
            || gives(StopReason::CircuitOpen)
            || (silent && (breaks || budget || late))
            || gives(StopReason::RetryBudget)
            || (gives(StopReason::Deadline) && deadline.is_some())
            || ((gives(StopReason::Pushback) || silent) && pushed)
    }
}

impl<'a> Course<'a> {
    /// Whether the client reported a failure of this operation that nothing explains: it made no call, nothing hidden
    /// met it, and nothing that the client had seen before kept it back.
    pub fn failed_untried(&self, case: &Case<'a>) -> bool {
        let Some((over, outcome)) = self.outcome() else {
            return false;
        };
        let failed = matches!(outcome.claim, Claim::Failed | Claim::Unknown);
        // A client that calls nowhere at all was perhaps not given leave to.
        failed
            && !case.evidence.calls.is_empty()
            && self.calls.is_empty()
            && !case.may_have_failed_unseen(self)
            && !case.may_be_held_back(self, outcome.stop, over)
    }

    /// Whether the client said that it could not run this operation, and had called.
    pub fn ran_all_the_same(&self) -> bool {
        self.record.could_not_run.is_some() && self.calls.iter().any(|c| is_surely_its(c))
    }

    /// The last call of an operation that was waited for to the end in vain, where nothing was left to wait for: every
    /// call was over, and the last one was a success or the last one that the client promises to make.
    pub fn silent_since(&self, case: &Case<'a>) -> Option<&'a Call> {
        let until = self.record.no_result.filter(|_| self.outcome().is_none())?;
        let last = self.calls.last().copied()?;
        let over = |c: &&Call| {
            c.answer_ended
                .or(c.peer_left)
                .is_some_and(|at| at.plus(SILENT_AFTER) < until)
        };
        let hidden =
            self.met_refusals(case) || self.accept_cuts(case) > 0 || !case.evidence.ceilings.is_empty();
        let waits = self.calls.iter().any(|c| case.wait_pending(&c.head.point, until));
        // Without a promise a failure may be followed by a wait of any length.
        let cap = case.promises.attempts.map(|n| n as usize);
        let last_word = case.acknowledged_to(last) || cap.is_some_and(|cap| self.attempts.len() >= cap);
        let read = case.certainly_read(last);
        (self.calls.iter().all(over) && read && !hidden && !waits && last_word).then_some(last)
    }
}

/// The operations that were not asked because the asking had ended before.
pub fn not_reached(case: &Case) -> Vec<OperationId> {
    let operations = case.evidence.operations.iter();
    let unasked = operations.filter(|(_, o)| o.not_reached.is_some());
    unasked.map(|(id, _)| *id).collect()
}

/// The operation whose end was waited for in vain first, where the asking ended with it.
pub fn waited_for<'c, 'a>(courses: &'c [Course<'a>]) -> Option<(&'c Course<'a>, Stamp)> {
    let given_up = courses.iter().filter_map(|c| Some((c, c.record.no_result?)));
    given_up.min_by_key(|(c, at)| (*at, c.id()))
}
