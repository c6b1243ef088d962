//! Rules on when calls come: waits, consequences, dates, lateness.

use std::time::Duration;

use crate::judge::evidence_builder::{Story, Written, answered};
use crate::judge::{Finding, Grade, Verdict};
use crate::promise::{PushbackForm, PushbackPromise};
use crate::scenario::{DateForm, DateOffset, Pushback};
use crate::term::{CallId, Claim, CutBy, OperationId, Place, StopReason};

const THREE_SECONDS: Pushback = Pushback::Seconds(3);

fn throttled() -> Story {
    Story::of(vec![
        answered(429).times(1).pushing_back(THREE_SECONDS),
        answered(200),
    ])
    .promising(|p| {
        p.pushback = Some(PushbackPromise {
            honours: vec![429, 503],
            forms: vec![PushbackForm::Seconds, PushbackForm::Dates],
            above: None,
        });
    })
}

#[test]
fn rule_1_a_wait_counts_from_the_answer_and_five_milliseconds_are_tolerated() {
    // The 429 begins at 1 ms, so the wait is over at 3001 ms.
    assert!(throttled().call(0, 0).call(1, 2996).ok(3000).blamed().is_empty());
    assert_eq!(
        throttled()
            .call(0, 0)
            .call(1, 2995)
            .ok(3000)
            .worst("pushback.honoured")
            .0,
        Grade::Fail
    );
}

#[test]
fn rule_2_a_call_that_crosses_the_report_is_no_orphan() {
    let story = Story::of(vec![answered(503)]).call(0, 0).failed(10);
    assert!(story.clone().call(0, 260).blamed().is_empty());
    assert_eq!(story.call(0, 261).worst("end.final").0, Grade::Fail);
}

#[test]
fn rule_2_a_deadline_runs_from_the_first_call_and_not_from_the_hand_over() {
    let long = vec![answered(503).pushing_back(Pushback::Seconds(60))];
    let story = |reported| {
        Story::of(long.clone())
            .deadline_ms(5_000)
            .promising(|p| p.deadline = true)
            .call(0, 20_000)
            .failed(reported)
    };
    assert!(story(25_200).blamed().is_empty());
    assert_eq!(story(25_251).worst("pushback.long").0, Grade::Fail);
}

#[test]
fn rule_3_failing_over_to_another_dependency_is_not_early() {
    let mut story = throttled().dependency("spare", vec![answered(200)]);
    story.trial.operations[0].request.to.push("spare".into());
    assert!(
        story
            .call(0, 0)
            .call_at(1, "spare", 0, 5)
            .ok(7)
            .blamed()
            .is_empty()
    );
}

#[test]
fn rule_3_coming_back_early_after_failing_over_is() {
    let mut story = throttled().dependency("spare", vec![answered(503)]);
    story.trial.operations[0].request.to.push("spare".into());
    let story = story.call(0, 0).call_at(1, "spare", 0, 5).call(1, 100).ok(110);
    assert_eq!(story.worst("pushback.honoured").0, Grade::Fail);
}

#[test]
fn rule_3_a_call_that_an_attempt_timer_explains_is_left_unjudged() {
    let slow = vec![
        answered(429).times(1).pushing_back(THREE_SECONDS).taking_ms(500),
        answered(200),
    ];
    let mut story = throttled();
    story.trial.dependencies[0].turns = slow;
    // The answer begins at 501 ms; a call at 510 ms may have been sent by a timer of 500 ms.
    assert!(story.clone().call(0, 0).call(1, 510).ok(520).blamed().is_empty());
    assert_eq!(
        story.call(0, 0).call(1, 600).ok(610).worst("pushback.honoured").0,
        Grade::Fail
    );
}

#[test]
fn rule_3_a_declared_hedge_is_left_unjudged() {
    let story = throttled()
        .promising(|p| p.hedges = true)
        .call(0, 0)
        .call(1, 10)
        .ok(20);
    assert!(story.blamed().is_empty());
    assert_eq!(
        throttled()
            .call(0, 0)
            .call(1, 10)
            .ok(20)
            .worst("pushback.honoured")
            .0,
        Grade::Fail
    );
}

#[test]
fn rule_3_a_call_that_another_call_in_flight_explains_is_left_unjudged() {
    let turns = vec![
        answered(429).times(1).pushing_back(THREE_SECONDS).taking_ms(100),
        answered(503).times(1).taking_ms(300),
        answered(200),
    ];
    let mut story = throttled();
    story.trial.dependencies[0].turns = turns;
    // The second call is still running when the third is sent: the third may be its repeat.
    assert!(
        story
            .call(0, 0)
            .call(1, 50)
            .call(2, 352)
            .ok(360)
            .blamed()
            .is_empty()
    );
}

#[test]
fn rule_9_a_client_that_is_still_waiting_was_not_early() {
    let story = throttled().call(0, 0).gave_no_result(1, 10_000);
    assert!(story.blamed().is_empty());
    assert!(story.check("pushback.honoured").exercised);
}

#[test]
fn rule_10_a_wait_proves_nothing_where_the_client_would_have_waited_anyway() {
    let turns = || {
        vec![
            answered(429)
                .times(1)
                .path("/")
                .pushing_back(Pushback::Seconds(1)),
            answered(429).times(1).path("/control"),
            answered(200),
        ]
    };
    let story = |control_gap: u64| {
        let story = Story::of(turns()).operation("GET", "/control", "quota");
        let story = story.call_of(1, 0, 0).call_of(1, 2, 1_100).ok(1_110);
        story
            .call_of(2, 1, 2_000)
            .call_of(2, 2, 2_000 + control_gap)
            .reported_of(2, 4_000, Claim::Ok, StopReason::Ok)
    };
    assert!(!story(1_100).check("pushback.honoured").exercised);
    assert!(story(100).check("pushback.honoured").exercised);
}

fn dated(form: DateForm) -> Pushback {
    Pushback::Date {
        form,
        offset: DateOffset::Ahead(Duration::from_secs(3)),
    }
}

#[test]
fn rule_11_a_date_rounded_down_is_noted_and_a_call_before_the_wait_is_early() {
    let story = |gap| {
        let mut story = throttled();
        story.trial.dependencies[0].turns[0] = answered(429).times(1).pushing_back(dated(DateForm::Imf));
        story.call(0, 0).call(1, gap).ok(gap + 5)
    };
    // The answer begins at 1 ms, the wait is over at 3001 ms, the date is 4000 ms.
    assert_eq!(story(4_000).worst("pushback.dates").0, Grade::Pass);
    assert_eq!(story(3_100).worst("pushback.dates").0, Grade::Note);
    assert_eq!(story(2_900).worst("pushback.dates").0, Grade::Fail);
}

#[test]
fn rule_12_nothing_is_early_after_a_malformed_pushback() {
    for text in ["2.5", "-1", "soon", ""] {
        let mut story = throttled();
        story.trial.dependencies[0].turns[0] = answered(429)
            .times(1)
            .pushing_back(Pushback::Raw(text.to_owned()));
        assert!(story.call(0, 0).call(1, 2).ok(5).blamed().is_empty(), "{text}");
    }
}

#[test]
fn rule_12_digits_beyond_any_clock_are_well_formed() {
    let mut story = throttled();
    let digits = Pushback::Raw("999999999999999999999".to_owned());
    story.trial.dependencies[0].turns[0] = answered(429).times(1).pushing_back(digits);
    assert_eq!(
        story.call(0, 0).call(1, 100).ok(110).worst("pushback.honoured").0,
        Grade::Fail
    );
}

#[test]
fn rule_19_an_early_call_stays_early_however_late_the_harness_was() {
    let story = throttled().call(0, 0).call(1, 100).ok(110).late_by_ms(400);
    assert_eq!(story.judge().verdict, Verdict::Fail);
}

#[test]
fn rule_21_an_answer_that_was_reset_need_not_have_been_read() {
    let reset = answered(429)
        .times(1)
        .pushing_back(THREE_SECONDS)
        .cut(Place::AfterAnswer, CutBy::Rst);
    let mut story = throttled();
    story.trial.dependencies[0].turns[0] = reset;
    assert!(story.call(0, 0).call(1, 100).ok(110).blamed().is_empty());
}

#[test]
fn what_one_operation_does_is_not_held_against_another() {
    let story = throttled().operation("GET", "/", "quota");
    let story = story
        .call_of(1, 0, 0)
        .call_of(2, 1, 50)
        .reported_of(2, 60, Claim::Ok, StopReason::Ok);
    let story = story.call_of(1, 1, 3_100).ok(3_110);
    assert!(story.blamed().is_empty());
    let calls = |f: &Finding| f.calls.contains(&CallId(2)) || f.operations.contains(&OperationId(2));
    assert!(!story.check("pushback.honoured").findings.iter().any(calls));
}
