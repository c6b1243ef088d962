//! Retry budgets and breakers: the same words for what a client promises and for what a scenario hands over.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// A retry budget, in integers. All operations of a process share it.
///
/// In JSON each kind is told by its own keys, as it is in YAML.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Budget {
    /// A bucket of credit.
    Bucket(BucketBudget),
    /// A share of the operations within a window of time.
    Window(WindowBudget),
    /// A quota of tokens that a retry takes, and that comes back where it succeeds.
    Quota(QuotaBudget),
    /// A throttle that failures close and successes open.
    Throttle(ThrottleBudget),
}

/// A bucket of credit: a retry costs 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BucketBudget {
    /// Credit at the start, in retries.
    pub initial: u32,
    /// The most credit that is kept, in retries.
    pub cap: u32,
    /// Credit earned each time, in thousandths of a retry.
    pub earn_per_mille: u32,
    /// What earns it.
    #[serde(default, skip_serializing_if = "Payer::is_originals")]
    pub earned_by: Payer,
    /// Each time that so long has passed, credit for one retry is added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refill_every: Option<Duration>,
}

/// What pays for retries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Payer {
    /// Each operation, before its first attempt.
    #[default]
    Originals,
    /// Each operation that succeeds.
    Successes,
}

impl Payer {
    /// Whether it need not be written.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants a reference")]
    fn is_originals(&self) -> bool {
        *self == Payer::Originals
    }
}

/// Within any window, so many retries and a share of what pays for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowBudget {
    /// How long a retry, and what pays for it, is remembered.
    pub window: Duration,
    /// Retries for each payer in the window, in thousandths.
    pub ratio_per_mille: u32,
    /// Retries in a window that nobody need pay for: the floor.
    pub at_least: u32,
    /// What pays.
    #[serde(default, skip_serializing_if = "Payer::is_originals")]
    pub paid_by: Payer,
}

/// The retry quota of the AWS SDKs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuotaBudget {
    /// Tokens at the start, and at most.
    pub tokens: u32,
    /// What a retry takes.
    pub retry: u32,
    /// What a retry after the client's own timer takes, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timeout: Option<u32>,
    /// What a retry after throttling takes, where that differs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u32>,
    /// Statuses that are throttling.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throttled_on: Vec<u16>,
    /// What an operation gives back that succeeds at its first attempt; after retries, it is what the last one took.
    pub success: u32,
}

/// gRPC's retry throttling: a failure takes a token, and above half of them retries are made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ThrottleBudget {
    /// Tokens at the start, and at most.
    pub max_tokens: u32,
    /// What a success gives back, in thousandths of a token.
    pub token_ratio_per_mille: u32,
}

/// A circuit breaker, one for each target (host and port) of a process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Breaker {
    /// After so many failures in a row it opens.
    pub failures: u32,
    /// For so long nothing is called. Then one call is made: its success closes the breaker, its failure opens it again.
    pub open: Duration,
}

impl Budget {
    /// A bucket of credit that each operation earns before its first attempt.
    pub const fn bucket(initial: u32, cap: u32, earn_per_mille: u32) -> Budget {
        Budget::Bucket(BucketBudget {
            initial,
            cap,
            earn_per_mille,
            earned_by: Payer::Originals,
            refill_every: None,
        })
    }

    /// Retries that it surely allows before anything is earned or given back, whatever each of them costs.
    pub fn first(&self) -> u32 {
        match self {
            Budget::Bucket(bucket) => bucket.initial.min(bucket.cap),
            Budget::Window(window) => window.at_least,
            Budget::Quota(quota) => quota.tokens.checked_div(quota.dearest()).unwrap_or(u32::MAX),
            Budget::Throttle(throttle) => throttle.max_tokens.saturating_sub(1) / 2,
        }
    }
}

impl QuotaBudget {
    /// The most that a retry takes.
    pub fn dearest(&self) -> u32 {
        let others = [self.timeout, self.throttled];
        others.into_iter().flatten().fold(self.retry, u32::max)
    }

    /// The least that a retry takes.
    pub fn cheapest(&self) -> u32 {
        let others = [self.timeout, self.throttled];
        others.into_iter().flatten().fold(self.retry, u32::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_by_its_keys_and_a_mixture_is_refused() {
        let kinds = [
            r#"{"initial":2,"cap":4,"earn_per_mille":100}"#,
            r#"{"window":{"secs":10,"nanos":0},"ratio_per_mille":200,"at_least":100}"#,
            r#"{"tokens":500,"retry":5,"timeout":10,"success":1}"#,
            r#"{"max_tokens":10,"token_ratio_per_mille":100}"#,
        ];
        for text in kinds {
            let budget: Budget = serde_json::from_str(text).expect(text);
            assert_eq!(serde_json::to_string(&budget).expect("JSON"), text);
        }
        let mixed = r#"{"initial":2,"cap":4,"earn_per_mille":100,"tokens":5}"#;
        assert!(serde_json::from_str::<Budget>(mixed).is_err());
    }

    #[test]
    fn a_throttle_allows_retries_while_more_than_half_of_its_tokens_are_left() {
        let first = |max_tokens| {
            Budget::Throttle(ThrottleBudget {
                max_tokens,
                token_ratio_per_mille: 100,
            })
            .first()
        };
        assert_eq!(
            [first(0), first(1), first(2), first(10), first(11)],
            [0, 0, 0, 4, 5]
        );
    }
}
