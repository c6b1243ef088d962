//! The gate in time: when a dependency is not there, and how.

use std::sync::Arc;
use std::time::Duration;

use crate::scenario::{Dependency, Down, Outage};

/// What becomes of a request for a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GateIs {
    /// It is accepted.
    #[default]
    Open,
    /// It is refused.
    Refusing,
    /// It is not answered.
    BlackHole,
}

/// The outages of a dependency. Times count from the moment the first operation was handed over.
#[derive(Debug, Clone)]
pub struct Outages {
    dependency: Arc<Dependency>,
}

impl Outages {
    /// The outages of this dependency.
    pub fn of(dependency: Arc<Dependency>) -> Self {
        Outages { dependency }
    }

    /// What becomes of a request for a connection at this time: the first outage that holds and is of that kind
    /// decides.
    pub fn gate(&self, at: Duration) -> GateIs {
        let outer = self.holding(at).find_map(|(_, o)| outer(&o.be));
        outer.unwrap_or_default()
    }

    /// The next time after `at` at which an outage begins or ends; `None` if none does.
    pub fn next_change(&self, at: Duration) -> Option<Duration> {
        self.dependency
            .outages
            .iter()
            .filter_map(|o| next_edge(o, at))
            .min()
    }

    /// The first outage that holds, from 0. One that keeps connections out goes before the others: it is the outer gate.
    pub(super) fn first(&self, at: Duration) -> Option<u32> {
        let outer = self.holding(at).find(|(_, o)| outer(&o.be).is_some());
        outer.or_else(|| self.holding(at).next()).map(|(i, _)| i)
    }

    fn holding(&self, at: Duration) -> impl Iterator<Item = (u32, &Outage)> {
        (0..)
            .zip(&self.dependency.outages)
            .filter(move |(_, o)| o.holds(at))
    }
}

/// What the gate is in an outage of this kind; `None` where it is open.
fn outer(be: &Down) -> Option<GateIs> {
    match be {
        Down::Refused => Some(GateIs::Refusing),
        Down::BlackHole => Some(GateIs::BlackHole),
        Down::Hang | Down::Answer(_) => None,
    }
}

fn next_edge(outage: &Outage, at: Duration) -> Option<Duration> {
    let edges = [Some(outage.from), outage.until];
    edges
        .into_iter()
        .flatten()
        .filter_map(|edge| next_round(edge, outage.every, at))
        .min()
}

/// The first of `edge`, `edge + every`, `edge + 2 every`, ... that is later than `at`.
fn next_round(edge: Duration, every: Option<Duration>, at: Duration) -> Option<Duration> {
    let Some(past) = at.checked_sub(edge) else {
        return Some(edge);
    };
    let every = every.filter(|every| !every.is_zero())?;
    let into_round = past.as_nanos() % every.as_nanos();
    let into_round = Duration::from_nanos(u64::try_from(into_round).ok()?);
    at.checked_add(every - into_round)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    fn outage(from: u64, until: Option<u64>, every: Option<u64>) -> Outage {
        Outage {
            from: s(from),
            until: until.map(s),
            every: every.map(s),
            be: Down::Refused,
            span: Default::default(),
        }
    }

    #[test]
    fn the_edges_of_an_outage_come_in_order_and_then_no_more() {
        let once = outage(2, Some(5), None);
        assert_eq!(next_edge(&once, s(0)), Some(s(2)));
        assert_eq!(next_edge(&once, s(2)), Some(s(5)));
        assert_eq!(next_edge(&once, s(5)), None);
        assert_eq!(next_edge(&outage(0, None, None), s(0)), None);
    }

    #[test]
    fn the_edges_of_a_repeated_outage_never_end() {
        let repeated = outage(1, Some(3), Some(10));
        assert_eq!(next_edge(&repeated, s(1)), Some(s(3)));
        assert_eq!(next_edge(&repeated, s(3)), Some(s(11)));
        assert_eq!(next_edge(&repeated, s(12)), Some(s(13)));
    }

    #[test]
    fn the_state_changes_exactly_at_the_edges() {
        let repeated = outage(1, Some(3), Some(10));
        let mut at = s(0);
        let mut states = vec![];
        for _ in 0..4 {
            at = next_edge(&repeated, at).expect("it repeats");
            states.push((
                at,
                repeated.holds(at),
                repeated.holds(at - Duration::from_nanos(1)),
            ));
        }
        let expected = [
            (s(1), true, false),
            (s(3), false, true),
            (s(11), true, false),
            (s(13), false, true),
        ];
        assert_eq!(states, expected);
    }
}
