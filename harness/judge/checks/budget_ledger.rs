//! What the operations of one process spent and may have earned, and how many retries that allows.
//!
//! Whatever is not known is taken in the client's favour: what may have been a success is one, a retry cost the least
//! that it may have cost, and time is counted from before the client can have counted it.

use std::time::Duration;

use super::budget_kept::retries;
use crate::evidence::Call;
use crate::judge::{Case, Course, statuses};
use crate::promise::{BucketBudget, Budget, Payer, QuotaBudget, ThrottleBudget, WindowBudget};
use crate::term::Claim;

/// What one retry costs, in thousandths.
const RETRY: u64 = 1000;

/// What is known of the operations of one process.
pub(super) struct Ledger<'a> {
    /// The retries, operation by operation.
    pub retries: Vec<Retry<'a>>,
    /// Processes that cannot be told apart.
    buckets: u64,
    originals: u64,
    /// Operations that may have succeeded at their first attempt, or after retries.
    at_once: u64,
    after_retries: u64,
    /// From the beginning of the trial, or of the process in another's place, to the last retry, and from the first
    /// operation handed over.
    since_begun: Duration,
    since_first: Duration,
}

/// A retry, and the answer that it followed where that is known.
pub(super) struct Retry<'a> {
    pub call: &'a Call,
    after: Option<u16>,
}

/// What a budget allows.
pub(super) struct Allowance {
    /// So many retries, in the order of the ledger.
    pub retries: usize,
    /// In words: "the budget allows ...".
    pub words: String,
}

impl<'a> Ledger<'a> {
    /// The ledger of some operations that share so many buckets.
    pub fn of(case: &Case, courses: &[&Course<'a>], buckets: u64) -> Self {
        let mut ledger = Ledger {
            retries: Vec::new(),
            buckets,
            originals: courses.len() as u64,
            at_once: 0,
            after_retries: 0,
            since_begun: Duration::ZERO,
            since_first: Duration::ZERO,
        };
        for course in courses {
            let made = retries(case, course);
            match (may_have_succeeded(case, course), made.is_empty()) {
                (false, _) => {}
                (true, true) => ledger.at_once += 1,
                (true, false) => ledger.after_retries += 1,
            }
            let paid = made.into_iter().map(|call| Retry {
                call,
                after: status_before(case, course, call),
            });
            ledger.retries.extend(paid);
        }
        let last = ledger.retries.iter().map(|retry| retry.call.at()).max();
        let last = last.unwrap_or_default();
        let first = courses.iter().filter_map(|course| course.record.asked).min();
        let begun = courses
            .iter()
            .map(|c| case.evidence.begun(c.record.process))
            .min();
        ledger.since_begun = last.since(begun.unwrap_or_default());
        ledger.since_first = last.since(first.unwrap_or_default());
        ledger
    }

    /// What a budget allows at the most.
    pub fn allowance(&self, budget: &Budget) -> Allowance {
        let retries = match budget {
            Budget::Bucket(bucket) => self.by_bucket(bucket),
            Budget::Window(window) => self.by_window(window),
            Budget::Throttle(throttle) => self.by_throttle(throttle),
            Budget::Quota(quota) => return self.by_quota(quota),
        };
        Allowance {
            retries: usize::try_from(retries).unwrap_or(usize::MAX),
            words: retries.to_string(),
        }
    }

    fn payers(&self, payer: Payer) -> u64 {
        match payer {
            Payer::Originals => self.originals,
            Payer::Successes => self.successes(),
        }
    }

    fn successes(&self) -> u64 {
        self.at_once + self.after_retries
    }

    fn by_bucket(&self, bucket: &BucketBudget) -> u64 {
        let thousandths = |credit: u32| u64::from(credit) * RETRY;
        let refilled = |time: Duration| {
            let every = bucket
                .refill_every
                .map_or(u128::MAX, |every| every.as_nanos().max(1));
            let credit = (time.as_nanos() * u128::from(RETRY)).div_ceil(every);
            let credit = if bucket.refill_every.is_some() { credit } else { 0 };
            u64::try_from(credit).unwrap_or(u64::MAX)
        };
        // It began with its first credit when the client started, and held no more than its cap at the first operation.
        let from_start =
            thousandths(bucket.initial.min(bucket.cap)).saturating_add(refilled(self.since_begun));
        let from_first = thousandths(bucket.cap).saturating_add(refilled(self.since_first));
        let first = from_start.min(from_first).saturating_mul(self.buckets);
        let earned = u64::from(bucket.earn_per_mille).saturating_mul(self.payers(bucket.earned_by));
        first.saturating_add(earned) / RETRY
    }

    fn by_window(&self, window: &WindowBudget) -> u64 {
        let remembered = (window.window.as_nanos() * 9 / 10).max(1);
        let windows = u64::try_from(self.since_first.as_nanos() / remembered).unwrap_or(u64::MAX);
        let free = u64::from(window.at_least).saturating_mul(windows.saturating_add(1));
        // Who counts in whole deposits for each retry rounds them down, and allows a little more than the ratio.
        let payers = self.payers(window.paid_by);
        let paid = match u64::from(window.ratio_per_mille) {
            0 => 0,
            ratio @ ..=RETRY => payers / (RETRY / ratio),
            ratio => payers.saturating_mul(RETRY) / (RETRY * RETRY / ratio).max(1),
        };
        free.saturating_mul(self.buckets).saturating_add(paid)
    }

    /// Every failure that is repeated leaves more than half of the tokens.
    fn by_throttle(&self, throttle: &ThrottleBudget) -> u64 {
        let half = u64::from(throttle.max_tokens) * RETRY / 2;
        let back = u64::from(throttle.token_ratio_per_mille).saturating_mul(self.successes());
        let above = half.saturating_mul(self.buckets).saturating_add(back);
        above.saturating_sub(1) / RETRY
    }

    fn by_quota(&self, quota: &QuotaBudget) -> Allowance {
        let back = u64::from(quota.dearest().max(quota.success)) * self.after_retries
            + u64::from(quota.success) * self.at_once;
        let tokens = u64::from(quota.tokens) * self.buckets;
        let (mut taken, mut allowed) = (0, 0);
        for retry in &self.retries {
            taken += u64::from(retry.cost(quota));
            allowed += usize::from(taken <= tokens + back);
        }
        Allowance {
            retries: allowed,
            words: format!(
                "{tokens} tokens, successes gave back {back} at the most, and the retries take {taken}"
            ),
        }
    }
}

impl Retry<'_> {
    /// The least that it may have cost.
    fn cost(&self, quota: &QuotaBudget) -> u32 {
        match (self.after, quota.throttled) {
            (None, _) => quota.cheapest(),
            (Some(status), Some(throttled)) if quota.throttled_on.contains(&status) => throttled,
            (Some(_), _) => quota.retry,
        }
    }
}

/// The status of the answer that a retry followed, where it was read for certain before the retry was sent.
fn status_before(case: &Case, course: &Course, retry: &Call) -> Option<u16> {
    let at = course.attempts.iter().position(|call| call.id() == retry.id())?;
    let before = *course.attempts.get(at.checked_sub(1)?)?;
    let read = case.certainly_read(before) && course.follows(case, before, retry);
    case.status_of(before).filter(|_| read)
}

/// Whether an operation may have ended as a success, or as what a client counts as one: an answer that it does not repeat.
fn may_have_succeeded(case: &Case, course: &Course) -> bool {
    let drains =
        |call: &&Call| case.surely_failed(call) && case.status_of(call).is_none_or(statuses::transient);
    course.claim() == Some(Claim::Ok) || !course.attempts.iter().all(drains)
}
