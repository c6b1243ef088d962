//! What the studies of retries state, each as a scenario: the right policy has the stated figure and passes, and its wrong
//! twin fails by the check that is named here.
//!
//! 1. A budget of one retry in ten keeps the load at 1.1 times, while everything fails and at every moment of an overload.
//! 2. Three stacked layers make the product of their attempts, one owner what it promises: layers are processes, so this one
//!    stands in `tests/layers/placement.rs` (`layers-owner`: 27 against 3, 64 against 4).
//! 3. Clients without jitter come back in lockstep.
//! 4. A broken dependency recovers by itself, an overloaded one only if retries are bounded.
//! 5. Little traffic earns no retries, so that a budget needs a floor.

use std::sync::Arc;

use retrial::judge::{Load, Tick};
use retrial::promise::{Backoff, Budget, Given, Jitter};
use retrial::scenario::Trial;

use crate::figures::{Figures, play};
use crate::overload::load_of;
use crate::playing::Defect;
use crate::reference::mutants::Mutant;
use crate::{built_in, golden};

/// The same trial under another policy.
fn under(trial: &Arc<Trial>, change: impl FnOnce(&mut Given)) -> Arc<Trial> {
    let mut trial = (**trial).clone();
    change(trial.given.as_mut().expect("a policy"));
    Arc::new(trial)
}

/// The floor of a window.
fn with_floor(trial: &Arc<Trial>, floor: u32) -> Arc<Trial> {
    under(trial, |given| match given.budget.as_mut() {
        Some(Budget::Window(window)) => window.at_least = floor,
        other => panic!("{other:?} has no floor"),
    })
}

/// Calls, effects delivered, and the verdict.
fn told(figures: &Figures) -> (usize, usize, &str) {
    (figures.calls, figures.delivered, &figures.verdict)
}

#[track_caller]
fn assert_fails_by(figures: &Figures, check: &str) {
    let verdict = &figures.verdict;
    assert!(
        verdict.starts_with("fail; ") && verdict.contains(check),
        "{verdict}"
    );
}

#[test]
fn a_budget_of_one_in_ten_keeps_the_load_at_1_1_times() {
    let trial = built_in("budget-one-in-ten");
    assert_eq!(told(&play(&trial, Defect::None)), (33, 0, "pass"));
    let unbounded = play(&under(&trial, |given| given.budget = None), Defect::None);
    assert_eq!(unbounded.calls, 90);
    assert_fails_by(&unbounded, "expect.met");
    for mutant in [Mutant::OverspendsBudget, Mutant::RetriesEarn] {
        let mutant = play(&trial, Defect::Mutant(mutant));
        assert_fails_by(&mutant, "budget.kept");
        assert_fails_by(&mutant, "expect.met");
    }
}

/// When the tick began, in milliseconds, until whose end there were more retries than ten and one for ten originals.
fn over_budget(load: &Load) -> Option<u64> {
    let mut sums = (0, 0);
    let over = |tick: &Tick| {
        sums = (sums.0 + tick.originals, sums.1 + tick.retries);
        sums.1 > 10 + sums.0 / 10
    };
    let first = load.ticks.iter().position(over)?;
    Some(first as u64 * load.tick_ms)
}

#[test]
fn in_an_overload_the_budget_holds_at_every_moment() {
    let trial = golden("overload-budget");
    assert_eq!(over_budget(&load_of(&trial, Defect::None)), None);
    let mutant = Defect::Mutant(Mutant::OverspendsBudget);
    // That is when the burst comes.
    assert_eq!(over_budget(&load_of(&trial, mutant)), Some(10_000));
    assert_fails_by(&play(&trial, mutant), "expect.met");
}

#[test]
fn without_jitter_a_fleet_comes_back_in_lockstep() {
    let fleet = built_in("fleet-lockstep");
    assert_eq!(told(&play(&fleet, Defect::None)), (32, 16, "pass"));
    for mutant in [Mutant::NoJitter, Mutant::SameSeed] {
        assert_fails_by(&play(&fleet, Defect::Mutant(mutant)), "clients.spread");
    }
    let reports = golden("forwarder-jitter");
    let apart = play(&reports, Defect::None);
    assert_eq!(told(&apart), (39, 12, "pass"));
    assert_eq!((apart.peak_retries(), &*apart.ticks_with_sends()), (9, "0-6"));
    let in_step = under(&reports, |given| match given.backoff.as_mut() {
        Some(Backoff::Exponential(growth)) => growth.jitter = Jitter::None,
        other => panic!("{other:?} has no jitter"),
    });
    let in_step = play(&in_step, Defect::None);
    assert_eq!((in_step.calls, in_step.peak_retries()), (48, 12));
    assert_eq!(in_step.ticks_with_sends(), "0, 2, 6, 14, 22");
    assert_fails_by(&in_step, "expect.met");
}

#[test]
fn an_overload_outlives_its_trigger_where_retries_are_unbounded_and_not_where_they_are_paid_for() {
    let (budget, unbounded) = (golden("overload-budget"), golden("overload-unbounded"));
    let ended_ok = |figures: &Figures| figures.stops[&retrial::term::StopReason::Ok];
    let kept = play(&budget, Defect::None);
    assert_eq!((kept.calls, ended_ok(&kept), &*kept.verdict), (980, 830, "pass"));
    let lost = play(&unbounded, Defect::None);
    assert_eq!(
        (lost.calls, ended_ok(&lost), &*lost.verdict),
        (4124, 169, "noted")
    );
    // They are one incident under two policies.
    let policy = |trial: &Arc<Trial>| trial.given.clone().expect("a policy");
    let swapped = |trial, other| under(trial, |given| *given = policy(other));
    assert_fails_by(&play(&swapped(&budget, &unbounded), Defect::None), "expect.met");
    let mended = play(&swapped(&unbounded, &budget), Defect::None);
    assert_eq!(
        (mended.calls, ended_ok(&mended), &*mended.verdict),
        (980, 830, "pass")
    );
}

#[test]
fn a_broken_dependency_is_no_better_for_being_asked_more_often() {
    let broken = golden("overload-broken");
    let ended_ok = |figures: &Figures| figures.stops[&retrial::term::StopReason::Ok];
    let unbounded = play(&broken, Defect::None);
    assert_eq!(
        (unbounded.calls, ended_ok(&unbounded), &*unbounded.verdict),
        (1227, 897, "pass")
    );
    // A budget loses the twelve that would have met the end of the outage, and saves 256 calls.
    let budget = golden("overload-budget").given.clone().expect("a policy").budget;
    let paid_for = play(&under(&broken, |given| given.budget = budget), Defect::None);
    assert_eq!(
        (paid_for.calls, ended_ok(&paid_for), &*paid_for.verdict),
        (971, 885, "pass")
    );
    let hammering = under(&broken, |given| {
        given.attempts = Some(20);
        given.backoff = Some(Backoff::Fixed(std::time::Duration::from_millis(20)));
    });
    let hammering = play(&hammering, Defect::None);
    assert_fails_by(&hammering, "expect.met");
    // Where it stays broken, whatever is spent on it is lost.
    for (name, calls) in [("full-outage", 112), ("full-outage-no-budget", 300)] {
        let figures = play(&golden(name), Defect::None);
        assert_eq!((figures.calls, figures.delivered), (calls, 0), "{name}");
    }
}

#[test]
fn little_traffic_needs_a_floor() {
    let (bare, floor) = (
        built_in("budget-low-traffic"),
        built_in("budget-low-traffic-floor"),
    );
    assert_eq!(told(&play(&bare, Defect::None)), (7, 0, "pass"));
    assert_eq!(told(&play(&floor, Defect::None)), (10, 3, "pass"));
    // Nothing but the floor is another: each is the other's wrong twin.
    let (raised, lowered) = (with_floor(&bare, 3), with_floor(&floor, 0));
    assert_eq!((&raised.given, &lowered.given), (&floor.given, &bare.given));
    assert_eq!(told(&play(&raised, Defect::None)).0, 10);
    assert_eq!(told(&play(&lowered, Defect::None)).0, 7);
    assert_fails_by(&play(&raised, Defect::None), "expect.met");
    assert_fails_by(&play(&lowered, Defect::None), "expect.met");
    for trial in [&bare, &floor] {
        let overspent = play(trial, Defect::Mutant(Mutant::OverspendsBudget));
        assert_fails_by(&overspent, "budget.kept");
        assert_fails_by(&overspent, "expect.met");
    }
}
