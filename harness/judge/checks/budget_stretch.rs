//! The stretch of time in which retries went the furthest beyond what a budget allows, among all stretches.
//!
//! A retry counts in a stretch if it was surely decided in it, a payer if it may have paid in it. Time runs over the ends of
//! stretches, and a tree keeps the worst beginning for the end that is reached: so many steps as there are retries and
//! payers, times the tree's height.

use std::time::Duration;

use super::budget_beginnings::Beginnings;
use super::budget_moments::Between;
use crate::judge::tolerance::EARLY_TOLERANCE;
use crate::term::Stamp;

/// What a budget allows in any stretch, all in one unit of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Terms {
    /// What it holds at the beginning of a stretch at the most.
    pub kept: i64,
    /// What it holds when its process begins, and when that is; `None` where that is never less.
    pub first: Option<(i64, Stamp)>,
    /// What is refilled in time.
    pub refill: Option<Refill>,
    /// Longer stretches are not judged.
    pub longest: Option<Duration>,
    /// How long before a stretch a payer's share may have come that is spent in it.
    pub remembered: Duration,
}

/// So much for each `every`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refill {
    pub amount: i64,
    pub every: Duration,
}

/// What is taken, or may be paid, between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub when: Between,
    pub amount: i64,
}

/// A stretch in which more was taken than may have been there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Its beginning; `None` is that of the process.
    pub from: Option<Stamp>,
    pub until: Stamp,
    /// What was held at its beginning at the most, and what may have come in.
    pub held: i64,
    pub came: i64,
}

impl Stretch {
    /// Whether a retry was surely decided in it.
    pub fn has(&self, retry: &Entry) -> bool {
        self.from.is_none_or(|from| retry.when.from >= from) && retry.when.until <= self.until
    }
}

impl Refill {
    /// What is refilled until then, counted from the epoch, rounded down.
    fn until(self, at: Stamp) -> i64 {
        let nanos = u128::from(at.us()) * 1000;
        let amount = u128::try_from(self.amount).unwrap_or(0);
        let refilled = nanos.saturating_mul(amount) / self.every.as_nanos().max(1);
        i64::try_from(refilled).unwrap_or(i64::MAX).min(i64::MAX / 8)
    }

    /// What a stretch may have besides: a step of a timer at its very beginning, what rounding down took, and what an
    /// inexact clock adds.
    fn besides(self) -> i64 {
        let tolerated = Stamp::ZERO.plus(EARLY_TOLERANCE);
        self.amount
            .saturating_add(self.until(tolerated))
            .saturating_add(2)
    }
}

impl Terms {
    /// The worst stretch that breaks them, if one does: retries in any order, payers likewise.
    pub fn broken(&self, retries: &[Entry], payers: &[Entry]) -> Option<Stretch> {
        let mut ends: Vec<&Entry> = retries.iter().collect();
        ends.sort_by_key(|retry| retry.when.until);
        let mut paying: Vec<&Entry> = payers.iter().filter(|payer| payer.amount > 0).collect();
        paying.sort_by_key(|payer| payer.when.from);
        let mut beginnings = Beginnings::of(self, retries);
        let mut paying = paying.into_iter().peekable();
        let mut worst: Option<(i64, Option<Stamp>, Stamp)> = None;
        for retry in ends {
            let end = retry.when.until;
            beginnings.open_until(end);
            while let Some(payer) = paying.next_if(|payer| payer.when.from <= end) {
                beginnings.add(payer.when.until.plus(self.remembered), -payer.amount);
            }
            beginnings.add(retry.when.from, retry.amount);
            let Some((balance, from)) = beginnings.worst(end) else {
                continue;
            };
            let over = balance - self.refilled(end) - self.allowed();
            if over > worst.map_or(0, |(over, ..)| over) {
                worst = Some((over, from, end));
            }
        }
        let (_, from, until) = worst?;
        Some(self.stretch(from, until, payers))
    }

    /// What is refilled until then, counted from the epoch.
    pub fn refilled(&self, at: Stamp) -> i64 {
        self.refill.map_or(0, |refill| refill.until(at))
    }

    fn allowed(&self) -> i64 {
        let besides = self.refill.map_or(0, Refill::besides);
        self.kept.saturating_add(besides).min(i64::MAX / 4)
    }

    fn stretch(&self, from: Option<Stamp>, until: Stamp, payers: &[Entry]) -> Stretch {
        let since = from.or(self.first.map(|(_, begun)| begun)).unwrap_or_default();
        let besides = self.refill.map_or(0, Refill::besides);
        let may_pay = |payer: &&Entry| {
            payer.when.from <= until && from.is_none_or(|from| payer.when.until.plus(self.remembered) >= from)
        };
        let paid = payers.iter().filter(may_pay).map(|payer| payer.amount);
        Stretch {
            from,
            until,
            held: match (from, self.first) {
                (None, Some((first, _))) => first,
                _ => self.kept,
            },
            came: paid.sum::<i64>() + self.refilled(until) - self.refilled(since) + besides,
        }
    }
}

#[cfg(test)]
#[path = "budget_stretch_tests.rs"]
mod tests;
