//! Duplicates, losses, and what looks like them.

use super::*;
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::scenario::KeyPlan;
use crate::term::StopReason;

fn story() -> Story {
    Story::of(vec![answered(503).times(1).applied(), answered(200).applied()])
        .by("POST")
        .keyed()
        .recognising_keys()
}

/// The first call has its effect under the key, the second comes under `keys`, and has it again unless recognised.
fn repeated(keys: &[&str]) -> Story {
    let state = match keys {
        [] => KeyState::Missing,
        _ => KeyState::New,
    };
    let first = story().call(0, 0).key_is(KeyState::New);
    first.call(1, 100).under(keys).key_is(state).ok(110)
}

#[test]
fn a_repeat_that_is_recognised_passes_whatever_is_promised() {
    let recognised = || {
        let first = story().call(0, 0).key_is(KeyState::New);
        first.call(1, 100).key_is(KeyState::Done).ok(110)
    };
    for story in [recognised(), recognised().promising(|p| p.key = true)] {
        let result = story.check(ID);
        assert_eq!((result.findings[0].grade, result.exercised), (Grade::Pass, true));
    }
}

#[test]
fn an_effect_under_another_key_or_none_breaks_the_promise_and_is_noted_in_silence() {
    let (grade, because) = repeated(&[]).worst(ID);
    assert_eq!(grade, Grade::Note);
    assert_eq!(
        because,
        "op-1 had its effect a second time at quota: call 2 carried no key; call 1 had carried the key key-1 \
         (draft-ietf-httpapi-idempotency-key-header-07)"
    );
    for keys in [&[][..], &["new"]] {
        let promised = repeated(keys).promising(|p| p.key = true);
        assert_eq!(promised.worst(ID).0, Grade::Fail, "{keys:?}");
    }
}

#[test]
fn an_effect_that_the_dependency_forgot_is_noted_whatever_is_promised() {
    let (grade, because) = repeated(&["key-1"]).promising(|p| p.key = true).worst(ID);
    assert_eq!(grade, Grade::Note);
    assert!(
        because.contains("its dependency remembers a key for 1 s"),
        "{because}"
    );
}

#[test]
fn what_only_began_and_what_had_no_effect_are_no_duplicates() {
    let story = story().call(0, 0).key_is(KeyState::New).without_effect();
    let story = story.call(1, 100).key_is(KeyState::New).ok(110);
    assert_eq!(
        story.promising(|p| p.key = true).check(ID),
        CheckResult::default()
    );
}

/// Two operations; the second comes under the key of the first, and is claimed.
fn lost(claim: Claim) -> Story {
    let story = story()
        .promising(|p| p.key = true)
        .call(1, 0)
        .key_is(KeyState::New)
        .ok(5);
    let story = story.operation("POST", "/", "quota").keyed();
    let story = story.call_of(2, 1, 100).under(&["key-1"]).key_is(KeyState::Done);
    story.reported_of(2, 110, claim, StopReason::Unreported)
}

#[test]
fn an_operation_that_took_anothers_key_and_is_claimed_is_lost() {
    let (grade, because) = lost(Claim::Ok).worst(ID);
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "op-2 was claimed as a success and never had its effect: call 2 carried the key key-1, under which call 1 \
         had had that of op-1 (draft-ietf-httpapi-idempotency-key-header-07)"
    );
    assert_eq!(lost(Claim::Failed).worst(ID).0, Grade::Pass);
}

#[test]
fn operations_that_are_meant_to_share_a_key_lose_nothing() {
    let mut story = lost(Claim::Ok);
    for group in &mut story.trial.operations {
        group.request.key = Some(KeyPlan::Shared("k".to_owned()));
    }
    assert_eq!(story.worst(ID).0, Grade::Pass);
}

#[test]
fn a_dependency_without_a_key_store_is_the_matter_of_another_check() {
    let mut story = repeated(&[]);
    story.trial.dependencies[0].keys = None;
    assert_eq!(story.check(ID), CheckResult::default());
}
