//! Delivered counts, multipliers and stop reasons of one trial.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::layers::{self, LayerCounts, Segment};
use super::load::Load;
use super::{Case, Course, FleetCounts};
use crate::evidence::{Call, EffectOutcome};
use crate::scenario::Dependency;
use crate::term::{KeyState, Role, StopReason};

/// What was counted in a trial.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TrialCounts {
    /// Operations asked of the client.
    pub operations: u64,
    /// How many ended for which reason.
    pub stop_reasons: BTreeMap<StopReason, u64>,
    /// Per dependency, by name.
    pub dependencies: BTreeMap<String, DependencyCounts>,
    /// Calls that belong to no operation, at dependencies and taps.
    pub side_calls: u64,
    /// Per layer of the client, from its entry down.
    #[serde(default)]
    pub layers: Vec<LayerCounts>,
    /// From each point to the next, where the client has layers.
    #[serde(default)]
    pub segments: Vec<Segment>,
    /// What several clients did together, or one that was started anew.
    #[serde(default)]
    pub fleet: Option<FleetCounts>,
}

/// What was counted at a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DependencyCounts {
    /// Calls that arrived for an operation, redirects followed excepted.
    pub calls: u64,
    /// Connections cut at accept, which carry no call.
    pub accept_cuts: u64,
    /// Effects applied.
    pub delivered: u64,
    /// Effects begun and not committed.
    pub begun: u64,
    /// Calls whose complete success answer was handed to the kernel.
    pub acknowledged: u64,
    /// Calls refused because of their key: 409 while it was in flight, 422 with other content.
    #[serde(default)]
    pub key_conflicts: u64,
    /// Operations that may go to it.
    pub operations: u64,
    /// Calls for each thousand operations.
    pub multiplier_per_mille: u64,
    /// Its load over time, where many operations may go to it.
    #[serde(default)]
    pub load: Option<Load>,
}

impl TrialCounts {
    /// Counts what a case's evidence holds. Pure observation: nothing here depends on what the client promises.
    pub fn of(case: &Case) -> Self {
        let courses = case.courses();
        let mut counts = TrialCounts {
            operations: courses.len() as u64,
            ..TrialCounts::default()
        };
        for course in &courses {
            let stop = course
                .outcome()
                .map_or(StopReason::Unreported, |(_, outcome)| outcome.stop);
            *counts.stop_reasons.entry(stop).or_default() += 1;
        }
        let side = |c: &&Call| is_side(c);
        let (calls, passed) = (&case.evidence.calls, &case.evidence.passed);
        counts.side_calls = calls.iter().chain(passed).filter(side).count() as u64;
        for dependency in &case.trial.dependencies {
            let count = DependencyCounts::of(case, &courses, dependency);
            counts.dependencies.insert(dependency.name.to_string(), count);
        }
        counts.layers = LayerCounts::all(case, counts.operations);
        counts.segments = layers::segments(case, &counts);
        counts.fleet = FleetCounts::of(case, &courses);
        counts
    }
}

impl DependencyCounts {
    fn of(case: &Case, courses: &[Course], dependency: &Dependency) -> Self {
        let here: Vec<&Call> = case
            .evidence
            .calls
            .iter()
            .filter(|c| c.head.point == dependency.name && !is_side(c))
            .collect();
        let count = |wanted: &dyn Fn(&Call) -> bool| here.iter().filter(|c| wanted(c)).count() as u64;
        let calls = count(&Call::is_attempt);
        let operations = courses
            .iter()
            .filter(|c| c.planned.request().to.contains(&dependency.name))
            .count() as u64;
        let begun = |c: &Call| matches!(c.effect, Some((_, EffectOutcome::Begun)));
        let cuts = case
            .evidence
            .accept_cuts
            .iter()
            .filter(|cut| cut.point == dependency.name);
        DependencyCounts {
            calls,
            accept_cuts: cuts.count() as u64,
            delivered: count(&Call::delivered),
            begun: count(&begun),
            acknowledged: count(&|c| c.complete && case.means_success(c)),
            key_conflicts: count(&|c| conflicts(case, c)),
            operations,
            multiplier_per_mille: (calls * 1000).checked_div(operations).unwrap_or(0),
            load: Load::of(case, courses, &dependency.name),
        }
    }
}

/// Whether a call belongs to no operation: such calls are listed, and nothing of them is counted (CONTRACTS rule 16).
fn is_side(call: &Call) -> bool {
    call.head.role == Role::Side || call.head.op.is_none()
}

fn conflicts(case: &Case, call: &Call) -> bool {
    case.refused_while_in_flight(call)
        || (case.refused_for_its_key(call) && call.key != Some(KeyState::Missing))
}
