//! Budgets: a client that keeps to its own is never blamed, whatever runs side by side; one that keeps more than fits, or forgets
//! too early, is always found.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::cases;
use super::purse::{Habit, Purse, Why, budget, habit};
use crate::evidence::Fact;
use crate::judge::Grade;
use crate::judge::evidence_builder::{AT_ONCE_MS, Story, Written, answered};
use crate::promise::{Budget, Payer, WindowBudget};
use crate::scenario::Turn;
use crate::term::{Claim, CutBy, OperationId, Place, ProcessId, Stamp, StopReason};

/// How each attempt may end: its status, nothing where it is never answered, and how long that takes.
const ENDS: [(Option<u16>, u64); 10] = [
    (Some(200), 0),
    (Some(200), 300),
    (Some(503), 0),
    (Some(503), 0),
    (Some(503), 30),
    (Some(503), 700),
    (Some(429), 0),
    (Some(429), 50),
    (Some(404), 0),
    (None, 0),
];

/// One attempt, and what the client does after it. Times are in milliseconds.
#[derive(Debug, Clone)]
struct Try {
    end: usize,
    /// How long the request is on its way, and how long the client takes to see what became of it.
    wire: u64,
    sees: u64,
    timer: u64,
    backoff: u64,
    /// How much of its backoff it waits before it pays for the retry, in tenths.
    pays_after: u64,
}

#[derive(Debug, Clone)]
struct One {
    start: u64,
    /// How long it takes to count what begins, and to send it then.
    begins: u64,
    sends: u64,
    tries: Vec<Try>,
    reports: u64,
    /// How long it takes to count a success, which may be after the report.
    counts: u64,
}

fn one() -> impl Strategy<Value = One> {
    let times = (0..40u64, 0..60u64, 30..900u64, 0..900u64, 0..=10u64);
    let tried = (0..ENDS.len(), times).prop_map(|(end, (wire, sees, timer, backoff, pays_after))| Try {
        end,
        wire,
        sees,
        timer,
        backoff,
        pays_after,
    });
    let start = prop_oneof![0..50u64, 0..4_000u64];
    let tries = prop::collection::vec(tried, 1..5);
    (start, 0..30u64, 0..30u64, tries, 0..100u64, 0..100u64).prop_map(
        |(start, begins, sends, tries, reports, counts)| One {
            start,
            begins,
            sends,
            tries,
            reports,
            counts,
        },
    )
}

fn turns() -> Vec<Turn> {
    let turn = |(status, takes): (Option<u16>, u64)| match status {
        Some(status) => answered(status).taking_ms(takes),
        None => answered(200).cut(Place::BeforeAnswer, CutBy::Hang),
    };
    ENDS.into_iter().map(turn).collect()
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Begin,
    Call(usize),
    /// What became of a try is known, and it is decided, paid for and waited until then.
    Decide(usize, u64),
    Succeed,
}

/// What one operation left: its calls with their ends and when the client left, and its report.
#[derive(Debug, Clone, Default)]
struct Trace {
    calls: Vec<(usize, u64, Option<u64>)>,
    over: u64,
    succeeded: bool,
    last: Option<u64>,
}

/// The client at work: all operations side by side, everything in the order of its time.
fn played(all: &[One], purse: &mut Purse, counts_404: bool) -> Vec<Trace> {
    let mut traces = vec![Trace::default(); all.len()];
    let mut queue: BTreeMap<(u64, usize, Step), ()> = BTreeMap::new();
    for (nth, one) in all.iter().enumerate() {
        queue.insert((one.start + one.begins, nth, Step::Begin), ());
    }
    while let Some(((now, nth, step), ())) = queue.pop_first() {
        let (one, trace) = (&all[nth], &mut traces[nth]);
        let next = match step {
            Step::Begin => {
                purse.begun(now);
                Some((now + one.sends, Step::Call(0)))
            }
            Step::Call(n) => {
                let tried = &one.tries[n];
                let came = now + tried.wire;
                let (status, takes) = ENDS[tried.end];
                let seen = came + AT_ONCE_MS + takes + tried.sees;
                let gone = status.is_none().then(|| came + tried.timer);
                trace
                    .calls
                    .push((tried.end, came, gone.map(|at| at + tried.sees)));
                let known = gone.unwrap_or(seen);
                match status {
                    Some(200) => {
                        (trace.over, trace.succeeded) = (known + one.reports, true);
                        Some((known + one.counts, Step::Succeed))
                    }
                    Some(404) if counts_404 => {
                        trace.over = known + one.reports;
                        Some((known + one.counts, Step::Succeed))
                    }
                    Some(404) => {
                        trace.over = known + one.reports;
                        None
                    }
                    _ => {
                        let paid = known + tried.backoff * tried.pays_after / 10;
                        Some((paid, Step::Decide(n, known + tried.backoff)))
                    }
                }
            }
            Step::Decide(n, sent) => {
                purse.failed();
                trace.over = now + one.reports;
                let why = ENDS[one.tries[n].end].0.map_or(Why::Timeout, Why::Status);
                let paid = (n + 1 < one.tries.len()).then(|| purse.pay(now, why)).flatten();
                trace.last = paid.or(trace.last);
                paid.map(|_| (sent, Step::Call(n + 1)))
            }
            Step::Succeed => {
                purse.succeeded(now, trace.last);
                None
            }
        };
        if let Some((at, step)) = next {
            queue.insert((at, nth, step), ());
        }
    }
    traces
}

fn told(all: &[One], traces: &[Trace]) -> Story {
    let mut story = Story::of(turns());
    for (nth, (one, trace)) in all.iter().zip(traces).enumerate() {
        let op = nth as u32 + 1;
        story = if op > 1 {
            story.operation("GET", "/", "quota")
        } else {
            story
        };
        story = asked(story, op, one.start);
        for (turn, at, left) in &trace.calls {
            story = story.call_of(op, *turn, *at);
            story = left.iter().fold(story, |story, at| story.left(*at));
        }
        let claim = if trace.succeeded { Claim::Ok } else { Claim::Failed };
        story = story.reported_of(op, trace.over, claim, StopReason::Unreported);
    }
    story
}

fn asked(story: Story, op: u32, at: u64) -> Story {
    story.and(Fact::Asked {
        op: OperationId(op),
        at: Stamp::from_ms(at),
        deadline_ms: None,
        key: None,
        process: ProcessId::FIRST,
    })
}

fn blamed(story: &Story) -> bool {
    let result = story.check("budget.kept");
    result.findings.iter().any(|f| f.grade > Grade::Note)
}

/// Operations that succeed, and one later that fails so often, each time after so many milliseconds.
fn burst(earlier: u64, retries: u64, every: u64, budget: Budget) -> Story {
    let mut story = Story::of(turns()).promising(|p| p.budget = Some(budget));
    let last = earlier as u32 + 1;
    for op in 1..=earlier as u32 {
        let at = u64::from(op) * 10;
        story = asked(story, op, at).call_of(op, 0, at);
        story = story
            .reported_of(op, at + 2, Claim::Ok, StopReason::Ok)
            .operation("GET", "/", "quota");
    }
    let at = 900_000;
    story = asked(story, last, at);
    story = (0..=retries).fold(story, |story, n| story.call_of(last, 2, at + n * every));
    story.reported_of(
        last,
        at + retries * every + 5,
        Claim::Failed,
        StopReason::Unreported,
    )
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_budget_that_is_kept_is_never_blamed(
        all in prop::collection::vec(one(), 1..30),
        budget in budget(),
        habit in habit(),
        counts_404 in any::<bool>(),
    ) {
        let mut purse = Purse::new(&budget, habit);
        let traces = played(&all, &mut purse, counts_404);
        let story = told(&all, &traces).promising(|p| p.budget = Some(budget));
        prop_assert!(!blamed(&story), "{:#?}", story.check("budget.kept").findings);
    }

    #[test]
    fn credit_beyond_the_cap_is_always_found(earlier in 0..40u64, initial in 0..6u32, cap in 0..6u32, earn in 0..1_000u32, every in 1..3_000u64) {
        // The operation that fails may have earned before it was called, and not after.
        let kept = u64::from(cap);
        prop_assert!(!blamed(&burst(earlier + 40, kept.min(u64::from(initial)), every, Budget::bucket(initial, cap, earn))));
        prop_assert!(blamed(&burst(earlier, kept + 1, every.max(2), Budget::bucket(initial, cap, earn))));
    }

    #[test]
    fn more_than_a_floor_within_a_window_is_always_found(earlier in 0..40u64, at_least in 0..6u32, ms in 100..5_000u64, part in 0.0..1.0f64) {
        let retries = u64::from(at_least) + 1;
        // Nine tenths of the window, and what an inexact clock may take of them.
        let longest = ms * 9 / 10 - 6;
        let every = 2 + ((longest as f64 * part) as u64 / retries).saturating_sub(2);
        let budget = |at_least| Budget::Window(WindowBudget {
            window: Duration::from_millis(ms),
            ratio_per_mille: 0,
            at_least,
            paid_by: Payer::Successes,
        });
        prop_assert!(blamed(&burst(earlier, retries, every, budget(at_least))));
        prop_assert!(!blamed(&burst(earlier, retries, every, budget(at_least + 1))));
    }
}

/// What the generator draws is not all alike: it makes retries, and refuses some.
#[test]
fn purses_pay_and_refuse() {
    let bucket = Budget::bucket(1, 1, 500);
    let habit = Habit::plain();
    let mut purse = Purse::new(&bucket, habit);
    assert!(purse.pay(0, Why::Broke).is_some());
    assert!(purse.pay(1, Why::Broke).is_none());
    purse.begun(2);
    purse.begun(3);
    assert!(purse.pay(4, Why::Broke).is_some());
}
