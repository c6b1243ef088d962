//! An honest client at work: it attempts, decides, waits, and says what it did.

use sha2::{Digest as _, Sha256};

use super::honest::{BODY, CEILING_MS, Conduct, Fault, Plan, repeats, stage, wait_ms, wait_over};
use super::purse::{Purse, Why};
use crate::evidence::Fact;
use crate::judge::evidence_builder::{AT_ONCE_MS, Story};
use crate::term::{Claim, KeyState, OperationId, ProcessId, Stamp, StopReason};

/// One operation of an honest client under way.
struct Running<'p> {
    op: u32,
    first_turn: usize,
    plan: &'p Plan,
    conduct: &'p Conduct,
    /// The budget, and what the last retry took of it.
    purse: &'p mut Option<Purse>,
    paid: Option<u64>,
    made: usize,
    /// Whether an attempt had its effect, so that its key is done.
    applied: bool,
    /// When the last attempt was over for the client.
    ended: u64,
    /// The status of the last failure.
    status: Option<u16>,
}

impl Running<'_> {
    /// Makes one attempt; the fault it met, if any.
    fn attempt(&mut self, mut story: Story, at: u64) -> (Story, Option<Fault>) {
        let (plan, conduct) = (self.plan, self.conduct);
        let fault = plan.faults.get(self.made).cloned();
        story = story.call_of(self.op, self.first_turn + self.made.min(plan.faults.len()), at);
        if plan.keyed {
            story = story.key_is(if self.applied {
                KeyState::Done
            } else {
                KeyState::New
            });
        }
        self.applied |= fault
            .as_ref()
            .map_or(plan.recovers, |f| matches!(f, Fault::Lost(_)));
        if plan.method != "GET" {
            story = match &fault {
                Some(Fault::Lost(_)) => story.sent(&BODY.as_bytes()[..plan.read_of_lost], false),
                _ => story.sent(BODY.as_bytes(), true),
            };
        }
        self.ended = at + AT_ONCE_MS + plan.takes_ms;
        if matches!(fault, Some(Fault::Silent)) {
            let deadline = conduct.deadline_ms.map_or(u64::MAX, |ms| plan.start_ms + ms);
            let cancel = plan.cancel_ms.map_or(u64::MAX, |ms| plan.start_ms + ms);
            self.ended = (at + conduct.timer_ms).min(deadline).min(cancel.max(at));
            story = story.left(self.ended + conduct.seen_late_ms);
        }
        self.made += 1;
        let fault = match fault {
            None if plan.recovers => None,
            None => Some(Fault::Status(503)),
            some => some,
        };
        self.status = match &fault {
            Some(Fault::Status(s) | Fault::Wait(s, _) | Fault::Dated(s, ..) | Fault::Junk(s, _)) => Some(*s),
            Some(Fault::Lost(_) | Fault::Truncated(..) | Fault::Silent) | None => None,
        };
        (story, fault)
    }

    /// When the next attempt is to be made, or why there is none.
    fn next(&mut self, fault: &Fault) -> Result<u64, StopReason> {
        let (plan, conduct, began) = (self.plan, self.conduct, self.ended);
        let over = wait_over(fault, began);
        let own = plan.backoff_ms[self.made - 1];
        let backoff = conduct.backoff.as_ref().map_or(own, |promise| {
            let before = self.made.checked_sub(2).map_or(0, |i| plan.backoff_ms[i]);
            wait_ms(promise, self.made as u32, before, own as f64 / 8_000.0)
        });
        let next = over.map_or(began + backoff, |over| over.max(began + backoff));
        if !repeats(fault) {
            return Err(StopReason::Terminal);
        }
        if let Some(purse) = self.purse {
            purse.failed();
        }
        if plan.method == "POST" && !plan.keyed {
            return Err(StopReason::Unsafe);
        }
        if self.made == conduct.cap as usize {
            return Err(StopReason::AttemptCap);
        }
        if self.made == plan.backoff_ms.len() {
            return Err(StopReason::CircuitOpen);
        }
        if over.is_some_and(|over| over - began > CEILING_MS) {
            return Err(StopReason::Pushback);
        }
        if conduct.deadline_ms.is_some_and(|ms| next >= plan.start_ms + ms) {
            return Err(StopReason::Deadline);
        }
        if over.is_some() && plan.stops_when_pushed {
            return Err(StopReason::Unreported);
        }
        if let Some(purse) = self.purse {
            let paid = purse.pay(began, why(fault)).ok_or(StopReason::RetryBudget)?;
            self.paid = Some(paid);
        }
        Ok(next)
    }

    fn cancelled_before(&self, at: u64) -> Option<u64> {
        self.plan
            .cancel_ms
            .map(|ms| self.plan.start_ms + ms)
            .filter(|cancel| *cancel < at)
    }
}

fn why(fault: &Fault) -> Why {
    match fault {
        Fault::Status(s) | Fault::Wait(s, _) | Fault::Dated(s, ..) | Fault::Junk(s, _) => Why::Status(*s),
        Fault::Lost(_) | Fault::Truncated(..) => Why::Broke,
        Fault::Silent => Why::Timeout,
    }
}

/// Runs one operation of an honest client; also when it ended.
fn run(mut story: Story, mut running: Running) -> (Story, u64) {
    let (plan, conduct, op) = (running.plan, running.conduct, running.op);
    let mut at = plan.start_ms;
    let (claim, stop) = loop {
        let (then, fault) = running.attempt(story, at);
        story = then;
        let Some(fault) = fault else {
            break (Claim::Ok, StopReason::Ok);
        };
        let next = running.next(&fault);
        // A wait and a hanging attempt are broken off; an answer that is there is gone by.
        let until = next.unwrap_or(running.ended);
        match (running.cancelled_before(until + 1), next) {
            (Some(cancel), _) if next.is_ok() || fault == Fault::Silent => {
                running.ended = running.ended.max(cancel);
                story = story.cancelled(op, cancel);
                break (Claim::Failed, StopReason::Cancelled);
            }
            (_, Err(stop)) => break (Claim::Failed, stop),
            (_, Ok(next)) => at = next,
        }
    };
    let stop = if plan.reports_stop {
        stop
    } else {
        StopReason::Unreported
    };
    let ended = running.ended + 1 + conduct.reports_ms;
    if let Some(purse) = running.purse.as_mut().filter(|_| claim == Claim::Ok) {
        purse.succeeded(ended, running.paid);
    }
    let (made, status) = (running.made as u32, running.status);
    let story = story.reported_of(op, ended, claim, stop).telling(|outcome| {
        outcome.attempts = Some(made);
        outcome.status = if claim == Claim::Ok { Some(200) } else { status };
        outcome.body_sha256 = (claim == Claim::Ok).then(|| zeros(100));
    });
    (story, ended)
}

/// The digest of so many zero bytes.
pub fn zeros(n: usize) -> String {
    format!("{:x}", Sha256::digest(vec![0; n]))
}

/// The story of an honest client; its operations run side by side, but for a budget: what is spent has to be known.
pub fn honest(plans: &[Plan], conduct: &Conduct) -> Story {
    let mut story = stage(plans, conduct);
    let mut purse = conduct
        .budget
        .as_ref()
        .map(|(budget, habit)| Purse::new(budget, *habit));
    let (mut first_turn, mut over) = (0, 0);
    for (i, plan) in plans.iter().enumerate() {
        let (op, mut plan) = (i as u32 + 1, plan.clone());
        if let Some(purse) = &mut purse {
            plan.start_ms = over;
            purse.begun(over);
            story = story.and(Fact::Asked {
                op: OperationId(op),
                at: Stamp::from_ms(over),
                deadline_ms: conduct.deadline_ms,
                key: plan.keyed.then(|| format!("key-{op}")),
                process: ProcessId::FIRST,
            });
        }
        let running = Running {
            op,
            first_turn,
            plan: &plan,
            conduct,
            purse: &mut purse,
            paid: None,
            made: 0,
            applied: false,
            ended: 0,
            status: None,
        };
        (story, over) = run(story, running);
        first_turn += plan.faults.len() + 1;
    }
    story
}
