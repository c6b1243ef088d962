//! The load of a dependency over time: what came in each tick, and how much of it was of use to anybody.
//!
//! Observations from evidence alone. Where connections are refused or left unanswered an attempt leaves no trace.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Case, Course};
use crate::evidence::Call;
use crate::term::{Name, Stamp};

/// How many operations must go to a dependency for its load to be told: a few make no load.
const LEAST: usize = 50;

/// The most ticks, so that a series fits into a line of a terminal.
const MOST: u128 = 60;

/// The lengths that a tick may have, in seconds: the first that makes no more than [`MOST`] of them.
const LENGTHS_S: [u64; 9] = [1, 2, 5, 10, 30, 60, 300, 3600, 86_400];

/// The load of one dependency over time.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Load {
    /// The length of a tick, in ms; the first begins when the first operation is handed over.
    pub tick_ms: u64,
    /// The ticks, in order, without a gap.
    pub ticks: Vec<Tick>,
    /// Success answers that a client was there to read whole, at most one for each operation.
    pub useful: u64,
    /// All other calls: what the dependency got and nobody had anything of.
    pub wasted: u64,
    /// The most calls of a tick, for each thousand of the most originals of a tick.
    pub overshoot_per_mille: u64,
    /// From the arrival of the last original until the last call was over, in ms.
    pub drained_ms: u64,
}

/// One tick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tick {
    /// Calls that arrived: originals and retries.
    pub calls: u64,
    /// The first calls of their operations.
    pub originals: u64,
    /// The others.
    pub retries: u64,
    /// Useful answers that ended in it.
    pub useful: u64,
}

/// An attempt at the dependency.
struct Seen<'a> {
    call: &'a Call,
    is_original: bool,
    is_useful: bool,
}

impl Load {
    /// The load of a dependency; `None` where too few operations may go to it.
    pub(super) fn of(case: &Case, courses: &[Course], dependency: &Name) -> Option<Load> {
        let goes_there = |c: &&Course| c.planned.request().to.contains(dependency);
        let courses: Vec<&Course> = courses.iter().filter(goes_there).collect();
        if courses.len() < LEAST {
            return None;
        }
        let began = courses.iter().filter_map(|c| c.record.asked).min()?;
        let seen: Vec<Seen> = courses.iter().flat_map(|c| seen(case, c, dependency)).collect();
        let last = seen.iter().map(|s| over(s.call)).max()?;
        let tick = tick_length(last.since(began));
        let ticks = ticks(&seen, began, tick);
        let most = |of: fn(&Tick) -> u64| ticks.iter().map(of).max().unwrap_or(0);
        let useful: u64 = ticks.iter().map(|t| t.useful).sum();
        let last_original = seen.iter().filter(|s| s.is_original).map(|s| s.call.at()).max();
        Some(Load {
            tick_ms: ms(tick),
            useful,
            wasted: (seen.len() as u64).saturating_sub(useful),
            overshoot_per_mille: (most(|t| t.calls) * 1000)
                .checked_div(most(|t| t.originals))
                .unwrap_or(0),
            drained_ms: last_original.map_or(0, |at| ms(last.since(at))),
            ticks,
        })
    }
}

fn seen<'a>(case: &Case, course: &Course<'a>, dependency: &Name) -> Vec<Seen<'a>> {
    let mut was_useful = false;
    let attempts = course.attempts.iter().enumerate();
    let here = attempts.filter(|(_, call)| call.head.point == *dependency);
    here.map(|(i, call)| {
        let is_useful = !was_useful && call.peer_left.is_none() && case.acknowledged(call);
        was_useful |= is_useful;
        Seen {
            call,
            is_original: i == 0,
            is_useful,
        }
    })
    .collect()
}

fn ticks(seen: &[Seen<'_>], began: Stamp, tick: Duration) -> Vec<Tick> {
    let place = |at: Stamp| (at.since(began).as_nanos() / tick.as_nanos().max(1)) as usize;
    let last = seen.iter().map(|s| place(over(s.call))).max().unwrap_or(0);
    let mut ticks = vec![Tick::default(); last + 1];
    for one in seen {
        let arrived = &mut ticks[place(one.call.at())];
        arrived.calls += 1;
        match one.is_original {
            true => arrived.originals += 1,
            false => arrived.retries += 1,
        }
        ticks[place(over(one.call))].useful += u64::from(one.is_useful);
    }
    ticks
}

/// When a call was over, for the dependency or for its client.
fn over(call: &Call) -> Stamp {
    let ends = [call.answer_ended, call.peer_left].into_iter().flatten();
    ends.max().unwrap_or_default().max(call.at())
}

fn tick_length(span: Duration) -> Duration {
    let lengths = LENGTHS_S.map(Duration::from_secs);
    let fits = |length: &Duration| span.as_nanos() / length.as_nanos() < MOST;
    // A trial may last a year; its ticks are then as long as it needs.
    let longer = || Duration::from_nanos(u64::try_from(span.as_nanos() / MOST + 1).unwrap_or(u64::MAX));
    lengths.into_iter().find(fits).unwrap_or_else(longer)
}

fn ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::TrialCounts;
    use crate::judge::evidence_builder::{Story, Written, answered};

    /// So many operations, all with an original at 0.2 s; the first fails and is repeated at 1.5 s, the second at 0.3 s.
    fn crowd(operations: u32) -> Option<Load> {
        let story = Story::of(vec![answered(503), answered(200).applied()]);
        let story = (1..operations).fold(story, |story, _| story.operation("GET", "/", "quota"));
        let story = (1..=operations).fold(story, |story, op| story.call_of(op, usize::from(op > 2), 200));
        let story = story.call_of(2, 1, 300).call_of(1, 1, 1500);
        let evidence = story.evidence();
        let mut counts = TrialCounts::of(&story.case(&evidence));
        counts.dependencies.remove("quota").and_then(|d| d.load)
    }

    #[test]
    fn a_few_operations_make_no_load() {
        assert_eq!(crowd(49), None);
    }

    #[test]
    fn what_came_and_what_was_of_use_is_told_tick_by_tick() {
        let load = crowd(50).expect("a load");
        let tick = |calls, originals, retries, useful| Tick {
            calls,
            originals,
            retries,
            useful,
        };
        assert_eq!(load.tick_ms, 1000);
        assert_eq!(load.ticks, [tick(51, 50, 1, 49), tick(1, 0, 1, 1)]);
        // 52 calls for 50 answers; 51 calls in the tick of 50 originals; the last call 1.3 s after the last original.
        assert_eq!(
            (load.useful, load.wasted, load.overshoot_per_mille),
            (50, 2, 1020)
        );
        assert!((1300..1400).contains(&load.drained_ms), "{}", load.drained_ms);
    }

    #[test]
    fn there_are_never_more_ticks_than_fit_into_a_line() {
        for (span_s, length_s) in [
            (0, 1),
            (59, 1),
            (60, 2),
            (119, 2),
            (120, 5),
            (3599, 60),
            (3600, 300),
        ] {
            let tick = tick_length(Duration::from_secs(span_s));
            assert_eq!(tick, Duration::from_secs(length_s), "{span_s}");
        }
        let years = Duration::from_secs(3 * 366 * 86_400);
        assert!(years.as_nanos() / tick_length(years).as_nanos() < MOST);
    }
}
