//! A policy that a scenario hands to a client that can take one (`given:`).

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Breaker, Budget, FailureKind};

/// A retry policy. What is `None` is left to the client.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Given {
    /// Attempts in all, the first included.
    pub attempts: Option<u32>,
    /// The longest that one attempt may take.
    pub attempt_timeout: Option<Duration>,
    /// Time kept back from the deadline for handing over the answer.
    pub reserve: Option<Duration>,
    /// The shortest attempt worth starting.
    pub min_useful: Option<Duration>,
    /// Statuses that are repeated.
    pub statuses: Option<Vec<u16>>,
    /// Failures of the exchange that are repeated; an empty list says "none".
    pub failures: Option<Vec<FailureKind>>,
    /// Whether an attempt that would end at the deadline to the moment still fits.
    pub deadline_rule: Option<DeadlineRule>,
    /// The wait between attempts.
    pub backoff: Option<Backoff>,
    /// Where the randomness of the jitter comes from.
    pub rolls: Option<Rolls>,
    /// The retry budget.
    pub budget: Option<Budget>,
    /// The circuit breaker, one for each target.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breaker: Option<Breaker>,
}

impl Given {
    /// This policy laid over another: what it says counts, and of what it does not say, the other.
    #[must_use]
    pub fn over(self, beneath: Given) -> Given {
        let Given {
            attempts,
            attempt_timeout,
            reserve,
            min_useful,
            statuses,
            failures,
            deadline_rule,
            backoff,
            rolls,
            budget,
            breaker,
        } = self;
        Given {
            attempts: attempts.or(beneath.attempts),
            attempt_timeout: attempt_timeout.or(beneath.attempt_timeout),
            reserve: reserve.or(beneath.reserve),
            min_useful: min_useful.or(beneath.min_useful),
            statuses: statuses.or(beneath.statuses),
            failures: failures.or(beneath.failures),
            deadline_rule: deadline_rule.or(beneath.deadline_rule),
            backoff: backoff.or(beneath.backoff),
            rolls: rolls.or(beneath.rolls),
            budget: budget.or(beneath.budget),
            breaker: breaker.or(beneath.breaker),
        }
    }

    /// The policy as it is handed to one client of a fleet, counted from 1: each draws from a stream of its own.
    #[must_use]
    pub fn for_client(&self, client: u32) -> Given {
        let mut given = self.clone();
        if let Some(Rolls::Lcg(lcg)) = &mut given.rolls {
            let steps = lcg.step.wrapping_mul(u64::from(client.saturating_sub(1)));
            lcg.first = lcg.first.wrapping_add(steps) & u64::from(u32::MAX);
        }
        given
    }
}

/// Whether what fits to the moment fits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadlineRule {
    /// An attempt fits where `now + wait + min_useful <= deadline - reserve`.
    #[default]
    Inclusive,
    /// It fits where that sum is less.
    Strict,
}

/// The wait before the next attempt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Backoff {
    /// No wait.
    None,
    /// Always the same wait.
    Fixed(Duration),
    /// A wait that grows.
    Exponential(Exponential),
}

/// `min(cap, base * factor^(k-1))` before retry `k`, then jitter.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Exponential {
    /// The window before the first retry.
    pub base: Duration,
    /// By how much the window grows each time.
    pub factor: u32,
    /// The largest window.
    pub cap: Duration,
    /// How the wait is drawn from the window.
    pub jitter: Jitter,
    /// Waits are rounded up to a multiple of this, if set.
    pub unit: Option<Duration>,
}

/// How a wait is drawn from its window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Jitter {
    /// The whole window.
    #[default]
    None,
    /// Anything from zero to the window.
    Full,
    /// Half the window, and anything up to the other half.
    Equal,
    /// Anything from the base to three times the wait before.
    Decorrelated,
    /// As `full`, drawn by a hash of client, operation and attempt: the same again when the incident is replayed.
    Hashed,
}

/// Where the randomness of the jitter comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rolls {
    /// These numbers from 0 to 1, one after another, the last repeated.
    Fixed(Vec<f64>),
    /// A linear congruential stream per client.
    Lcg(Lcg),
}

/// Seeds of the stream `r = (r * 1664525 + 1013904223) mod 2^32`: client `i`, counted from 0, starts at
/// `(first + i * step) mod 2^32`. A client is handed its own seed as `first`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lcg {
    /// The first client's seed.
    pub first: u64,
    /// The distance to the next client's.
    pub step: u64,
}
