//! Stretches of time: correct clients of every habit, and when a retry was surely decided.

use super::ID;
use super::told::*;
use crate::evidence::Fact;
use crate::judge::Grade;
use crate::promise::Payer;
use crate::term::{Claim, OperationId, ProcessId, Stamp, StopReason};

#[test]
fn a_retry_counts_from_the_failure_that_it_repeats_and_not_from_its_arrival() {
    // Decided before its backoff, and paid for with what the first window allowed.
    let told = |turn| {
        let told = Told::of(window(1_000, 0, 1, Payer::Originals));
        told.operation(&[(turn, 0), (DOWN, 1_500)])
            .operation(&[(DOWN, 1_490), (DOWN, 1_520)])
    };
    assert!(told(DOWN).passes());
    assert!(told(SLOW).passes());
}

#[test]
fn an_attempt_that_was_not_answered_at_once_may_have_been_given_up_before() {
    let told = |turn: usize, first: u64| {
        let told = Told::of(window(1_000, 0, 1, Payer::Originals)).fine(1, 0);
        let told = told.operation(&[(turn, first), (DOWN, 10_950)]);
        told.operation(&[(DOWN, 11_250), (DOWN, 11_290)])
    };
    // The slow answer began at 10901 ms; a timer may have been quicker, and its retry been forgotten.
    assert!(told(SLOW, 10_000).passes());
    assert!(!told(DOWN, 10_900).passes());
}

#[test]
fn attempts_that_overlap_and_hedges_are_decided_no_one_knows_when() {
    let told = |hedges: bool| {
        let mut told = Told::of(window(1_000, 0, 1, Payer::Originals));
        told = told.begun(0);
        let Told(story, n) = told;
        let story = story
            .call_of(n, SILENT, 0)
            .call_of(n, SILENT, 2_000)
            .call_of(n, DOWN, 2_400);
        let story = story.reported_of(n, 2_500, Claim::Failed, StopReason::Unreported);
        Told(story.promising(|p| p.hedges = hedges), n)
    };
    assert!(told(true).passes());
    assert!(told(false).passes());
}

#[test]
fn processes_that_cannot_be_told_apart_have_a_cap_each() {
    use crate::evidence::ClientEnd;
    let told = |processes: u64| {
        let Told(story, n) = Told::of(bucket(2, 2, 500, Payer::Successes, None))
            .fine(20, 0)
            .retried(4, 5_000);
        let ended = |at| Fact::ClientEnded {
            at: Stamp::from_ms(at),
            how: ClientEnd::Exited(22),
        };
        Told(
            (0..processes).fold(story, |story, at| story.and(ended(6_000 + at))),
            n,
        )
    };
    assert!(!told(1).passes());
    assert!(told(2).passes());
}

#[test]
fn a_late_harness_accuses_nobody_of_a_stretch() {
    let Told(story, _) = Told::of(bucket(0, 3, 500, Payer::Successes, None))
        .fine(20, 0)
        .retried(4, 5_000);
    assert!(story.late_by_ms(60).check(ID).withheld);
}

#[test]
fn of_two_budgets_one_is_to_be_kept() {
    let Told(mut story, _) = Told::of(bucket(0, 3, 500, Payer::Successes, None))
        .fine(20, 0)
        .retried(4, 5_000);
    let handed = |cap| crate::promise::Given {
        budget: Some(bucket(0, cap, 500, Payer::Successes, None)),
        ..crate::promise::Given::default()
    };
    story.trial.given = Some(handed(4));
    assert_eq!(story.worst(ID).0, Grade::Pass);
    story.trial.given = Some(handed(2));
    assert_eq!(story.worst(ID).0, Grade::Fail);
}

#[test]
fn what_is_called_off_while_it_waits_may_give_back_what_it_paid() {
    // The first pays and is called off at 5500 ms, between the two retries of the second.
    let told = |cancelled: bool| {
        let Told(story, n) = Told::of(bucket(1, 1, 1_000, Payer::Successes, None))
            .fine(20, 0)
            .begun(5_000);
        let story = story.call_of(n, DOWN, 5_000);
        let story = if cancelled {
            story.cancelled(n, 5_500)
        } else {
            story
        };
        let story = story.reported_of(n, 5_501, Claim::Failed, StopReason::Unreported);
        Told(story, n).operation(&[(DOWN, 5_300), (DOWN, 5_400), (DOWN, 5_600)])
    };
    assert!(told(true).passes());
    assert!(!told(false).passes());
}

#[test]
fn what_its_deadline_ends_may_give_back_what_it_paid_and_what_ends_early_does_not() {
    let told = |over: u64| {
        let told = Told::of(bucket(1, 1, 1_000, Payer::Successes, None)).fine(20, 0);
        let Told(story, n) = told.begun(5_000);
        let story = story.call_of(n, DOWN, 5_000).and(Fact::Asked {
            op: OperationId(n),
            at: Stamp::from_ms(5_000),
            deadline_ms: Some(1_000),
            key: None,
            process: ProcessId::FIRST,
        });
        let story = story.reported_of(n, over, Claim::Failed, StopReason::Unreported);
        Told(story, n).operation(&[(DOWN, 5_300), (DOWN, 5_400), (DOWN, 5_600)])
    };
    assert!(told(5_500).passes());
    assert!(!told(5_499).passes());
}
