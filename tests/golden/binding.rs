//! Each number of a policy binds in some golden scenario: changed by one, it changes that scenario's figures.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use retrial::promise::{
    Backoff, Breaker, BucketBudget, Budget, DeadlineRule, Exponential, FailureKind, Given, Jitter, Lcg,
    Payer, QuotaBudget, Rolls, ThrottleBudget, WindowBudget,
};
use retrial::scenario::Trial;

use crate::figures::{Figures, play};
use crate::golden;
use crate::playing::Defect;

/// A number, a change of it, and the scenario whose figures the change shows in.
struct Row {
    number: &'static str,
    scenario: &'static str,
    change: fn(&mut Trial),
}

const fn row(number: &'static str, scenario: &'static str, change: fn(&mut Trial)) -> Row {
    Row {
        number,
        scenario,
        change,
    }
}

const MS: Duration = Duration::from_millis(1);
const SECOND: Duration = Duration::from_secs(1);

fn given(trial: &mut Trial) -> &mut Given {
    trial.given.as_mut().expect("a policy")
}

fn growth(trial: &mut Trial) -> &mut Exponential {
    match given(trial).backoff.as_mut() {
        Some(Backoff::Exponential(growth)) => growth,
        other => panic!("{other:?} does not grow"),
    }
}

fn fixed(trial: &mut Trial) -> &mut Duration {
    match given(trial).backoff.as_mut() {
        Some(Backoff::Fixed(wait)) => wait,
        other => panic!("{other:?} is not fixed"),
    }
}

fn roll(trial: &mut Trial) -> &mut f64 {
    match given(trial).rolls.as_mut() {
        Some(Rolls::Fixed(rolls)) => &mut rolls[0],
        other => panic!("{other:?} are not fixed"),
    }
}

fn lcg(trial: &mut Trial) -> &mut Lcg {
    match given(trial).rolls.as_mut() {
        Some(Rolls::Lcg(lcg)) => lcg,
        other => panic!("{other:?} is no stream"),
    }
}

fn budget(trial: &mut Trial) -> &mut BucketBudget {
    match given(trial).budget.as_mut() {
        Some(Budget::Bucket(bucket)) => bucket,
        other => panic!("{other:?} is no bucket"),
    }
}

fn window(trial: &mut Trial) -> &mut WindowBudget {
    match given(trial).budget.as_mut() {
        Some(Budget::Window(window)) => window,
        other => panic!("{other:?} is no window"),
    }
}

fn quota(trial: &mut Trial) -> &mut QuotaBudget {
    match given(trial).budget.as_mut() {
        Some(Budget::Quota(quota)) => quota,
        other => panic!("{other:?} is no quota"),
    }
}

fn throttle(trial: &mut Trial) -> &mut ThrottleBudget {
    match given(trial).budget.as_mut() {
        Some(Budget::Throttle(throttle)) => throttle,
        other => panic!("{other:?} is no throttle"),
    }
}

fn breaker(trial: &mut Trial) -> &mut Breaker {
    given(trial).breaker.as_mut().expect("a breaker")
}

fn of<T>(number: &mut Option<T>) -> &mut T {
    number.as_mut().expect("a number")
}

fn without(trial: &mut Trial, status: u16) {
    of(&mut given(trial).statuses).retain(|s| *s != status);
}

const TABLE: [Row; 53] = [
    row("attempts", "full-outage-no-budget", |t| {
        *of(&mut given(t).attempts) += 1
    }),
    row("attempts", "full-outage-no-budget", |t| {
        *of(&mut given(t).attempts) -= 1
    }),
    row("attempt_timeout", "timeouts-without-deadline", |t| {
        *of(&mut given(t).attempt_timeout) += MS
    }),
    row("attempt_timeout", "timeouts-without-deadline", |t| {
        *of(&mut given(t).attempt_timeout) -= MS
    }),
    row("reserve", "slow-attempt", |t| *of(&mut given(t).reserve) += MS),
    row("reserve", "slow-attempt", |t| *of(&mut given(t).reserve) -= MS),
    row("min_useful", "binding-min-useful-fits", |t| {
        *of(&mut given(t).min_useful) += MS
    }),
    row("min_useful", "binding-min-useful-misses", |t| {
        *of(&mut given(t).min_useful) -= MS
    }),
    row("statuses", "recovery", |t| without(t, 429)),
    row("statuses", "recovery", |t| without(t, 503)),
    row("statuses", "binding-statuses", |t| without(t, 504)),
    row("statuses", "terminal-400", |t| {
        of(&mut given(t).statuses).push(400)
    }),
    row("failures", "inbox", |t| of(&mut given(t).failures).clear()),
    row("failures", "binding-failures", |t| {
        of(&mut given(t).failures).push(FailureKind::Closed)
    }),
    row("failures", "timeouts-without-deadline", |t| {
        of(&mut given(t).failures).clear()
    }),
    row("deadline_rule", "forwarder-down", |t| {
        given(t).deadline_rule = Some(DeadlineRule::Inclusive)
    }),
    row("backoff.fixed", "forwarder-immediate", |t| *fixed(t) += SECOND),
    row("backoff.fixed", "forwarder-immediate", |t| *fixed(t) -= SECOND),
    row("backoff.base", "binding-backoff", |t| growth(t).base += MS),
    row("backoff.base", "binding-backoff", |t| growth(t).base -= MS),
    row("backoff.factor", "binding-backoff", |t| growth(t).factor += 1),
    row("backoff.factor", "binding-backoff", |t| growth(t).factor -= 1),
    row("backoff.cap", "binding-backoff", |t| growth(t).cap += MS),
    row("backoff.cap", "binding-backoff", |t| growth(t).cap -= MS),
    row("backoff.jitter", "recovery", |t| growth(t).jitter = Jitter::None),
    row("backoff.unit", "binding-unit", |t| *of(&mut growth(t).unit) += MS),
    row("backoff.unit", "binding-unit", |t| *of(&mut growth(t).unit) -= MS),
    row("rolls.fixed", "recovery", |t| *roll(t) += 0.01),
    row("rolls.fixed", "recovery", |t| *roll(t) -= 0.01),
    row("rolls.lcg.first", "binding-seeds", |t| lcg(t).first += 1),
    row("rolls.lcg.step", "binding-seeds", |t| lcg(t).step += 1),
    row("budget.initial", "full-outage", |t| budget(t).initial += 1),
    row("budget.initial", "full-outage", |t| budget(t).initial -= 1),
    row("budget.cap", "binding-cap-retries", |t| budget(t).cap += 1),
    row("budget.cap", "binding-cap-retries", |t| budget(t).cap -= 1),
    row("budget.earn_per_mille", "binding-earn", |t| {
        budget(t).earn_per_mille += 1
    }),
    row("budget.earn_per_mille", "full-outage", |t| {
        budget(t).earn_per_mille -= 1
    }),
    row("budget.earned_by", "full-outage", |t| {
        budget(t).earned_by = Payer::Successes
    }),
    row("budget.refill_every", "full-outage", |t| {
        budget(t).refill_every = Some(SECOND / 10)
    }),
    row("budget.window", "binding-window", |t| window(t).window += MS),
    row("budget.ratio_per_mille", "binding-window", |t| {
        window(t).ratio_per_mille -= 1
    }),
    row("budget.at_least", "binding-window", |t| window(t).at_least += 1),
    row("budget.paid_by", "binding-window", |t| {
        window(t).paid_by = Payer::Successes
    }),
    row("budget.tokens", "binding-quota", |t| quota(t).tokens -= 1),
    row("budget.retry", "binding-quota", |t| quota(t).retry += 1),
    row("budget.timeout", "binding-quota", |t| {
        *of(&mut quota(t).timeout) += 1
    }),
    row("budget.throttled", "binding-quota", |t| {
        *of(&mut quota(t).throttled) += 1
    }),
    row("budget.throttled_on", "binding-quota", |t| {
        quota(t).throttled_on.push(503)
    }),
    row("budget.success", "binding-quota", |t| quota(t).success -= 1),
    row("budget.max_tokens", "binding-throttle", |t| {
        throttle(t).max_tokens += 1
    }),
    row("budget.token_ratio_per_mille", "binding-throttle", |t| {
        throttle(t).token_ratio_per_mille -= 1
    }),
    row("breaker.failures", "binding-breaker", |t| {
        breaker(t).failures += 1
    }),
    row("breaker.open", "binding-breaker", |t| breaker(t).open += MS),
];

/// What a changed policy must change: everything but the verdict.
fn figures(trial: &Arc<Trial>) -> Figures {
    Figures {
        verdict: String::new(),
        ..play(trial, Defect::None)
    }
}

#[test]
fn a_number_that_is_changed_by_one_changes_the_figures_of_its_scenario() {
    let mut right: BTreeMap<&str, Figures> = BTreeMap::new();
    for row in &TABLE {
        let trial = golden(row.scenario);
        let right = right.entry(row.scenario).or_insert_with(|| figures(&trial));
        let mut changed = (*trial).clone();
        (row.change)(&mut changed);
        assert_ne!(
            changed, *trial,
            "{}: nothing is changed in {}",
            row.number, row.scenario
        );
        let seen = figures(&Arc::new(changed));
        assert_ne!(seen, *right, "{} does not bind in {}", row.number, row.scenario);
    }
}

#[test]
fn an_attempt_at_the_deadline_to_the_moment_would_make_87() {
    let mut trial = (*golden("forwarder-down")).clone();
    // What falls on tick 24 is before this deadline, and before no other tick.
    *of(&mut trial.operations[0].deadline) += MS;
    assert_eq!(figures(&Arc::new(trial)).calls, 87);
}

/// Whoever adds a number to the policy is led here by the compiler.
#[test]
fn every_number_of_a_policy_has_a_row() {
    let Given {
        attempts: _,
        attempt_timeout: _,
        reserve: _,
        min_useful: _,
        statuses: _,
        failures: _,
        deadline_rule: _,
        backoff: _,
        rolls: _,
        budget: _,
        breaker: _,
    } = Given::default();
    let Exponential {
        base: _,
        factor: _,
        cap: _,
        jitter: _,
        unit: _,
    } = growth(&mut (*golden("recovery")).clone()).clone();
    let Lcg { first: _, step: _ } = lcg(&mut (*golden("binding-seeds")).clone()).clone();
    let BucketBudget {
        initial: _,
        cap: _,
        earn_per_mille: _,
        earned_by: _,
        refill_every: _,
    } = budget(&mut (*golden("recovery")).clone()).clone();
    let WindowBudget {
        window: _,
        ratio_per_mille: _,
        at_least: _,
        paid_by: _,
    } = window(&mut (*golden("binding-window")).clone()).clone();
    let QuotaBudget {
        tokens: _,
        retry: _,
        timeout: _,
        throttled: _,
        throttled_on: _,
        success: _,
    } = quota(&mut (*golden("binding-quota")).clone()).clone();
    let ThrottleBudget {
        max_tokens: _,
        token_ratio_per_mille: _,
    } = throttle(&mut (*golden("binding-throttle")).clone()).clone();
    let Breaker { failures: _, open: _ } = breaker(&mut (*golden("binding-breaker")).clone()).clone();
    let named: BTreeSet<&str> = TABLE.iter().map(|row| row.number).collect();
    let numbers = [
        "attempts",
        "attempt_timeout",
        "reserve",
        "min_useful",
        "statuses",
        "failures",
        "deadline_rule",
        "backoff.fixed",
        "backoff.base",
        "backoff.factor",
        "backoff.cap",
        "backoff.jitter",
        "backoff.unit",
        "rolls.fixed",
        "rolls.lcg.first",
        "rolls.lcg.step",
        "budget.initial",
        "budget.cap",
        "budget.earn_per_mille",
        "budget.earned_by",
        "budget.refill_every",
        "budget.window",
        "budget.ratio_per_mille",
        "budget.at_least",
        "budget.paid_by",
        "budget.tokens",
        "budget.retry",
        "budget.timeout",
        "budget.throttled",
        "budget.throttled_on",
        "budget.success",
        "budget.max_tokens",
        "budget.token_ratio_per_mille",
        "breaker.failures",
        "breaker.open",
    ];
    assert_eq!(named, BTreeSet::from(numbers));
}
