//! What is read from the evidence of a golden trial: when each operation sent and was answered, and sums.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use retrial::evidence::{Call, Evidence, Operation};
use retrial::judge::{Grade, Judgement};
use retrial::scenario::Trial;
use retrial::term::{OperationId, Stamp, StopReason};

use crate::playing::{Defect, facts, judged};

/// More operations than this are told by their sums only.
const FEW: usize = 20;

/// The figures of one trial.
#[derive(Debug, Clone, PartialEq)]
pub struct Figures {
    /// Each operation, in order.
    pub operations: Vec<Course>,
    /// How many ended for which reason.
    pub stops: BTreeMap<StopReason, u64>,
    /// Calls in all.
    pub calls: usize,
    /// Effects applied.
    pub delivered: usize,
    /// Calls in each second of the trial, and how many of them were retries.
    pub ticks: BTreeMap<u64, (u32, u32)>,
    /// The verdict, and the checks that failed.
    pub verdict: String,
}

/// One operation; milliseconds since it was handed over.
#[derive(Debug, Clone, PartialEq)]
pub struct Course {
    /// Which.
    pub op: OperationId,
    /// When it sent.
    pub dispatched: Vec<f64>,
    /// When it was answered.
    pub completed: Vec<f64>,
    /// When its end was reported, and why.
    pub finished: Option<(f64, StopReason)>,
}

/// Plays a trial and reads its figures.
pub fn play(trial: &Arc<Trial>, defect: Defect) -> Figures {
    let (evidence, judgement) = judged(trial, &facts(trial, defect));
    Figures::of(&evidence, &judgement)
}

impl Figures {
    fn of(evidence: &Evidence, judgement: &Judgement) -> Figures {
        let mut attempts: BTreeMap<OperationId, Vec<&Call>> = BTreeMap::new();
        for call in evidence.calls.iter().filter(|c| c.is_attempt()) {
            attempts
                .entry(call.head.op.unwrap_or(OperationId(0)))
                .or_default()
                .push(call);
        }
        let course = |(op, operation): (&OperationId, &Operation)| {
            let calls = attempts.get(op).map(Vec::as_slice).unwrap_or_default();
            Course::of(*op, operation, calls)
        };
        let operations: Vec<Course> = evidence.operations.iter().map(course).collect();
        let mut stops = BTreeMap::new();
        for (_, stop) in operations.iter().filter_map(|o| o.finished) {
            *stops.entry(stop).or_default() += 1;
        }
        Figures {
            operations,
            stops,
            calls: evidence.calls.len(),
            delivered: evidence.calls.iter().filter(|c| c.delivered()).count(),
            ticks: ticks(evidence),
            verdict: verdict(judgement),
        }
    }

    /// The most retries in one tick.
    pub fn peak_retries(&self) -> u32 {
        self.ticks
            .values()
            .map(|(_, retries)| *retries)
            .max()
            .unwrap_or(0)
    }

    /// The ticks in which anything was sent, as ranges: `0-14, 16-23`.
    pub fn ticks_with_sends(&self) -> String {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for tick in self.ticks.keys() {
            match ranges.last_mut() {
                Some((_, last)) if *last + 1 == *tick => *last = *tick,
                _ => ranges.push((*tick, *tick)),
            }
        }
        let range = |(first, last): &(u64, u64)| match first == last {
            true => first.to_string(),
            // Two neighbours are named, longer runs are drawn together.
            false if first + 1 == *last => format!("{first}, {last}"),
            false => format!("{first}-{last}"),
        };
        ranges.iter().map(range).collect::<Vec<_>>().join(", ")
    }
}

impl Course {
    fn of(op: OperationId, operation: &Operation, calls: &[&Call]) -> Course {
        let asked = operation.asked.unwrap_or_default();
        let ms = |at: Stamp| at.since(asked).as_micros() as f64 / 1000.0;
        // What a client left was answered to nobody.
        let answered = calls.iter().filter(|c| c.peer_left.is_none());
        Course {
            op,
            dispatched: calls.iter().map(|c| ms(c.at())).collect(),
            completed: answered.filter_map(|c| c.answer_ended).map(ms).collect(),
            finished: operation.outcome.as_ref().map(|(at, o)| (ms(*at), o.stop)),
        }
    }
}

fn ticks(evidence: &Evidence) -> BTreeMap<u64, (u32, u32)> {
    let began = evidence.operations.values().filter_map(|o| o.asked).min();
    let began = began.unwrap_or_default();
    let (mut ticks, mut seen) = (BTreeMap::new(), BTreeSet::new());
    for call in &evidence.calls {
        let (sent, retries): &mut (u32, u32) = ticks.entry(call.at().since(began).as_secs()).or_default();
        *sent += 1;
        *retries += u32::from(!seen.insert(call.head.op));
    }
    ticks
}

fn verdict(judgement: &Judgement) -> String {
    let failed = judgement.findings.iter().filter(|f| f.grade >= Grade::Warn);
    let failed: BTreeSet<&str> = failed.map(|f| &*f.check).collect();
    let verdict = format!("{:?}", judgement.verdict).to_lowercase();
    match failed.is_empty() {
        true => verdict,
        false => format!("{verdict}; {}", failed.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.operations.len() <= FEW {
            self.operations.iter().try_for_each(|o| o.fmt(f))?;
        }
        let stops = self.stops.iter().map(|(stop, n)| format!("{stop} {n}"));
        writeln!(
            f,
            "operations {}, calls {}, delivered {}",
            self.operations.len(),
            self.calls,
            self.delivered
        )?;
        writeln!(f, "stops: {}", stops.collect::<Vec<_>>().join(", "))?;
        writeln!(
            f,
            "ticks with sends: {}; most retries in a tick: {}",
            self.ticks_with_sends(),
            self.peak_retries()
        )?;
        writeln!(f, "verdict: {}", self.verdict)
    }
}

impl fmt::Display for Course {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |times: &[f64]| times.iter().map(f64::to_string).collect::<Vec<_>>().join(" ");
        let end = self
            .finished
            .map_or("none".to_owned(), |(at, stop)| format!("{at} {stop}"));
        writeln!(
            f,
            "{}: sent {}; answered {}; ended {end}",
            self.op,
            ms(&self.dispatched),
            ms(&self.completed)
        )
    }
}
