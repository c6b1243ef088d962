//! Tolerances: how far an observation may be off before it accuses anybody.

use std::time::Duration;

use super::Case;

/// How much before the end of a wait a call may arrive.
///
/// Both stamps err in the client's favour (the wait counts from before the answer's first byte is handed over, and a
/// call from after its first byte was read), so this covers only timers that fire a tick early and clients that
/// count in whole milliseconds.
pub const EARLY_TOLERANCE: Duration = Duration::from_millis(5);

/// How late something may be that has an upper bound: late calls, results after a deadline.
///
/// Upper bounds are where a slow harness accuses. 28 ms was the worst that was measured with both cores busy.
pub const LATE_GRACE: Duration = Duration::from_millis(250);

/// How soon after an answer a call can still have been sent without knowing it.
///
/// Within this time the call may have crossed the answer on the wire, so it counts as its consequence only where no
/// hedge and no attempt timer can explain it.
pub const CONSEQUENCE: Duration = Duration::from_millis(20);

/// How late the harness may have been before its counts and its lateness accuse nobody.
pub const LAG_LIMIT: Duration = Duration::from_millis(50);

/// The least that is taken for a client's own wait where it is multiplied to say "far too long".
///
/// With full jitter the wait of one control may be near zero by chance.
pub const LEAST_OWN_WAIT: Duration = Duration::from_secs(1);

/// By how much a client's own wait must be exceeded before a wait is called far too long.
pub const FAR_TOO_LONG: u32 = 10;

impl Case<'_> {
    /// Whether the harness itself was too late in this trial for counts and lateness to accuse the client.
    ///
    /// Where the scenario sets a short attempt timeout, a fifth of it is the limit: a harness later than that may
    /// have made attempts fail. What stays judged all the same: early calls (lateness only lengthens a gap), repeats
    /// of what must not be repeated, false claims and ceilings (a flood makes the harness late by itself).
    pub fn harness_was_late(&self) -> bool {
        let timeout = self.trial.given.as_ref().and_then(|g| g.attempt_timeout);
        let limit = timeout.map_or(LAG_LIMIT, |t| LAG_LIMIT.min(t / 5));
        Duration::from_micros(self.evidence.worst_lag_us) > limit
    }
}

/// The bound beyond which a wait is far longer than `own`, a wait of the client's own choice.
pub fn far_beyond(own: Duration) -> Duration {
    own.max(LEAST_OWN_WAIT).saturating_mul(FAR_TOO_LONG)
}
