//! Known findings: what a client's file lists so that it does not fail a run, and so that it cannot rot.

use serde::{Deserialize, Serialize};

use crate::source::Span;

/// A known finding, or a known inconclusive trial.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedEntry {
    /// What it matches.
    pub matches: ExpectedMatch,
    /// Why it is known.
    pub because: String,
    /// Where it is discussed.
    pub see: Option<String>,
    /// Where it is written.
    pub span: Span,
    /// The same for people: `client.yaml:12`.
    pub place: String,
}

/// What an entry of `expected` matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExpectedMatch {
    /// A `warn` or `fail` finding of this check, in this scenario or trial, or anywhere.
    Finding {
        /// The check's id.
        check: String,
        /// A scenario's or trial's id.
        scenario: Option<String>,
    },
    /// A trial of this scenario that proves nothing.
    Inconclusive {
        /// A scenario's or trial's id.
        scenario: String,
    },
}

impl ExpectedEntry {
    /// The scenario or trial that it names, if it names one.
    pub fn scope(&self) -> Option<&str> {
        match &self.matches {
            ExpectedMatch::Finding { scenario, .. } => scenario.as_deref(),
            ExpectedMatch::Inconclusive { scenario } => Some(scenario),
        }
    }
}
