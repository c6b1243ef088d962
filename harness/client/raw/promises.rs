//! Promises as written.

use serde::Deserialize;

use crate::promise::{BreakerWords, BudgetWords, FailureKind, Jitter, PushbackForm, Then};
use crate::source::{Entries, Placed};

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::client) struct Promises {
    pub profile: Option<Placed<String>>,
    pub attempts: Option<Placed<u32>>,
    pub attempt_timeout: Option<Placed<String>>,
    pub retries: Option<Retries>,
    pub pushback: Option<Pushback>,
    pub backoff: Option<Backoff>,
    pub budget: Option<Placed<BudgetWords>>,
    pub breaker: Option<BreakerWords>,
    pub deadline: Option<bool>,
    pub key: Option<bool>,
    pub quotes_keys: Option<bool>,
    pub hedges: Option<bool>,
    pub one_at_a_time: Option<bool>,
    pub prompt: Option<bool>,
    pub never_repeats_unsafe: Option<bool>,
    pub claims_ok_on: Option<Vec<Placed<u16>>>,
    pub repeats_unsafe_on: Option<Vec<Placed<u16>>>,
    pub opts_out: Option<Vec<OptOut>>,
    pub from: Entries<Placed<String>>,
}

impl Promises {
    /// These lines, and `base` where they say nothing.
    pub fn over(self, base: Promises) -> Promises {
        Promises {
            profile: self.profile,
            attempts: self.attempts.or(base.attempts),
            attempt_timeout: self.attempt_timeout.or(base.attempt_timeout),
            retries: match (self.retries, base.retries) {
                (Some(own), Some(base)) => Some(own.over(base)),
                (own, base) => own.or(base),
            },
            pushback: self.pushback.or(base.pushback),
            backoff: self.backoff.or(base.backoff),
            budget: self.budget.or(base.budget),
            breaker: self.breaker.or(base.breaker),
            deadline: self.deadline.or(base.deadline),
            key: self.key.or(base.key),
            quotes_keys: self.quotes_keys.or(base.quotes_keys),
            hedges: self.hedges.or(base.hedges),
            one_at_a_time: self.one_at_a_time.or(base.one_at_a_time),
            prompt: self.prompt.or(base.prompt),
            never_repeats_unsafe: self.never_repeats_unsafe.or(base.never_repeats_unsafe),
            claims_ok_on: self.claims_ok_on.or(base.claims_ok_on),
            repeats_unsafe_on: self.repeats_unsafe_on.or(base.repeats_unsafe_on),
            opts_out: self.opts_out.or(base.opts_out),
            from: self.from,
        }
    }
}

impl Retries {
    fn over(self, base: Retries) -> Retries {
        Retries {
            statuses: self.statuses.or(base.statuses),
            failures: self.failures.or(base.failures),
            methods: self.methods.or(base.methods),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::client) struct Retries {
    pub statuses: Option<Vec<Placed<u16>>>,
    pub failures: Option<Vec<FailureKind>>,
    pub methods: Option<Vec<Placed<String>>>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Pushback {
    pub honours: Placed<Vec<Placed<u16>>>,
    pub forms: Placed<Vec<PushbackForm>>,
    pub above: Option<Above>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Above {
    pub limit: Placed<String>,
    pub then: Then,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Backoff {
    #[serde(default)]
    pub at_once: u32,
    pub base: Placed<String>,
    pub factor: Placed<f64>,
    pub cap: Placed<String>,
    pub jitter: Jitter,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct OptOut {
    pub check: Placed<String>,
    pub because: Placed<String>,
    pub see: Option<String>,
}
