//! Rules on what is sent, counted and handed over, and on when an operation has to end.

use crate::evidence::{ClientEnd, Fact};
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::promise::{AttemptsCount, Budget, PolicyCan};
use crate::scenario::Pushback;
use crate::term::{Claim, CutBy, Place, Role, Stamp, StopReason};

fn counting(counts: AttemptsCount, method: &str, claimed: u32) -> Story {
    let lost = answered(200).times(1).cut(Place::BeforeAnswer, CutBy::Fin);
    let story = Story::of(vec![lost, answered(200)]).by(method);
    let mut story = story
        .call(0, 0)
        .call(1, 10)
        .ok(15)
        .telling(|o| o.attempts = Some(claimed));
    story.can.attempts_count = counts;
    story
}

#[test]
fn rule_2_a_deadline_and_a_cancellation_grant_a_quarter_of_a_second() {
    let hang = || answered(200).cut(Place::BeforeAnswer, CutBy::Hang);
    let late = |over| {
        let story = Story::of(vec![hang()])
            .deadline_ms(1_000)
            .promising(|p| p.deadline = true);
        story.call(0, 5_000).failed(over).worst("deadline.kept").0
    };
    assert_eq!((late(6_250), late(6_251)), (Grade::Pass, Grade::Fail));
    let cancelled = |over| {
        let story = Story::of(vec![hang()]).call(0, 0).cancelled(1, 500);
        story.failed(over).worst("cancel.kept").0
    };
    assert_eq!((cancelled(750), cancelled(751)), (Grade::Pass, Grade::Fail));
}

#[test]
fn rule_5_only_an_excess_counts_and_a_transports_own_repeat_is_lawful() {
    let worst = |counts, method, claimed| counting(counts, method, claimed).worst("attempts.counted").0;
    assert_eq!(worst(AttemptsCount::Calls, "GET", 3), Grade::Pass);
    assert_eq!(worst(AttemptsCount::Own, "GET", 1), Grade::Note);
    assert_eq!(worst(AttemptsCount::Own, "POST", 1), Grade::Warn);
    assert_eq!(worst(AttemptsCount::Calls, "GET", 1), Grade::Fail);
}

#[test]
fn rule_5_redirects_and_side_calls_are_not_counted() {
    for role in [Role::Redirect, Role::Side] {
        let story = counting(AttemptsCount::Calls, "GET", 1).heading(|head| head.role = role);
        assert_eq!(story.worst("attempts.counted").0, Grade::Pass);
    }
}

#[test]
fn rule_6_bodies_that_were_cut_short_by_the_server_are_not_compared() {
    let early = answered(503).times(1);
    let story = Story::of(vec![early, answered(200)])
        .by("PUT")
        .with_body("amount=1");
    let story = story
        .call(0, 0)
        .sent(b"amo", false)
        .call(1, 100)
        .sent(b"amount=1", true)
        .ok(110);
    assert!(story.blamed().is_empty());
    let cut_later = story.call(1, 200).sent(b"amount", false);
    assert_eq!(cut_later.worst("body.same").0, Grade::Pass);
}

#[test]
fn rule_6_another_encoding_and_a_marked_query_are_noted() {
    let story = Story::of(vec![answered(503).times(1), answered(200)])
        .by("POST")
        .keyed();
    let boundaries = Story::of(vec![answered(503).times(1), answered(200)]).by("PUT");
    let boundaries = boundaries
        .call(0, 0)
        .sent(b"--a1b2", true)
        .call(1, 100)
        .sent(b"--c3d4", true);
    assert_eq!(boundaries.worst("body.same").0, Grade::Note);
    let marked = story
        .call(0, 0)
        .call(1, 100)
        .heading(|head| head.query = Some("attempt=2".to_owned()));
    assert_eq!(marked.ok(110).worst("request.same").0, Grade::Note);
}

#[test]
fn rule_14_refused_attempts_may_be_reported_and_leave_no_call() {
    let story = Story::of(vec![answered(200)]).call(0, 900).ok(910);
    let mut story = story.telling(|outcome| outcome.attempts = Some(4));
    story.can.attempts_count = AttemptsCount::Calls;
    assert!(story.blamed().is_empty());
}

fn spending(budget: u32) -> Story {
    let story = Story::of(vec![answered(503)]).operation("GET", "/", "quota");
    story.promising(|p| p.budget = Some(Budget::bucket(budget, budget + 1, 500)))
}

#[test]
fn rule_17_a_retry_that_overtakes_the_original_that_paid_for_it_is_no_excess() {
    // Two halves make one retry; it arrives before the second original.
    let story = spending(0).call(0, 0).call(0, 10).failed(20).call_of(2, 0, 15);
    let story = story.reported_of(2, 30, Claim::Failed, StopReason::RetryBudget);
    assert!(story.blamed().is_empty());
    assert_eq!(story.call(0, 17).worst("budget.kept").0, Grade::Fail);
}

#[test]
fn rule_17_a_command_has_a_bucket_for_each_process() {
    let ended = |at| Fact::ClientEnded {
        at: Stamp::from_ms(at),
        how: ClientEnd::Exited(22),
    };
    let twice = |story: Story, op| story.call_of(op, 0, 0).call_of(op, 0, 10);
    let story = twice(twice(spending(1), 1), 2).call_of(1, 0, 20);
    let story = story
        .failed(30)
        .reported_of(2, 30, Claim::Failed, StopReason::Unreported);
    assert_eq!(story.worst("budget.kept").0, Grade::Fail);
    assert_eq!(
        story.and(ended(31)).and(ended(32)).worst("budget.kept").0,
        Grade::Pass
    );
}

#[test]
fn rule_17_a_budget_that_is_handed_over_binds_who_says_that_it_follows_it() {
    let mut story = (0..4)
        .fold(Story::of(vec![answered(503)]), |s, n| s.call(0, n * 10))
        .failed(50);
    story.trial.given = Some(crate::promise::Given {
        budget: Some(Budget::bucket(1, 1, 0)),
        ..crate::promise::Given::default()
    });
    assert_eq!(story.worst("budget.kept").0, Grade::Pass);
    story.can.policy = PolicyCan::Given;
    assert_eq!(story.worst("budget.kept").0, Grade::Fail);
}

#[test]
fn rule_17_a_credit_that_was_paid_and_not_used_is_gone() {
    // op-1 pays for a retry and is called off while it waits for it; op-2 finds nothing left.
    let story = spending(1)
        .call(0, 0)
        .cancelled(1, 50)
        .reported(51, Claim::Failed, StopReason::Cancelled);
    let mut story = story
        .call_of(2, 0, 100)
        .reported_of(2, 110, Claim::Failed, StopReason::RetryBudget);
    story.trial.operations[0].cancel_after = Some(std::time::Duration::from_millis(50));
    assert!(story.blamed().is_empty(), "{:#?}", story.blamed());
}

#[test]
fn rule_19_a_late_harness_withholds_every_count_and_every_lateness() {
    let overlapping = Story::of(vec![answered(200).times(1).taking_ms(2_000), answered(200)])
        .promising(|p| p.one_at_a_time = true)
        .call(0, 0)
        .call(1, 500)
        .ok(510);
    let late = Story::of(vec![answered(503).pushing_back(Pushback::Seconds(60))])
        .deadline_ms(1_000)
        .call(0, 0)
        .failed(3_000);
    for (story, check) in [
        (counting(AttemptsCount::Calls, "GET", 1), "attempts.counted"),
        (overlapping, "attempts.one_at_a_time"),
        (late, "deadline.kept"),
    ] {
        assert!(story.worst(check).0 > Grade::Note, "{check}");
        assert!(story.late_by_ms(60).check(check).withheld, "{check}");
    }
}
