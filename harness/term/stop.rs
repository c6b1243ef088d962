//! Why a client made no further attempt.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The stop reasons of version 1, each as a client may report it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// A success answer was read.
    Ok,
    /// The last failure is of a kind the client does not repeat.
    Terminal,
    /// The operation may have been applied, or its body cannot be sent again.
    Unsafe,
    /// The cap on attempts was reached.
    AttemptCap,
    /// The last attempt was ended by the client's own timer, also where that timer was only what the deadline had left.
    AttemptTimeout,
    /// The next wait or attempt does not fit the deadline.
    Deadline,
    /// The server asked for more than the client's ceiling, and no deadline decided it.
    Pushback,
    /// The retry budget was empty.
    RetryBudget,
    /// A circuit breaker was open.
    CircuitOpen,
    /// The caller cancelled the operation.
    Cancelled,
    /// The client does not say.
    Unreported,
}

impl StopReason {
    /// Every reason, in the order of the reports.
    pub const ALL: [StopReason; 11] = [
        StopReason::Ok,
        StopReason::Terminal,
        StopReason::Unsafe,
        StopReason::AttemptCap,
        StopReason::AttemptTimeout,
        StopReason::Deadline,
        StopReason::Pushback,
        StopReason::RetryBudget,
        StopReason::CircuitOpen,
        StopReason::Cancelled,
        StopReason::Unreported,
    ];

    /// The word used in every format.
    pub const fn word(self) -> &'static str {
        match self {
            StopReason::Ok => "ok",
            StopReason::Terminal => "terminal",
            StopReason::Unsafe => "unsafe",
            StopReason::AttemptCap => "attempt_cap",
            StopReason::AttemptTimeout => "attempt_timeout",
            StopReason::Deadline => "deadline",
            StopReason::Pushback => "pushback",
            StopReason::RetryBudget => "retry_budget",
            StopReason::CircuitOpen => "circuit_open",
            StopReason::Cancelled => "cancelled",
            StopReason::Unreported => "unreported",
        }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
