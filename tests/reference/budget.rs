//! Budgets and breakers, against the figures of their sources and, where a crate has one, against that crate.

use std::time::Duration;

use tokio::time::advance;
use tower::retry::budget::{Budget as _, TpsBudget};

use crate::reference::backoff::Dice;
use crate::reference::breaker::Breakers;
use crate::reference::budget::Purse;
use crate::reference::course::Kind;
use crate::reference::given::{Breaker, Budget};

const SECOND: Duration = Duration::from_secs(1);

fn purse(budget: serde_json::Value) -> Purse {
    Purse::new(&serde_json::from_value::<Budget>(budget).expect("a budget"), None)
}

fn failing(purse: &Purse, status: u16) -> Option<u32> {
    purse.failed();
    purse.pay(Kind::Status(status))
}

#[tokio::test(start_paused = true)]
async fn a_window_is_the_budget_of_finagle_as_tower_has_it() {
    let ours = purse(serde_json::json!({
        "window_ms": 10_000, "ratio_per_mille": 200, "at_least": 20,
    }));
    let theirs = TpsBudget::new(10 * SECOND, 2, 0.2);
    for round in 0..4 {
        // Within one window, and then after a silence in which everything is forgotten.
        for step in 0..60 {
            if step % 3 == round % 3 {
                ours.begun();
                theirs.deposit();
            }
            let (paid, withdrawn) = (failing(&ours, 503).is_some(), theirs.withdraw());
            assert_eq!(paid, withdrawn, "step {step} of round {round}");
            advance(Duration::from_millis(100)).await;
        }
        advance(30 * SECOND).await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_bucket_is_refilled_in_time_up_to_its_cap() {
    let bucket = purse(serde_json::json!({
        "initial": 0, "cap": 2, "earn_per_mille": 0, "refill_every_ms": 1_000,
    }));
    assert_eq!(failing(&bucket, 503), None);
    advance(Duration::from_millis(999)).await;
    assert_eq!(failing(&bucket, 503), None);
    advance(Duration::from_millis(1)).await;
    assert_eq!((failing(&bucket, 503), failing(&bucket, 503)), (Some(1), None));
    advance(60 * SECOND).await;
    let paid = [(); 3].map(|()| failing(&bucket, 503));
    assert_eq!(paid, [Some(1), Some(1), None]);
}

#[tokio::test(start_paused = true)]
async fn successes_pay_where_it_says_so() {
    let bucket = purse(serde_json::json!({
        "initial": 0, "cap": 2, "earn_per_mille": 500, "earned_by": "successes",
    }));
    bucket.begun();
    bucket.begun();
    assert_eq!(failing(&bucket, 503), None);
    bucket.succeeded(None);
    bucket.succeeded(None);
    assert_eq!(failing(&bucket, 503), Some(1));
}

fn aws(tokens: u32) -> Purse {
    purse(serde_json::json!({"tokens": tokens, "retry": 5, "timeout": 10, "success": 1}))
}

#[tokio::test(start_paused = true)]
async fn the_quota_of_2020_is_that_of_the_aws_sdks() {
    // Nothing left for a first retry, one retry, and two.
    assert_eq!(failing(&aws(0), 500), None);
    let one = aws(5);
    assert_eq!((failing(&one, 500), failing(&one, 502)), (Some(5), None));
    let two = aws(10);
    let paid = [500, 502, 503].map(|status| failing(&two, status));
    assert_eq!(paid, [Some(5), Some(5), None]);
    // A timeout takes twice as much.
    assert_eq!(aws(9).pay(Kind::Timeout), None);
    assert_eq!(aws(10).pay(Kind::Timeout), Some(10));
}

#[tokio::test(start_paused = true)]
async fn a_quota_gets_back_what_the_last_retry_took_and_never_more_than_it_had() {
    let quota = aws(10);
    let (first, last) = (failing(&quota, 500), failing(&quota, 502));
    quota.succeeded(last);
    assert_eq!(
        (first, failing(&quota, 500), failing(&quota, 500)),
        (Some(5), Some(5), None)
    );
    (0..20).for_each(|_| quota.succeeded(None));
    let paid = [(); 3].map(|()| failing(&quota, 500));
    assert_eq!(paid, [Some(5), Some(5), None]);
}

#[tokio::test(start_paused = true)]
async fn the_quota_of_2026_takes_more_for_failures_than_for_throttling() {
    let quota = purse(serde_json::json!({
        "tokens": 500, "retry": 14, "throttled": 5, "throttled_on": [429], "success": 1,
    }));
    let paid = (0..100).filter(|_| failing(&quota, 503).is_some()).count();
    assert_eq!(paid, 500 / 14);
    // Ten tokens are left.
    let paid = [429, 429, 429].map(|status| failing(&quota, status));
    assert_eq!(paid, [Some(5), Some(5), None]);
}

#[tokio::test(start_paused = true)]
async fn a_throttle_retries_above_half_of_its_tokens() {
    // The figures of gRFC A6: ten tokens, a tenth for each success.
    let throttle = purse(serde_json::json!({"max_tokens": 10, "token_ratio_per_mille": 100}));
    let paid = (0..8).filter(|_| failing(&throttle, 503).is_some()).count();
    assert_eq!(paid, 4);
    // Two are left. After 40 successes there are six, of which a failure leaves half; after one more, above half.
    (0..40).for_each(|_| throttle.succeeded(None));
    assert_eq!(failing(&throttle, 503), None);
    (0..11).for_each(|_| throttle.succeeded(None));
    assert_eq!(failing(&throttle, 503), Some(0));
}

fn breakers() -> Breakers {
    Breakers::new(&Breaker {
        failures: 2,
        open: SECOND,
    })
}

fn fail(breakers: &Breakers, target: &str) {
    breakers.admit(target, None).expect("leave").failed();
}

#[tokio::test(start_paused = true)]
async fn a_breaker_opens_lets_one_call_try_and_closes() {
    let breakers = breakers();
    fail(&breakers, "a");
    fail(&breakers, "a");
    assert!(breakers.admit("a", None).is_none());
    assert_eq!(breakers.closed_for("a"), SECOND);
    assert!(breakers.admit("b", None).is_some(), "each target has its own");
    advance(SECOND).await;
    let probe = breakers.admit("a", None).expect("one call tries");
    assert!(breakers.admit("a", None).is_none(), "and no other");
    probe.succeeded();
    fail(&breakers, "a");
    assert!(breakers.admit("a", None).is_some(), "the count began anew");
}

#[tokio::test(start_paused = true)]
async fn a_probe_that_fails_or_is_called_off_opens_it_again() {
    let breakers = breakers();
    fail(&breakers, "a");
    fail(&breakers, "a");
    advance(SECOND).await;
    fail(&breakers, "a");
    assert_eq!(breakers.closed_for("a"), SECOND);
    advance(SECOND).await;
    drop(breakers.admit("a", None));
    assert!(breakers.admit("a", None).is_none());
    advance(SECOND).await;
    assert!(breakers.admit("a", None).is_some());
}

#[test]
fn a_hash_shows_the_same_again_and_another_for_each_client_operation_and_attempt() {
    let roll = |client, operation, attempt| Dice::hashed(client, operation, attempt).roll();
    assert_eq!(roll(1, "op-1", 1), roll(1, "op-1", 1));
    let others = [roll(2, "op-1", 1), roll(1, "op-2", 1), roll(1, "op-1", 2)];
    assert!(others.iter().all(|other| *other != roll(1, "op-1", 1)));
    let mean = (0..10_000).map(|n| roll(n, "op-1", 1)).sum::<f64>() / 10_000.0;
    assert!((0.49..0.51).contains(&mean), "{mean}");
}
