//! The waits between attempts that a client promises, or that were handed over to it.

use std::time::Duration;

use super::Case;
use crate::promise::{Backoff, BackoffPromise, Exponential, Jitter, PolicyCan};

/// The waits before the retries of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule(BackoffPromise);

impl Schedule {
    /// The schedule that holds in a case: the one handed over to a client that takes policies, else the promised one.
    pub fn of(case: &Case) -> Option<Schedule> {
        let given = case.trial.given.as_ref().and_then(|g| g.backoff.as_ref());
        match given.filter(|_| case.can.policy == PolicyCan::Given) {
            Some(given) => Schedule::handed_over(given),
            None => case.promises.backoff.clone().map(Schedule),
        }
    }

    fn handed_over(given: &Backoff) -> Option<Schedule> {
        let promise = match given {
            Backoff::None => return None,
            Backoff::Fixed(wait) => BackoffPromise {
                at_once: 0,
                base: *wait,
                factor_per_mille: 1_000,
                cap: *wait,
                jitter: Jitter::None,
            },
            Backoff::Exponential(Exponential {
                base,
                factor,
                cap,
                jitter,
                unit: _, // It only lengthens a wait.
            }) => BackoffPromise {
                at_once: 0,
                base: *base,
                factor_per_mille: factor.saturating_mul(1_000),
                cap: *cap,
                jitter: *jitter,
            },
        };
        Some(Schedule(promise))
    }

    /// The window of the wait before this retry, counted from 1; zero where it comes at once.
    pub fn window(&self, retry: u32) -> Duration {
        let BackoffPromise { at_once, base, .. } = self.0;
        let cap = self.0.cap.as_nanos();
        let mut window = base.as_nanos().min(cap);
        let Some(steps) = retry.checked_sub(at_once.saturating_add(1)) else {
            return Duration::ZERO;
        };
        // The window stands still once it reaches the cap, or where it does not grow: no need to count to `retry`.
        for _ in 0..steps {
            let next = (window.saturating_mul(u128::from(self.0.factor_per_mille)) / 1_000).min(cap);
            if next <= window {
                break;
            }
            window = next;
        }
        Duration::from_nanos(u64::try_from(window).unwrap_or(u64::MAX))
    }

    /// The longest that any wait is.
    pub fn longest(&self) -> Duration {
        self.0.cap.max(self.0.base)
    }

    /// The least that the wait before this retry can be, whatever the jitter.
    pub fn least(&self, retry: u32) -> Duration {
        let window = self.window(retry);
        match self.0.jitter {
            Jitter::None => window,
            Jitter::Equal => window / 2,
            Jitter::Full | Jitter::Hashed => Duration::ZERO,
            // It is drawn from the base up, and knows the wait before and not the number of the retry.
            Jitter::Decorrelated => window.min(self.0.base),
        }
    }

    /// From where to where the wait before this retry is drawn, each length as likely as any other; `None` where it is
    /// not drawn, or hangs on the wait before it.
    pub fn drawn(&self, retry: u32) -> Option<(Duration, Duration)> {
        let window = self.window(retry);
        let range = match self.0.jitter {
            Jitter::None => return None,
            Jitter::Full | Jitter::Hashed => (Duration::ZERO, window),
            Jitter::Equal => (window / 2, window),
            Jitter::Decorrelated => {
                let first = retry == self.0.at_once.saturating_add(1);
                let most = self.0.base.saturating_mul(3).min(self.0.cap);
                return first.then_some((self.0.base.min(most), most));
            }
        };
        Some(range)
    }

    /// Whether a wait is anything from nothing to its window, each length as likely as any other.
    pub fn is_from_nothing(&self) -> bool {
        matches!(self.0.jitter, Jitter::Full | Jitter::Hashed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(jitter: Jitter) -> Schedule {
        Schedule(BackoffPromise {
            at_once: 1,
            base: Duration::from_millis(100),
            factor_per_mille: 1_500,
            cap: Duration::from_millis(300),
            jitter,
        })
    }

    #[test]
    fn windows_grow_from_the_first_retry_that_waits_to_the_cap() {
        let schedule = schedule(Jitter::None);
        let ms = |retry| schedule.window(retry).as_millis();
        assert_eq!([ms(1), ms(2), ms(3), ms(4), ms(5)], [0, 100, 150, 225, 300]);
        assert_eq!(ms(u32::MAX), 300);
    }

    #[test]
    fn the_least_wait_is_what_the_jitter_leaves_of_the_window() {
        let least = |jitter| schedule(jitter).least(4).as_micros();
        let all = [Jitter::None, Jitter::Equal, Jitter::Decorrelated, Jitter::Full];
        assert_eq!(all.map(least), [225_000, 112_500, 100_000, 0]);
    }
}
