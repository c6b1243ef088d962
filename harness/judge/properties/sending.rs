//! Single misdeeds in what is sent, counted, handed over and when an operation ends, among honest operations.

use proptest::prelude::*;

use super::honest::{BODY, conduct, plan};
use super::running::{honest, zeros};
use super::{cases, found, one_more};
use crate::judge::evidence_builder::{Written, answered};
use crate::promise::AttemptsCount;
use crate::scenario::Pushback;
use crate::term::{Claim, CutBy, Place, StopReason};
use std::time::Duration;

/// When the misdeed begins: far from the others, which matter to no check here.
const LATER: u64 = 900_000;

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_late_end_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), ms in 100..20_000u64, late in 251..20_000u64) {
        let hang = answered(200).cut(Place::BeforeAnswer, CutBy::Hang);
        let (mut story, op) = one_more(honest(&plans, &conduct), "GET", vec![hang]);
        story.trial.operations.last_mut().unwrap().deadline = Some(Duration::from_millis(ms));
        let over = LATER + ms + late;
        let story = story.call_of(op.0, 0, LATER).reported_of(op.0, over, Claim::Failed, StopReason::Unreported);
        found(&story, "deadline.kept", op)?;
    }

    #[test]
    fn going_on_after_a_cancellation_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), wait in 1..60u64, part in 0.0..1.0f64) {
        let pushing = answered(429).times(1).pushing_back(Pushback::Seconds(wait));
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![pushing, answered(200)]);
        let cancel = LATER + ((wait * 1_000 - 255) as f64 * part) as u64;
        let again = LATER + wait * 1_000 + 1;
        let story = story.call_of(op.0, 0, LATER).cancelled(op.0, cancel).call_of(op.0, 1, again);
        found(&story.reported_of(op.0, again + 2, Claim::Ok, StopReason::Ok), "cancel.kept", op)?;
    }

    #[test]
    fn a_budget_that_is_overspent_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), initial in 0..8u32, earn in 0..1_000u32) {
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(503)]);
        let story = story.promising(|p| {
            p.budget = Some(crate::promise::Budget::bucket(initial, initial, earn));
        });
        let allowed = u64::from(initial) + u64::from(earn) * u64::from(op.0) / 1_000;
        let story = (0..allowed + 2).fold(story, |story, n| story.call_of(op.0, 0, LATER + n * 10));
        let over = LATER + allowed * 10 + 100;
        found(&story.reported_of(op.0, over, Claim::Failed, StopReason::Unreported), "budget.kept", op)?;
    }

    #[test]
    fn an_uncounted_call_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), calls in 2..6u64, gap in 1..3_000u64) {
        let (mut story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(503)]);
        story.can.attempts_count = AttemptsCount::Calls;
        let story = (0..calls).fold(story, |story, n| story.call_of(op.0, 0, LATER + n * (gap + 2)));
        let story = story.reported_of(op.0, LATER + calls * (gap + 2), Claim::Failed, StopReason::Unreported);
        found(&story.telling(|outcome| outcome.attempts = Some(calls as u32 - 1)), "attempts.counted", op)?;
    }

    #[test]
    fn an_overlap_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), timer in 1..5_000u64, slower in 252..5_000u64, hangs in any::<bool>()) {
        let slow = answered(200).times(1).taking_ms(timer + slower);
        let slow = if hangs { slow.cut(Place::BeforeAnswer, CutBy::Hang) } else { slow };
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![slow, answered(200)]);
        let story = story.promising(|p| p.one_at_a_time = true).call_of(op.0, 0, LATER).call_of(op.0, 1, LATER + timer);
        found(&story.reported_of(op.0, LATER + timer + 2, Claim::Ok, StopReason::Ok), "attempts.one_at_a_time", op)?;
    }

    #[test]
    fn another_path_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), path in "/[a-z]{0,8}", lost in any::<bool>()) {
        let first = answered(503).times(1);
        let first = if lost { first.cut(Place::BeforeAnswer, CutBy::Rst) } else { first };
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![first, answered(200)]);
        let story = story.call_of(op.0, 0, LATER).call_of(op.0, 1, LATER + 100);
        let story = story.heading(|head| head.path = path.as_str().into());
        found(&story.reported_of(op.0, LATER + 110, Claim::Ok, StopReason::Ok), "request.same", op)?;
    }

    #[test]
    fn a_shorter_body_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), len in 0..BODY.len(), status in prop::sample::select(vec![429u16, 500, 503])) {
        let turns = vec![answered(status).times(1), answered(200)];
        let (story, op) = one_more(honest(&plans, &conduct), "PUT", turns);
        let story = story.call_of(op.0, 0, LATER).sent(BODY.as_bytes(), true);
        let story = story.call_of(op.0, 1, LATER + 100).sent(&BODY.as_bytes()[..len], true);
        found(&story.reported_of(op.0, LATER + 110, Claim::Ok, StopReason::Ok), "body.same", op)?;
    }

    #[test]
    fn other_content_under_one_key_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), content in "[a-z]{20,40}") {
        let (story, op) = one_more(honest(&plans, &conduct), "POST", vec![answered(503).times(1), answered(200)]);
        let story = story.keyed().call_of(op.0, 0, LATER).sent(BODY.as_bytes(), true);
        let story = story.call_of(op.0, 1, LATER + 100).sent(content.as_bytes(), true);
        found(&story.reported_of(op.0, LATER + 110, Claim::Ok, StopReason::Ok), "body.same", op)?;
    }

    #[test]
    fn glued_bodies_are_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), piece in 1..100u64, rst in any::<bool>()) {
        let by = if rst { CutBy::Rst } else { CutBy::Fin };
        let turns = vec![answered(200).times(1).cut(Place::Body(piece), by), answered(200)];
        let (story, op) = one_more(honest(&plans, &conduct), "GET", turns);
        let story = story.call_of(op.0, 0, LATER).call_of(op.0, 1, LATER + 100);
        let story = story.reported_of(op.0, LATER + 110, Claim::Ok, StopReason::Ok);
        let glued = zeros(100 + usize::try_from(piece).unwrap_or_default());
        found(&story.telling(|outcome| outcome.body_sha256 = Some(glued)), "body.whole", op)?;
    }

    #[test]
    fn a_masked_failure_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), gap in 1..3_000u64, last in prop::sample::select(vec![400u16, 404, 410, 500])) {
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![answered(503).times(1), answered(last)]);
        let story = story.call_of(op.0, 0, LATER).call_of(op.0, 1, LATER + gap + 2);
        let story = story.reported_of(op.0, LATER + gap + 10, Claim::Failed, StopReason::Unreported);
        found(&story.telling(|outcome| outcome.status = Some(503)), "failure.last", op)?;
    }

    #[test]
    fn a_sleep_after_the_last_attempt_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), late in 300..60_000u64, stop in prop::sample::select(vec![StopReason::AttemptCap, StopReason::Terminal, StopReason::Unsafe])) {
        let conduct = super::Conduct { deadline_ms: None, ..conduct };
        let (story, control) = one_more(honest(&plans, &conduct), "GET", vec![answered(200)]);
        let at = LATER - 100_000;
        let story = story.call_of(control.0, 0, at).reported_of(control.0, at + 2, Claim::Ok, StopReason::Ok);
        let story = story.dependency("gone", vec![answered(404)]).operation("GET", "/gone", "gone");
        let op = crate::term::OperationId(story.trial.operations.len() as u32);
        let story = story.call_of(op.0, 0, LATER).reported_of(op.0, LATER + 1 + late, Claim::Failed, stop);
        found(&story, "end.prompt", op)?;
    }
}
