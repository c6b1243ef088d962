//! Keys: a misuse among correct operations is always found.

use proptest::prelude::*;

use super::honest::{Conduct, Fault, conduct, fault, plan, turn};
use super::running::honest;
use super::{cases, found, one_more};
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::term::{Claim, KeyState, OperationId, StopReason};

/// One more operation, keyed, at a dependency that recognises keys, and its first call under its own key.
fn keyed_victim(story: Story, fault: &Fault) -> (Story, OperationId) {
    let turns = vec![turn(fault).times(1).applied(), answered(200).applied()];
    let (story, op) = one_more(story, "POST", turns);
    let story = story.keyed().recognising_keys().promising(|p| p.key = true);
    (story.call_of(op.0, 0, 50_000).key_is(KeyState::New), op)
}

fn repeatable() -> impl Strategy<Value = Fault> {
    fault().prop_filter(
        "400 asks for another key, 408 foresees the repeat, and beside a silent call a second may be a hedge",
        |fault| {
            !matches!(
                fault,
                Fault::Silent
                    | Fault::Status(400 | 408)
                    | Fault::Wait(400 | 408, _)
                    | Fault::Dated(400 | 408, ..)
                    | Fault::Junk(400 | 408, _)
            )
        },
    )
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_key_that_changes_or_is_dropped_is_always_found(
        plans in prop::collection::vec(plan(), 0..4),
        conduct in conduct(),
        fault in repeatable(),
        dropped in any::<bool>(),
        gap in 0..3_000u64,
    ) {
        let (story, op) = keyed_victim(honest(&plans, &conduct), &fault);
        let (keys, state) = if dropped { (&[][..], KeyState::Missing) } else { (&["another"][..], KeyState::New) };
        let story = story.call_of(op.0, 1, 50_001 + gap).under(keys).key_is(state);
        let story = story.reported_of(op.0, 90_000, Claim::Ok, StopReason::Ok);
        for check in ["key.same", "effect.once", "unsafe.not_repeated"] {
            found(&story, check, op)?;
        }
    }

    #[test]
    fn a_second_header_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), fault in repeatable()) {
        let (story, op) = keyed_victim(honest(&plans, &conduct), &fault);
        let story = story.under(&["a", "b"]).reported_of(op.0, 90_000, Claim::Failed, StopReason::Unreported);
        found(&story, "key.one_header", op)?;
    }

    #[test]
    fn a_key_of_another_operation_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), fault in repeatable()) {
        let (story, first) = keyed_victim(honest(&plans, &conduct), &fault);
        let story = story.operation("POST", "/victim", "victim").keyed();
        let op = OperationId(first.0 + 1);
        let taken = format!("key-{}", first.0);
        let story = story.call_of(op.0, 1, 60_000).under(&[&taken]).key_is(KeyState::Done);
        let story = story.reported_of(op.0, 90_000, Claim::Ok, StopReason::Ok);
        found(&story, "key.fresh", op)?;
        found(&story, "effect.once", op)?;
    }

    #[test]
    fn a_keyed_operation_that_is_given_up_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), status in prop::sample::select(vec![500u16, 503, 504])) {
        let conduct = Conduct { cap: 3, deadline_ms: None, budget: None, promises_retries: true, ..conduct };
        let (story, op) = keyed_victim(honest(&plans, &conduct), &Fault::Status(status));
        let story = story.reported_of(op.0, 50_010, Claim::Failed, StopReason::Unsafe);
        found(&story, "status.transient", op)?;
    }

    #[test]
    fn a_key_without_its_quotes_is_always_found(plans in prop::collection::vec(plan(), 0..4), conduct in conduct(), key in "[ -!#-~][ -~]{0,20}") {
        let (story, op) = keyed_victim(honest(&plans, &conduct), &Fault::Status(503));
        let story = story.under(&[&key]).promising(|p| p.quotes_keys = true);
        prop_assume!(!key.trim_start().starts_with('"'));
        found(&story.reported_of(op.0, 50_010, Claim::Failed, StopReason::Unreported), "key.quoted", op)?;
    }
}
