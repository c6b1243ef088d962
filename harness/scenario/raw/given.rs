//! A policy as a scenario writes it.

use serde::Deserialize;

use super::Dur;
use crate::promise::{BreakerWords, BudgetWords, DeadlineRule, FailureKind, Jitter};
use crate::source::Placed;

/// A policy in a file of its own.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct PolicyFile {
    pub version: Placed<u64>,
    pub given: Placed<Given>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Given {
    pub attempts: Option<Placed<u32>>,
    pub attempt_timeout: Option<Dur>,
    pub reserve: Option<Dur>,
    pub min_useful: Option<Dur>,
    pub statuses: Option<Vec<Placed<u16>>>,
    pub failures: Option<Vec<FailureKind>>,
    pub deadline_rule: Option<DeadlineRule>,
    pub backoff: Option<Backoff>,
    pub rolls: Option<Rolls>,
    pub budget: Option<Placed<BudgetWords>>,
    pub breaker: Option<BreakerWords>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Backoff {
    None,
    Fixed(Dur),
    Exponential(Exponential),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Exponential {
    pub base: Dur,
    pub factor: Placed<u32>,
    pub cap: Dur,
    #[serde(default)]
    pub jitter: Jitter,
    pub unit: Option<Dur>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::scenario) enum Rolls {
    Fixed(Placed<Vec<Placed<f64>>>),
    Lcg(Lcg),
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Lcg {
    pub first: u64,
    pub step: u64,
}
