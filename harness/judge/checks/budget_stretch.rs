//! The stretch of time in which retries went the furthest beyond what a budget allows, among all stretches.
//!
//! A retry counts in a stretch if it was surely decided in it, a payer if it may have paid in it. Time runs over the ends of
//! stretches, and a tree keeps the worst beginning for the end that is reached: so many steps as there are retries and
//! payers, times the tree's height.

use std::time::Duration;

use super::budget_moments::Between;
use crate::judge::tolerance::EARLY_TOLERANCE;
use crate::term::Stamp;

/// Less than any balance, and far enough from the end of the numbers to be added to.
const NONE: i64 = i64::MIN / 4;

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

    fn refilled(&self, at: Stamp) -> i64 {
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

/// The moments at which a stretch may begin, in order, and what was taken since each.
struct Beginnings<'t> {
    terms: &'t Terms,
    at: Vec<Option<Stamp>>,
    /// Of these, so many have come, and so many lie too far back.
    open: usize,
    closed: usize,
    /// A tree over them: the root is the first node, and the children of `n` are `2n` and `2n + 1`.
    nodes: Vec<Node>,
    leaves: usize,
}

/// What came for some beginnings next to each other.
#[derive(Clone, Copy)]
struct Node {
    /// What came for them in all.
    sum: i64,
    /// The most that was taken since one of them, as far as it came for them, and which one it is.
    worst: i64,
    which: usize,
}

impl<'t> Beginnings<'t> {
    fn of(terms: &'t Terms, retries: &[Entry]) -> Self {
        let mut at: Vec<Option<Stamp>> = retries.iter().map(|retry| Some(retry.when.from)).collect();
        at.extend(terms.first.map(|_| None));
        at.sort_unstable();
        at.dedup();
        let leaves = at.len().next_power_of_two();
        let nothing = Node {
            sum: 0,
            worst: NONE,
            which: 0,
        };
        Beginnings {
            terms,
            at,
            open: 0,
            closed: 0,
            nodes: vec![nothing; 2 * leaves],
            leaves,
        }
    }

    /// What a stretch that begins there is credited with, so that all are measured by the same sum.
    fn base(&self, which: usize) -> i64 {
        match (self.at.get(which).copied().flatten(), self.terms.first) {
            (None, Some((first, begun))) => {
                self.terms.refilled(begun) + self.terms.kept.saturating_sub(first)
            }
            (at, _) => self.terms.refilled(at.unwrap_or_default()),
        }
    }

    /// Stretches that end at `end` begin no later than that.
    fn open_until(&mut self, end: Stamp) {
        while self
            .at
            .get(self.open)
            .is_some_and(|at| at.is_none_or(|at| at <= end))
        {
            let (which, base) = (self.open, self.base(self.open));
            self.change(which, |leaf, _| leaf.worst = base.saturating_add(leaf.sum));
            self.open += 1;
        }
    }

    /// Something that stretches have in them which begin at `last` at the latest.
    fn add(&mut self, last: Stamp, amount: i64) {
        let come = self.at.partition_point(|at| at.is_none_or(|at| at <= last));
        if let Some(which) = come.checked_sub(1) {
            self.change(which, |leaf, is_open| {
                leaf.sum = leaf.sum.saturating_add(amount);
                if is_open {
                    leaf.worst = leaf.worst.saturating_add(amount);
                }
            });
        }
    }

    /// The most that was taken in a stretch that ends at `end`, and its beginning.
    fn worst(&mut self, end: Stamp) -> Option<(i64, Option<Stamp>)> {
        if let Some(longest) = self.terms.longest {
            let too_far = |at: &Option<Stamp>| at.is_none_or(|at| end.since(at) > longest);
            while self.closed < self.open && self.at.get(self.closed).is_some_and(too_far) {
                self.change(self.closed, |leaf, _| leaf.worst = NONE);
                self.closed += 1;
            }
        }
        let root = self.nodes.get(1)?;
        (root.worst > NONE / 2).then(|| (root.worst, self.at.get(root.which).copied().flatten()))
    }

    fn change(&mut self, which: usize, by: impl FnOnce(&mut Node, bool)) {
        let is_open = (self.closed..self.open).contains(&which);
        let mut at = self.leaves + which;
        if let Some(leaf) = self.nodes.get_mut(at) {
            leaf.which = which;
            by(leaf, is_open);
        }
        while at > 1 {
            at /= 2;
            let (Some(left), Some(right)) = (self.nodes.get(2 * at), self.nodes.get(2 * at + 1)) else {
                return;
            };
            let joined = left.before(right);
            if let Some(node) = self.nodes.get_mut(at) {
                *node = joined;
            }
        }
    }
}

impl Node {
    /// These beginnings and later ones together. Of two stretches as bad, the shorter is shown.
    fn before(&self, later: &Node) -> Node {
        let since_here = self.worst.saturating_add(later.sum);
        let (worst, which) = match later.worst >= since_here {
            true => (later.worst, later.which),
            false => (since_here, self.which),
        };
        Node {
            sum: self.sum.saturating_add(later.sum),
            worst,
            which,
        }
    }
}
