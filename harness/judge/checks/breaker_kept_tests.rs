//! Breakers on hand-made evidence: what is blamed, and the correct conducts that look most like it.

use super::*;
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::promise::Given;
use crate::term::{Claim, CutBy, Place, StopReason};

/// So many operations that fail once; the breaker opens after three for a second.
fn story(operations: u32) -> Story {
    let turns = vec![
        answered(503),
        answered(200),
        answered(404),
        answered(503).taking_ms(600),
    ];
    let story = (1..operations).fold(Story::of(turns), |s, _| s.operation("GET", "/", "quota"));
    let open = Duration::from_secs(1);
    story.promising(|p| p.breaker = Some(Breaker { failures: 3, open }))
}

/// Three operations fail at 0, 300 and 600 ms: the breaker opens at 601.
fn opened(operations: u32) -> Story {
    story(operations)
        .call_of(1, 0, 0)
        .call_of(2, 0, 300)
        .call_of(3, 0, 600)
}

fn reported(story: Story, ops: std::ops::RangeInclusive<u32>) -> Story {
    ops.fold(story, |s, op| {
        s.reported_of(op, 90_000, Claim::Failed, StopReason::Unreported)
    })
}

#[test]
fn a_call_while_it_is_open_fails_and_one_that_tries_afterwards_passes() {
    let early = reported(opened(4).call_of(4, 0, 1_590), 1..=4);
    let (grade, because) = early.worst(ID);
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "call 4 came 989 ms after 3 failures in a row; the client promises to call nothing for 1 s"
    );
    let kept = reported(opened(4).call_of(4, 0, 1_602), 1..=4).check(ID);
    assert_eq!(kept.findings[0].grade, Grade::Pass);
}

#[test]
fn what_may_have_been_on_its_way_is_not_blamed() {
    // 200 ms after the last failure was answered, and of another operation.
    assert_eq!(
        reported(opened(4).call_of(4, 0, 801), 1..=4).worst(ID).0,
        Grade::Pass
    );
    assert_eq!(
        reported(opened(4).call_of(4, 0, 852), 1..=4).worst(ID).0,
        Grade::Fail
    );
    assert!(
        reported(opened(4).call_of(4, 0, 900), 1..=4)
            .late_by_ms(60)
            .check(ID)
            .withheld
    );
}

#[test]
fn an_operation_that_goes_on_by_itself_knows_of_its_own_failures() {
    let own = story(1).call(0, 0).call(0, 100).call(0, 200).call(0, 240);
    assert_eq!(own.failed(300).worst(ID).0, Grade::Fail);
}

#[test]
fn a_failed_probe_opens_it_again_and_a_success_closes_it() {
    let again = opened(5).call_of(4, 0, 1_700).call_of(5, 0, 2_500);
    assert_eq!(reported(again, 1..=5).worst(ID).0, Grade::Fail);
    let later = opened(5).call_of(4, 0, 1_700).call_of(5, 0, 2_702);
    assert_eq!(reported(later, 1..=5).worst(ID).0, Grade::Pass);
    let closed = opened(6)
        .call_of(4, 1, 1_700)
        .call_of(5, 0, 2_000)
        .call_of(6, 0, 2_300);
    assert_eq!(reported(closed, 1..=6).worst(ID).0, Grade::Pass);
}

#[test]
fn two_calls_that_try_at_once_are_one_too_many() {
    let crowd = opened(5).call_of(4, 3, 1_700).call_of(5, 3, 1_750);
    let (grade, because) = reported(crowd, 1..=5).worst(ID);
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "call 5 came while call 4 tried whether the target had recovered; the client promises one call at a time for that"
    );
    // One that was given up may be followed by another once the breaker has been open anew.
    let mut patient = opened(5);
    patient.trial.dependencies[0]
        .turns
        .push(answered(200).cut(Place::BeforeAnswer, CutBy::Hang));
    let patient = patient.call_of(4, 4, 1_700).left(1_800).call_of(5, 0, 2_900);
    assert_eq!(reported(patient, 1..=5).worst(ID).0, Grade::Pass);
}

#[test]
fn where_it_is_not_known_how_the_client_counts_nobody_is_blamed() {
    // A 404 may count as a failure or as a sign of life.
    let mixed = story(6)
        .call_of(1, 2, 0)
        .call_of(2, 0, 300)
        .call_of(3, 0, 600)
        .call_of(4, 0, 900);
    assert_eq!(
        reported(mixed.call_of(5, 0, 1_200), 1..=5).worst(ID).0,
        Grade::Pass
    );
    // A success that ends among the failures begins the count anew, or does not.
    let beside = opened(5).call_of(5, 1, 610).call_of(4, 0, 1_500);
    assert_eq!(reported(beside, 1..=5).worst(ID).0, Grade::Pass);
    let mut given = opened(4).call_of(4, 0, 1_500);
    let breaker = given.promises.breaker.clone();
    given.trial.given = Some(Given {
        breaker,
        ..Given::default()
    });
    assert_eq!(reported(given.clone(), 1..=4).worst(ID).0, Grade::Pass);
    given.can.policy = PolicyCan::Given;
    assert_eq!(reported(given, 1..=4).worst(ID).0, Grade::Fail);
}

#[test]
fn a_policy_without_a_breaker_is_no_silence() {
    let went_on = |given: bool| {
        let mut story = story(22).promising(|p| p.breaker = None);
        story.trial.given = given.then(Given::default);
        story.can.policy = PolicyCan::Given;
        let story = (1..=22).fold(story, |s, op| s.call_of(op, 0, u64::from(op) * 300));
        reported(story, 1..=22).check(ID).findings.len()
    };
    assert_eq!((went_on(false), went_on(true)), (1, 0));
}

#[test]
fn calls_that_go_on_after_twenty_failures_are_noted_of_a_client_that_promises_no_breaker() {
    let silent = |calls: u32, after_ms: u64| {
        let story = story(calls).promising(|p| p.breaker = None);
        let story = (1..=20).fold(story, |s, op| s.call_of(op, 0, u64::from(op) * 300));
        let later = (21..=calls).fold(story, |s, op| {
            s.call_of(op, 0, 6_001 + after_ms + u64::from(op - 21) * 100)
        });
        reported(later, 1..=calls).check(ID)
    };
    let went_on = silent(22, 400);
    assert_eq!(went_on.findings.len(), 1);
    assert_eq!(went_on.findings[0].grade, Grade::Note);
    assert_eq!(
        went_on.findings[0].because,
        "call 21 came 400 ms after 20 failures in a row: no breaker is seen, and none is promised"
    );
    assert!(!went_on.exercised);
    // It ends with them, or leaves the target alone for a while.
    assert!(silent(20, 0).findings.is_empty());
    assert!(silent(21, 1_100).findings.is_empty());
}
