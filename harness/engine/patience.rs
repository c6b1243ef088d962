//! How long results and late calls are waited for.

use std::time::Duration;

use crate::term::{Stamp, Time};

/// A client counts as started this long after it was spawned, at the latest (CONTRACTS rule 19).
pub(super) const COUNTS_AS_STARTED: Duration = Duration::from_secs(2);

/// A client that says hello keeps its place among those that start until it does, but no longer than this: on a busy machine
/// adapters start slowly, and letting more of them start then makes all of them slower. One that hangs must not keep the
/// others from starting for ever.
pub(super) const HOLDS_ITS_PLACE: Duration = Duration::from_secs(15);

/// How long results and late calls are waited for. Tests set short times; everybody else takes the default.
///
/// These waits are upper bounds, where a slow harness accuses (CONTRACTS rule 2): they are generous, and a client that
/// is ended by them is never called early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patience {
    /// A result is waited for until its deadline and this much more.
    pub after_deadline: Duration,
    /// Without a deadline: for twice the trial's longest scripted wait after the last call, but at least this long.
    pub quiet_at_least: Duration,
    /// And at most this long.
    pub quiet_at_most: Duration,
    /// What a process that is started for its operation may take up to its first call: a JVM on a busy machine takes
    /// up to half a minute.
    pub to_first_call: Duration,
    /// For how long late calls are watched for after the last result, where the scenario does not say.
    pub watch: Duration,
    /// From the end of its input until a client that does not leave is ended.
    pub leave: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Patience {
            after_deadline: Duration::from_secs(2),
            quiet_at_least: Duration::from_secs(5),
            quiet_at_most: Duration::from_secs(10),
            to_first_call: Duration::from_secs(30),
            watch: Duration::from_millis(500),
            leave: Duration::from_secs(2),
        }
    }
}

/// For how long silence is waited out in virtual time, where it costs nothing: longer than any client that is to be tried backs
/// off.
const FREE: Duration = Duration::from_secs(3600);

impl Patience {
    /// What is usual in this time.
    pub fn in_time(time: Time) -> Self {
        match time {
            Time::Real => Patience::default(),
            Time::Virtual => Patience {
                quiet_at_least: FREE,
                quiet_at_most: FREE,
                ..Patience::default()
            },
        }
    }
}

/// What is known of an operation that is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    /// When it was handed over.
    pub(super) asked: Stamp,
    /// Its deadline.
    pub(super) deadline: Option<Duration>,
    /// Whether the client knows the deadline.
    pub(super) deadline_passed: bool,
    /// Whether it has a process of its own to start.
    pub(super) starts: bool,
    /// When its first call arrived.
    pub(super) first_call: Option<Stamp>,
    /// When the latest call of any operation arrived.
    pub(super) last_call: Option<Stamp>,
    /// The trial's longest scripted wait.
    pub(super) longest_wait: Duration,
}

impl Patience {
    /// When the waiting is given up, as far as is known now (CONTRACTS rule 9). A call that arrives moves it.
    pub(super) fn gives_up(&self, op: Waiting) -> Stamp {
        let begun = match op.first_call {
            Some(at) => at,
            None if op.starts => op.asked.plus(self.to_first_call),
            None => op.asked,
        };
        let quiet = begun
            .max(op.last_call.unwrap_or_default())
            .plus(self.quiet(op.longest_wait));
        match op.deadline.map(|d| begun.plus(d).plus(self.after_deadline)) {
            None => quiet,
            Some(kept) if op.deadline_passed => kept,
            // A client that does not know its deadline cannot be expected to keep it.
            Some(kept) => kept.max(quiet),
        }
    }

    fn quiet(&self, longest_wait: Duration) -> Duration {
        let twice = longest_wait.saturating_mul(2);
        twice.min(self.quiet_at_most).max(self.quiet_at_least)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASKED: Waiting = Waiting {
        asked: Stamp::from_ms(1000),
        deadline: None,
        deadline_passed: false,
        starts: false,
        first_call: None,
        last_call: None,
        longest_wait: Duration::ZERO,
    };

    fn gives_up_ms(op: Waiting) -> u64 {
        Patience::default().gives_up(op).ms()
    }

    #[test]
    fn a_deadline_runs_from_the_first_call_and_two_seconds_more() {
        let deadline = Some(Duration::from_secs(20));
        let asked = Waiting {
            deadline,
            deadline_passed: true,
            ..ASKED
        };
        assert_eq!(gives_up_ms(asked), 23_000);
        let first_call = Some(Stamp::from_ms(4000));
        assert_eq!(gives_up_ms(Waiting { first_call, ..asked }), 26_000);
    }

    #[test]
    fn without_a_deadline_silence_of_twice_the_longest_wait_is_the_end() {
        let last_call = Some(Stamp::from_ms(2000));
        let quiet = |seconds| {
            gives_up_ms(Waiting {
                last_call,
                longest_wait: Duration::from_secs(seconds),
                ..ASKED
            })
        };
        assert_eq!((quiet(0), quiet(3), quiet(3600)), (7000, 8000, 12_000));
        let longest_wait = Duration::MAX;
        assert_eq!(
            gives_up_ms(Waiting {
                longest_wait,
                ..ASKED
            }),
            11_000
        );
    }

    #[test]
    fn a_client_that_does_not_know_its_deadline_is_given_the_longer_wait() {
        let deadline = Some(Duration::from_secs(1));
        assert_eq!(gives_up_ms(Waiting { deadline, ..ASKED }), 6000);
    }

    #[test]
    fn a_process_of_its_own_may_take_long_up_to_its_first_call() {
        let starting = Waiting {
            starts: true,
            ..ASKED
        };
        assert_eq!(gives_up_ms(starting), 36_000);
        let first_call = Some(Stamp::from_ms(1500));
        assert_eq!(
            gives_up_ms(Waiting {
                first_call,
                ..starting
            }),
            6500
        );
    }
}
