//! Stretches of time: for each kind of budget what is just allowed and what is one too many.

use super::told::*;
use crate::judge::Grade;
use crate::promise::{Budget, Payer, QuotaBudget, ThrottleBudget};

#[test]
fn a_bucket_keeps_no_more_than_its_cap() {
    // Twenty successes earn ten credits, of which three are kept.
    let told = || Told::of(bucket(0, 3, 500, Payer::Successes, None)).fine(20, 0);
    assert!(told().retried(3, 5_000).passes());
    let (grade, because) = told().retried(4, 5_000).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "4 retries were made within 22 ms; the budget allows 3 there: it keeps 3, and 0 may have come in"
    );
}

#[test]
fn a_success_may_be_counted_until_a_quarter_of_a_second_after_its_report() {
    let told = |at| {
        Told::of(bucket(0, 3, 500, Payer::Successes, None))
            .fine(20, 0)
            .retried(4, at)
    };
    // The last of them are reported at 182 and 192 ms.
    assert!(told(430).passes());
    assert!(!told(444).passes());
}

#[test]
fn what_operations_earn_before_their_first_call_counts_where_they_may_have_come() {
    let told = || Told::of(bucket(2, 2, 500, Payer::Originals, None)).fine(20, 0);
    // Four that run side by side earn two more, as far as they begin after the first of them has failed.
    assert!(told().retried(3, 5_000).passes());
    assert!(
        !told()
            .operation(&[(DOWN, 5_000), (DOWN, 5_010), (DOWN, 5_020), (DOWN, 5_030)])
            .passes()
    );
}

#[test]
fn what_is_refilled_counts_and_one_step_of_its_timer() {
    let refilled = |retries: u64, every| {
        let calls: Vec<(usize, u64)> = (0..=retries).map(|n| (DOWN, 60_000 + n * every)).collect();
        Told::of(bucket(2, 2, 0, Payer::Originals, Some(1_000))).operation(&calls)
    };
    // Two that are kept, four seconds, and a step at the very beginning.
    assert!(refilled(7, 600).passes());
    assert!(!refilled(8, 500).passes());
}

#[test]
fn a_bucket_begins_with_its_first_credit_and_not_with_what_comes_later() {
    let told = |retries| {
        Told::of(bucket(1, 5, 500, Payer::Successes, None))
            .retried(retries, 100)
            .fine(20, 5_000)
    };
    assert!(told(1).passes());
    let (grade, because) = told(2).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "2 retries were made until 121 ms; the budget allows 1 there: it begins with 1, and 0 may have come in"
    );
}

#[test]
fn a_floor_is_there_once_in_half_a_window() {
    let told = |later| {
        Told::of(window(2_000, 0, 3, Payer::Originals))
            .fine(1, 0)
            .retried(3, 1_000)
            .retried(3, later)
    };
    let (grade, because) = told(1_900).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "6 retries were made within 921 ms; the budget allows 3 there: its floor in 2 s is 3, and 0 may have come in"
    );
    // Tower may have forgotten the first of them after half of it, and all are forgotten after the whole.
    assert!(told(2_050).passes());
    assert!(told(3_050).passes());
}

#[test]
fn a_window_that_is_a_quarter_as_long_or_begins_anew_at_a_border_is_found() {
    let told = |earlier, later| {
        Told::of(window(2_000, 0, 2, Payer::Originals))
            .fine(1, 0)
            .retried(2, earlier)
            .retried(2, later)
    };
    assert!(!told(1_000, 1_600).passes());
    assert!(!told(1_900, 2_010).passes());
    assert!(told(0, 2_010).passes());
}

#[test]
fn what_paid_in_the_window_and_a_tenth_before_counts() {
    let told = |retries, at| {
        Told::of(window(1_000, 200, 0, Payer::Successes))
            .fine(10, 0)
            .retried(retries, at)
    };
    assert!(told(2, 500).passes());
    // The last success is over at 92 ms, is counted until 342 ms, and is remembered until 1442 ms.
    assert!(told(1, 1_300).passes());
    let late = || told(2, 1_600);
    assert!(!late().passes(), "{}", late().says().1);
    assert!(!told(3, 500).passes());
}

#[test]
fn a_ratio_above_one_is_rounded_for_the_client() {
    let told = |retries| {
        Told::of(window(10_000, 1_500, 0, Payer::Originals))
            .fine(4, 0)
            .fine(2, 40_000)
            .retried(retries, 41_000)
    };
    // Two and up to eight that begin themselves allow a retry and a half each.
    assert!(told(6).passes());
    let one = |retries: u64| {
        let calls: Vec<(usize, u64)> = (0..=retries).map(|n| (DOWN, 41_000 + n * 10)).collect();
        Told::of(window(10_000, 1_500, 0, Payer::Originals))
            .fine(4, 0)
            .fine(2, 40_000)
            .operation(&calls)
    };
    assert!(one(4).passes());
    assert!(!one(5).passes());
}

#[test]
fn a_throttle_is_never_more_than_full() {
    let told = |retries| {
        let throttle = ThrottleBudget {
            max_tokens: 6,
            token_ratio_per_mille: 1_000,
        };
        Told::of(Budget::Throttle(throttle))
            .fine(20, 0)
            .retried(retries, 5_000)
    };
    assert!(told(2).passes());
    let (grade, because) = told(3).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "3 retries were made within 21 ms; the budget allows 2 there: half of its 6 tokens are kept, and 0 may have come back"
    );
}

/// Only failures take a token, and a second call is sent beside the first whatever becomes of that.
#[test]
fn a_throttle_bounds_no_hedges() {
    let throttle = ThrottleBudget {
        max_tokens: 6,
        token_ratio_per_mille: 0,
    };
    let Told(story, n) = Told::of(Budget::Throttle(throttle)).retried(4, 1_000);
    assert!(Told(story.promising(|p| p.hedges = true), n).passes());
}

/// gRPC counts for each server.
#[test]
fn a_throttle_is_one_dependencys() {
    let throttle = ThrottleBudget {
        max_tokens: 6,
        token_ratio_per_mille: 0,
    };
    let mut told = Told::of(Budget::Throttle(throttle)).retried(4, 1_000);
    assert!(!told.passes());
    let mut other = told.0.trial.dependencies[0].clone();
    other.name = "inbox".into();
    told.0.trial.dependencies.push(other);
    let Told(story, n) = told;
    let story = story.operation("GET", "/", "inbox").call_of(n + 1, FINE, 2_000);
    assert!(Told(story, n + 1).passes());
}

#[test]
fn a_quota_is_never_more_than_full_and_each_retry_takes_its_price() {
    let told = |turn, retries: u64| {
        let quota = QuotaBudget {
            tokens: 15,
            retry: 5,
            timeout: None,
            throttled: Some(3),
            throttled_on: vec![429],
            success: 1,
        };
        let calls: Vec<(usize, u64)> = (0..=retries).map(|n| (turn, 5_000 + n * 30)).collect();
        Told::of(Budget::Quota(quota)).fine(20, 0).operation(&calls)
    };
    assert!(told(DOWN, 3).passes());
    assert!(told(THROTTLED, 5).passes());
    assert!(!told(THROTTLED, 6).passes());
    let (grade, because) = told(DOWN, 4).says();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "4 retries were made within 119 ms; the budget allows 3 there: it keeps 15 tokens, 0 may have come back, and the \
         retries take 20"
    );
}
