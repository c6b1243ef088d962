//! Spacing: waits that are shorter than promised are always found among honest operations.

use proptest::prelude::*;
use std::time::Duration;

use super::honest::{conduct, plan};
use super::running::honest;
use super::{cases, found, one_more};
use crate::judge::evidence_builder::{Written, answered};
use crate::promise::{BackoffPromise, Jitter};
use crate::scenario::Pushback;
use crate::term::{Claim, OperationId, StopReason};

/// When the misdeed begins: far from the others.
const LATER: u64 = 900_000;

fn promise(jitter: Jitter, base_ms: u64) -> BackoffPromise {
    BackoffPromise {
        at_once: 0,
        base: Duration::from_millis(base_ms),
        factor_per_mille: 2_000,
        cap: Duration::from_secs(60),
        jitter,
    }
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_wait_that_does_not_grow_is_always_found(
        plans in prop::collection::vec(plan(), 0..4),
        conduct in conduct(),
        base in 20..2_000u64,
        equal in any::<bool>(),
        junk in any::<bool>(),
        part in 0.0..1.0f64,
    ) {
        let failing = if junk { answered(503).pushing_back(Pushback::Raw("soon".to_owned())) } else { answered(503) };
        let (jitter, least) = if equal { (Jitter::Equal, base) } else { (Jitter::None, 2 * base) };
        let (story, op) = one_more(honest(&plans, &conduct), "GET", vec![failing]);
        let story = story.promising(|p| p.backoff = Some(promise(jitter, base)));
        let second = LATER + 1 + base;
        let third = second + 1 + ((least - 6) as f64 * part) as u64;
        let story = story.call_of(op.0, 0, LATER).call_of(op.0, 0, second).call_of(op.0, 0, third);
        found(&story.reported_of(op.0, third + 5, Claim::Failed, StopReason::Unreported), "spacing.grows", op)?;
    }

    #[test]
    fn draws_that_are_none_are_always_found(base in 100..2_000u64, ms in 0..4u64) {
        let mut story = crate::judge::evidence_builder::Story::of(vec![answered(503)])
            .promising(|p| (p.backoff, p.attempts) = (Some(promise(Jitter::Full, base)), Some(4)));
        for op in 1..=6 {
            story = if op > 1 { story.operation("GET", "/", "quota") } else { story };
            story = (0..4).fold(story, |story, n| story.call_of(op, 0, n * (ms + 1)));
            story = story.reported_of(op, 50, Claim::Failed, StopReason::AttemptCap);
        }
        found(&story, "spacing.grows", OperationId(6))?;
    }
}
