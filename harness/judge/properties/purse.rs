//! The purse of an honest client, by the book and not by the judge, in the ways in which correct clients differ.

use proptest::prelude::*;
use std::time::Duration;

use crate::promise::{BucketBudget, Budget, Payer, QuotaBudget, ThrottleBudget, WindowBudget};

const RETRY: u64 = 1_000;

/// A purse, in thousandths; a quota in tokens. Times are in milliseconds.
#[derive(Debug, Clone)]
pub struct Purse {
    budget: Budget,
    habit: Habit,
    left: u64,
    filled: u64,
    /// What was paid in and taken out within a window, and when.
    paid: Vec<u64>,
    taken: Vec<u64>,
}

/// What correct clients do differently.
#[derive(Debug, Clone, Copy)]
pub struct Habit {
    /// In so many parts a window is forgotten; in none, to the millisecond.
    parts: Option<u64>,
    /// Parts of a window that are remembered besides.
    longer: u64,
    /// What was paid and taken is forgotten after half a window: tower forgets so soon where it is asked just over a tenth apart.
    hasty: bool,
    /// Retries are counted in whole payments.
    whole: bool,
    /// A bucket is refilled by a timer, and not by what has gone by.
    ticks: bool,
}

/// Why an attempt failed, as far as prices differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Status(u16),
    Timeout,
    Broke,
}

impl Habit {
    /// That of a client that counts to the millisecond.
    pub fn plain() -> Habit {
        Habit {
            parts: None,
            longer: 0,
            hasty: false,
            whole: false,
            ticks: false,
        }
    }
}

pub fn habit() -> impl Strategy<Value = Habit> {
    let parts = prop::option::of(prop::sample::select(vec![10u64, 20]));
    let flags = (prop::bool::weighted(0.3), any::<bool>(), any::<bool>());
    (parts, 0..=1u64, flags).prop_map(|(parts, longer, (hasty, whole, ticks))| Habit {
        parts,
        longer,
        hasty,
        whole,
        ticks,
    })
}

pub fn budget() -> impl Strategy<Value = Budget> {
    let payer = || prop::sample::select(vec![Payer::Originals, Payer::Successes]);
    let refill = prop::option::weighted(0.3, 20..2_000u64);
    let earn = prop::sample::select(vec![0u32, 100, 333, 1_000]);
    let bucket = (0..6u32, 0..6u32, earn, payer(), refill);
    let ratio = prop::sample::select(vec![0u32, 100, 333, 600, 1_000, 1_500]);
    let window = (10..300u64, ratio, 0..4u32, payer());
    let price = || prop::option::of(1..12u32);
    let quota = (0..40u32, 1..8u32, price(), price(), 0..3u32);
    let throttle = (0..10u32, prop::sample::select(vec![0u32, 100, 500, 1_000]));
    prop_oneof![
        bucket.prop_map(|(initial, cap, earn_per_mille, earned_by, refill)| {
            Budget::Bucket(BucketBudget {
                initial,
                cap,
                earn_per_mille,
                earned_by,
                refill_every: refill.map(Duration::from_millis),
            })
        }),
        window.prop_map(|(tens, ratio_per_mille, at_least, paid_by)| {
            Budget::Window(WindowBudget {
                window: Duration::from_millis(tens * 20),
                ratio_per_mille,
                at_least,
                paid_by,
            })
        }),
        quota.prop_map(|(tokens, retry, timeout, throttled, success)| {
            Budget::Quota(QuotaBudget {
                tokens,
                retry,
                timeout,
                throttled,
                throttled_on: throttled.map(|_| 429).into_iter().collect(),
                success,
            })
        }),
        throttle.prop_map(|(max_tokens, token_ratio_per_mille)| {
            Budget::Throttle(ThrottleBudget {
                max_tokens,
                token_ratio_per_mille,
            })
        }),
    ]
}

impl Purse {
    pub fn new(budget: &Budget, habit: Habit) -> Purse {
        let left = match budget {
            Budget::Bucket(bucket) => u64::from(bucket.initial.min(bucket.cap)) * RETRY,
            Budget::Window(_) => 0,
            Budget::Quota(quota) => u64::from(quota.tokens),
            Budget::Throttle(throttle) => u64::from(throttle.max_tokens) * RETRY,
        };
        Purse {
            budget: budget.clone(),
            habit,
            left,
            filled: 0,
            paid: Vec::new(),
            taken: Vec::new(),
        }
    }

    /// An operation begins.
    pub fn begun(&mut self, now: u64) {
        self.pays(Payer::Originals, now);
    }

    /// An operation succeeds, whose last retry took so much, if there was one.
    pub fn succeeded(&mut self, now: u64, last: Option<u64>) {
        match &self.budget {
            Budget::Bucket(_) | Budget::Window(_) => self.pays(Payer::Successes, now),
            Budget::Quota(quota) => {
                let back = last.unwrap_or(u64::from(quota.success));
                self.left = (self.left + back).min(u64::from(quota.tokens));
            }
            Budget::Throttle(throttle) => {
                let most = u64::from(throttle.max_tokens) * RETRY;
                self.left = (self.left + u64::from(throttle.token_ratio_per_mille)).min(most);
            }
        }
    }

    /// An attempt failed in a way that is repeated.
    pub fn failed(&mut self) {
        if let Budget::Throttle(_) = self.budget {
            self.left = self.left.saturating_sub(RETRY);
        }
    }

    /// What a retry takes; `None` where there is not enough.
    pub fn pay(&mut self, now: u64, why: Why) -> Option<u64> {
        self.refill(now);
        match self.budget.clone() {
            Budget::Bucket(_) => {
                self.left = self.left.checked_sub(RETRY)?;
                Some(RETRY)
            }
            Budget::Window(window) => {
                let paid = self
                    .paid
                    .iter()
                    .filter(|at| self.remembers(&window, **at, now))
                    .count() as u64;
                let taken = self
                    .taken
                    .iter()
                    .filter(|at| self.remembers(&window, **at, now))
                    .count() as u64;
                let ratio = u64::from(window.ratio_per_mille);
                let share = match self.habit.whole && (1..=RETRY).contains(&ratio) {
                    true => paid / (RETRY / ratio) * RETRY,
                    false => paid * ratio,
                };
                let enough = u64::from(window.at_least) * RETRY + share >= (taken + 1) * RETRY;
                enough.then(|| self.taken.push(now))?;
                Some(RETRY)
            }
            Budget::Quota(quota) => {
                let other = match why {
                    Why::Timeout => quota.timeout,
                    Why::Status(status) if quota.throttled_on.contains(&status) => quota.throttled,
                    Why::Status(_) | Why::Broke => None,
                };
                let cost = u64::from(other.unwrap_or(quota.retry));
                self.left = self.left.checked_sub(cost)?;
                Some(cost)
            }
            Budget::Throttle(throttle) => {
                (self.left * 2 > u64::from(throttle.max_tokens) * RETRY).then_some(0)
            }
        }
    }

    /// A retry that was paid for at `at` is not made after all.
    pub fn given_back(&mut self, now: u64, at: u64, cost: u64) {
        self.refill(now);
        match &self.budget {
            Budget::Bucket(bucket) => self.left = (self.left + cost).min(u64::from(bucket.cap) * RETRY),
            Budget::Window(_) => {
                if let Some(nth) = self.taken.iter().position(|taken| *taken == at) {
                    self.taken.remove(nth);
                }
            }
            Budget::Quota(quota) => self.left = (self.left + cost).min(u64::from(quota.tokens)),
            Budget::Throttle(_) => {}
        }
    }

    fn pays(&mut self, payer: Payer, now: u64) {
        self.refill(now);
        match &self.budget {
            Budget::Bucket(bucket) if bucket.earned_by == payer => {
                let most = u64::from(bucket.cap) * RETRY;
                self.left = (self.left + u64::from(bucket.earn_per_mille)).min(most);
            }
            Budget::Window(window) if window.paid_by == payer => self.paid.push(now),
            Budget::Bucket(_) | Budget::Window(_) | Budget::Quota(_) | Budget::Throttle(_) => {}
        }
    }

    fn remembers(&self, window: &WindowBudget, at: u64, now: u64) -> bool {
        let ms = window.window.as_millis() as u64;
        if self.habit.hasty && now - at >= ms / 2 {
            return false;
        }
        match self.habit.parts {
            None => now - at < ms + self.habit.longer * ms / 10,
            Some(parts) => now * parts / ms < at * parts / ms + parts + self.habit.longer,
        }
    }

    fn refill(&mut self, now: u64) {
        let Budget::Bucket(bucket) = &self.budget else {
            return;
        };
        let Some(every) = bucket.refill_every.map(|every| every.as_millis() as u64) else {
            return;
        };
        let most = u64::from(bucket.cap) * RETRY;
        let come = match self.habit.ticks {
            true => (now / every - self.filled / every) * RETRY,
            false => now * RETRY / every - self.filled * RETRY / every,
        };
        self.left = (self.left + come).min(most);
        self.filled = now;
    }
}
