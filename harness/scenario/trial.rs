//! One scenario with everything it varies filled in: what the engine plays and the judge knows.

use std::sync::Arc;
use std::time::Duration;

use super::{Dependency, Expect, Need, OperationGroup, RequestPlan};
use crate::promise::Given;
use crate::source::Source;
use crate::term::{Name, OperationId};

/// One trial's plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Trial {
    /// `dates[503,Asia/Tokyo]`: the scenario and what was varied.
    pub id: String,
    /// The scenario: its file's name without the ending.
    pub scenario: String,
    /// One sentence.
    pub title: String,
    /// Keys of the citations (see `spec`).
    pub cites: Vec<String>,
    /// Words by which scenarios are selected.
    pub tags: Vec<String>,
    /// What it needs of a client.
    pub needs: Vec<Need>,
    /// The time zone the client runs in, an IANA name.
    pub zone: Option<String>,
    /// The policy handed to a client that takes one.
    pub given: Option<Given>,
    /// The dependencies, in the order of the file.
    pub dependencies: Vec<Dependency>,
    /// The operations, in the order of the file.
    pub operations: Vec<OperationGroup>,
    /// For how long calls are watched for after the last result.
    pub watch: Option<Duration>,
    /// What the author expects.
    pub expect: Expect,
    /// The file.
    pub source: Arc<Source>,
}

/// One operation of a trial.
#[derive(Debug, Clone, Copy)]
pub struct Planned<'a> {
    /// Its id.
    pub id: OperationId,
    /// Its group.
    pub group: &'a OperationGroup,
}

impl<'a> Planned<'a> {
    /// What it asks for.
    pub fn request(&self) -> &'a RequestPlan {
        &self.group.request
    }
}

impl Trial {
    /// The same trial with this policy handed over. What is expected of its own policy is asked under no other.
    #[must_use]
    pub fn under(mut self, given: Given) -> Self {
        if self.given.as_ref() != Some(&given) {
            self.expect.given = None;
        }
        self.given = Some(given);
        self
    }

    /// Every operation, in order of id.
    pub fn planned(&self) -> impl Iterator<Item = Planned<'_>> {
        self.operations
            .iter()
            .flat_map(|group| group.ids().map(move |id| Planned { id, group }))
    }

    /// The operation with this id.
    pub fn operation(&self, id: OperationId) -> Option<Planned<'_>> {
        self.operations
            .iter()
            .find(|g| id >= g.first && id.0 < g.first.0 + g.count)
            .map(|group| Planned { id, group })
    }

    /// How many operations may go to a dependency.
    pub fn operations_at(&self, dependency: &str) -> u32 {
        let goes_there = |g: &&OperationGroup| g.request.to.iter().any(|name| &**name == dependency);
        let groups = self.operations.iter().filter(goes_there);
        groups.fold(0, |sum, group| sum.saturating_add(group.count))
    }

    /// The dependency with this name.
    pub fn dependency(&self, name: &str) -> Option<&Dependency> {
        self.dependencies.iter().find(|d| &*d.name == name)
    }

    /// How many clients it takes: as many as its largest fleet, at least one. A smaller group falls to the first of them.
    pub fn clients(&self) -> u32 {
        let groups = self.operations.iter().map(|group| group.clients);
        groups.max().unwrap_or(1).max(1)
    }

    /// The longest wait that its script imposes or asks for, as far as a trial may have to wait for it.
    pub fn longest_wait(&self) -> Duration {
        let of_turns = self.dependencies.iter().flat_map(|d| {
            let queue = d.longest_queue(self.operations_at(&d.name));
            let turns = d.turns.iter();
            turns.map(move |turn| (queue.saturating_add(turn.takes), turn.answer.as_ref()))
        });
        let at_gates = self.dependencies.iter().flat_map(Dependency::answers_at_gates);
        of_turns
            .chain(at_gates.map(|answer| (Duration::ZERO, Some(answer))))
            .map(|(takes, answer)| {
                let asked = match answer.and_then(|a| a.retry_after.as_ref()).map(|p| p.asks()) {
                    Some(super::Asked::Wait(d)) => d,
                    _ => Duration::ZERO,
                };
                (takes + answer.map_or(Duration::ZERO, |a| a.after)).max(asked)
            })
            .max()
            .unwrap_or_default()
    }

    /// The names of its dependencies, in order.
    pub fn dependency_names(&self) -> impl Iterator<Item = &Name> {
        self.dependencies.iter().map(|d| &d.name)
    }
}
