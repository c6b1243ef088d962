//! Promises: what a client declares it does. Each has three states: promised, silent, opted out.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Breaker, Budget, Jitter};

/// What a client declares it does. `None` and empty lists are silence.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Promises {
    /// Attempts in all, the first included.
    pub attempts: Option<u32>,
    /// The longest that one attempt may take.
    pub attempt_timeout: Option<Duration>,
    /// What it repeats, and nothing else.
    pub retries: Option<Retries>,
    /// What it does with Retry-After.
    pub pushback: Option<PushbackPromise>,
    /// How long it waits before each retry.
    pub backoff: Option<BackoffPromise>,
    /// Its retry budget.
    pub budget: Option<Budget>,
    /// Its circuit breaker.
    pub breaker: Option<Breaker>,
    /// It ends every operation by the operation's deadline.
    pub deadline: bool,
    /// It repeats a keyed operation under one key, so that the effect happens once.
    pub key: bool,
    /// It writes keys as strings in quotes.
    pub quotes_keys: bool,
    /// It may send a second call before the first has ended.
    pub hedges: bool,
    /// It has at most one call of an operation under way: an attempt that it gives up on is closed first.
    pub one_at_a_time: bool,
    /// It reports an operation's end as soon as nothing of it is to come.
    pub prompt: bool,
    /// It never repeats what may have been applied.
    pub never_repeats_unsafe: bool,
    /// Statuses from 400 up that it reports as success.
    pub claims_ok_on: Vec<u16>,
    /// Statuses on which it repeats even what is not idempotent, by its documentation.
    pub repeats_unsafe_on: Vec<u16>,
    /// Checks whose conduct it declines on purpose.
    pub opts_out: Vec<OptOut>,
    /// Where each promise is documented: name of the promise -> URL.
    pub from: BTreeMap<String, String>,
}

impl Promises {
    /// Whether the client opted out of the check with this id.
    pub fn opted_out(&self, check: &str) -> bool {
        self.opts_out.iter().any(|o| o.check == check)
    }
}

/// What a client repeats.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Retries {
    /// Statuses it repeats; `None` is silence, an empty list says "none".
    pub statuses: Option<Vec<u16>>,
    /// Failures of the exchange it repeats; `None` is silence.
    pub failures: Option<Vec<FailureKind>>,
    /// Methods it repeats, upper case; `None` is silence.
    pub methods: Option<Vec<String>>,
}

/// Kinds of failure that are not a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The connection was refused.
    Refused,
    /// The connection was closed before a whole answer.
    Closed,
    /// The connection was reset before a whole answer.
    Reset,
    /// No answer came in time.
    Timeout,
    /// The answer's body ended early.
    Truncated,
    /// The answer was not HTTP.
    Malformed,
}

/// What a client does with a server's wish for a wait.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PushbackPromise {
    /// Statuses on which it honours the wish.
    pub honours: Vec<u16>,
    /// Forms of the value it honours.
    pub forms: Vec<PushbackForm>,
    /// What it does with a wish beyond its ceiling.
    pub above: Option<Above>,
}

/// A form of Retry-After (RFC 9110 section 10.2.3).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PushbackForm {
    /// delay-seconds.
    Seconds,
    /// HTTP-date, in each of its three written forms.
    Dates,
}

/// A client's ceiling on pushback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Above {
    /// The longest wait it honours.
    pub limit: Duration,
    /// What it does beyond it.
    pub then: Then,
}

/// What a client does with pushback beyond its ceiling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Then {
    /// It makes no further attempt.
    Stop,
    /// It waits for as long as the ceiling.
    Cap,
    /// It waits its own backoff.
    Ignore,
}

/// A promised wait: before retry `k`, counted from 1, the window is `min(cap, base * factor^(k-1))`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BackoffPromise {
    /// So many retries come first, without any wait.
    pub at_once: u32,
    /// The window of the first retry that waits.
    pub base: Duration,
    /// By how much the window grows each time, in thousandths.
    pub factor_per_mille: u32,
    /// The largest window.
    pub cap: Duration,
    /// How the wait is drawn from its window.
    pub jitter: Jitter,
}

/// A check whose conduct the client declines on purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OptOut {
    /// The check's id.
    pub check: String,
    /// Why.
    pub because: String,
    /// Where that is documented.
    pub see: Option<String>,
}
