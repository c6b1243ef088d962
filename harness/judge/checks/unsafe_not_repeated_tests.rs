//! Repeats that are unsafe, and those that only look so.

use super::*;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::promise::Retries;
use crate::term::{Claim, KeyState, Place, StopReason};

fn story(status: u16) -> Story {
    Story::of(vec![answered(status).times(1).applied(), answered(200).applied()]).by("POST")
}

#[test]
fn stopping_passes() {
    let story = story(503)
        .call(0, 0)
        .reported(5, Claim::Failed, StopReason::Unsafe);
    assert_eq!(story.check(ID).findings[0].grade, Grade::Pass);
}

#[test]
fn a_repeat_is_warned_of_in_silence_and_breaks_a_promise() {
    let repeated = || story(503).call(0, 0).call(1, 100).ok(110);
    let (grade, because) = repeated().worst(ID);
    assert_eq!(grade, Grade::Warn);
    let told = "call 2 sent the unkeyed POST of op-1 again after call 1 was answered 503; \
                its effect was applied 2 times (RFC 9110 §9.2.2)";
    assert_eq!(because, told);
    assert_eq!(
        repeated()
            .promising(|p| p.never_repeats_unsafe = true)
            .worst(ID)
            .0,
        Grade::Fail
    );
    let methods = Retries {
        methods: Some(vec!["GET".to_owned()]),
        ..Retries::default()
    };
    assert_eq!(
        repeated().promising(|p| p.retries = Some(methods)).worst(ID).0,
        Grade::Fail
    );
    assert_eq!(
        repeated()
            .promising(|p| p.repeats_unsafe_on = vec![503])
            .worst(ID)
            .0,
        Grade::Note
    );
}

#[test]
fn a_lost_answer_is_ambiguous_and_a_foreseen_repeat_is_not() {
    let lost = answered(200)
        .times(1)
        .applied()
        .cut(Place::BeforeAnswer, CutBy::Rst);
    let lost = Story::of(vec![lost, answered(200)])
        .by("POST")
        .call(0, 0)
        .call(1, 2)
        .ok(10);
    assert_eq!(lost.worst(ID).0, Grade::Warn);
    for foreseen in [401, 408, 417, 421, 425] {
        assert_eq!(
            story(foreseen).call(0, 0).call(1, 100).ok(110).worst(ID).0,
            Grade::Pass,
            "{foreseen}"
        );
    }
}

#[test]
fn a_repeat_at_another_server_is_a_repeat() {
    let mut story = story(503).dependency("spare", vec![answered(200).applied()]);
    story.trial.operations[0].request.to.push("spare".into());
    assert_eq!(
        story.call(0, 0).call_at(1, "spare", 0, 3).ok(10).worst(ID).0,
        Grade::Warn
    );
}

#[test]
fn a_repeat_after_the_clients_own_timer_is_a_repeat() {
    let slow = answered(200).taking_ms(5_000).applied();
    let mut story = Story::of(vec![slow, answered(200)]).by("POST");
    story.arrive(1, "quota", 0, 0);
    let story = story.left(1_000).call(1, 1_001).ok(1_010);
    assert_eq!(story.worst(ID).0, Grade::Warn);
}

#[test]
fn a_second_call_beside_the_first_is_noted_and_a_declared_hedge_is_not() {
    let mut story = Story::of(vec![answered(200).taking_ms(5_000), answered(200)]).by("POST");
    story.arrive(1, "quota", 0, 0);
    let story = story.call(1, 500).ok(510);
    assert_eq!(story.worst(ID).0, Grade::Note);
    assert!(story.promising(|p| p.hedges = true).check(ID).findings.is_empty());
}

#[test]
fn an_idempotent_put_may_be_repeated_and_so_may_a_post_under_a_key_that_is_recognised() {
    let recognised = story(503)
        .keyed()
        .recognising_keys()
        .call(0, 0)
        .call(1, 100)
        .ok(110);
    assert_eq!(recognised.check(ID), CheckResult::default());
    assert_eq!(
        story(503).by("PUT").call(0, 0).call(1, 100).ok(110).worst(ID).0,
        Grade::Pass
    );
}

#[test]
fn a_key_that_nobody_recognises_makes_no_repeat_safe_and_is_noted_where_it_is_promised() {
    let repeated = || story(503).keyed().call(0, 0).call(1, 100).ok(110);
    let (grade, because) = repeated().worst(ID);
    assert_eq!(grade, Grade::Warn);
    assert_eq!(
        because,
        "call 2 sent the POST of op-1 again under a key that quota does not recognise after call 1 was answered \
         503; its effect was applied 2 times (RFC 9110 §9.2.2)"
    );
    let safe = |p: &mut crate::promise::Promises| p.never_repeats_unsafe = true;
    assert_eq!(repeated().promising(safe).worst(ID).0, Grade::Fail);
    let promised = repeated().promising(safe).promising(|p| p.key = true);
    assert_eq!(promised.worst(ID).0, Grade::Note);
}

#[test]
fn a_dropped_key_or_another_one_makes_a_repeat_unsafe_wherever_it_goes() {
    for (keys, told) in [
        (&[][..], "again without its key"),
        (&["new"], "again under another key"),
    ] {
        let first = story(503).keyed().recognising_keys().call(0, 0);
        let story = first.call(1, 100).under(keys).ok(110).promising(|p| p.key = true);
        let (grade, because) = story.worst(ID);
        assert_eq!(grade, Grade::Warn);
        assert!(because.contains(told), "{because}");
    }
}

#[test]
fn a_request_that_is_corrected_after_its_key_was_refused_is_no_repeat() {
    for (status, state) in [(400, KeyState::Missing), (422, KeyState::OtherContent)] {
        let first = story(status)
            .keyed()
            .recognising_keys()
            .call(0, 0)
            .under(&[])
            .key_is(state);
        assert_eq!(first.call(1, 100).ok(110).worst(ID).0, Grade::Pass, "{status}");
    }
}

#[test]
fn a_precondition_covers_a_repeat_that_carries_it_where_it_is_evaluated() {
    let repeated = |header: &str, second: u16, lacks: Option<&'static str>| {
        let turns = vec![answered(503).times(1).applied(), answered(second)];
        let mut story = Story::of(turns).by("POST");
        let headers = vec![(header.to_owned(), "\"1\"".to_owned())];
        story.trial.operations[0].request.headers = headers;
        story
            .call(0, 0)
            .call(1, 100)
            .heading(move |head| head.lacks.extend(lacks.map(Into::into)))
            .reported(110, Claim::Failed, StopReason::Terminal)
            .worst(ID)
            .0
    };
    assert_eq!(repeated("If-Match", 412, None), Grade::Pass);
    assert_eq!(repeated("if-match", 412, Some("If-Match")), Grade::Warn);
    assert_eq!(repeated("If-Match", 200, None), Grade::Warn);
    assert_eq!(repeated("If-Modified-Since", 412, None), Grade::Warn);
}
