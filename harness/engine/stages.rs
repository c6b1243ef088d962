//! Which operations run beside which: groups of a trial, put into stages.

use std::time::Duration;

use crate::scenario::{OperationGroup, Start};
use crate::term::OperationId;

/// Operations that are played before the next stage begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Stage {
    /// How many clients, from the first, are started anew before.
    pub(super) restarts: u32,
    pub(super) operations: Operations,
}

/// How the operations of a stage are played.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Operations {
    /// One after another, those of each client by themselves.
    InSequence(Vec<Vec<OperationId>>),
    /// Side by side.
    SideBySide(Vec<(OperationId, Moment)>),
}

/// When an operation of a stage is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// So long after its stage began.
    InStage(Duration),
    /// So long after the trial's start.
    InTrial(Duration),
}

/// The stages of a trial, in order. A group `in_sequence` is a stage of its own; its neighbours of the other kinds run
/// side by side. A group before which clients are started anew begins a stage: nothing may run meanwhile.
pub(super) fn stages(groups: &[OperationGroup]) -> Vec<Stage> {
    let mut stages: Vec<Stage> = Vec::new();
    for group in groups {
        let moments = || (group.ids().zip(0u32..)).map(|(id, nth)| (id, moment(group.start, nth)));
        let before = stages.last_mut().map(|stage| &mut stage.operations);
        let operations = match (group.start, before) {
            (Start::InSequence, _) => Operations::InSequence(lanes(group)),
            (_, Some(Operations::SideBySide(beside))) if group.restarts == 0 => {
                beside.extend(moments());
                continue;
            }
            _ => Operations::SideBySide(moments().collect()),
        };
        let restarts = group.restarts;
        stages.push(Stage { restarts, operations });
    }
    stages
}

/// The operations of a group, by the client to which they fall.
fn lanes(group: &OperationGroup) -> Vec<Vec<OperationId>> {
    let of = |client| group.ids().filter(|id| group.client_of(*id) == client).collect();
    (1..=group.clients.max(1)).map(of).collect()
}

/// When the `nth` operation of a group is handed over, from 0.
fn moment(start: Start, nth: u32) -> Moment {
    match start {
        Start::InSequence | Start::AtOnce => Moment::InStage(Duration::ZERO),
        Start::PerSecond(rate) => {
            let us = u64::from(nth) * 1_000_000 / u64::from(rate.max(1));
            Moment::InStage(Duration::from_micros(us))
        }
        Start::At(after) => Moment::InTrial(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::RequestPlan;

    fn group(first: u32, count: u32, start: Start) -> OperationGroup {
        OperationGroup {
            first: OperationId(first),
            count,
            start,
            clients: 1,
            restarts: 0,
            deadline: None,
            cancel_after: None,
            request: RequestPlan {
                method: "GET".into(),
                to: vec!["a".into()],
                path: "/".into(),
                key: None,
                body: None,
                headers: Vec::new(),
                stream: false,
            },
            span: Default::default(),
        }
    }

    fn at_rest(operations: Operations) -> Stage {
        Stage {
            restarts: 0,
            operations,
        }
    }

    #[test]
    fn a_sequence_parts_the_groups_before_it_from_those_after() {
        let at = Duration::from_millis(700);
        let groups = [
            group(1, 1, Start::AtOnce),
            group(2, 1, Start::At(at)),
            group(3, 2, Start::InSequence),
            group(5, 1, Start::AtOnce),
        ];
        let at_once = Moment::InStage(Duration::ZERO);
        let expected = [
            Operations::SideBySide(vec![
                (OperationId(1), at_once),
                (OperationId(2), Moment::InTrial(at)),
            ]),
            Operations::InSequence(vec![vec![OperationId(3), OperationId(4)]]),
            Operations::SideBySide(vec![(OperationId(5), at_once)]),
        ];
        assert_eq!(stages(&groups), expected.map(at_rest));
    }

    #[test]
    fn the_operations_of_a_fleet_are_dealt_in_turn_and_each_client_has_a_sequence_of_its_own() {
        let fleet = OperationGroup {
            clients: 2,
            ..group(3, 4, Start::InSequence)
        };
        let lanes = [[3, 5], [4, 6]].map(|lane| lane.map(OperationId).to_vec());
        assert_eq!(
            stages(&[fleet]),
            [at_rest(Operations::InSequence(lanes.to_vec()))]
        );
    }

    #[test]
    fn clients_are_started_anew_between_stages_only() {
        let anew = OperationGroup {
            restarts: 1,
            ..group(2, 1, Start::AtOnce)
        };
        let groups = [group(1, 1, Start::AtOnce), anew, group(3, 1, Start::AtOnce)];
        let at_once = |ops: &[u32]| {
            let op = |op: &u32| (OperationId(*op), Moment::InStage(Duration::ZERO));
            Operations::SideBySide(ops.iter().map(op).collect())
        };
        let second = Stage {
            restarts: 1,
            operations: at_once(&[2, 3]),
        };
        assert_eq!(stages(&groups), [at_rest(at_once(&[1])), second]);
    }

    #[test]
    fn a_rate_spreads_operations_evenly() {
        let moments = [0, 250, 500].map(|ms| Moment::InStage(Duration::from_millis(ms)));
        let operations = (1..).map(OperationId).zip(moments).collect();
        let expected = [at_rest(Operations::SideBySide(operations))];
        assert_eq!(stages(&[group(1, 3, Start::PerSecond(4))]), expected);
    }
}
