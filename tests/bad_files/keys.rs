//! What leans on a key store that is not there, or cannot know yet.

use super::{sentences, shown};

/// The problems of a dependency with this script, with or without `keys`.
fn script(keys: &str, turns: &str) -> String {
    format!(
        "version: 1\ntitle: t\ndependencies:\n  a:\n    {keys}\n    script:\n      - {turns}\n      - {{answer: {{status: 200}}}}\n\
         operations:\n  - {{request: {{method: PUT, to: [a], path: /, body: {{zeros: 9}}}}}}\n"
    )
}

const KEYS: &str = "keys: {header: Idempotency-Key, keep: 24h}";

#[test]
fn keys_as_they_are_meant_are_taken() {
    let states = ["missing", "new", "in_flight", "done", "other_content"];
    for state in states {
        let turn = format!("{{when: {{key: {state}}}, answer: {{stored: true, after: 10ms}}}}");
        assert_eq!(shown(&script(KEYS, &turn)), "");
    }
    let whole = "{times: 1, answer: {stored: true}, cut: {at: after_answer, by: rst}}";
    assert_eq!(shown(&script(KEYS, whole)), "");
}

#[test]
fn what_leans_on_a_key_store_needs_one() {
    let turn = "{when: {key: done}, answer: {stored: true}}";
    insta::assert_snapshot!(shown(&script("per: operation", turn)), @"
    error: `key` asks for a dependency that recognises keys
     --> orders.yaml:7:22
      |
    7 |       - {when: {key: done}, answer: {stored: true}}
      |                      ^^^^ this one does not
      |
      = help: add `keys: {header: Idempotency-Key, keep: 24h}` beside `script`

    error: `stored` asks for a dependency that recognises keys
     --> orders.yaml:7:46
      |
    7 |       - {when: {key: done}, answer: {stored: true}}
      |                                              ^^^^ this one does not
      |
      = help: add `keys: {header: Idempotency-Key, keep: 24h}` beside `script`
    ");
}

#[test]
fn a_key_is_not_known_before_the_request_was_read() {
    for cut in ["request_head", "{request_body: 4}"] {
        let turn = format!("{{when: {{key: new}}, cut: {{at: {cut}, by: rst}}}}");
        let told = sentences(&script(KEYS, &turn));
        assert_eq!(
            told,
            ["what a key stands for is known when the whole request was read"]
        );
    }
}

#[test]
fn a_stored_answer_is_another_turns() {
    for written in [
        "retry_after: 3s",
        "headers: {a: b}",
        "body: {zeros: 9}",
        "framing: chunked",
        "drip: {bytes: 1, every: 1s}",
        "keep_alive: false",
        "means: failure",
    ] {
        let turn = format!("{{times: 1, answer: {{stored: true, {written}}}}}");
        let told = sentences(&script(KEYS, &turn));
        assert_eq!(told, ["a stored answer is sent as it was stored"], "{written}");
    }
    let cut = "{times: 1, answer: {stored: true}, cut: {at: {body: 5}, by: fin}}";
    let told = sentences(&script(KEYS, cut));
    assert_eq!(told, ["how long a stored answer is depends on what is stored"]);
    let outage = script(
        &format!("{KEYS}\n    outages: [{{from: 0s, be: {{answer: {{stored: true}}}}}}]"),
        "{times: 1, answer: {status: 503}}",
    );
    assert_eq!(sentences(&outage), ["who is not let in has nothing stored"]);
}

#[test]
fn a_key_is_kept_for_some_time_in_a_header_that_can_be_one() {
    let turn = "{times: 1, answer: {status: 503}}";
    let told = |keys: &str| sentences(&script(keys, turn));
    assert_eq!(
        told("keys: {header: Idempotency-Key, keep: 0s}"),
        ["this must be longer than zero"]
    );
    assert_eq!(
        told("keys: {header: 'a b', keep: 1s}"),
        ["`a b` is not the name of a header"]
    );
}
