//! Silence, operations that were never tried, and excuses: each beside what only looks so.

use super::*;
use crate::evidence::{Attribution, Fact, GateState};
use crate::judge::Verdict;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::scenario::Pushback;
use crate::term::{Claim, CutBy, OperationId, Place, Stamp, StopReason};

fn recovering() -> Story {
    Story::of(vec![answered(503).times(1), answered(200)])
}

fn failing() -> Story {
    Story::of(vec![answered(503)])
}

#[test]
fn silence_after_a_success_is_warned_of_and_leaves_the_trial_open() {
    let silent = || recovering().call(0, 0).call(1, 100).gave_no_result(1, 6_000);
    let (grade, because) = silent().worst(ID);
    assert_eq!(grade, Grade::Warn);
    assert_eq!(
        because,
        "nothing was said of op-1 for 5.899 s after call 2, its last call, was answered; nothing was left to wait for"
    );
    let judgement = silent().judge();
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    assert_eq!(
        judgement.because.as_deref(),
        Some("the client did not say what became of op-1 after call 2")
    );
    assert_eq!(
        silent().promising(|p| p.prompt = true).judge().verdict,
        Verdict::Fail
    );
    assert_eq!(
        recovering().call(0, 0).call(1, 100).ok(110).worst(ID).0,
        Grade::Pass
    );
}

#[test]
fn silence_after_the_last_attempt_that_was_promised_is_silence_and_before_it_may_be_a_wait() {
    let silent = || failing().call(0, 0).call(0, 1_000).gave_no_result(1, 9_000);
    assert_eq!(
        silent().promising(|p| p.attempts = Some(2)).worst(ID).0,
        Grade::Warn
    );
    for waiting in [silent().promising(|p| p.attempts = Some(3)), silent()] {
        let (grade, because) = waiting.worst(ID);
        assert_eq!(grade, Grade::Note);
        assert_eq!(
            because,
            "op-1 had no end after 9 s, and was not waited for any longer"
        );
        assert_ne!(waiting.judge().verdict, Verdict::Fail);
    }
}

#[test]
fn who_waits_for_an_answer_or_out_of_obedience_is_not_silent() {
    let pushed = answered(503).pushing_back(Pushback::Seconds(3_600));
    let pushed = Story::of(vec![pushed]).promising(|p| p.attempts = Some(1));
    let unanswered = answered(200).cut(Place::BeforeAnswer, CutBy::Hang);
    let unanswered = Story::of(vec![answered(200), unanswered]);
    for story in [
        pushed.call(0, 0).gave_no_result(1, 10_000),
        unanswered.call(1, 0).call(0, 10).gave_no_result(1, 10_000),
    ] {
        assert_eq!(story.worst(ID).0, Grade::Note);
    }
}

#[test]
fn what_was_not_asked_because_another_had_no_end_leaves_the_trial_open() {
    let story = failing().operation("GET", "/", "quota").call(0, 0);
    let story = story.gave_no_result(1, 6_000).and(Fact::LeftOut {
        op: OperationId(2),
        because: "the client had not ended an operation before it".to_owned(),
        at: Some(Stamp::from_ms(6_000)),
    });
    let judgement = story.judge();
    assert_eq!(judgement.verdict, Verdict::Inconclusive);
    assert_eq!(
        judgement.because.as_deref(),
        Some("op-1 had no end while it was waited for, so op-2 was not asked")
    );
}

fn untried(stop: StopReason) -> Story {
    let story = recovering().operation("GET", "/", "quota");
    let first = story.call(0, 0).call(1, 100).ok(110);
    first.reported_of(2, 120, Claim::Failed, stop)
}

#[test]
fn a_failure_without_a_call_is_not_believed() {
    let story = untried(StopReason::Unreported);
    let (grade, because) = story.worst(ID);
    assert_eq!(grade, Grade::Warn);
    assert_eq!(
        because,
        "op-2 was reported as failed without a call, and nothing explains that"
    );
    assert_eq!(story.judge().verdict, Verdict::Inconclusive);
    assert_eq!(untried(StopReason::Terminal).worst("stop.allowed").0, Grade::Fail);
    assert_eq!(untried(StopReason::AttemptCap).judge().verdict, Verdict::Fail);
}

#[test]
fn an_open_breaker_an_empty_budget_and_a_cancellation_hold_an_operation_back() {
    let mut lawful = vec![untried(StopReason::CircuitOpen), untried(StopReason::RetryBudget)];
    lawful.push(untried(StopReason::Unreported).cancelled(2, 115));
    lawful.push(untried(StopReason::Deadline).deadline_ms(50));
    lawful.push(untried(StopReason::Unreported).deadline_ms(50));
    let open = std::time::Duration::from_secs(10);
    let breaker = crate::promise::Breaker { failures: 1, open };
    lawful.push(untried(StopReason::Unreported).promising(|p| p.breaker = Some(breaker)));
    for story in lawful {
        assert_eq!(story.worst(ID).0, Grade::Pass);
    }
}

#[test]
fn what_meets_a_refusal_or_a_dying_connection_leaves_no_call() {
    let refused = untried(StopReason::Terminal).and(Fact::GateChanged {
        point: "quota".into(),
        at: Stamp::ZERO,
        gate: GateState::Refusing,
    });
    let closing = answered(200).cut(Place::AfterAnswer, CutBy::Rst);
    let closing = Story::of(vec![closing]).operation("POST", "/", "quota");
    let closing = closing.call(0, 0).ok(5);
    let closing = closing.reported_of(2, 10, Claim::Unknown, StopReason::Unsafe);
    let stray = untried(StopReason::Unreported)
        .call(1, 115)
        .heading(|head| head.op = None);
    for story in [refused, closing, stray] {
        assert_eq!(story.worst(ID).0, Grade::Pass);
        assert_eq!(story.worst("stop.allowed").0, Grade::Pass);
    }
}

fn excused(story: Story) -> Story {
    story.and(Fact::CouldNotRun {
        op: OperationId(1),
        at: Stamp::from_ms(500),
        because: "queue closed".to_owned(),
    })
}

#[test]
fn who_calls_cannot_say_that_it_could_not_run_and_is_judged_all_the_same() {
    let posts = || excused(recovering().by("POST").call(0, 0).call(1, 100));
    let (grade, because) = posts().worst(ID);
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "the client said that it could not run op-1 (\"queue closed\"), and had made 2 calls"
    );
    assert_eq!(posts().worst("unsafe.not_repeated").0, Grade::Warn);
    // A call that is only taken for the operation's because nothing else ran may be anybody's.
    let doubtful = excused(
        recovering()
            .call(0, 0)
            .heading(|head| head.by = Attribution::Alone),
    );
    assert_eq!(doubtful.judge().verdict, Verdict::Skipped);
    assert_eq!(excused(recovering()).judge().verdict, Verdict::Skipped);
}
