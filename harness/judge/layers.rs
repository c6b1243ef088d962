//! A client of several layers: which call set off which, and between which points calls were multiplied.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Case;
use super::counts::{DependencyCounts, TrialCounts};
use crate::evidence::{Call, Layer};
use crate::scenario::Dependency;
use crate::term::{CallId, LayerRole, Name, OperationId};

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
        segments.push(Segment {
            from: from.replace(layer.name.clone()),
            to: layer.name.clone(),
            above: std::mem::replace(&mut above, layer.calls),
            calls: layer.calls,
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
        segments.push(Segment {
            from: from.clone(),
            to: dependency.name.to_string(),
            above,
            calls: found.calls,
            split: split(case, counts, dependency, found),
        });
    }
    segments
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
