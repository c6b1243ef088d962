//! What a call gets by its key, and before its key is known.

use std::sync::Arc;
use std::time::Duration;

use super::*;
use crate::scenario::{Dependency, load};
use crate::script::refusal;
use crate::source::Source;
use crate::term::{ConnId, OperationId};

fn script(turns: &str) -> Script {
    let yaml = format!(
        "version: 1\ntitle: t\ndependencies:\n  d: {{keys: {{header: Idempotency-Key, keep: 1s}}, script: [{turns}]}}\n\
         operations: [{{request: {{method: POST, to: [d], path: /, body: {{zeros: 9}}}}}}]\n"
    );
    let trial = load(Arc::new(Source::new("f.yaml", yaml)), "f")
        .unwrap()
        .remove(0);
    let dependency: Dependency = trial.dependencies.into_iter().next().unwrap();
    assert_eq!(refusal(&dependency), None);
    Script::new(Arc::new(dependency), 7)
}

/// A call of operation 1 that arrives at `ms`.
fn asking(ms: u64) -> Asking<'static> {
    Asking {
        op: Some(OperationId(1)),
        conn: ConnId(1),
        nth_on_conn: 1,
        at: Stamp::from_ms(ms),
        since_start: Duration::ZERO,
        method: "POST",
        path: "/",
        header: &|_| vec![],
    }
}

fn by_key(script: &mut Script, ms: u64, call: u32, key: Option<&str>, content: &str) -> ByKey {
    let asking = asking(ms);
    let AtHead::AwaitsBody(known) = script.decide_at_head(&asking) else {
        panic!("decided by its head")
    };
    let whole = Whole {
        call: CallId(call),
        key,
        content,
    };
    script.decide_by_key(&asking, known, whole)
}

const ALL_STATES: &str = "{when: {key: missing}, answer: {status: 400}}, \
    {when: {key: other_content}, answer: {status: 422}}, {when: {key: in_flight}, answer: {status: 409}}, \
    {when: {key: done}, effect: applied, answer: {stored: true}}, {effect: applied, answer: {status: 201}}";

#[test]
fn each_state_of_a_key_has_its_turn_and_only_a_new_one_works() {
    let mut script = script(ALL_STATES);
    let mut is = |ms, call, key, content| {
        let by_key = by_key(&mut script, ms, call, key, content);
        if call == 4 {
            script.effect_done("k", CallId(2), Stamp::from_ms(40));
        }
        (by_key.decision.falls, by_key.state, by_key.works, by_key.replays)
    };
    let turn = Falls::Turn;
    assert_eq!(is(0, 1, None, "a"), (turn(0), KeyState::Missing, false, None));
    assert_eq!(is(10, 2, Some("k"), "a"), (turn(4), KeyState::New, true, None));
    assert_eq!(
        is(20, 3, Some("k"), "a"),
        (turn(2), KeyState::InFlight, false, None)
    );
    assert_eq!(
        is(30, 4, Some("k"), "b"),
        (turn(1), KeyState::OtherContent, false, None)
    );
    let done = (turn(3), KeyState::Done, false, Some((CallId(2), 4)));
    assert_eq!(is(50, 5, Some("k"), "a"), done);
    assert_eq!(is(1_040, 6, Some("k"), "a"), (turn(4), KeyState::New, true, None));
}

#[test]
fn a_call_without_an_effect_stores_nothing_and_one_whose_answer_was_cut_stores_no_answer() {
    let mut script = script(
        "{times: 1, answer: {status: 503}}, {times: 1, effect: applied, cut: {at: before_answer, by: fin}}, \
         {effect: applied, answer: {stored: true}}",
    );
    assert!(!by_key(&mut script, 0, 1, Some("k"), "a").works);
    let lost = by_key(&mut script, 1, 2, Some("k"), "a");
    assert_eq!((lost.state, lost.works), (KeyState::New, true));
    script.effect_done("k", CallId(2), Stamp::from_ms(1));
    let again = by_key(&mut script, 2, 3, Some("k"), "a");
    assert_eq!(
        (again.state, again.works, again.replays),
        (KeyState::Done, false, None)
    );
}

#[test]
fn a_call_that_is_cut_within_its_request_is_decided_by_its_head_and_counts_as_an_attempt() {
    let mut script = script(
        "{times: 1, cut: {at: {request_body: 4}, by: rst}}, {when: {attempt: 2}, answer: {status: 503}}, \
         {effect: applied, answer: {status: 201}}",
    );
    let AtHead::Decided(decision) = script.decide_at_head(&asking(0)) else {
        panic!("it waits for a body that is cut")
    };
    assert_eq!(decision.falls, Falls::Turn(0));
    assert_eq!(
        by_key(&mut script, 1, 2, Some("k"), "a").decision.falls,
        Falls::Turn(1)
    );
}

#[test]
fn a_turn_that_a_key_may_take_before_a_cut_awaits_the_key() {
    let mut script = script(
        "{when: {key: done}, answer: {stored: true}}, {times: 1, cut: {at: request_head, by: rst}}, \
         {effect: applied, answer: {status: 201}}",
    );
    assert!(matches!(script.decide_at_head(&asking(0)), AtHead::AwaitsBody(_)));
}
