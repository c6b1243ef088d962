//! The moments at which a stretch of time may begin, and a tree over them that knows the worst.

use super::budget_stretch::{Entry, Terms};
use crate::term::Stamp;

/// Less than any balance, and far enough from the end of the numbers to be added to.
const NONE: i64 = i64::MIN / 4;

/// The moments at which a stretch may begin, in order, and what was taken since each.
pub(super) struct Beginnings<'t> {
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
    pub fn of(terms: &'t Terms, retries: &[Entry]) -> Self {
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
    pub fn open_until(&mut self, end: Stamp) {
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
    pub fn add(&mut self, last: Stamp, amount: i64) {
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
    pub fn worst(&mut self, end: Stamp) -> Option<(i64, Option<Stamp>)> {
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
