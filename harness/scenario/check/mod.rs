//! From what is written to what it means: raw types in, the model out, every problem collected on the way.
//!
//! A value that is wrong is reported and replaced by a harmless one, so that the reading goes on; the trial is handed
//! out only if nothing was reported.

mod answer;
mod bound;
mod cut;
mod dependency;
mod early;
mod expect;
mod given;
mod head;
mod headers;
mod keyed;
mod operation;
mod outage;
mod pushback;
mod script;
mod turn;
mod vary;
mod when;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::{OperationGroup, Trial, raw};
use crate::source::{Problems, Span};
use crate::term::Name;

pub(super) use given::Policy;
pub(super) use head::{head, version};
pub(super) use vary::{Choice, Uses, choices, unused};

/// The reading of one trial.
pub(super) struct Check<'a> {
    /// Where problems go.
    pub problems: &'a Problems,
    /// What `varied` stands for in this trial.
    pub choice: Choice<'a>,
    /// Where `varied` was met.
    pub uses: &'a Uses,
    /// The file.
    pub raw: &'a raw::Scenario,
    /// The names of its dependencies.
    pub declared: &'a BTreeSet<&'a str>,
}

impl Check<'_> {
    /// The trial.
    pub fn trial(&self, name: &str) -> Trial {
        let raw = self.raw;
        let operations = self.operations();
        Trial {
            id: self.choice.id(name),
            scenario: name.to_owned(),
            title: raw.title.value.clone(),
            cites: raw.cites.iter().map(|c| c.value.clone()).collect(),
            tags: raw.tags.iter().map(|t| t.value.clone()).collect(),
            needs: head::needs(raw),
            zone: self.choice.zone.map(|z| z.value.clone()),
            given: raw.given.as_ref().map(|g| {
                Policy {
                    problems: self.problems,
                }
                .given(g)
            }),
            dependencies: self.dependencies(&operations),
            operations,
            watch: raw.watch.as_ref().map(|w| self.problems.duration(w)),
            expect: self.expect(&raw.expect),
            source: Arc::clone(self.problems.source()),
        }
    }

    /// Reports a name that is not a dependency's, unless it is one.
    fn known_dependency(&self, name: &str, span: Span) {
        if self.declared.contains(name) {
            return;
        }
        let declared = &self.raw.dependencies.value;
        let near = self.problems.nearest(name, declared.names());
        let mut problem = self
            .problems
            .at(span, format!("there is no dependency `{name}`"))
            .labelled("not declared under `dependencies`")
            .instead(near);
        let place = |near| declared.iter().find(|(key, _)| key.value == near);
        if let Some((key, _)) = near.and_then(place) {
            problem = problem.beside(key.span, "declared here");
        }
        self.problems.add(problem);
    }
}

/// What the operations send to a dependency.
#[derive(Debug, Clone, Copy, Default)]
struct Sent {
    /// The longest body, in bytes; `None` where none is sent.
    longest_body: Option<u64>,
}

/// What is sent to each dependency to which anything is.
fn sent(operations: &[OperationGroup]) -> BTreeMap<Name, Sent> {
    let mut sent = BTreeMap::<Name, Sent>::new();
    for group in operations {
        let body = group.request.body.as_ref().map(super::RequestBody::len);
        for name in &group.request.to {
            let there = sent.entry(name.clone()).or_default();
            there.longest_body = there.longest_body.max(body);
        }
    }
    sent
}
