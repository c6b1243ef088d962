//! What each kind of budget allows in any stretch of time, and in which words.

use std::time::Duration;

use super::budget_ledger::{Ledger, RETRY, Retry, back, price_and_share};
use super::budget_stretch::{Entry, Refill, Stretch, Terms};
use crate::judge::tolerance::EARLY_TOLERANCE;
use crate::judge::wording::time;
use crate::promise::{BucketBudget, Budget, Payer, QuotaBudget, ThrottleBudget, WindowBudget};

/// Retries that break a budget.
pub(super) struct Breach {
    /// Which of the ledger's they are, those that were too many last.
    pub retries: Vec<usize>,
    /// So many of them would have been allowed.
    pub allowed: usize,
    /// In words: for what or when they were made, and what the budget allows there.
    pub within: String,
    pub words: String,
}

/// A budget as it is applied to a ledger.
struct Applied {
    terms: Terms,
    retries: Vec<Entry>,
    payers: Vec<Entry>,
}

impl Ledger<'_> {
    /// The retries of the stretch of time that breaks a budget the most, if one does.
    pub fn breach(&self, budget: &Budget) -> Option<Breach> {
        let applied = match budget {
            Budget::Bucket(bucket) => self.as_bucket(bucket),
            Budget::Window(window) => self.as_window(window),
            Budget::Quota(quota) => self.as_quota(quota),
            Budget::Throttle(throttle) => self.as_throttle(throttle),
        };
        let stretch = applied.terms.broken(&applied.retries, &applied.payers)?;
        let entries = applied.retries.iter().enumerate();
        let mut made: Vec<(usize, &Entry)> = entries.filter(|(_, entry)| stretch.has(entry)).collect();
        made.sort_by_key(|(_, entry)| entry.when.until);
        let taken = made.iter().scan(0, |taken, (_, entry)| {
            *taken += entry.amount;
            Some(*taken)
        });
        let allowed = taken
            .filter(|taken| *taken <= stretch.held + stretch.came)
            .count();
        Some(Breach {
            words: format!("{allowed} there: {}", words(budget, &stretch, &made)),
            within: match stretch.from {
                Some(from) => format!("within {}", time(stretch.until.since(from))),
                None => format!("until {}", stretch.until),
            },
            retries: made.into_iter().map(|(nth, _)| nth).collect(),
            allowed,
        })
    }

    fn all_take(&self, amount: i64) -> Vec<Entry> {
        let take = |retry: &Retry| Entry {
            when: retry.when,
            amount,
        };
        self.retries.iter().map(take).collect()
    }

    fn all_bring(&self, payer: Payer, amount: i64) -> Vec<Entry> {
        let bring = |when| Entry { when, amount };
        match payer {
            Payer::Originals => self.begun.iter().copied().map(bring).collect(),
            Payer::Successes => self.succeeded.iter().map(|(when, _)| bring(*when)).collect(),
        }
    }

    /// What pays, and those that may have given back the price of a retry.
    fn and_back(&self, mut payers: Vec<Entry>, price: i64) -> Vec<Entry> {
        payers.extend(self.given_back.iter().map(|when| Entry {
            when: *when,
            amount: price,
        }));
        payers
    }

    fn times(&self, amount: u64) -> i64 {
        i64::try_from(amount.saturating_mul(self.buckets)).unwrap_or(i64::MAX / 8)
    }

    /// However much was earned before a stretch, no more than the cap of it was left.
    fn as_bucket(&self, bucket: &BucketBudget) -> Applied {
        let thousandths = |credit: u32| self.times(u64::from(credit) * RETRY);
        let refill = bucket.refill_every.map(|every| Refill {
            amount: self.times(RETRY),
            every,
        });
        let first = thousandths(bucket.initial.min(bucket.cap));
        Applied {
            terms: Terms {
                kept: thousandths(bucket.cap),
                first: Some((first, self.process_begun)),
                refill,
                longest: None,
                remembered: Duration::ZERO,
            },
            retries: self.all_take(whole(RETRY)),
            payers: self.and_back(
                self.all_bring(bucket.earned_by, i64::from(bucket.earn_per_mille)),
                whole(RETRY),
            ),
        }
    }

    /// What is forgotten after half a window may be spent again (tower, whose window goes on by one tenth too many each time it
    /// is asked after one has passed, forgets so soon), and what pays may be remembered for a tenth longer.
    fn as_window(&self, window: &WindowBudget) -> Applied {
        let (each, share) = price_and_share(window);
        let (each, share) = (whole(each), whole(share));
        let floor = self.times(u64::from(window.at_least));
        Applied {
            terms: Terms {
                kept: floor.saturating_mul(each),
                first: None,
                refill: None,
                longest: Some((window.window / 2).saturating_sub(EARLY_TOLERANCE)),
                remembered: window.window * 11 / 10,
            },
            retries: self.all_take(each),
            payers: self.and_back(self.all_bring(window.paid_by, share), each),
        }
    }

    /// Every failure that is repeated leaves more than half of the tokens.
    fn as_throttle(&self, throttle: &ThrottleBudget) -> Applied {
        let half = i64::try_from(self.all_halves(throttle)).unwrap_or(i64::MAX / 8);
        Applied {
            terms: Terms {
                kept: (half - 1).max(0),
                first: None,
                refill: None,
                longest: None,
                remembered: Duration::ZERO,
            },
            retries: self.all_take(whole(RETRY)),
            payers: self.all_bring(Payer::Successes, i64::from(throttle.token_ratio_per_mille)),
        }
    }

    fn as_quota(&self, quota: &QuotaBudget) -> Applied {
        let retries = self.retries.iter().map(|retry| Entry {
            when: retry.when,
            amount: i64::from(retry.cost(quota)),
        });
        // A retry that is not known may have been paid for before a stretch, and given back in it.
        let payers = self.succeeded.iter().map(|(when, retried)| Entry {
            when: *when,
            amount: i64::from(back(quota, *retried)),
        });
        Applied {
            terms: Terms {
                kept: self.times(u64::from(quota.tokens)),
                first: None,
                refill: None,
                longest: None,
                remembered: Duration::ZERO,
            },
            retries: retries.collect(),
            payers: self.and_back(payers.collect(), i64::from(quota.dearest())),
        }
    }
}

fn whole(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

fn words(budget: &Budget, stretch: &Stretch, made: &[(usize, &Entry)]) -> String {
    let (held, came) = (stretch.held, stretch.came);
    match budget {
        Budget::Bucket(_) => {
            let verb = if stretch.from.is_some() {
                "keeps"
            } else {
                "begins with"
            };
            format!(
                "it {verb} {}, and {} may have come in",
                credit(held),
                credit(came)
            )
        }
        Budget::Window(WindowBudget { window, at_least, .. }) => {
            let each = made.first().map_or(1, |(_, entry)| entry.amount.max(1));
            let came = credit(came.saturating_mul(whole(RETRY)) / each);
            format!(
                "its floor in {} is {at_least}, and {came} may have come in",
                time(*window)
            )
        }
        Budget::Throttle(throttle) => {
            let (tokens, came) = (throttle.max_tokens, credit(came));
            format!("half of its {tokens} tokens are kept, and {came} may have come back")
        }
        Budget::Quota(_) => {
            let taken: i64 = made.iter().map(|(_, entry)| entry.amount).sum();
            format!("it keeps {held} tokens, {came} may have come back, and the retries take {taken}")
        }
    }
}

fn credit(thousandths: i64) -> String {
    let text = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
