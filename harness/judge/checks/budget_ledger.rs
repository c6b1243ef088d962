//! What the operations of one process spent and may have earned, and how many retries that allows.
//!
//! Whatever is not known is taken in the client's favour: what may have been a success is one, a retry cost the least
//! that it may have cost, and time is counted from before the client can have counted it.

use std::collections::BTreeSet;
use std::time::Duration;

use super::budget_kept::retries;
use super::budget_moments::{Between, Moments, gave_back, paid_at_first, paid_at_last};
use crate::evidence::Call;
use crate::judge::{Case, Course, statuses};
use crate::promise::{BucketBudget, Budget, Payer, QuotaBudget, ThrottleBudget, WindowBudget};
use crate::term::Stamp;

/// What one retry costs, in thousandths.
pub(super) const RETRY: u64 = 1000;

/// What is known of the operations of one process.
pub(super) struct Ledger<'a> {
    /// The retries, operation by operation.
    pub retries: Vec<Retry<'a>>,
    /// Processes that cannot be told apart.
    pub buckets: u64,
    /// Dependencies that the operations may go to: a throttle is one server's (gRFC A6).
    targets: u64,
    /// Whether a call may be sent beside the one before it, which takes nothing from a throttle: only failures do.
    hedges: bool,
    /// When the process began.
    pub process_begun: Stamp,
    /// When each operation may have paid as one that begins.
    pub begun: Vec<Between>,
    /// When those may have paid that may have succeeded, and whether they may have made retries.
    pub succeeded: Vec<(Between, bool)>,
    /// When those may have given something back that paid for a retry and may have made none.
    pub given_back: Vec<Between>,
    /// Of those that may have succeeded, so many are seen to have made retries.
    after_retries: u64,
    /// From the beginning of the trial, or of the process in another's place, to the last retry, and from the first
    /// operation handed over.
    since_begun: Duration,
    since_first: Duration,
}

/// A retry, when it was decided, and the answer that it followed where that is known.
pub(super) struct Retry<'a> {
    pub call: &'a Call,
    pub when: Between,
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
        let begun = courses.iter().map(|c| case.evidence.begun(c.record.process));
        let targets = courses.iter().flat_map(|c| &c.planned.request().to);
        let mut ledger = Ledger {
            retries: Vec::new(),
            buckets,
            targets: targets.collect::<BTreeSet<_>>().len().max(1) as u64,
            hedges: case.promises.hedges,
            process_begun: begun.min().unwrap_or_default(),
            begun: courses.iter().map(|course| paid_at_first(course)).collect(),
            succeeded: Vec::new(),
            given_back: courses.iter().filter_map(|course| gave_back(course)).collect(),
            after_retries: 0,
            since_begun: Duration::ZERO,
            since_first: Duration::ZERO,
        };
        let moments = Moments::of(case);
        for course in courses {
            ledger.note(case, moments, course);
        }
        let last = ledger.retries.iter().map(|retry| retry.call.at()).max();
        let last = last.unwrap_or_default();
        let first = courses.iter().filter_map(|course| course.record.asked).min();
        ledger.since_begun = last.since(ledger.process_begun);
        ledger.since_first = last.since(first.unwrap_or_default());
        ledger
    }

    fn note(&mut self, case: &Case, moments: Moments, course: &Course<'a>) {
        let made = retries(case, course);
        if let Some(when) = paid_at_last(case, course) {
            self.succeeded.push((when, moments.may_have_retried(course)));
            self.after_retries += u64::from(!made.is_empty());
        }
        let paid = made.into_iter().map(|call| Retry {
            call,
            when: moments.decided(case, course, call),
            after: status_before(case, course, call),
        });
        self.retries.extend(paid);
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
            Payer::Originals => self.begun.len() as u64,
            Payer::Successes => self.successes(),
        }
    }

    fn successes(&self) -> u64 {
        self.succeeded.len() as u64
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
        // Where it is refilled in steps, one may have fallen just after that.
        let step = bucket.refill_every.map_or(0, |_| RETRY);
        let from_first = thousandths(bucket.cap)
            .saturating_add(refilled(self.since_first))
            .saturating_add(step);
        let first = from_start.min(from_first).saturating_mul(self.buckets);
        let earned = u64::from(bucket.earn_per_mille).saturating_mul(self.payers(bucket.earned_by));
        first.saturating_add(earned) / RETRY
    }

    fn by_window(&self, window: &WindowBudget) -> u64 {
        let remembered = (window.window.as_nanos() / 2).max(1);
        let windows = u64::try_from(self.since_first.as_nanos() / remembered).unwrap_or(u64::MAX);
        let free = u64::from(window.at_least).saturating_mul(windows.saturating_add(1));
        let (each, share) = price_and_share(window);
        let paid = self.payers(window.paid_by).saturating_mul(share) / each;
        free.saturating_mul(self.buckets).saturating_add(paid)
    }

    /// Half of the tokens of every throttle there may be; where it bounds nothing that is seen, as much as can be.
    pub fn all_halves(&self, throttle: &ThrottleBudget) -> u64 {
        if self.hedges {
            return u64::MAX;
        }
        let half = u64::from(throttle.max_tokens) * RETRY / 2;
        half.saturating_mul(self.buckets).saturating_mul(self.targets)
    }

    /// Every failure that is repeated leaves more than half of the tokens.
    fn by_throttle(&self, throttle: &ThrottleBudget) -> u64 {
        let half = self.all_halves(throttle);
        let back = u64::from(throttle.token_ratio_per_mille).saturating_mul(self.successes());
        let above = half.saturating_add(back);
        above.saturating_sub(1) / RETRY
    }

    fn by_quota(&self, quota: &QuotaBudget) -> Allowance {
        let at_once = self.successes() - self.after_retries;
        let back =
            u64::from(back(quota, true)) * self.after_retries + u64::from(back(quota, false)) * at_once;
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

/// What a retry takes from a window, and what each payer brings. Who counts in whole deposits for each retry rounds them down,
/// and allows a little more than the ratio.
pub(super) fn price_and_share(window: &WindowBudget) -> (u64, u64) {
    match u64::from(window.ratio_per_mille) {
        0 => (RETRY, 0),
        ratio @ ..=RETRY => (RETRY * (RETRY / ratio), RETRY),
        ratio => ((RETRY * RETRY / ratio).max(1), RETRY),
    }
}

/// What a success gives back to a quota at the most, by whether it made retries.
pub(super) fn back(quota: &QuotaBudget, retried: bool) -> u32 {
    match retried {
        true => quota.dearest().max(quota.success),
        false => quota.success,
    }
}

impl Retry<'_> {
    /// The least that it may have cost.
    pub fn cost(&self, quota: &QuotaBudget) -> u32 {
        match (self.after, quota.throttled) {
            (None, _) => quota.cheapest(),
            (Some(status), Some(throttled)) if quota.throttled_on.contains(&status) => throttled,
            (Some(_), _) => quota.retry,
        }
    }
}

/// The status of the answer that a retry followed, where it was read for certain before the retry was sent.
fn status_before(case: &Case, course: &Course, retry: &Call) -> Option<u16> {
    let before = *course.attempts.get(course.place(retry)?.checked_sub(1)?)?;
    let read = case.certainly_read(before) && course.follows(case, before, retry);
    case.status_of(before).filter(|_| read)
}

/// Whether a call surely failed in a way that a client repeats, so that nobody can take it for a success: an answer that is not
/// repeated may count as one.
pub(super) fn drains(case: &Case, call: &Call) -> bool {
    case.surely_failed(call) && case.status_of(call).is_none_or(statuses::transient)
}
