//! A random script and an honest client of it: whatever it decides is right, and whatever it promises it keeps.

use proptest::prelude::*;

use crate::judge::evidence_builder::{AT_ONCE_MS, Story, Written, answered};
use crate::promise::{Above, BudgetPromise, FailureKind, PushbackForm, PushbackPromise, Retries, Then};
use crate::scenario::{DateForm, DateOffset, Pushback, Turn};
use crate::term::{Claim, CutBy, Place, StopReason};
use std::time::Duration;

pub const STATUSES: [u16; 8] = [400, 404, 408, 429, 500, 501, 503, 504];
pub const REPEATED: [u16; 4] = [429, 500, 503, 504];

/// One fault of an operation's script.
#[derive(Debug, Clone)]
pub enum Fault {
    Status(u16),
    Wait(u16, u64),
    Dated(u16, DateForm, u64),
    Junk(u16, &'static str),
    Lost(CutBy),
    Truncated(u16, CutBy),
}

/// One operation: its script, and what its client will decide.
#[derive(Debug, Clone)]
pub struct Plan {
    pub method: &'static str,
    pub keyed: bool,
    pub faults: Vec<Fault>,
    pub recovers: bool,
    pub takes_ms: u64,
    pub start_ms: u64,
    pub backoff_ms: Vec<u64>,
    pub reports_stop: bool,
    pub stops_when_pushed: bool,
}

/// What the client of a case is like: every promise it makes is kept.
#[derive(Debug, Clone)]
pub struct Conduct {
    pub cap: u32,
    pub deadline_ms: Option<u64>,
    pub promises_cap: bool,
    pub promises_retries: bool,
    pub promises_pushback: bool,
    pub promises_ceiling: bool,
    pub promises_safety: bool,
    pub promises_budget: bool,
}

pub const CEILING_MS: u64 = 60_000;

pub fn fault() -> impl Strategy<Value = Fault> {
    let status = || prop::sample::select(STATUSES.to_vec());
    let end = || prop::sample::select(vec![CutBy::Fin, CutBy::Rst]);
    let form = prop::sample::select(vec![DateForm::Imf, DateForm::Rfc850, DateForm::Asctime]);
    prop_oneof![
        3 => status().prop_map(Fault::Status),
        2 => (status(), 0..120u64).prop_map(|(s, w)| Fault::Wait(s, w)),
        2 => (status(), form, 0..10u64).prop_map(|(s, f, w)| Fault::Dated(s, f, w)),
        1 => (status(), prop::sample::select(vec!["soon", "-1", "2.5", ""])).prop_map(|(s, j)| Fault::Junk(s, j)),
        2 => end().prop_map(Fault::Lost),
        2 => (prop::sample::select(vec![200, 503]), end()).prop_map(|(s, by)| Fault::Truncated(s, by)),
    ]
}

pub fn plan() -> impl Strategy<Value = Plan> {
    let request = prop::sample::select(vec![
        ("GET", false),
        ("PUT", false),
        ("POST", false),
        ("POST", true),
    ]);
    let script = (prop::collection::vec(fault(), 1..6), any::<bool>(), 0..60u64);
    let client = (
        0..5_000u64,
        prop::collection::vec(0..8_000u64, 6),
        any::<bool>(),
        any::<bool>(),
    );
    (request, script, client).prop_map(|((method, keyed), (faults, recovers, takes_ms), client)| {
        let (start_ms, backoff_ms, reports_stop, stops_when_pushed) = client;
        Plan {
            method,
            keyed,
            faults,
            recovers,
            takes_ms,
            start_ms,
            backoff_ms,
            reports_stop,
            stops_when_pushed,
        }
    })
}

pub fn conduct() -> impl Strategy<Value = Conduct> {
    (1..6u32, prop::option::of(500..90_000u64), any::<[bool; 6]>()).prop_map(
        |(cap, deadline_ms, promises)| {
            let [
                promises_cap,
                promises_retries,
                promises_pushback,
                promises_ceiling,
                promises_safety,
                promises_budget,
            ] = promises;
            Conduct {
                cap,
                deadline_ms,
                promises_cap,
                // Who makes one attempt cannot truthfully promise repeats without saying so.
                promises_retries: promises_retries && (cap > 1 || promises_cap),
                promises_pushback,
                promises_ceiling,
                promises_safety,
                promises_budget,
            }
        },
    )
}

pub fn turn(fault: &Fault) -> Turn {
    match fault {
        Fault::Status(status) => answered(*status),
        Fault::Wait(status, secs) => answered(*status).pushing_back(Pushback::Seconds(*secs)),
        Fault::Dated(status, form, secs) => {
            let offset = DateOffset::Ahead(Duration::from_secs(*secs));
            answered(*status).pushing_back(Pushback::Date { form: *form, offset })
        }
        Fault::Junk(status, text) => answered(*status).pushing_back(Pushback::Raw((*text).to_owned())),
        Fault::Lost(by) => answered(200).applied().cut(Place::BeforeAnswer, *by),
        Fault::Truncated(status, by) => answered(*status).cut(Place::Body(40), *by),
    }
}

/// Whether this client repeats a failure by its list.
pub fn repeats(fault: &Fault) -> bool {
    match fault {
        Fault::Status(s) | Fault::Wait(s, _) | Fault::Dated(s, ..) | Fault::Junk(s, _) => {
            REPEATED.contains(s)
        }
        Fault::Lost(_) | Fault::Truncated(..) => true,
    }
}

/// When the wait is over that a fault asked for at `began`; a date is a whole second.
pub fn wait_over(fault: &Fault, began: u64) -> Option<u64> {
    match fault {
        Fault::Wait(_, secs) if *secs > 0 => Some(began + secs * 1_000),
        Fault::Dated(_, _, secs) if *secs > 0 => Some((began + secs * 1_000).div_ceil(1_000) * 1_000),
        _ => None,
    }
}

/// A story without operations of its own yet, with the promises of a conduct.
pub fn stage(plans: &[Plan], conduct: &Conduct) -> Story {
    let mut turns = Vec::new();
    for (i, plan) in plans.iter().enumerate() {
        let last = if plan.recovers {
            answered(200).applied()
        } else {
            answered(503)
        };
        let faults = plan.faults.iter().map(|f| turn(f).times(1)).chain([last]);
        turns.extend(faults.map(|t| t.path(&format!("/{i}")).taking_ms(plan.takes_ms)));
    }
    turns.push(answered(200));
    // A client that repeats under a key is safe where keys are recognised.
    let mut story = Story::of(turns).recognising_keys();
    story.trial.operations.clear();
    for (i, plan) in plans.iter().enumerate() {
        story = story.operation(plan.method, &format!("/{i}"), "quota");
        story = if plan.keyed { story.keyed() } else { story };
    }
    let story = conduct.deadline_ms.into_iter().fold(story, Story::deadline_ms);
    promising(story, conduct)
}

pub fn promising(story: Story, conduct: &Conduct) -> Story {
    use FailureKind::{Closed, Malformed, Refused, Reset, Timeout, Truncated};
    let limit = Duration::from_millis(CEILING_MS);
    story.promising(|p| {
        p.attempts = conduct.promises_cap.then_some(conduct.cap);
        p.retries = conduct.promises_retries.then(|| Retries {
            statuses: Some(REPEATED.to_vec()),
            failures: Some(vec![Refused, Closed, Reset, Timeout, Truncated, Malformed]),
            methods: None,
        });
        p.pushback = conduct.promises_pushback.then(|| PushbackPromise {
            honours: STATUSES.to_vec(),
            forms: vec![PushbackForm::Seconds, PushbackForm::Dates],
            above: conduct.promises_ceiling.then_some(Above {
                limit,
                then: Then::Stop,
            }),
        });
        p.never_repeats_unsafe = conduct.promises_safety;
        p.deadline = true;
        p.budget = conduct.promises_budget.then_some(BudgetPromise {
            initial: 100,
            cap: 100,
            earn_per_mille: 0,
        });
    })
}

/// Runs one operation of an honest client.
pub fn run(mut story: Story, op: u32, first_turn: usize, plan: &Plan, conduct: &Conduct) -> Story {
    let deadline = conduct.deadline_ms.map(|ms| plan.start_ms + ms);
    let mut at = plan.start_ms;
    let mut made = 0;
    let (claim, stop) = loop {
        let fault = plan.faults.get(made).cloned();
        story = story.call_of(op, first_turn + made.min(plan.faults.len()), at);
        let began = at + AT_ONCE_MS + plan.takes_ms;
        let backoff = plan.backoff_ms[made];
        made += 1;
        let fault = match fault {
            None if plan.recovers => break (Claim::Ok, StopReason::Ok),
            None => Fault::Status(503),
            Some(fault) => fault,
        };
        let over = wait_over(&fault, began);
        let next = over.map_or(began + backoff, |over| over.max(began + backoff));
        if !repeats(&fault) {
            break (Claim::Failed, StopReason::Terminal);
        }
        if plan.method == "POST" && !plan.keyed {
            break (Claim::Failed, StopReason::Unsafe);
        }
        if made == conduct.cap as usize || made == plan.backoff_ms.len() {
            let stop = if made == conduct.cap as usize {
                StopReason::AttemptCap
            } else {
                StopReason::CircuitOpen
            };
            break (Claim::Failed, stop);
        }
        if over.is_some_and(|over| over - began > CEILING_MS) {
            break (Claim::Failed, StopReason::Pushback);
        }
        if deadline.is_some_and(|deadline| next >= deadline) {
            break (Claim::Failed, StopReason::Deadline);
        }
        if over.is_some() && plan.stops_when_pushed {
            break (Claim::Failed, StopReason::Unreported);
        }
        at = next;
    };
    let stop = if plan.reports_stop {
        stop
    } else {
        StopReason::Unreported
    };
    let ended = at + AT_ONCE_MS + plan.takes_ms + 1;
    story.reported_of(op, ended, claim, stop)
}

/// The story of an honest client; its facts in order of time, as operations run side by side.
pub fn honest(plans: &[Plan], conduct: &Conduct) -> Story {
    let mut story = stage(plans, conduct);
    let mut first_turn = 0;
    for (i, plan) in plans.iter().enumerate() {
        story = run(story, i as u32 + 1, first_turn, plan, conduct);
        first_turn += plan.faults.len() + 1;
    }
    story
}
