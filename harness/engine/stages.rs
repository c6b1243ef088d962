//! Which operations run beside which: groups of a trial, put into stages.

use std::time::Duration;

use crate::scenario::{OperationGroup, Start};
use crate::term::OperationId;

/// Operations that are played before the next stage begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Stage {
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
/// side by side.
pub(super) fn stages(groups: &[OperationGroup]) -> Vec<Stage> {
    let mut stages = Vec::new();
    for group in groups {
        if group.start == Start::InSequence {
            stages.push(Stage::InSequence(lanes(group)));
            continue;
        }
        let operations = group
            .ids()
            .zip(0u32..)
            .map(|(id, nth)| (id, moment(group.start, nth)));
        match stages.last_mut() {
            Some(Stage::SideBySide(beside)) => beside.extend(operations),
            Some(Stage::InSequence(_)) | None => stages.push(Stage::SideBySide(operations.collect())),
        }
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
            Stage::SideBySide(vec![
                (OperationId(1), at_once),
                (OperationId(2), Moment::InTrial(at)),
            ]),
            Stage::InSequence(vec![vec![OperationId(3), OperationId(4)]]),
            Stage::SideBySide(vec![(OperationId(5), at_once)]),
        ];
        assert_eq!(stages(&groups), expected);
    }

    #[test]
    fn the_operations_of_a_fleet_are_dealt_in_turn_and_each_client_has_a_sequence_of_its_own() {
        let fleet = OperationGroup {
            clients: 2,
            ..group(3, 4, Start::InSequence)
        };
        let lanes = [[3, 5], [4, 6]].map(|lane| lane.map(OperationId).to_vec());
        assert_eq!(stages(&[fleet]), [Stage::InSequence(lanes.to_vec())]);
    }

    #[test]
    fn a_rate_spreads_operations_evenly() {
        let [Stage::SideBySide(operations)] = &stages(&[group(1, 3, Start::PerSecond(4))])[..] else {
            panic!("one stage expected")
        };
        let expected = [0, 250, 500].map(|ms| Moment::InStage(Duration::from_millis(ms)));
        assert_eq!(operations.iter().map(|(_, m)| *m).collect::<Vec<_>>(), expected);
    }
}
