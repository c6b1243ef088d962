//! A random script and an honest client of it: whatever it decides is right, and whatever it promises it keeps.

use proptest::prelude::*;

use super::purse::{Habit, budget, habit};
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::promise::{
    Above, AttemptsCount, BackoffPromise, Budget, FailureKind, Jitter, PushbackForm, PushbackPromise,
    Retries, Then,
};
use crate::scenario::{DateForm, DateOffset, Pushback, Turn};
use crate::term::{CutBy, Place};
use std::time::Duration;

pub const STATUSES: [u16; 8] = [400, 404, 408, 429, 500, 501, 503, 504];
pub const REPEATED: [u16; 4] = [429, 500, 503, 504];

/// One fault of an operation's script.
#[derive(Debug, Clone, PartialEq)]
pub enum Fault {
    Status(u16),
    Wait(u16, u64),
    Dated(u16, DateForm, u64),
    Junk(u16, &'static str),
    Lost(CutBy),
    Truncated(u16, CutBy),
    /// Nothing is ever answered: the client's own timer ends the attempt.
    Silent,
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
    /// When its caller gives up, if it does.
    pub cancel_ms: Option<u64>,
    /// How much of the body is read where an exchange is lost.
    pub read_of_lost: usize,
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
    /// A budget of any kind, and how it is counted.
    pub budget: Option<(Budget, Habit)>,
    pub promises_one_at_a_time: bool,
    pub counts_calls: bool,
    pub backoff: Option<BackoffPromise>,
    /// When its timer ends an attempt, and how much later the server sees it leave.
    pub timer_ms: u64,
    pub seen_late_ms: u64,
    /// How long it takes to report.
    pub reports_ms: u64,
}

/// The body of every operation that has one.
pub const BODY: &str = "amount=1&to=somebody";

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
        1 => Just(Fault::Silent),
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
        prop::option::weighted(0.2, 0..20_000u64),
        0..=BODY.len(),
    );
    (request, script, client).prop_map(|((method, keyed), (faults, recovers, takes_ms), client)| {
        let (start_ms, backoff_ms, reports_stop, stops_when_pushed, cancel_ms, read_of_lost) = client;
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
            cancel_ms,
            read_of_lost,
        }
    })
}

pub fn conduct() -> impl Strategy<Value = Conduct> {
    let budget = prop::option::of((budget(), habit()));
    let times = (30..5_000u64, 0..200u64, 0..40u64);
    let rest = (any::<[bool; 7]>(), budget, times, prop::option::of(backoff()));
    (1..6u32, prop::option::of(500..90_000u64), rest).prop_map(
        |(cap, deadline_ms, (promises, budget, times, backoff))| {
            let [
                promises_cap,
                promises_retries,
                promises_pushback,
                promises_ceiling,
                promises_safety,
                promises_one_at_a_time,
                counts_calls,
            ] = promises;
            let (timer_ms, seen_late_ms, reports_ms) = times;
            Conduct {
                cap,
                deadline_ms,
                promises_cap,
                // Who makes one attempt cannot truthfully promise repeats without saying so.
                promises_retries: promises_retries && (cap > 1 || promises_cap),
                promises_pushback,
                promises_ceiling,
                promises_safety,
                budget,
                promises_one_at_a_time,
                counts_calls,
                backoff,
                timer_ms,
                seen_late_ms,
                reports_ms,
            }
        },
    )
}

fn backoff() -> impl Strategy<Value = BackoffPromise> {
    let jitter = vec![
        Jitter::None,
        Jitter::Equal,
        Jitter::Full,
        Jitter::Decorrelated,
        Jitter::Hashed,
    ];
    let growth = (0..500u64, 1_000..4_000u32, 0..3_000u64);
    (0..3u32, growth, prop::sample::select(jitter)).prop_map(
        |(at_once, (base_ms, factor_per_mille, cap_ms), jitter)| BackoffPromise {
            at_once,
            base: Duration::from_millis(base_ms),
            factor_per_mille,
            cap: Duration::from_millis(cap_ms),
            jitter,
        },
    )
}

/// The window that a promise leaves for a retry, counted from 1, in milliseconds: by the book, not by the judge.
fn window_ms(promise: &BackoffPromise, retry: u32) -> f64 {
    let Some(steps) = retry.checked_sub(promise.at_once + 1) else {
        return 0.0;
    };
    let growth = (f64::from(promise.factor_per_mille) / 1_000.0).powf(f64::from(steps));
    let cap = promise.cap.as_millis() as f64;
    (promise.base.as_millis() as f64 * growth).min(cap)
}

/// The wait before a retry, in whole milliseconds; `roll` is from 0 to 1 and evenly spread.
pub fn wait_ms(promise: &BackoffPromise, retry: u32, before_ms: u64, roll: f64) -> u64 {
    if retry <= promise.at_once {
        return 0;
    }
    let window = window_ms(promise, retry);
    let base = window_ms(promise, promise.at_once + 1).min(window);
    let cap = promise.cap.as_secs_f64() * 1_000.0;
    let wait = match promise.jitter {
        Jitter::None => window,
        Jitter::Equal => window / 2.0 * (1.0 + roll),
        Jitter::Full | Jitter::Hashed => window * roll,
        Jitter::Decorrelated => (base + ((3.0 * before_ms as f64).max(base) - base) * roll).min(cap),
    };
    wait.ceil() as u64
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
        Fault::Silent => answered(200).cut(Place::BeforeAnswer, CutBy::Hang),
        Fault::Truncated(status, by) => answered(*status).cut(Place::Body(40), *by),
    }
}

/// Whether this client repeats a failure by its list.
pub fn repeats(fault: &Fault) -> bool {
    match fault {
        Fault::Status(s) | Fault::Wait(s, _) | Fault::Dated(s, ..) | Fault::Junk(s, _) => {
            REPEATED.contains(s)
        }
        Fault::Lost(_) | Fault::Truncated(..) | Fault::Silent => true,
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
        story = if plan.method == "GET" {
            story
        } else {
            story.with_body(BODY)
        };
        if let Some(group) = story.trial.operations.last_mut() {
            group.cancel_after = plan.cancel_ms.map(Duration::from_millis);
        }
    }
    let story = conduct.deadline_ms.into_iter().fold(story, Story::deadline_ms);
    let mut story = promising(story, conduct);
    if conduct.counts_calls {
        story.can.attempts_count = AttemptsCount::Calls;
    }
    story
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
        p.backoff = conduct.backoff.clone();
        p.never_repeats_unsafe = conduct.promises_safety;
        p.key = conduct.promises_safety;
        p.deadline = true;
        p.one_at_a_time = conduct.promises_one_at_a_time;
        p.prompt = true;
        p.budget = conduct.budget.as_ref().map(|(budget, _)| budget.clone());
    })
}
