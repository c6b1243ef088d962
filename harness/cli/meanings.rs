//! What the stop reasons mean, for `retrial explain`.

use crate::term::StopReason;

/// The meaning of a stop reason, in a sentence.
pub(super) const fn meaning(reason: StopReason) -> &'static str {
    match reason {
        StopReason::Ok => "A success answer was read.",
        StopReason::Terminal => {
            "The last failure is of a kind that the client does not repeat: a status, a certificate, a truncated \
             answer, or the server said not to."
        }
        StopReason::Unsafe => "The operation may have been applied, or its body cannot be sent again.",
        StopReason::AttemptCap => "The cap on attempts was reached.",
        StopReason::AttemptTimeout => {
            "The last attempt was ended by the client's own timer, also where that timer was only what the deadline \
             had left."
        }
        StopReason::Deadline => "The next wait or attempt does not fit the deadline.",
        StopReason::Pushback => {
            "The server asked for a longer wait than the client's ceiling, and no deadline decided it."
        }
        StopReason::RetryBudget => "The retry budget was empty.",
        StopReason::CircuitOpen => "A circuit breaker was open.",
        StopReason::Cancelled => "The caller cancelled the operation.",
        StopReason::Unreported => "The client does not say.",
    }
}
