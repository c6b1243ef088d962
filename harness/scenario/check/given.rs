//! The policy that a scenario hands over.

use std::time::Duration;

use super::super::raw;
use crate::promise::{Backoff, BudgetWords, Exponential, Given, Lcg, Rolls};
use crate::source::{Placed, Problems};

/// The reading of a policy, which stands in a scenario or in a file of its own.
pub(in crate::scenario) struct Policy<'a> {
    /// Where problems go.
    pub problems: &'a Problems,
}

impl Policy<'_> {
    /// The policy.
    pub fn given(&self, raw: &raw::Given) -> Given {
        let duration = |d: &Option<raw::Dur>| d.as_ref().map(|d| self.problems.duration(d));
        if let Some(attempts) = raw.attempts.as_ref().filter(|a| a.value == 0) {
            self.problems.say(
                attempts.span,
                "a policy without an attempt asks for nothing",
                "at least 1",
            );
        }
        Given {
            attempts: raw.attempts.as_ref().map(|a| a.value),
            attempt_timeout: raw
                .attempt_timeout
                .as_ref()
                .map(|d| self.problems.positive_duration(d)),
            reserve: duration(&raw.reserve),
            min_useful: duration(&raw.min_useful),
            statuses: raw
                .statuses
                .as_ref()
                .map(|all| all.iter().map(|s| self.code(s)).collect()),
            failures: raw.failures.clone(),
            deadline_rule: raw.deadline_rule,
            backoff: raw.backoff.as_ref().map(|b| self.backoff(b)),
            rolls: raw.rolls.as_ref().map(|r| self.rolls(r)),
            budget: raw.budget.as_ref().map(|b| BudgetWords::read(b, self.problems)),
            breaker: raw.breaker.as_ref().map(|b| b.read(self.problems)),
        }
    }

    /// A status that a list names.
    fn code(&self, status: &Placed<u16>) -> u16 {
        if !(100..=999).contains(&status.value) {
            self.problems.say(
                status.span,
                format!("{} is not a status", status.value),
                "from 100 to 999",
            );
        }
        status.value
    }

    fn backoff(&self, raw: &raw::Backoff) -> Backoff {
        match raw {
            raw::Backoff::None => Backoff::None,
            raw::Backoff::Fixed(d) => Backoff::Fixed(self.problems.duration(d)),
            raw::Backoff::Exponential(e) => Backoff::Exponential(self.exponential(e)),
        }
    }

    fn exponential(&self, raw: &raw::Exponential) -> Exponential {
        let unit = raw.unit.as_ref().map(|u| self.problems.duration(u));
        if let (Some(written), Some(Duration::ZERO)) = (&raw.unit, unit) {
            self.problems
                .say(written.span, "nothing is a multiple of zero", "longer than 0s");
        }
        if raw.factor.value == 0 {
            self.problems
                .say(raw.factor.span, "a factor of 0 leaves no wait", "at least 1");
        }
        Exponential {
            base: self.problems.duration(&raw.base),
            factor: raw.factor.value,
            cap: self.problems.duration(&raw.cap),
            jitter: raw.jitter,
            unit,
        }
    }

    fn rolls(&self, raw: &raw::Rolls) -> Rolls {
        match raw {
            raw::Rolls::Lcg(lcg) => Rolls::Lcg(Lcg {
                first: lcg.first,
                step: lcg.step,
            }),
            raw::Rolls::Fixed(numbers) => {
                if numbers.value.is_empty() {
                    self.problems
                        .say(numbers.span, "there is no number to roll", "at least one");
                }
                for n in numbers.value.iter().filter(|n| !(0.0..=1.0).contains(&n.value)) {
                    self.problems
                        .say(n.span, format!("{} is not a roll", n.value), "from 0 to 1");
                }
                Rolls::Fixed(numbers.value.iter().map(|n| n.value).collect())
            }
        }
    }
}
