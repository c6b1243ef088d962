//! When a stop reason cannot be true. Generous by design: what is not clearly impossible is allowed (rule 18).

use std::time::Duration;

use super::controls::{Alike, Controls};
use super::pushed_back::ceiling;
use super::status_permanent::{repeated, repeats_failure};
use crate::evidence::Call;
use crate::judge::tolerance::far_beyond;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, Reading, statuses};
use crate::promise::Budget;
use crate::term::{Claim, StopReason};

/// Why a reason cannot be true, as a clause; `None` where it can.
pub fn impossible(bench: &Bench, course: &Course, reason: StopReason) -> Option<String> {
    let at = Stop {
        case: bench.case,
        courses: &bench.courses,
        controls: &bench.controls,
        course,
        last: course.attempts.last().copied(),
    };
    match reason {
        StopReason::Unreported => None,
        StopReason::Ok => at.not_ok(),
        _ if course.claim() == Some(Claim::Ok) => Some("the client claims success".to_owned()),
        StopReason::Terminal | StopReason::Unsafe | StopReason::AttemptCap
            if course.failed_untried(bench.case) =>
        {
            Some("it made no call that could have failed".to_owned())
        }
        StopReason::Terminal => at.not_terminal(),
        StopReason::Unsafe => at.not_unsafe(),
        StopReason::AttemptCap => at.not_attempt_cap(),
        StopReason::AttemptTimeout => at.not_attempt_timeout(),
        StopReason::Deadline => at.not_deadline(),
        StopReason::Pushback => at.not_pushback(),
        StopReason::RetryBudget => at.not_retry_budget(),
        StopReason::CircuitOpen => at.not_circuit_open(),
        StopReason::Cancelled => at.not_cancelled(),
    }
}

/// A case, and what is found once for all its operations.
pub struct Bench<'a> {
    case: &'a Case<'a>,
    /// Every operation.
    pub courses: Vec<Course<'a>>,
    controls: Controls<'a>,
}

impl<'a> Bench<'a> {
    /// The bench of a case.
    pub fn of(case: &'a Case<'a>) -> Self {
        let courses = case.courses();
        let plain = |call: &Call| case.pushback_of(call).is_none() && call.complete;
        let controls = Controls::of(&courses, case, Alike::InPlace, plain);
        Bench {
            case,
            courses,
            controls,
        }
    }
}

/// The end of one operation.
struct Stop<'c, 'a> {
    case: &'c Case<'a>,
    courses: &'c [Course<'a>],
    controls: &'c Controls<'a>,
    course: &'c Course<'a>,
    last: Option<&'a Call>,
}

impl<'a> Stop<'_, 'a> {
    fn not_ok(&self) -> Option<String> {
        let (case, course) = (self.case, self.course);
        if course.claim() == Some(Claim::Failed) {
            return Some("the client reports a failure".to_owned());
        }
        let strays = course.calls.is_empty() && case.evidence.calls.iter().any(|c| c.head.op.is_none());
        let might = |call: &Call| case.acknowledged_to(call) || case.left_after_success_head(call);
        (!strays && !course.calls.iter().any(|call| might(call)))
            .then(|| "it got no whole success answer".to_owned())
    }

    fn not_terminal(&self) -> Option<String> {
        let (case, last) = (self.case, self.last?);
        let retries = case.promises.retries.as_ref()?;
        let method = &self.course.planned.request().method;
        let lists = repeated(case);
        let promised = |reading: &Reading| match reading {
            Reading::Success => false,
            Reading::Status(s) => lists
                .as_ref()
                .is_some_and(|lists| lists.iter().all(|list| list.contains(s))),
            Reading::Broken(kind) => repeats_failure(case, *kind),
        };
        let methods = retries.methods.as_ref();
        let repeats_method =
            methods.map_or_else(|| statuses::idempotent(method), |list| list.contains(method));
        let stops = repeats_method
            && !self.course.planned.request().stream
            && case.readings(last).iter().all(promised)
            // What was pushed back may be given up as the server's last word.
            && case.pushback_of(last).is_none()
            && !case.wait_pending(&last.head.point, self.course.over_at_the_latest(last))
            && self.attempts_left().is_some();
        stops.then(|| {
            format!(
                "the client promises to repeat the failure of {} and had attempts left",
                last.id()
            )
        })
    }

    fn not_unsafe(&self) -> Option<String> {
        let request = self.course.planned.request();
        let listed = self
            .case
            .promises
            .retries
            .as_ref()
            .and_then(|r| r.methods.as_ref());
        let excluded = listed.is_some_and(|list| !list.contains(&request.method));
        let safe = statuses::idempotent(&request.method) && !request.stream && !excluded;
        safe.then(|| format!("{} is idempotent", request.method))
    }

    fn not_attempt_cap(&self) -> Option<String> {
        let (made, cap) = self.attempts_left()?;
        Some(format!(
            "it made {}; the client promises {} in all",
            count(made, "call"),
            count(cap, "attempt")
        ))
    }

    /// Attempts made and promised, where surely fewer were made than the least cap that may hold.
    fn attempts_left(&self) -> Option<(u64, u64)> {
        // Of one that hedges nobody knows how many of the calls that it may make are second ones.
        if self.case.promises.hedges {
            return None;
        }
        let given = self.case.trial.given.as_ref().and_then(|g| g.attempts);
        let cap = u64::from(given.map_or(self.case.promises.attempts?, |g| {
            g.min(self.case.promises.attempts.unwrap_or(g))
        }));
        let made = self.course.calls.len() as u64 + self.course.accept_cuts(self.case);
        (made < cap && !self.course.met_refusals(self.case)).then_some((made, cap))
    }

    fn not_attempt_timeout(&self) -> Option<String> {
        let last = self.last?;
        let hidden = self.course.accept_cuts(self.case) > 0 || self.course.met_refusals(self.case);
        let quick = !hidden
            && self
                .course
                .calls
                .iter()
                .all(|call| !self.case.may_have_timed_out(call));
        quick.then(|| format!("{} was answered or cut at once", last.id()))
    }

    fn not_deadline(&self) -> Option<String> {
        let Some(deadline) = self.course.deadline() else {
            return Some("no deadline was passed to the client".to_owned());
        };
        let last = self.last?;
        let ended = last.answer_ended?;
        // How long this client waits of its own accord is known only where another operation went on from there.
        let own = self.own_wait(last)?;
        let over = self.case.wait_over(last).unwrap_or(ended).max(ended);
        let hinted = self.case.hints_at_a_wait(last) || self.case.wait_pending(&last.head.point, ended);
        let pending = hinted && self.case.wait_over(last).is_none();
        let room = deadline.since(over);
        (!pending && room > far_beyond(own)).then(|| format!("its deadline left room for {}", time(room)))
    }

    /// The longest gap that followed a call with the same ordinal and no pushback in another operation.
    fn own_wait(&self, last: &'a Call) -> Option<Duration> {
        self.controls.gap(self.case, self.course, last, Alike::InPlace)
    }

    fn not_pushback(&self) -> Option<String> {
        let case = self.case;
        let over = self.course.over()?;
        let asked = self
            .course
            .calls
            .iter()
            .any(|c| case.wait_asked(c).is_some() || case.hints_at_a_wait(c));
        let pending = self
            .course
            .planned
            .request()
            .to
            .iter()
            .any(|to| case.wait_pending(to, over));
        if !asked && !pending {
            return Some("no wait was asked for".to_owned());
        }
        let last = self.last?;
        let above = ceiling(case)?;
        let wait = case.wait_over(last)?.since(last.answer_began?);
        let fits = self
            .course
            .calls
            .iter()
            .all(|c| case.wait_asked(c).is_none_or(|w| w <= wait))
            && wait <= above.limit;
        fits.then(|| {
            format!(
                "the server asked for {}, within the promised ceiling of {}",
                time(wait),
                time(above.limit)
            )
        })
    }

    fn not_retry_budget(&self) -> Option<String> {
        // Nothing failed only where nothing can have: a client's own timer ends what is answered a moment later.
        let failures = self
            .course
            .calls
            .iter()
            .any(|call| self.case.may_have_failed(call));
        if !failures && !self.hidden() {
            return Some("nothing of it failed".to_owned());
        }
        let promised = self.case.promises.budget.as_ref()?.first();
        let given = self
            .case
            .trial
            .given
            .as_ref()
            .and_then(|g| g.budget.as_ref())
            .map(Budget::first);
        let credit = u64::from(given.map_or(promised, |g| g.min(promised)));
        let spent = self.retries_until_now();
        (spent < credit && !self.hidden()).then(|| {
            format!(
                "{} had been made in the trial; the budget begins with {credit}",
                count(spent, "repeat")
            )
        })
    }

    /// The most retries that may have been paid for until then: those that were sent, and one of each other operation
    /// that has not succeeded, which may be waiting for its turn or have been called off meanwhile.
    fn retries_until_now(&self) -> u64 {
        let until = self.course.over();
        let paid = |c: &Course| {
            let sent = |call: &&&Call| until.is_none_or(|until| call.at() <= until);
            let before = c.calls.iter().filter(sent).count() as u64;
            let settled = c.id() == self.course.id() || c.claim() == Some(Claim::Ok);
            before.saturating_sub(u64::from(settled))
        };
        self.courses.iter().map(paid).sum()
    }

    fn not_circuit_open(&self) -> Option<String> {
        let until = self.course.over();
        let before = |call: &&Call| until.is_none_or(|until| call.at() <= until);
        let failed = self
            .case
            .evidence
            .calls
            .iter()
            .filter(before)
            .any(|call| self.case.may_have_failed(call));
        (!failed && !self.hidden()).then(|| "nothing had failed until then".to_owned())
    }

    fn not_cancelled(&self) -> Option<String> {
        let deadline = self.course.deadline();
        let past = deadline.is_some_and(|deadline| self.course.over().is_some_and(|over| over >= deadline));
        let may = past || self.course.planned.group.cancel_after.is_some();
        (!may).then(|| "nobody cancelled it".to_owned())
    }

    /// Whether failures may have happened that leave no call.
    fn hidden(&self) -> bool {
        !self.case.evidence.accept_cuts.is_empty() || self.courses.iter().any(|c| c.met_refusals(self.case))
    }
}
