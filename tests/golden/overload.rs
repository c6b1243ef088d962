//! Overload that feeds on itself: one burst, one queue, and three endings.

use std::sync::Arc;

use retrial::judge::Load;
use retrial::scenario::Trial;

use crate::golden;
use crate::playing::{Defect, facts, judged};

/// The last second of the burst.
const BURST_ENDS_S: u64 = 12;

fn load(name: &str) -> Load {
    load_of(&golden(name), Defect::None)
}

/// The load of `orders`, tick by tick.
pub fn load_of(trial: &Arc<Trial>, defect: Defect) -> Load {
    let (_, judgement) = judged(trial, &facts(trial, defect));
    let orders = &judgement.counts.dependencies["orders"];
    orders.load.clone().expect("a load")
}

/// Useful answers for each hundred originals, long after the trigger.
fn goodput_at_the_end(load: &Load) -> u64 {
    let late = load.ticks.iter().enumerate();
    let late = late.filter(|(i, tick)| *i as u64 * load.tick_ms >= 30_000 && tick.originals > 0);
    let (useful, originals) = late.fold((0, 0), |sum, (_, tick)| {
        (sum.0 + tick.useful, sum.1 + tick.originals)
    });
    useful * 100 / originals
}

#[test]
fn without_a_budget_the_overload_stays_when_its_trigger_is_gone() {
    let load = load("overload-unbounded");
    assert_eq!(goodput_at_the_end(&load), 0, "{load:?}");
    assert!(load.wasted > 20 * load.useful, "{load:?}");
}

#[test]
fn with_a_budget_the_queue_drains_and_everything_is_answered_again() {
    let load = load("overload-budget");
    assert!(goodput_at_the_end(&load) >= 99, "{load:?}");
    assert!(load.overshoot_per_mille <= 1200, "{load:?}");
}

#[test]
fn a_broken_dependency_recovers_under_the_policy_that_kept_an_overloaded_one_down() {
    let load = load("overload-broken");
    assert!(goodput_at_the_end(&load) >= 99, "{load:?}");
    let after = load.ticks.iter().enumerate();
    let retries: u64 = after
        .filter(|(i, _)| *i as u64 * load.tick_ms > BURST_ENDS_S * 1000)
        .map(|(_, tick)| tick.retries)
        .sum();
    assert_eq!(retries, 0, "{load:?}");
}
