//! Gates: what leaves no trace is not missed, and what overflows is a fault like any other answer.

use crate::evidence::{Fact, GateState};
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::judge::{FaultClass, Grade, Verdict};
use crate::promise::Retries;
use crate::scenario::{Accept, Capacity, Down, Outage, Pushback};
use crate::source::Span;
use crate::term::{Claim, Stamp, StopReason};
use std::time::Duration;

fn gate(at_ms: u64, gate: GateState) -> Fact {
    let at = Stamp::from_ms(at_ms);
    Fact::GateChanged {
        point: "quota".into(),
        at,
        gate,
    }
}

fn black_hole(mut story: Story) -> Story {
    story.trial.dependencies[0].outages.push(Outage {
        from: Duration::ZERO,
        until: Some(Duration::from_millis(900)),
        every: None,
        be: Down::BlackHole,
        span: Span::default(),
    });
    story
}

#[test]
fn rule_14_attempts_that_a_black_hole_swallowed_leave_no_trace_and_are_not_missed() {
    let story = |there: bool| {
        let mut story = black_hole(Story::of(vec![answered(503)])).promising(|p| {
            p.attempts = Some(4);
            p.retries = Some(Retries {
                statuses: Some(vec![503]),
                failures: None,
                methods: None,
            });
        });
        if there {
            story = story
                .and(gate(0, GateState::BlackHole))
                .and(gate(900, GateState::Open));
        }
        story
            .call(0, 950)
            .reported(1_000, Claim::Failed, StopReason::AttemptCap)
    };
    assert!(story(true).blamed().is_empty(), "{:?}", story(true).blamed());
    let blamed: Vec<_> = story(false).blamed().into_iter().map(|f| f.check).collect();
    assert_eq!(blamed, ["status.transient", "stop.allowed"]);
}

#[test]
fn an_operation_that_never_got_through_a_black_hole_is_right_to_fail_and_wrong_to_claim_success() {
    let story = |claim, stop| {
        let story = black_hole(Story::of(vec![answered(200)])).and(gate(0, GateState::BlackHole));
        story.reported(400, claim, stop)
    };
    for stop in [
        StopReason::AttemptCap,
        StopReason::AttemptTimeout,
        StopReason::Deadline,
        StopReason::Unreported,
    ] {
        let story = story(Claim::Failed, stop).deadline_ms(400);
        assert!(story.blamed().is_empty(), "{stop}: {:?}", story.blamed());
    }
    let untrue = story(Claim::Ok, StopReason::Ok);
    assert_eq!(untrue.worst("claim.acknowledged").0, Grade::Fail);
}

#[test]
fn a_gate_that_turns_from_refusing_into_a_black_hole_was_closed_all_the_time() {
    let story = black_hole(Story::of(vec![answered(503)]))
        .and(gate(0, GateState::Refusing))
        .and(gate(500, GateState::BlackHole))
        .and(gate(900, GateState::Open))
        .call(0, 950);
    let evidence = story.evidence();
    let case = story.case(&evidence);
    assert!(case.courses()[0].met_refusals(&case));
}

/// A dependency that has room for nobody and asks for a wait.
fn full(status: u16) -> Story {
    let mut story = Story::of(vec![answered(200)]);
    let overflow = answered(status)
        .pushing_back(Pushback::Seconds(3))
        .answer
        .unwrap();
    story.trial.dependencies[0].capacity = Some(Capacity {
        accept: Accept::AtOnce { calls: 1 },
        overflow: Box::new(overflow),
        span: Span { start: 3, end: 9 },
    });
    story
}

/// A call that found no room.
fn turned_away(mut story: Story, at_ms: u64, status: u16) -> Story {
    let call = story.arrive(1, "quota", 0, at_ms);
    if let Some(Fact::Arrived(head)) = story.facts.last_mut() {
        (head.turn, head.overflow) = (None, true);
    }
    let at = Stamp::from_ms(at_ms + 1);
    let (status, cut) = (Some(status), None);
    let (asked_wait_ms, asked_until, retry_after) = (Some(3_000), None, Some("3".to_owned()));
    let began = Fact::AnswerBegan {
        call,
        at,
        status,
        asked_wait_ms,
        asked_until,
        retry_after,
    };
    story.and(began).and(Fact::AnswerEnded {
        call,
        at,
        complete: true,
        cut,
    })
}

#[test]
fn overflow_is_judged_as_its_answer_and_points_at_the_capacity() {
    let story = turned_away(full(503), 0, 503).call(0, 100).ok(105);
    let evidence = story.evidence();
    let case = story.case(&evidence);
    let course = &case.courses()[0];
    let faults = case.faults_met_by(course, &evidence.calls[0]);
    assert_eq!(
        faults.into_iter().collect::<Vec<_>>(),
        [FaultClass::Transient, FaultClass::Pushback]
    );
    assert!(case.faults_met_by(course, &evidence.calls[1]).is_empty());
    let result = story.check("pushback.honoured");
    assert_eq!(result.findings[0].grade, Grade::Warn);
    assert_eq!(result.findings[0].span, Some(Span { start: 3, end: 9 }));
}

#[test]
fn who_waits_after_overflow_is_right_and_overflow_that_nobody_met_proves_nothing() {
    let right = turned_away(full(429), 0, 429).call(0, 3_010).ok(3_015);
    assert!(right.blamed().is_empty());
    let unmet = full(429).call(0, 0).ok(5);
    assert_eq!(unmet.judge().verdict, Verdict::Inconclusive);
}

#[test]
fn a_redirect_that_asks_for_a_wait_is_not_followed_before_it_is_over_and_need_not_be_followed() {
    use crate::term::Role;
    let story = |gap_ms| {
        let turns = vec![
            answered(307).times(1).pushing_back(Pushback::Seconds(3)),
            answered(200),
        ];
        let mut story = Story::of(turns).call(0, 0).call(1, gap_ms);
        for fact in &mut story.facts {
            if let Fact::Arrived(head) = fact
                && head.turn == Some(1)
            {
                head.role = Role::Redirect;
            }
        }
        story.ok(gap_ms + 5)
    };
    assert_eq!(story(100).worst("pushback.honoured").0, Grade::Warn);
    assert!(story(3_010).blamed().is_empty());
    let turns = vec![answered(307).pushing_back(Pushback::Seconds(3))];
    assert!(Story::of(turns).call(0, 0).ok(5).blamed().is_empty());
}

#[test]
fn rule_14_a_hedge_that_waited_in_a_black_hole_to_connect_is_no_repeat_of_what_was_answered_meanwhile() {
    let story = |hedges: bool, second_at: u64| {
        let turns = vec![answered(404).times(1), answered(200)];
        black_hole(Story::of(turns))
            .promising(|p| {
                p.hedges = hedges;
                p.retries = Some(Retries {
                    statuses: Some(vec![503]),
                    failures: None,
                    methods: None,
                });
            })
            .and(gate(0, GateState::BlackHole))
            .and(gate(900, GateState::Open))
            .call(0, 950)
            .call(1, second_at)
            .ok(second_at + 10)
    };
    assert_eq!(story(true, 1_250).worst("status.permanent").0, Grade::Pass);
    assert_eq!(story(true, 3_500).worst("status.permanent").0, Grade::Fail);
    assert_eq!(story(false, 1_250).worst("status.permanent").0, Grade::Fail);
}
