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

use std::sync::Arc;

use super::{OperationGroup, Trial, raw};
use crate::source::{Problems, Span, nearest};
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
        let declared = &self.raw.dependencies.value;
        if declared.names().any(|n| n == name) {
            return;
        }
        let near = nearest(name, declared.names());
        let mut problem = self
            .problems
            .at(span, format!("there is no dependency `{name}`"))
            .labelled("not declared under `dependencies`")
            .instead(near);
        let place = declared.iter().find(|(key, _)| Some(key.value.as_str()) == near);
        if let Some((key, _)) = place {
            problem = problem.beside(key.span, "declared here");
        }
        self.problems.add(problem);
    }
}

/// What the operations send to a dependency.
#[derive(Debug, Clone, Copy)]
struct Sent {
    /// The longest body, in bytes; `None` where none is sent.
    longest_body: Option<u64>,
}

impl Sent {
    fn to(name: &Name, operations: &[OperationGroup]) -> Self {
        let longest_body = operations
            .iter()
            .filter(|g| g.request.to.contains(name))
            .filter_map(|g| g.request.body.as_ref())
            .map(super::RequestBody::len)
            .max();
        Sent { longest_body }
    }
}
