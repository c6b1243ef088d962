//! Every golden scenario but those of chance, with the figures that are stated for it, and a snapshot of all the others.

use retrial::term::StopReason;

use crate::figures::{Figures, play};
use crate::playing::{Defect, facts, judged};
use crate::reference::mutants::Mutant;
use crate::{golden, names};

/// Plays a scenario, and compares its figures with the committed ones.
fn snapshot(name: &str, defect: Defect) -> Figures {
    let figures = play(&golden(name), defect);
    let whose = match defect {
        Defect::None => name.to_owned(),
        Defect::Mutant(mutant) => format!("{name}-{}", mutant.name()),
        Defect::BucketPerOperation => format!("{name}-bucket-per-operation"),
    };
    insta::with_settings!({prepend_module_to_snapshot => false, omit_expression => true}, {
        insta::assert_snapshot!(whose, figures.to_string());
    });
    figures
}

fn stop(figures: &Figures) -> StopReason {
    figures.operations[0].finished.expect("an end").1
}

/// Each golden scenario that is not one of chance has a committed snapshot, and nothing in it is found wrong.
#[test]
fn every_golden_scenario_is_played() {
    for name in names().iter().filter(|name| !name.starts_with("multiplier-")) {
        let verdict = snapshot(name, Defect::None).verdict;
        // Three hundred calls for a hundred operations are lawful without a budget, and noted.
        let wanted = match name.as_str() {
            "full-outage-no-budget" | "overload-unbounded" => "noted",
            _ => "pass",
        };
        assert_eq!(verdict, wanted, "{name}");
    }
}

#[test]
fn the_recovery_is_met_to_the_millisecond() {
    let figures = play(&golden("recovery"), Defect::None);
    let course = &figures.operations[0];
    assert_eq!(course.dispatched, [0.0, 90.0, 1120.0]);
    assert_eq!(course.completed, [40.0, 120.0, 1140.0]);
    assert_eq!(course.finished, Some((1140.0, StopReason::Ok)));
}

#[test]
fn an_operation_ends_for_the_stated_reason() {
    for (name, reason) in [
        ("pushback-beyond-deadline", StopReason::Deadline),
        ("terminal-400", StopReason::Terminal),
        ("unsafe-503", StopReason::Unsafe),
        ("slow-attempt", StopReason::AttemptTimeout),
    ] {
        let figures = play(&golden(name), Defect::None);
        assert_eq!((figures.calls, stop(&figures)), (1, reason), "{name}");
    }
    let slow = play(&golden("slow-attempt"), Defect::None);
    assert_eq!(
        slow.operations[0].finished,
        Some((1450.0, StopReason::AttemptTimeout))
    );
}

#[test]
fn a_budget_bounds_a_full_outage() {
    let calls = |name, defect| play(&golden(name), defect).calls;
    assert_eq!(calls("full-outage", Defect::None), 112);
    assert_eq!(calls("full-outage-no-budget", Defect::None), 300);
    assert_eq!(calls("fleet", Defect::None), 60);
    assert_eq!(calls("fleet-restart", Defect::None), 150);
    assert_eq!(calls("budget-outage", Defect::None), 1100);
}

#[test]
fn a_bucket_for_each_operation_is_no_budget() {
    let figures = snapshot("full-outage", Defect::BucketPerOperation);
    assert_eq!(figures.calls, 300);
    assert!(figures.verdict.starts_with("fail; "), "{}", figures.verdict);
    assert!(figures.verdict.contains("budget.kept"), "{}", figures.verdict);
}

#[test]
fn a_bucket_that_is_full_after_every_start_is_caught() {
    // It has credit left for a second operation, which an honest process has spent.
    let full = snapshot("fleet-restart", Defect::Mutant(Mutant::StartsFull));
    assert_eq!(full.calls, 180);
    assert!(full.verdict.contains("budget.kept"), "{}", full.verdict);
}

#[test]
fn a_value_of_retry_after_delays_as_stated() {
    let figures = play(&golden("retry-after"), Defect::None);
    let gaps: Vec<Option<f64>> = figures
        .operations
        .iter()
        .map(|o| o.dispatched.get(1).map(|second| second - o.completed[0]))
        .collect();
    // Digits beyond all measure are a wait beyond the deadline; what is malformed or past leaves the client its own.
    assert_eq!(gaps, [Some(2000.0), None, Some(100.0), Some(100.0)]);
    assert_eq!(
        figures.operations[1].finished.map(|(_, stop)| stop),
        Some(StopReason::Deadline)
    );
    assert_eq!(
        play(&golden("retry-after-past"), Defect::None).operations[0].dispatched,
        [0.0, 0.0]
    );
}

#[test]
fn twelve_forwarders_meet_an_outage() {
    for (name, attempts, delivered, stopped, peak, ticks) in [
        ("forwarder-one-report", 2, 1, 0, 1, "0, 1"),
        ("forwarder-immediate", 60, 12, 0, 12, "0-5"),
        ("forwarder-backoff", 48, 12, 0, 12, "0, 2, 6, 14, 22"),
        ("forwarder-jitter", 39, 12, 0, 9, "0-6"),
        ("forwarder-down", 86, 0, 12, 9, "0-14, 16-23"),
    ] {
        let figures = play(&golden(name), Defect::None);
        let failed: u64 = figures
            .stops
            .iter()
            .filter(|(stop, _)| **stop != StopReason::Ok)
            .map(|(_, n)| n)
            .sum();
        let seen = (figures.calls, figures.delivered, failed, figures.peak_retries());
        assert_eq!(seen, (attempts, delivered, stopped, peak), "{name}");
        assert_eq!(figures.ticks_with_sends(), ticks, "{name}");
    }
    let down = play(&golden("forwarder-down"), Defect::None);
    assert_eq!(
        down.stops,
        [(StopReason::AttemptCap, 5), (StopReason::Deadline, 7)].into()
    );
}

#[test]
fn without_jitter_the_peak_is_higher_than_the_scenario_asks_for() {
    let trial = golden("forwarder-jitter");
    let defect = Defect::Mutant(Mutant::NoJitter);
    let (_, judgement) = judged(&trial, &facts(&trial, defect));
    let told = judgement.findings.iter().map(|f| f.because.as_str());
    let told: Vec<&str> = told.filter(|because| because.contains("in any 1 s")).collect();
    assert_eq!(
        told,
        ["your scenario asks for exactly 9 retries in any 1 s at `inbox`; 12 came in the one from 2 s on"]
    );
}

#[test]
fn one_key_stores_a_report_once_and_a_new_key_for_each_attempt_twice() {
    let same = play(&golden("inbox"), Defect::None);
    assert_eq!(same.operations[0].dispatched, [0.0, 2000.0, 4000.0]);
    assert_eq!(same.delivered, 1);
    let anew = snapshot("inbox", Defect::Mutant(Mutant::NewKeyPerAttempt));
    assert_eq!(anew.delivered, 2);
    assert!(anew.verdict.contains("key.same"), "{}", anew.verdict);
}

#[test]
fn what_cannot_end_in_time_is_never_started() {
    let course = |name| play(&golden(name), Defect::None).operations.remove(0);
    let free = course("timeouts-without-deadline");
    assert_eq!(free.dispatched, [0.0, 32_000.0, 72_000.0]);
    assert_eq!(free.finished.map(|(at, _)| at), Some(102_000.0));
    let bound = course("timeouts-within-a-minute");
    assert_eq!(bound.dispatched, [0.0, 32_000.0]);
    assert_eq!(bound.finished, Some((60_000.0, StopReason::AttemptTimeout)));
}
