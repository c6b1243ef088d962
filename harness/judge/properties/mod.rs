//! Random correct clients are never blamed, and a single misdeed among them is always found.
//!
//! `PROPTEST_CASES` sets how many cases each property tries; CI asks for a hundred thousand.

mod breakers;
mod budgets;
mod honest;
mod keys;
mod purse;
mod running;
mod sending;
mod spacing;
mod spending;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

use super::evidence_builder::{Story, Written, answered};
use super::{Finding, Grade};
use crate::scenario::{Pushback, Turn};
use crate::term::{Claim, CutBy, OperationId, Place, StopReason};
use honest::{CEILING_MS, Conduct, Fault, STATUSES, conduct, fault, plan, turn};
use running::honest;

fn cases() -> Config {
    Config {
        failure_persistence: None,
        ..Config::default()
    }
}

fn found(story: &Story, check: &str, op: OperationId) -> Result<(), TestCaseError> {
    let about = |f: &Finding| f.check == check && f.grade > Grade::Note && f.operations.contains(&op);
    let blamed = story.blamed();
    prop_assert!(
        blamed.iter().any(about),
        "{check} for {op} is not among {blamed:#?}"
    );
    Ok(())
}

/// One more operation after all the others, and its first turn: the stage for a misdeed.
fn one_more(story: Story, method: &str, turns: Vec<Turn>) -> (Story, OperationId) {
    let story = story
        .dependency("victim", turns)
        .operation(method, "/victim", "victim");
    let op = OperationId(story.trial.operations.len() as u32);
    (story, op)
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn an_honest_client_is_never_blamed(plans in prop::collection::vec(plan(), 1..5), conduct in conduct()) {
        let story = honest(&plans, &conduct);
        let blamed = story.blamed();
        prop_assert!(blamed.is_empty(), "{blamed:#?}");
    }

    #[test]
    fn a_late_harness_blames_nobody_either(plans in prop::collection::vec(plan(), 1..3), conduct in conduct(), ms in 0..9_000u64) {
        prop_assert!(honest(&plans, &conduct).late_by_ms(ms).blamed().is_empty());
    }

    #[test]
    fn broken_evidence_breaks_no_judge(
        plans in prop::collection::vec(plan(), 1..4),
        conduct in conduct(),
        keep in prop::collection::vec(any::<bool>(), 60),
        turn in 0..60usize,
    ) {
        let mut story = honest(&plans, &conduct);
        let mut kept = keep.iter().cycle();
        story.facts.retain(|_| *kept.next().unwrap_or(&true));
        let shift = turn % story.facts.len().max(1);
        story.facts.rotate_left(shift);
        story.facts.insert(0, crate::evidence::Fact::TrialBegan { unix_us: 0 });
        story.judge();
    }

    #[test]
    fn an_attempt_timer_is_never_taken_for_an_early_call(
        // A shorter timer cannot be told from a client that answers to an answer (rule 3).
        timer in 40..2_000u64,
        slower in 0..30u64,
        status in prop::sample::select(vec![429u16, 503]),
        lost in any::<bool>(),
    ) {
        // The client gives up on its first call at `timer` and sends a second; the first's answer, which asks for a
        // wait, begins up to 15 ms before that or after.
        let takes = timer + slower - 15;
        let pushing = answered(status).times(1).pushing_back(Pushback::Seconds(3)).taking_ms(takes);
        let story = Story::of(vec![pushing, answered(200)]).promising(|p| p.attempts = Some(2)).call(0, 0);
        let story = if lost { story.left(timer) } else { story };
        prop_assert!(story.call(1, timer + 2).ok(timer + 5).blamed().is_empty());
    }

    #[test]
    fn a_hedging_client_is_never_blamed(
        first_ms in 50..2_000u64,
        hedge_ms in 1..2_000u64,
        second_ms in 0..2_000u64,
        wait in 1..5u64,
        both_fail in any::<bool>(),
    ) {
        let hedge = hedge_ms % first_ms;
        let pushing = answered(503).times(1).pushing_back(Pushback::Seconds(wait)).taking_ms(first_ms);
        let second = answered(if both_fail { 503 } else { 200 }).times(1).taking_ms(second_ms);
        let story = Story::of(vec![pushing, second, answered(200)]).promising(|p| p.hedges = true);
        let story = story.call(0, 0).call(1, hedge);
        let ended = (first_ms + 1).max(hedge + second_ms + 1);
        let after = (first_ms + 1 + wait * 1_000).max(ended) + 7;
        let story = if both_fail { story.call(2, after).ok(after + 5) } else { story.ok(ended + 1) };
        prop_assert!(story.blamed().is_empty(), "{:#?}", story.blamed());
    }

    #[test]
    fn an_early_call_is_always_found(
        plans in prop::collection::vec(plan(), 0..4),
        conduct in conduct(),
        wait in 1..400u64,
        part in 0.0..1.0f64,
    ) {
        let pushing = answered(503).times(1).pushing_back(Pushback::Seconds(wait));
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![pushing, answered(200)]);
        let gap = ((wait * 1_000 - 6) as f64 * part) as u64;
        let story = story.call_of(op.0, 0, 50_000).call_of(op.0, 1, 50_001 + gap);
        let story = story.reported_of(op.0, 50_010 + gap, Claim::Ok, StopReason::Ok);
        // The operation was added without a deadline, so only the ceiling makes a wait long.
        let long = conduct.promises_pushback && conduct.promises_ceiling && wait * 1_000 > CEILING_MS;
        found(&story, if long { "pushback.long" } else { "pushback.honoured" }, op)?;
    }

    #[test]
    fn one_attempt_too_many_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), gap in 0..3_000u64) {
        let conduct = Conduct { promises_cap: true, ..conduct };
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(503)]);
        let story = (0..=u64::from(conduct.cap)).fold(story, |s, n| s.call_of(op.0, 0, 50_000 + n * (gap + 2)));
        let story = story.reported_of(op.0, 90_000, Claim::Failed, StopReason::Unreported);
        found(&story, "attempts.capped", op)?;
    }

    #[test]
    fn an_unsafe_repeat_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), fault in fault(), gap in 0..3_000u64) {
        // A 408 foresees the repeat.
        let fault = match fault {
            Fault::Status(408) | Fault::Wait(408, _) | Fault::Dated(408, ..) | Fault::Junk(408, _) => Fault::Status(503),
            // A second call beside the first is only noted.
            Fault::Silent => Fault::Lost(CutBy::Rst),
            other => other,
        };
        let (story, op) = one_more(honest(&plans, &conduct), "POST", vec![turn(&fault).times(1), answered(200)]);
        let story = story.call_of(op.0, 0, 50_000).call_of(op.0, 1, 50_001 + gap);
        let story = story.reported_of(op.0, 90_000, Claim::Ok, StopReason::Ok);
        found(&story, "unsafe.not_repeated", op)?;
    }

    #[test]
    fn a_claimed_piece_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), bytes in 0..100u64, rst in any::<bool>()) {
        let by = if rst { CutBy::Rst } else { CutBy::Fin };
        let cut = answered(200).cut(Place::Body(bytes), by);
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![cut]);
        let story = story.call_of(op.0, 0, 50_000).reported_of(op.0, 50_010, Claim::Ok, StopReason::Ok);
        found(&story, "truncated.not_claimed", op)?;
    }

    #[test]
    fn a_false_claim_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), status in prop::sample::select(STATUSES.to_vec())) {
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(status)]);
        let story = story.call_of(op.0, 0, 50_000).reported_of(op.0, 50_010, Claim::Ok, StopReason::Unreported);
        found(&story, "claim.acknowledged", op)?;
    }

    #[test]
    fn a_call_after_the_end_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), late in 251..5_000u64) {
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(503)]);
        let story = story.call_of(op.0, 0, 50_000).reported_of(op.0, 50_010, Claim::Failed, StopReason::Unreported);
        found(&story.call_of(op.0, 0, 50_010 + late), "end.final", op)?;
    }
}
