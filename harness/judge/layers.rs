//! A client of several layers: which call set off which, and between which points calls were multiplied.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Case;
use super::counts::{DependencyCounts, TrialCounts};
use crate::evidence::{Attribution, Call, Layer};
use crate::scenario::Dependency;
use crate::term::{CallId, LayerRole, Name, OperationId, Role};

/// What was counted at the tap before a layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LayerCounts {
    /// The layer.
    pub name: String,
    /// What it is to what passes through it.
    pub role: LayerRole,
    /// Calls that arrived for an operation.
    pub calls: u64,
    /// Calls whose complete success answer passed back.
    pub acknowledged: u64,
    /// Calls for each thousand operations.
    pub multiplier_per_mille: u64,
}

/// The way from one point where calls can be counted to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    /// The point above; `None` is the caller, whose operations count once each.
    pub from: Option<String>,
    /// The point below.
    pub to: String,
    /// Calls at the point above that may lead here, or operations.
    pub above: u64,
    /// Calls at the point below.
    pub calls: u64,
    /// Those of them that carry no mark, and count because nothing else ran when they came.
    #[serde(default)]
    pub unmarked: u64,
    /// Calls at the point below that belong to no operation; they are not among `calls`.
    #[serde(default)]
    pub side_calls: u64,
    /// What tells the parts of a segment apart that has no socket within.
    pub split: Option<Split>,
}

/// A healthy dependency beside the point below: it shows how often all of the work above was done again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Split {
    /// The healthy dependency.
    pub by: String,
    /// Its calls.
    pub calls: u64,
}

impl Segment {
    /// Calls below for each thousand above.
    pub fn per_mille(&self) -> u64 {
        (self.calls * 1000).checked_div(self.above).unwrap_or(0)
    }

    /// Whether more went out than came in.
    pub fn multiplies(&self) -> bool {
        self.calls > self.above && self.above > 0
    }
}

impl<'a> Case<'a> {
    /// Whether the client is made of layers.
    pub fn is_layered(&self) -> bool {
        !self.evidence.layers.is_empty()
    }

    /// The calls that came to the points below a layer: the tap before the next, or the dependencies.
    pub fn below(&self, layer: usize) -> Vec<&'a Call> {
        let evidence = self.evidence;
        match evidence.layers.get(layer + 1) {
            Some(next) => at(&evidence.passed, &next.name),
            None => evidence.calls.iter().collect(),
        }
    }

    /// The calls that came to a layer.
    pub fn passed(&self, layer: &Layer) -> Vec<&'a Call> {
        at(&self.evidence.passed, &layer.name)
    }
}

fn at<'a>(calls: &'a [Call], point: &Name) -> Vec<&'a Call> {
    calls.iter().filter(|c| c.head.point == *point).collect()
}

/// The calls below that one call above set off, for each such call above, in order.
pub fn set_off<'a>(above: Vec<&'a Call>, below: Vec<&'a Call>) -> Vec<Vec<&'a Call>> {
    let mut above_of: BTreeMap<OperationId, Vec<&Call>> = BTreeMap::new();
    for call in above {
        if let Some(op) = call.head.op {
            above_of.entry(op).or_default().push(call);
        }
    }
    let mut set_off: BTreeMap<CallId, Vec<&Call>> = BTreeMap::new();
    for call in below {
        let above = call.head.op.and_then(|op| above_of.get(&op));
        if let Some(by) = above.and_then(|above| set_off_by(call, above)) {
            set_off.entry(by.id()).or_default().push(call);
        }
    }
    set_off.into_values().collect()
}

/// The only call among those above, of the same operation, during which a call came. `None`: there is none, or several,
/// and nobody can tell.
fn set_off_by<'a>(call: &Call, above: &[&'a Call]) -> Option<&'a Call> {
    let mut may_be = above.iter().copied().filter(|a| is_within(call, a));
    may_be.next().filter(|_| may_be.next().is_none())
}

fn is_within(call: &Call, above: &Call) -> bool {
    let ended = above.answer_ended.or(above.peer_left);
    above.at() <= call.at() && ended.is_none_or(|e| call.at() <= e)
}

impl LayerCounts {
    /// What was counted at each layer, from the entry down.
    pub fn all(case: &Case, operations: u64) -> Vec<LayerCounts> {
        let count = |layer: &Layer| {
            let calls: Vec<&Call> = case
                .passed(layer)
                .into_iter()
                .filter(|c| c.is_attempt())
                .collect();
            let n = calls.len() as u64;
            let good = |c: &&&Call| c.complete && c.status.is_some_and(|s| (200..400).contains(&s));
            LayerCounts {
                name: layer.name.to_string(),
                role: layer.role,
                calls: n,
                acknowledged: calls.iter().filter(good).count() as u64,
                multiplier_per_mille: (n * 1000).checked_div(operations).unwrap_or(0),
            }
        };
        case.evidence.layers.iter().map(count).collect()
    }
}

/// The segments from the caller down to each dependency, in the order of the scenario.
pub fn segments(case: &Case, counts: &TrialCounts) -> Vec<Segment> {
    let mut segments = Vec::new();
    let (mut from, mut above) = (None, counts.operations);
    for layer in &counts.layers {
        let (unmarked, side_calls) = apart(&case.evidence.passed, &layer.name);
        segments.push(Segment {
            from: from.replace(layer.name.clone()),
            to: layer.name.clone(),
            above: std::mem::replace(&mut above, layer.calls),
            calls: layer.calls,
            unmarked,
            side_calls,
            split: None,
        });
    }
    if counts.layers.is_empty() {
        return segments;
    }
    for dependency in &case.trial.dependencies {
        let Some(found) = counts.dependencies.get(&*dependency.name) else {
            continue;
        };
        // Operations that may not go there set off no calls there.
        let above = reaching(case, dependency);
        let (unmarked, side_calls) = apart(&case.evidence.calls, &dependency.name);
        segments.push(Segment {
            from: from.clone(),
            to: dependency.name.to_string(),
            above,
            calls: found.calls,
            unmarked,
            side_calls,
            split: split(case, counts, dependency, found),
        });
    }
    segments
}

/// Of the calls at a point: the attempts that are known only by nothing else running, and the calls of no operation.
fn apart(calls: &[Call], point: &str) -> (u64, u64) {
    let here = || calls.iter().filter(|c| *c.head.point == *point);
    let unmarked = |c: &&Call| c.is_attempt() && c.head.by == Attribution::Alone;
    let side = |c: &&Call| c.head.role == Role::Side || c.head.op.is_none();
    (
        here().filter(unmarked).count() as u64,
        here().filter(side).count() as u64,
    )
}

/// The calls at the lowest layer for operations that may go on to a dependency.
fn reaching(case: &Case, dependency: &Dependency) -> u64 {
    let lowest = case.evidence.layers.last();
    let calls = lowest.map(|layer| case.passed(layer)).unwrap_or_default();
    let may = |c: &&Call| {
        let planned = c.head.op.and_then(|op| case.trial.operation(op));
        c.is_attempt() && planned.is_some_and(|p| p.request().to.contains(&dependency.name))
    };
    calls.into_iter().filter(may).count() as u64
}

/// The healthy dependency whose count splits the segment to a faulty one: asked by the same operations, and called
/// often enough to tell.
fn split(case: &Case, counts: &TrialCounts, to: &Dependency, found: &DependencyCounts) -> Option<Split> {
    if to.healthy {
        return None;
    }
    let mut beside = case.trial.dependencies.iter().filter(|d| d.healthy);
    let same = |d: &&Dependency| {
        let asked = |name: &Name| {
            let planned = case.trial.planned().filter(|p| p.request().to.contains(name));
            planned.map(|p| p.id).collect::<Vec<_>>()
        };
        asked(&d.name) == asked(&to.name)
    };
    let healthy = beside.find(same)?;
    let calls = counts.dependencies.get(&*healthy.name)?.calls;
    let above = reaching(case, to);
    (above > 0 && above <= calls && calls <= found.calls && found.calls > above).then(|| Split {
        by: healthy.name.to_string(),
        calls,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Arrival, Fact};
    use crate::judge::evidence_builder::{Story, answered};
    use crate::judge::judge;
    use crate::term::{ConnId, Effect, Sha256, Stamp, StampedBy};

    /// What is counted on the way from the gateway `front` to the service `loan`, of calls there that are known so.
    fn counted(at_loan: &[Attribution]) -> (u64, u64, u64, u64) {
        let served = |point: &str, role| Fact::LayerServed {
            point: point.into(),
            role,
            base: String::new(),
        };
        let mut story = Story::of(vec![answered(200)])
            .and(served("loan", LayerRole::Service))
            .and(served("front", LayerRole::Gateway))
            .and(call(1, "front", Attribution::Trace));
        for (nth, by) in (2..).zip(at_loan) {
            story = story.and(call(nth, "loan", *by));
        }
        let evidence = story.evidence();
        let counts = judge(&story.case(&evidence)).counts;
        let to_loan = counts.segments.iter().find(|s| s.to == "loan").unwrap();
        let (calls, per_mille) = (to_loan.calls, to_loan.per_mille());
        (calls, to_loan.unmarked, to_loan.side_calls, per_mille)
    }

    fn call(nth: u32, point: &str, by: Attribution) -> Fact {
        let op = (by != Attribution::Nothing).then_some(OperationId(1));
        Fact::Arrived(Box::new(Arrival {
            call: CallId(nth),
            op,
            by,
            role: op.map_or(Role::Side, |_| Role::Attempt),
            point: point.into(),
            conn: ConnId(nth),
            nth_on_conn: 1,
            protocol: "HTTP/1.1".into(),
            method: "GET".into(),
            path: "/".into(),
            query: None,
            keys: Vec::new(),
            lacks: Vec::new(),
            head_sha256: Sha256::default(),
            at: Stamp::from_ms(u64::from(nth)),
            stamped_by: StampedBy::Program,
            turn: None,
            outage: None,
            overflow: false,
            queued_us: 0,
            effect: Effect::None,
        }))
    }

    use Attribution::{Alone, Nothing, Trace};

    #[test]
    fn health_checks_multiply_nothing_and_are_listed_apart() {
        assert_eq!(counted(&[Trace]), (1, 0, 0, 1000));
        assert_eq!(counted(&[Nothing, Trace, Nothing]), (1, 0, 2, 1000));
        // They came while the operation ran, and lack the mark that the gateway hands on.
        assert_eq!(counted(&[Alone, Trace, Alone]), (1, 0, 2, 1000));
        assert_eq!(counted(&[Alone, Trace, Trace]), (2, 0, 1, 2000));
    }

    #[test]
    fn where_no_mark_is_handed_on_what_cannot_be_told_apart_is_said_to_be_so() {
        assert_eq!(counted(&[Alone, Alone]), (2, 2, 0, 2000));
        assert_eq!(counted(&[Alone, Nothing]), (1, 1, 1, 1000));
    }
}
