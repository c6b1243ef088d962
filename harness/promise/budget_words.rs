//! Budgets and breakers as a file writes them, for promises and for policies that are handed over alike.

use serde::Deserialize;

use super::{Breaker, BucketBudget, Budget, Payer, QuotaBudget, ThrottleBudget, WindowBudget};
use crate::source::{Placed, Problems};

/// A budget as written: the keys of every kind, of which those of one belong together.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetWords {
    /// A budget is counted per process; the word is there to be read.
    #[serde(rename = "per")]
    _per: Per,
    initial: Option<u32>,
    cap: Option<u32>,
    earn_per_mille: Option<u32>,
    earned_by: Option<Payer>,
    refill_every: Option<Placed<String>>,
    window: Option<Placed<String>>,
    ratio_per_mille: Option<u32>,
    at_least: Option<u32>,
    paid_by: Option<Payer>,
    tokens: Option<u32>,
    retry: Option<u32>,
    timeout: Option<u32>,
    throttled: Option<u32>,
    throttled_on: Option<Vec<Placed<u16>>>,
    success: Option<u32>,
    max_tokens: Option<u32>,
    token_ratio_per_mille: Option<u32>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Per {
    #[default]
    Process,
}

/// A breaker as written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BreakerWords {
    failures: Placed<u32>,
    open: Placed<String>,
}

/// The kinds of budget, by their keys; those that must be there come first.
const KINDS: [(&[&str], &[&str]); 4] = [
    (
        &["initial", "cap", "earn_per_mille"],
        &["earned_by", "refill_every"],
    ),
    (&["window", "ratio_per_mille", "at_least"], &["paid_by"]),
    (
        &["tokens", "retry", "success"],
        &["timeout", "throttled", "throttled_on"],
    ),
    (&["max_tokens", "token_ratio_per_mille"], &[]),
];

impl BudgetWords {
    /// The budget that is meant; problems are added, and an empty bucket stands for what cannot be read.
    pub fn read(written: &Placed<BudgetWords>, problems: &Problems) -> Budget {
        let words = &written.value;
        let present = words.present();
        let begun = |(must, may): &&(&[&str], &[&str])| {
            present.iter().any(|key| must.contains(key) || may.contains(key))
        };
        let Some((must, may)) = KINDS.iter().find(begun) else {
            let label = "initial, cap and earn_per_mille; or window, tokens or max_tokens with their own";
            problems.say(written.span, "this says nothing of a budget", label);
            return Budget::bucket(0, 0, 0);
        };
        if let Some(odd) = present
            .iter()
            .find(|key| !must.contains(key) && !may.contains(key))
        {
            let because = format!("`{odd}` and `{}` belong to budgets of different kinds", must[0]);
            problems.say(written.span, because, format!("here belong {}", must.join(", ")));
        }
        if let Some(missing) = must.iter().find(|key| !present.contains(key)) {
            problems.say(
                written.span,
                format!("`{missing}` is missing"),
                format!("such a budget has {}", must.join(", ")),
            );
        }
        words.kind(written, problems)
    }

    fn present(&self) -> Vec<&'static str> {
        let all = [
            ("initial", self.initial.is_some()),
            ("cap", self.cap.is_some()),
            ("earn_per_mille", self.earn_per_mille.is_some()),
            ("earned_by", self.earned_by.is_some()),
            ("refill_every", self.refill_every.is_some()),
            ("window", self.window.is_some()),
            ("ratio_per_mille", self.ratio_per_mille.is_some()),
            ("at_least", self.at_least.is_some()),
            ("paid_by", self.paid_by.is_some()),
            ("tokens", self.tokens.is_some()),
            ("retry", self.retry.is_some()),
            ("timeout", self.timeout.is_some()),
            ("throttled", self.throttled.is_some()),
            ("throttled_on", self.throttled_on.is_some()),
            ("success", self.success.is_some()),
            ("max_tokens", self.max_tokens.is_some()),
            ("token_ratio_per_mille", self.token_ratio_per_mille.is_some()),
        ];
        all.iter()
            .filter(|(_, there)| *there)
            .map(|(key, _)| *key)
            .collect()
    }

    /// The kind that its keys tell. What is missing was said before.
    fn kind(&self, written: &Placed<BudgetWords>, problems: &Problems) -> Budget {
        let above_zero = |duration: &Placed<String>| problems.positive_duration(duration);
        if let Some(window) = &self.window {
            return Budget::Window(WindowBudget {
                window: above_zero(window),
                ratio_per_mille: self.ratio_per_mille.unwrap_or(0),
                at_least: self.at_least.unwrap_or(0),
                paid_by: self.paid_by.unwrap_or_default(),
            });
        }
        if let Some(tokens) = self.tokens {
            return Budget::Quota(self.quota(tokens, written, problems));
        }
        if let Some(max_tokens) = self.max_tokens {
            return Budget::Throttle(ThrottleBudget {
                max_tokens,
                token_ratio_per_mille: self.token_ratio_per_mille.unwrap_or(0),
            });
        }
        Budget::Bucket(BucketBudget {
            initial: self.initial.unwrap_or(0),
            cap: self.cap.unwrap_or(0),
            earn_per_mille: self.earn_per_mille.unwrap_or(0),
            earned_by: self.earned_by.unwrap_or_default(),
            refill_every: self.refill_every.as_ref().map(above_zero),
        })
    }

    fn quota(&self, tokens: u32, written: &Placed<BudgetWords>, problems: &Problems) -> QuotaBudget {
        let statuses = self.throttled_on.iter().flatten();
        let throttled_on: Vec<u16> = statuses.map(|status| status.value).collect();
        if self.throttled.is_some() == throttled_on.is_empty() {
            let label = "what throttling costs, and which statuses it is";
            problems.say(written.span, "`throttled` and `throttled_on` go together", label);
        }
        if [self.retry, self.timeout, self.throttled].contains(&Some(0)) {
            problems.say(
                written.span,
                "a retry that takes no token is not bounded",
                "every price is at least 1",
            );
        }
        QuotaBudget {
            tokens,
            retry: self.retry.unwrap_or(1),
            timeout: self.timeout,
            throttled: self.throttled,
            throttled_on,
            success: self.success.unwrap_or(0),
        }
    }
}

impl BreakerWords {
    /// The breaker that is meant; problems are added.
    pub fn read(&self, problems: &Problems) -> Breaker {
        if self.failures.value == 0 {
            let because = "a breaker that opens after no failure calls nothing";
            problems.say(self.failures.span, because, "at least 1");
        }
        Breaker {
            failures: self.failures.value,
            open: problems.positive_duration(&self.open),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::source::{Source, read_yaml, render};

    fn read(text: &str) -> Result<Budget, String> {
        let source = Arc::new(Source::new("f.yaml", text));
        let problems = Problems::new(&source);
        let written: Placed<BudgetWords> = read_yaml(&source, &[]).map_err(|p| render(&[p], false))?;
        let budget = BudgetWords::read(&written, &problems);
        problems.none_or(budget).map_err(|all| render(&all, false))
    }

    #[test]
    fn every_kind_is_read() {
        assert_eq!(
            read("{per: process, initial: 2, cap: 4, earn_per_mille: 100}"),
            Ok(Budget::bucket(2, 4, 100))
        );
        for (text, kind) in [
            (
                "{initial: 1, cap: 2, earn_per_mille: 100, earned_by: successes, refill_every: 2s}",
                "Bucket",
            ),
            (
                "{window: 10s, ratio_per_mille: 200, at_least: 100, paid_by: successes}",
                "Window",
            ),
            (
                "{tokens: 500, retry: 14, throttled: 5, throttled_on: [429], success: 1}",
                "Quota",
            ),
            ("{max_tokens: 10, token_ratio_per_mille: 100}", "Throttle"),
        ] {
            let budget = format!("{:?}", read(text).expect(text));
            assert!(budget.starts_with(kind), "{budget}");
        }
    }

    #[test]
    fn what_is_missing_mixed_or_boundless_is_said() {
        for (text, said) in [
            ("{per: process}", "this says nothing of a budget"),
            ("{initial: 2, cap: 4}", "`earn_per_mille` is missing"),
            (
                "{initial: 2, cap: 4, earn_per_mille: 1, tokens: 5}",
                "belong to budgets of different kinds",
            ),
            (
                "{window: 0s, ratio_per_mille: 1, at_least: 1}",
                "this must be longer than zero",
            ),
            (
                "{tokens: 5, retry: 0, success: 1}",
                "a retry that takes no token is not bounded",
            ),
            ("{tokens: 5, retry: 1, throttled: 2, success: 1}", "go together"),
            ("{max_token: 5}", "max_tokens"),
        ] {
            let problem = read(text).expect_err(text);
            assert!(problem.contains(said), "{problem}");
        }
    }
}
