//! How much came to a dependency in one tick at the most: as it was seen, and as it surely was.

use std::collections::BTreeMap;
use std::time::Duration;

use super::tolerance::LAG_LIMIT;
use super::{Case, Course};
use crate::evidence::Call;
use crate::term::{Name, Stamp};

/// An attempt at a dependency, and how far from the truth its moment may be.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The call.
    pub call: &'a Call,
    /// Whether it is not the first of its operation.
    pub is_retry: bool,
    /// How much sooner or later it would have come on a machine that keeps nobody waiting.
    off: Duration,
}

/// The most that came in one tick.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Peak {
    /// The tick in which the most was seen, from 0; the first of several.
    pub tick: u64,
    /// What was seen in it.
    pub seen: u64,
    /// The most that some tick surely had.
    pub least: u64,
    /// The most that some tick may have had.
    pub most: u64,
}

/// When ticks begin: with the first call of the trial, so that no start of a client counts.
pub fn origin(courses: &[Course]) -> Option<Stamp> {
    let first = courses.iter().filter_map(|c| c.attempts.first());
    first.map(|call| call.at()).min()
}

/// The attempts at a dependency.
pub fn seen<'a>(case: &Case, courses: &[Course<'a>], dependency: &Name) -> Vec<Seen<'a>> {
    let off = off_by(case);
    let of = |course: &Course<'a>| {
        let attempts = course.attempts.clone().into_iter().zip(0_u32..);
        let here = attempts.filter(|(call, _)| call.head.point == *dependency);
        let seen = here.map(|(call, nth)| Seen {
            call,
            is_retry: nth > 0,
            // The first call of the trial, each exchange before this call, and the call itself.
            off: off.saturating_mul(nth.saturating_add(2)),
        });
        seen.collect::<Vec<_>>()
    };
    courses.iter().flat_map(of).collect()
}

/// By how much the machine may have delayed each step of a client. Where it is later, no count accuses anybody; where the
/// probe was never late at all, time stood still between events, and each stamp is the moment itself.
fn off_by(case: &Case) -> Duration {
    match case.evidence.worst_lag_us {
        0 => Duration::ZERO,
        _ => LAG_LIMIT,
    }
}

impl Peak {
    /// The peak of what was seen, in ticks of this length from `origin` on.
    pub fn of(seen: &[Seen<'_>], origin: Stamp, every: Duration) -> Peak {
        let tick = |at: Stamp| number(at, origin, every);
        let (mut ticks, mut may) = (BTreeMap::<u64, (u64, u64)>::new(), BTreeMap::<u64, i64>::new());
        for one in seen {
            let at = one.call.at();
            let (from, to) = (tick(at.minus(one.off)), tick(at.plus(one.off)));
            let counts = ticks.entry(tick(at)).or_default();
            counts.0 += 1;
            counts.1 += u64::from(from == to);
            *may.entry(from).or_default() += 1;
            *may.entry(to.saturating_add(1)).or_default() -= 1;
        }
        let sums = may.values().scan(0_i64, |sum, change| {
            *sum += change;
            Some(*sum)
        });
        let (tick, seen) = ticks
            .iter()
            .fold((0, 0), |best, (tick, (n, _))| match *n > best.1 {
                true => (*tick, *n),
                false => best,
            });
        Peak {
            tick,
            seen,
            least: ticks.values().map(|(_, sure)| *sure).max().unwrap_or(0),
            most: sums.max().and_then(|n| u64::try_from(n).ok()).unwrap_or(0),
        }
    }
}

/// Which tick a moment lies in, from 0.
pub fn number(at: Stamp, origin: Stamp, every: Duration) -> u64 {
    let ticks = at.since(origin).as_nanos() / every.as_nanos().max(1);
    u64::try_from(ticks).unwrap_or(u64::MAX)
}
