//! A client whose operations run side by side and share a budget that it keeps.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::purse::{Purse, Why};
use crate::evidence::Fact;
use crate::judge::evidence_builder::{AT_ONCE_MS, Story, Written, answered};
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
pub struct One {
    start: u64,
    /// How long it takes to count what begins, and to send it then.
    begins: u64,
    sends: u64,
    tries: Vec<Try>,
    reports: u64,
    /// How long it takes to count a success, which may be after the report.
    counts: u64,
    /// After how long it is broken off if it waits then, and whether by its caller and not by its deadline.
    ends: Option<(u64, bool)>,
}

pub fn one() -> impl Strategy<Value = One> {
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
    let ends = prop::option::weighted(0.3, (0..1_500u64, any::<bool>()));
    (start, 0..30u64, 0..30u64, tries, 0..100u64, 0..100u64, ends).prop_map(
        |(start, begins, sends, tries, reports, counts, ends)| One {
            start,
            begins,
            sends,
            tries,
            reports,
            counts,
            ends,
        },
    )
}

pub fn turns() -> Vec<Turn> {
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
    /// A retry that was paid for then, for so much, is not made.
    BreakOff(u64, u64),
    Succeed,
}

/// What one operation left: its calls with their ends and when the client left, and its report.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    calls: Vec<(usize, u64, Option<u64>)>,
    over: u64,
    succeeded: bool,
    last: Option<u64>,
}

/// The client at work: all operations side by side, everything in the order of its time.
pub fn played(all: &[One], purse: &mut Purse, counts_404: bool) -> Vec<Trace> {
    let mut traces = vec![Trace::default(); all.len()];
    let begin = |(nth, one): (usize, &One)| (one.start + one.begins, nth, Step::Begin);
    let mut queue: BTreeSet<(u64, usize, Step)> = all.iter().enumerate().map(begin).collect();
    while let Some((now, nth, step)) = queue.pop_first() {
        let (one, trace) = (&all[nth], &mut traces[nth]);
        let next = match step {
            Step::Begin => {
                purse.begun(now);
                Some((now + one.sends, Step::Call(0)))
            }
            Step::Call(n) => called(one, n, now, trace, counts_404),
            Step::Decide(n, sent) => decided(one, n, now, trace, purse).map(|cost| {
                let ends = one.ends.map(|(after, _)| one.start + after);
                match ends.filter(|at| (now..sent).contains(at)) {
                    Some(at) => (at, Step::BreakOff(now, cost)),
                    None => (sent, Step::Call(n + 1)),
                }
            }),
            Step::BreakOff(paid_at, cost) => {
                purse.given_back(now, paid_at, cost);
                trace.over = now + one.reports;
                None
            }
            Step::Succeed => {
                purse.succeeded(now, trace.last);
                None
            }
        };
        queue.extend(next.map(|(at, step)| (at, nth, step)));
    }
    traces
}

/// A call is sent: what comes next, and when.
fn called(one: &One, n: usize, now: u64, trace: &mut Trace, counts_404: bool) -> Option<(u64, Step)> {
    let tried = &one.tries[n];
    let came = now + tried.wire;
    let (status, takes) = ENDS[tried.end];
    let gone = status.is_none().then_some(came + tried.timer);
    let left = gone.map(|at| at + tried.sees);
    trace.calls.push((tried.end, came, left));
    let known = gone.unwrap_or(came + AT_ONCE_MS + takes + tried.sees);
    match status {
        Some(200 | 404) => {
            (trace.over, trace.succeeded) = (known + one.reports, status == Some(200));
            let counts = trace.succeeded || counts_404;
            counts.then_some((known + one.counts, Step::Succeed))
        }
        _ => {
            let paid = known + tried.backoff * tried.pays_after / 10;
            Some((paid, Step::Decide(n, known + tried.backoff)))
        }
    }
}

/// A call has failed: what was paid for another, if there is one.
fn decided(one: &One, n: usize, now: u64, trace: &mut Trace, purse: &mut Purse) -> Option<u64> {
    purse.failed();
    trace.over = now + one.reports;
    let why = ENDS[one.tries[n].end].0.map_or(Why::Timeout, Why::Status);
    let is_last = n + 1 == one.tries.len();
    let paid = if is_last { None } else { purse.pay(now, why) };
    trace.last = paid.or(trace.last);
    paid
}

pub fn told(all: &[One], traces: &[Trace]) -> Story {
    let mut story = Story::of(turns());
    for (nth, (one, trace)) in all.iter().zip(traces).enumerate() {
        let op = nth as u32 + 1;
        story = if op > 1 {
            story.operation("GET", "/", "quota")
        } else {
            story
        };
        let (deadline_ms, cancelled) = match one.ends {
            Some((after, true)) => (None, Some(one.start + after)),
            Some((after, false)) => (Some(after), None),
            None => (None, None),
        };
        story = asked(story, op, one.start, deadline_ms);
        story = cancelled
            .filter(|at| *at < trace.over)
            .into_iter()
            .fold(story, |story, at| story.cancelled(op, at));
        for (turn, at, left) in &trace.calls {
            story = story.call_of(op, *turn, *at);
            story = left.iter().fold(story, |story, at| story.left(*at));
        }
        let claim = if trace.succeeded { Claim::Ok } else { Claim::Failed };
        story = story.reported_of(op, trace.over, claim, StopReason::Unreported);
    }
    story
}

/// An operation is handed over at that time.
pub fn asked(story: Story, op: u32, at: u64, deadline_ms: Option<u64>) -> Story {
    story.and(Fact::Asked {
        op: OperationId(op),
        at: Stamp::from_ms(at),
        deadline_ms,
        key: None,
        process: ProcessId::FIRST,
    })
}
