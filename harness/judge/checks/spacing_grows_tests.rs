//! Waits that are too short, and what looks like them.

use super::*;
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::promise::{BackoffPromise, Jitter, OptOut};
use crate::scenario::{DateForm, DateOffset};
use crate::term::{CallId, CutBy, Place};

fn promise(jitter: Jitter) -> BackoffPromise {
    BackoffPromise {
        at_once: 0,
        base: Duration::from_millis(100),
        factor_per_mille: 2_000,
        cap: Duration::from_secs(2),
        jitter,
    }
}

fn story(turns: Vec<crate::scenario::Turn>, jitter: Jitter) -> Story {
    Story::of(turns).promising(|p| p.backoff = Some(promise(jitter)))
}

/// Three calls that fail, the later ones so long after the answer to the one before.
fn waiting(jitter: Jitter, first: u64, second: u64) -> Story {
    let story = story(vec![answered(503)], jitter);
    let third = 2 + first + second;
    story
        .call(0, 0)
        .call(0, 1 + first)
        .call(0, third)
        .failed(third + 5)
}

#[test]
fn waits_that_grow_as_promised_pass() {
    for (jitter, first, second) in [
        (Jitter::None, 100, 200),
        (Jitter::None, 96, 5_000),
        (Jitter::Equal, 50, 100),
        (Jitter::Decorrelated, 100, 100),
    ] {
        let result = waiting(jitter, first, second).check(ID);
        assert_eq!(result.findings[0].grade, Grade::Pass, "{jitter:?}");
        assert!(result.exercised);
    }
}

#[test]
fn a_wait_below_what_the_jitter_leaves_is_told_with_its_retry() {
    let result = waiting(Jitter::None, 100, 100).check(ID);
    let finding = &result.findings[0];
    assert_eq!(finding.grade, Grade::Fail);
    assert_eq!(
        finding.because,
        "call 3 came 100 ms after the 503; the client promises to wait at least 200 ms before retry 2"
    );
    assert_eq!(finding.calls, [CallId(2), CallId(3)]);
    assert_eq!(waiting(Jitter::Equal, 50, 90).worst(ID).0, Grade::Fail);
    assert_eq!(waiting(Jitter::Decorrelated, 90, 100).worst(ID).0, Grade::Fail);
}

#[test]
fn an_opt_out_makes_it_a_note_and_hedges_leave_it_unjudged() {
    let out = OptOut {
        check: ID.to_owned(),
        because: String::new(),
        see: None,
    };
    let early = || waiting(Jitter::None, 30, 30);
    assert_eq!(
        early().promising(|p| p.opts_out = vec![out]).worst(ID).0,
        Grade::Note
    );
    assert!(
        early()
            .promising(|p| p.hedges = true)
            .check(ID)
            .findings
            .is_empty()
    );
}

/// One answer with this pushback, and a call 30 ms after it.
fn hurrying(pushback: Pushback) -> Story {
    let turns = vec![answered(503).times(1).pushing_back(pushback), answered(200)];
    story(turns, Jitter::None).call(0, 0).call(1, 31).ok(40)
}

#[test]
fn hurrying_is_noted_after_a_moment_that_has_passed_and_fails_after_junk() {
    let past = Pushback::Date {
        form: DateForm::Imf,
        offset: DateOffset::Past(Duration::from_secs(60)),
    };
    for no_wait in [past, Pushback::Seconds(0)] {
        let (grade, because) = hurrying(no_wait).worst(ID);
        assert_eq!(grade, Grade::Note);
        assert!(because.contains("a moment that is past"), "{because}");
    }
    for junk in ["soon", "-1", ""] {
        let junk = Pushback::Raw(junk.to_owned());
        assert_eq!(hurrying(junk).worst(ID).0, Grade::Fail);
    }
}

#[test]
fn what_a_wish_may_have_decided_is_left_alone() {
    for wish in [
        Pushback::Seconds(1),
        Pushback::Raw("2.5".to_owned()),
        Pushback::Raw(" .02".to_owned()),
        Pushback::Twice(vec!["soon".to_owned(), "0".to_owned()]),
    ] {
        assert_eq!(
            hurrying(wish.clone()).check(ID),
            CheckResult::default(),
            "{wish:?}"
        );
    }
}

#[test]
fn the_count_begins_anew_after_a_wish() {
    let turns = vec![
        answered(503).times(1),
        answered(503).times(1).pushing_back(Pushback::Seconds(1)),
        answered(503),
    ];
    let anew = story(turns, Jitter::None).call(0, 0).call(1, 101).call(2, 1_102);
    assert!(anew.call(2, 1_203).failed(1_300).blamed().is_empty());
}

#[test]
fn a_lost_answer_a_foreseen_repeat_and_another_target_are_left_alone() {
    let lost = answered(200).cut(Place::BeforeAnswer, CutBy::Rst);
    for first in [lost, answered(425), answered(401), answered(200)] {
        let story = story(vec![first], Jitter::None).call(0, 0).call(0, 5).failed(9);
        assert_eq!(story.check(ID), CheckResult::default());
    }
    let mut two = waiting(Jitter::None, 1, 1);
    two.trial.operations[0].request.to.push("other".into());
    assert_eq!(two.check(ID), CheckResult::default());
}

#[test]
fn a_call_that_a_timer_may_have_set_off_is_left_alone() {
    let slow = answered(503).taking_ms(60);
    let story = story(vec![slow], Jitter::None).call(0, 0).call(0, 70).failed(200);
    assert_eq!(story.check(ID), CheckResult::default());
}

#[test]
fn a_wait_that_does_not_fit_the_deadline_may_be_cut_short() {
    let story = waiting(Jitter::None, 100, 50);
    assert_eq!(story.worst(ID).0, Grade::Fail);
    assert_eq!(story.deadline_ms(250).worst(ID).0, Grade::Pass);
}

#[test]
fn in_silence_only_retries_without_any_wait_are_noted() {
    let silent = |ms| waiting_four(ms).promising(|p| p.backoff = None);
    let result = silent(2).check(ID);
    assert_eq!(
        result.findings[0].because,
        "op-1 was sent 3 times more, each within 20 ms of the failure before; the client promises no wait"
    );
    assert_eq!(result.findings[0].grade, Grade::Note);
    assert_eq!(silent(30).worst(ID).0, Grade::Pass);
}

fn waiting_four(ms: u64) -> Story {
    let story = story(vec![answered(503)], Jitter::Full);
    let story = (0..4).fold(story, |story, n| story.call(0, n * (ms + 1)));
    story.failed(4 * (ms + 1))
}

/// Eight operations of four calls each, whose waits are this share of their windows.
fn drawing(share: f64) -> Story {
    let mut story = story(vec![answered(503)], Jitter::Full);
    for _ in 1..8 {
        story = story.operation("GET", "/", "quota");
    }
    for op in 1..=8 {
        let mut at = 0;
        for window in [100.0, 200.0, 400.0, 0.0] {
            story = story.call_of(op, 0, at);
            at += 1 + (window * share) as u64;
        }
    }
    story.promising(|p| p.attempts = Some(4))
}

#[test]
fn draws_from_nothing_are_judged_together() {
    let (grade, because) = drawing(0.0).worst(ID);
    assert_eq!(grade, Grade::Fail);
    assert!(
        because.starts_with("24 waits took 0 ms in all of the 5.6 s"),
        "{because}"
    );
    let honest = drawing(0.4).check(ID);
    assert_eq!((honest.findings[0].grade, honest.exercised), (Grade::Pass, true));
    // Three short waits prove nothing.
    assert_eq!(waiting_four(0).check(ID), CheckResult::default());
}

#[test]
fn rolls_that_were_handed_over_are_no_draws() {
    let mut story = drawing(0.0);
    story.trial.given = Some(crate::promise::Given {
        rolls: Some(crate::promise::Rolls::Fixed(vec![0.0])),
        ..Default::default()
    });
    assert_eq!(story.check(ID), CheckResult::default());
}
