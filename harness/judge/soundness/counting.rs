//! Rules on what is counted, claimed and reported.

use crate::evidence::{Fact, GateState};
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::judge::{Grade, Verdict};
use crate::promise::{Budget, Retries};
use crate::scenario::Framing;
use crate::term::{Claim, ConnId, CutBy, Place, Role, Stamp, StopReason};

#[test]
fn rule_4_redirects_and_declared_statuses_are_successes() {
    assert!(
        Story::of(vec![answered(302)])
            .call(0, 0)
            .ok(5)
            .blamed()
            .is_empty()
    );
    let gone = || Story::of(vec![answered(404)]).by("DELETE").call(0, 0).ok(5);
    assert_eq!(gone().worst("claim.acknowledged").0, Grade::Fail);
    assert!(
        gone()
            .promising(|p| p.claims_ok_on = vec![404])
            .blamed()
            .is_empty()
    );
}

#[test]
fn rule_4_two_partial_answers_may_make_a_whole() {
    let cut = |status| answered(status).times(1).cut(Place::Body(50), CutBy::Fin);
    let story = Story::of(vec![cut(200), cut(206)]).call(0, 0).call(1, 20).ok(30);
    assert_eq!(story.worst("truncated.not_claimed").0, Grade::Pass);
}

#[test]
fn rule_4_a_success_that_was_lost_on_the_way_is_only_noted() {
    let story = Story::of(vec![answered(503).times(1), answered(200)])
        .call(0, 0)
        .call(1, 50)
        .failed(60);
    assert_eq!(story.worst("claim.acknowledged").0, Grade::Note);
    let reset = answered(200).cut(Place::AfterAnswer, CutBy::Rst);
    assert_eq!(
        Story::of(vec![reset])
            .call(0, 0)
            .failed(10)
            .worst("claim.acknowledged")
            .0,
        Grade::Pass
    );
}

#[test]
fn rule_5_a_resend_on_a_kept_connection_is_not_held_against_the_cap() {
    let turns = || vec![answered(503).cut(Place::BeforeAnswer, CutBy::Fin)];
    let mut story = Story::of(turns())
        .promising(|p| p.attempts = Some(2))
        .call(0, 0)
        .call(0, 10)
        .call(0, 20)
        .failed(25);
    assert_eq!(story.worst("attempts.capped").0, Grade::Fail);
    for fact in &mut story.facts {
        if let Fact::Arrived(head) = fact {
            head.nth_on_conn = 2;
        }
    }
    assert_eq!(story.worst("attempts.capped").0, Grade::Note);
}

#[test]
fn rule_7_an_exit_status_of_zero_says_answered_and_not_succeeded() {
    let answered_so = |turn| {
        Story::of(vec![turn])
            .call(0, 0)
            .reported(5, Claim::Answered, StopReason::Unreported)
    };
    assert!(answered_so(answered(503)).blamed().is_empty());
    let lost = answered_so(answered(503).cut(Place::BeforeAnswer, CutBy::Rst));
    assert_eq!(lost.worst("claim.acknowledged").0, Grade::Fail);
}

#[test]
fn rule_13_a_client_that_rightly_stops_at_the_first_turn_proves_something() {
    let turns = vec![
        answered(503).times(1).applied(),
        answered(503).times(1).cut(Place::Body(10), CutBy::Fin),
        answered(200),
    ];
    let story = Story::of(turns)
        .by("POST")
        .call(0, 0)
        .reported(5, Claim::Failed, StopReason::Unsafe);
    assert_eq!(story.judge().verdict, Verdict::Pass);
}

#[test]
fn rule_14_refused_attempts_leave_no_trace_and_are_not_missed() {
    let story = |refusing: bool| {
        let mut story = Story::of(vec![answered(503)]).promising(|p| {
            p.attempts = Some(4);
            p.retries = Some(Retries {
                statuses: Some(vec![503]),
                failures: None,
                methods: None,
            });
        });
        if refusing {
            story = story
                .and(gate(100, GateState::Refusing))
                .and(gate(900, GateState::Open));
        }
        story
            .call(0, 0)
            .reported(1_000, Claim::Failed, StopReason::AttemptCap)
    };
    assert!(story(true).blamed().is_empty());
    let blamed: Vec<_> = story(false).blamed().into_iter().map(|f| f.check).collect();
    assert_eq!(blamed, ["status.transient", "stop.allowed"]);
}

fn gate(at_ms: u64, gate: GateState) -> Fact {
    Fact::GateChanged {
        point: "quota".into(),
        at: Stamp::from_ms(at_ms),
        gate,
    }
}

#[test]
fn rule_15_connections_cut_at_accept_are_no_calls_and_may_be_attempts() {
    let cut = |n| Fact::Connected {
        conn: ConnId(n),
        point: "quota".into(),
        at: Stamp::from_ms(u64::from(n)),
        cut: Some(CutBy::Rst),
        turn: Some(0),
        op: None,
    };
    let mut accept = answered(200).times(3).cut(Place::Accept, CutBy::Rst);
    accept.answer = None;
    let story = Story::of(vec![accept, answered(503)]).promising(|p| p.attempts = Some(4));
    let story = (1..=5).fold(story, |story, n| story.and(cut(n)));
    let story = story
        .call(1, 100)
        .reported(110, Claim::Failed, StopReason::AttemptCap);
    assert!(story.blamed().is_empty());
    assert_eq!(story.judge().counts.dependencies["quota"].accept_cuts, 5);
}

#[test]
fn rule_16_side_calls_are_counted_apart() {
    let mut story = Story::of(vec![answered(503)])
        .promising(|p| p.attempts = Some(1))
        .call(0, 0)
        .call(0, 50)
        .failed(60);
    if let Some(Fact::Arrived(head)) = story.facts.iter_mut().rfind(|f| matches!(f, Fact::Arrived(_))) {
        head.op = None;
        head.role = Role::Side;
    }
    assert!(story.blamed().is_empty());
    assert_eq!(story.judge().counts.side_calls, 1);
}

#[test]
fn rule_17_what_a_budget_has_left_is_reckoned_by_its_total_only() {
    let budget = Budget::bucket(2, 4, 100);
    let story = |first: u64| {
        let story = Story::of(vec![answered(503)]).operation("GET", "/b", "quota");
        let story = story.promising(|p| p.budget = Some(budget.clone()));
        let story = (0..first).fold(story, |s, n| s.call_of(1, 0, n * 10));
        story
            .failed(100)
            .call_of(2, 0, 200)
            .reported_of(2, 210, Claim::Failed, StopReason::RetryBudget)
    };
    assert!(story(3).blamed().is_empty());
    assert_eq!(story(1).worst("stop.allowed").0, Grade::Fail);
}

#[test]
fn rule_18_every_reason_whose_condition_holds_is_allowed() {
    for stop in [StopReason::Unsafe, StopReason::AttemptCap, StopReason::Terminal] {
        let story = Story::of(vec![answered(503)])
            .by("POST")
            .promising(|p| p.attempts = Some(1));
        assert!(
            story
                .call(0, 0)
                .reported(5, Claim::Failed, stop)
                .blamed()
                .is_empty(),
            "{stop}"
        );
    }
}

#[test]
fn rule_19_counts_and_lateness_accuse_nobody_where_the_harness_was_late() {
    let story = || {
        Story::of(vec![answered(503)])
            .promising(|p| p.attempts = Some(1))
            .call(0, 0)
            .call(0, 50)
            .failed(60)
    };
    assert_eq!(story().judge().verdict, Verdict::Fail);
    let late = story().late_by_ms(51).judge();
    assert_eq!(late.verdict, Verdict::Inconclusive);
    assert!(late.findings.iter().all(|f| f.grade <= Grade::Note));
    assert_eq!(story().late_by_ms(50).judge().verdict, Verdict::Fail);
}

#[test]
fn a_body_ended_by_the_connection_cannot_be_told_from_a_whole_one() {
    let cut = |by| answered(200).framed(Framing::Close).cut(Place::Body(50), by);
    assert!(
        Story::of(vec![cut(CutBy::Fin)])
            .call(0, 0)
            .ok(5)
            .blamed()
            .is_empty()
    );
    assert_eq!(
        Story::of(vec![cut(CutBy::Rst)])
            .call(0, 0)
            .ok(5)
            .worst("truncated.not_claimed")
            .0,
        Grade::Fail
    );
}
