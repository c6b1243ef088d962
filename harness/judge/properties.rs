//! Random correct clients are never blamed, and a single misdeed among them is always found.
//!
//! `RETRIAL_CASES` sets how many cases each property tries; 2000 where it is not set.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

use super::evidence_builder::{AT_ONCE_MS, Story, Written, answered};
use super::{Finding, Grade};
use crate::promise::{Above, BudgetPromise, FailureKind, PushbackForm, PushbackPromise, Retries, Then};
use crate::scenario::{DateForm, DateOffset, Pushback, Turn};
use crate::term::{Claim, CutBy, OperationId, Place, StopReason};
use std::time::Duration;

const STATUSES: [u16; 8] = [400, 404, 408, 429, 500, 501, 503, 504];
const REPEATED: [u16; 4] = [429, 500, 503, 504];

/// One fault of an operation's script.
#[derive(Debug, Clone)]
enum Fault {
    Status(u16),
    Wait(u16, u64),
    Dated(u16, DateForm, u64),
    Junk(u16, &'static str),
    Lost(CutBy),
    Truncated(u16, CutBy),
}

/// One operation: its script, and what its client will decide.
#[derive(Debug, Clone)]
struct Plan {
    method: &'static str,
    keyed: bool,
    faults: Vec<Fault>,
    recovers: bool,
    takes_ms: u64,
    start_ms: u64,
    backoff_ms: Vec<u64>,
    reports_stop: bool,
    stops_when_pushed: bool,
}

/// What the client of a case is like: every promise it makes is kept.
#[derive(Debug, Clone)]
struct Conduct {
    cap: u32,
    deadline_ms: Option<u64>,
    promises_cap: bool,
    promises_retries: bool,
    promises_pushback: bool,
    promises_ceiling: bool,
    promises_safety: bool,
    promises_budget: bool,
}

const CEILING_MS: u64 = 60_000;

fn fault() -> impl Strategy<Value = Fault> {
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

fn plan() -> impl Strategy<Value = Plan> {
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

fn conduct() -> impl Strategy<Value = Conduct> {
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
                promises_retries,
                promises_pushback,
                promises_ceiling,
                promises_safety,
                promises_budget,
            }
        },
    )
}

fn turn(fault: &Fault) -> Turn {
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
fn repeats(fault: &Fault) -> bool {
    match fault {
        Fault::Status(s) | Fault::Wait(s, _) | Fault::Dated(s, ..) | Fault::Junk(s, _) => {
            REPEATED.contains(s)
        }
        Fault::Lost(_) | Fault::Truncated(..) => true,
    }
}

/// When the wait is over that a fault asked for at `began`; a date is a whole second.
fn wait_over(fault: &Fault, began: u64) -> Option<u64> {
    match fault {
        Fault::Wait(_, secs) if *secs > 0 => Some(began + secs * 1_000),
        Fault::Dated(_, _, secs) if *secs > 0 => Some((began + secs * 1_000).div_ceil(1_000) * 1_000),
        _ => None,
    }
}

/// A story without operations of its own yet, with the promises of a conduct.
fn stage(plans: &[Plan], conduct: &Conduct) -> Story {
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
    let mut story = Story::of(turns);
    story.trial.operations.clear();
    for (i, plan) in plans.iter().enumerate() {
        story = story.operation(plan.method, &format!("/{i}"), "quota");
        story = if plan.keyed { story.keyed() } else { story };
    }
    let story = conduct.deadline_ms.into_iter().fold(story, Story::deadline_ms);
    promising(story, conduct)
}

fn promising(story: Story, conduct: &Conduct) -> Story {
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
fn run(mut story: Story, op: u32, first_turn: usize, plan: &Plan, conduct: &Conduct) -> Story {
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
fn honest(plans: &[Plan], conduct: &Conduct) -> Story {
    let mut story = stage(plans, conduct);
    let mut first_turn = 0;
    for (i, plan) in plans.iter().enumerate() {
        story = run(story, i as u32 + 1, first_turn, plan, conduct);
        first_turn += plan.faults.len() + 1;
    }
    story
}

fn cases() -> Config {
    let cases = std::env::var("RETRIAL_CASES")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(2_000);
    Config {
        cases,
        failure_persistence: None,
        ..Config::default()
    }
}

fn found(story: &Story, check: &str, op: OperationId) -> Result<(), TestCaseError> {
    let about = |f: &Finding| f.check == check && f.grade > Grade::Note && f.operations.contains(&op);
    let blamed = story.blamed();
    prop_assert!(
        blamed.iter().any(about),
        "{check} for {op} is not among {blamed:#?}"
    );
    Ok(())
}

/// One more operation after all the others, and its first turn: the stage for a misdeed.
fn one_more(story: Story, method: &str, turns: Vec<Turn>) -> (Story, OperationId) {
    let story = story
        .dependency("victim", turns)
        .operation(method, "/victim", "victim");
    let op = OperationId(story.trial.operations.len() as u32);
    (story, op)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn an_honest_client_is_never_blamed(plans in prop::collection::vec(plan(), 1..5), conduct in conduct()) {
        let story = honest(&plans, &conduct);
        let blamed = story.blamed();
        prop_assert!(blamed.is_empty(), "{blamed:#?}");
    }

    #[test]
    fn a_late_harness_blames_nobody_either(plans in prop::collection::vec(plan(), 1..3), conduct in conduct(), ms in 0..9_000u64) {
        prop_assert!(honest(&plans, &conduct).late_by_ms(ms).blamed().is_empty());
    }

    #[test]
    fn an_early_call_is_always_found(
        plans in prop::collection::vec(plan(), 0..4),
        conduct in conduct(),
        wait in 1..400u64,
        part in 0.0..1.0f64,
    ) {
        let pushing = answered(503).times(1).pushing_back(Pushback::Seconds(wait));
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![pushing, answered(200)]);
        let gap = ((wait * 1_000 - 6) as f64 * part) as u64;
        let story = story.call_of(op.0, 0, 50_000).call_of(op.0, 1, 50_001 + gap);
        let story = story.reported_of(op.0, 50_010 + gap, Claim::Ok, StopReason::Ok);
        // The operation was added without a deadline, so only the ceiling makes a wait long.
        let long = conduct.promises_pushback && conduct.promises_ceiling && wait * 1_000 > CEILING_MS;
        found(&story, if long { "pushback.long" } else { "pushback.honoured" }, op)?;
    }

    #[test]
    fn one_attempt_too_many_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), gap in 0..3_000u64) {
        let conduct = Conduct { promises_cap: true, ..conduct };
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(503)]);
        let story = (0..=u64::from(conduct.cap)).fold(story, |s, n| s.call_of(op.0, 0, 50_000 + n * (gap + 2)));
        let story = story.reported_of(op.0, 90_000, Claim::Failed, StopReason::Unreported);
        found(&story, "attempts.capped", op)?;
    }

    #[test]
    fn an_unsafe_repeat_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), fault in fault(), gap in 0..3_000u64) {
        prop_assume!(!matches!(fault, Fault::Status(408) | Fault::Wait(408, _) | Fault::Dated(408, ..) | Fault::Junk(408, _)));
        let (story, op) = one_more(honest(&plans, &conduct), "POST", vec![turn(&fault).times(1), answered(200)]);
        let story = story.call_of(op.0, 0, 50_000).call_of(op.0, 1, 50_001 + gap);
        let story = story.reported_of(op.0, 90_000, Claim::Ok, StopReason::Ok);
        found(&story, "unsafe.not_repeated", op)?;
    }

    #[test]
    fn a_claimed_piece_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), bytes in 0..100u64, rst in any::<bool>()) {
        let by = if rst { CutBy::Rst } else { CutBy::Fin };
        let cut = answered(200).cut(Place::Body(bytes), by);
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![cut]);
        let story = story.call_of(op.0, 0, 50_000).reported_of(op.0, 50_010, Claim::Ok, StopReason::Ok);
        found(&story, "truncated.not_claimed", op)?;
    }

    #[test]
    fn a_false_claim_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), status in prop::sample::select(STATUSES.to_vec())) {
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(status)]);
        let story = story.call_of(op.0, 0, 50_000).reported_of(op.0, 50_010, Claim::Ok, StopReason::Unreported);
        found(&story, "claim.acknowledged", op)?;
    }

    #[test]
    fn a_call_after_the_end_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), late in 251..5_000u64) {
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(503)]);
        let story = story.call_of(op.0, 0, 50_000).reported_of(op.0, 50_010, Claim::Failed, StopReason::Unreported);
        found(&story.call_of(op.0, 0, 50_010 + late), "end.final", op)?;
    }
}
