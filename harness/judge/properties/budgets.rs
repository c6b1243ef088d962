//! Budgets: a client that keeps to its own is never blamed, whatever runs side by side; one that keeps more than fits, or forgets
//! too early, is always found.

use std::time::Duration;

use proptest::prelude::*;

use super::cases;
use super::purse::{Habit, Purse, Why, budget, habit};
use super::spending::{asked, one, played, told, turns};
use crate::judge::Grade;
use crate::judge::evidence_builder::Story;
use crate::promise::{Budget, Payer, WindowBudget};
use crate::term::{Claim, StopReason};

fn blamed(story: &Story) -> bool {
    let result = story.check("budget.kept");
    result.findings.iter().any(|f| f.grade > Grade::Note)
}

/// Operations that succeed, and one later that fails so often, each time after so many milliseconds.
fn burst(earlier: u64, retries: u64, every: u64, budget: Budget) -> Story {
    let mut story = Story::of(turns()).promising(|p| p.budget = Some(budget));
    let last = earlier as u32 + 1;
    for op in 1..=earlier as u32 {
        let at = u64::from(op) * 10;
        story = asked(story, op, at, None).call_of(op, 0, at);
        story = story
            .reported_of(op, at + 2, Claim::Ok, StopReason::Ok)
            .operation("GET", "/", "quota");
    }
    let at = 900_000;
    story = asked(story, last, at, None);
    story = (0..=retries).fold(story, |story, n| story.call_of(last, 2, at + n * every));
    story.reported_of(
        last,
        at + retries * every + 5,
        Claim::Failed,
        StopReason::Unreported,
    )
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_budget_that_is_kept_is_never_blamed(
        all in prop::collection::vec(one(), 1..30),
        budget in budget(),
        habit in habit(),
        counts_404 in any::<bool>(),
    ) {
        let mut purse = Purse::new(&budget, habit);
        let traces = played(&all, &mut purse, counts_404);
        let story = told(&all, &traces).promising(|p| p.budget = Some(budget));
        prop_assert!(!blamed(&story), "{:#?}", story.check("budget.kept").findings);
    }

    #[test]
    fn credit_beyond_the_cap_is_always_found(earlier in 0..40u64, initial in 0..6u32, cap in 0..6u32, earn in 0..1_000u32, every in 1..3_000u64) {
        // The operation that fails may have earned before it was called, and not after.
        let kept = u64::from(cap);
        prop_assert!(!blamed(&burst(earlier + 40, kept.min(u64::from(initial)), every, Budget::bucket(initial, cap, earn))));
        prop_assert!(blamed(&burst(earlier, kept + 1, every.max(2), Budget::bucket(initial, cap, earn))));
    }

    #[test]
    fn more_than_a_floor_within_a_window_is_always_found(earlier in 0..40u64, at_least in 0..6u32, ms in 100..5_000u64, part in 0.0..1.0f64) {
        let retries = u64::from(at_least) + 1;
        // Half the window, and what an inexact clock may take of it.
        let longest = ms / 2 - 6;
        let every = 2 + ((longest as f64 * part) as u64 / retries).saturating_sub(2);
        let budget = |at_least| Budget::Window(WindowBudget {
            window: Duration::from_millis(ms),
            ratio_per_mille: 0,
            at_least,
            paid_by: Payer::Successes,
        });
        prop_assert!(blamed(&burst(earlier, retries, every, budget(at_least))));
        prop_assert!(!blamed(&burst(earlier, retries, every, budget(at_least + 1))));
    }
}

/// What the generator draws is not all alike: it makes retries, and refuses some.
#[test]
fn purses_pay_and_refuse() {
    let bucket = Budget::bucket(1, 1, 500);
    let habit = Habit::plain();
    let mut purse = Purse::new(&bucket, habit);
    assert!(purse.pay(0, Why::Broke).is_some());
    assert!(purse.pay(1, Why::Broke).is_none());
    purse.begun(2);
    purse.begun(3);
    assert!(purse.pay(4, Why::Broke).is_some());
}
