//! Turns that cannot be played.

use super::{GOOD, one, sentences, shown, with};

/// Expects exactly one problem with the first turn.
fn turn(new: &str, sentence: &str) {
    one(
        "{times: 1, answer: {status: 503, retry_after: 3s}}",
        new,
        sentence,
    );
}

/// Expects exactly one problem with the first answer.
fn answer(new: &str, sentence: &str) {
    one("{status: 503, retry_after: 3s}", new, sentence);
}

#[test]
fn scripts() {
    let script = &GOOD[GOOD.find("script:").unwrap()..GOOD.find("operations:").unwrap()];
    one(script, "script: []\n", "a script without a turn says nothing");
    one("times: 1", "times: 0", "no call ever falls to this turn");
    one("{effect", "{when: {early: true}, effect", "what after this turn?");
    turn("{times: 1, takes: 1s}", "this turn neither answers nor cuts");
    turn(
        "{times: 1, when: {}, raw: x}",
        "a `when` without a condition says nothing",
    );
    turn("{times: 1, raw: ''}", "there are no bytes to send");
    turn(
        "{times: 1, raw: x, answer: {status: 200}}",
        "`raw` stands in place of an answer",
    );
    let raw_and = |place: &str, sentence: &str| {
        turn(
            &format!("{{times: 1, raw: x, cut: {{at: {place}, by: rst}}}}"),
            sentence,
        );
    };
    raw_and("before_answer", "after this cut no bytes are sent");
    raw_and("{body: 3}", "raw bytes have no parts: write fewer of them");
    let reset_after = with(
        "answer: {status: 503, retry_after: 3s}",
        "raw: x, cut: {at: after_answer, by: rst}",
    );
    assert_eq!(shown(&reset_after), "");
}

#[test]
fn conditions() {
    let when = |condition: &str, sentence: &str| {
        turn(
            &format!("{{when: {{{condition}}}, answer: {{status: 503}}}}"),
            sentence,
        );
    };
    when("chance: 1.5", "1.5 is not a chance");
    when("chance: -0.5", "-0.5 is not a chance");
    when("attempt: 0", "this is counted from 1");
    when(
        "attempt: {policy: attempts}",
        "the script is played before any promise is known",
    );
    when(
        "on_connection: {at_least: 3, at_most: 2}",
        "nothing is at least 3 and at most 2",
    );
    when("method: get", "`get` is not a method");
    when("path: orders", "a path begins with a slash");
    when("path: '/orders?x=1'", "the path is compared without its query");
    when("header: {a b: present}", "`a b` is not the name of a header");
    when(
        "header: {X-A: present, x-a: absent}",
        "the header `x-a` is written twice",
    );
}

#[test]
fn cuts() {
    let cut = |place: &str, sentence: &str| {
        turn(&format!("{{times: 1, cut: {{at: {place}, by: fin}}}}"), sentence);
    };
    for place in [
        "{status_line: 3}",
        "{headers: 3}",
        "{body: 3}",
        "after_answer",
        "{idle: 1s}",
    ] {
        cut(place, "there is no answer to cut here");
    }
    cut("{request_body: 1}", "no operation sends a body here");
    let cut_answer = |rest: &str, place: &str, sentence: &str| {
        turn(
            &format!("{{times: 1, answer: {{status: 503, {rest}}}, cut: {{at: {place}, by: fin}}}}"),
            sentence,
        );
    };
    for place in ["accept", "request_head", "before_answer"] {
        cut_answer("after: 1s", place, "this answer is never sent");
    }
    cut_answer("body: {text: hello}", "{body: 6}", "the body has 5 bytes");
    let whole = "the body has 5 bytes, and then the answer is whole";
    cut_answer("body: {text: hello}", "{body: 5}", whole);
    cut_answer("after: 0s", "{status_line: 34}", "the status line has 34 bytes");
    cut_answer("keep_alive: false", "{idle: 1s}", "this connection is never idle");
}

#[test]
fn a_chunked_body_can_be_cut_before_its_last_chunk() {
    let turn = "answer: {status: 503, framing: chunked, body: {text: hello}}, cut: {at: {body: 5}, by: fin}";
    assert_eq!(shown(&with("answer: {status: 503, retry_after: 3s}", turn)), "");
}

#[test]
fn conditions_and_effects_before_the_request_is_read() {
    let early = |place: &str, rest: &str, sentence: &str| {
        turn(
            &format!("{{times: 1, {rest}, cut: {{at: {place}, by: rst}}}}"),
            sentence,
        );
    };
    let nothing = "nothing was read that could have an effect";
    early("accept", "effect: applied", nothing);
    early("request_head", "effect: begun", nothing);
    early(
        "accept",
        "when: {path: /a}",
        "at `accept` nothing is known of any call",
    );
}

#[test]
fn a_request_body_is_cut_within_the_longest_one() {
    let cut = |n: u32| {
        with(
            "answer: {status: 503, retry_after: 3s}",
            &format!("cut: {{at: {{request_body: {n}}}, by: rst}}"),
        )
        .replace("path: /orders", "path: /orders, body: {text: hello}")
    };
    assert_eq!(shown(&cut(5)), "");
    assert_eq!(
        sentences(&cut(6)),
        ["the longest body that is sent here has 5 bytes"]
    );
}

#[test]
fn answers() {
    answer("{retry_after: 3s}", "an answer needs a status");
    answer("{status: 1000}", "1000 is not a status");
    answer("{status: 99}", "99 is not a status");
    answer("{status: 103}", "103 is not the status of a final answer");
    answer("{status: 204, body: {text: x}}", "a 204 has no body");
    answer("{status: 304, framing: chunked}", "a 304 has no body");
    answer(
        "{status: 200, body: {zeros: 99999999999}}",
        "this body is too long",
    );
    answer(
        "{status: 200, drip: {bytes: 0, every: 1s}}",
        "in pieces of 0 bytes nothing is ever sent",
    );
    answer(
        "{status: 200, body: {zeros: 1073741824}, drip: {bytes: 1000, every: 0s}}",
        "this body drips in more than 1048576 pieces",
    );
    answer(
        "{status: 200, framing: close, keep_alive: true}",
        "this connection cannot be kept",
    );
    answer("{status: 200, after: 5}", "`5` is not a duration");
    answer("{status: 200, after: 400d}", "this is longer than a year");
    answer(
        "{status: 200, headers: {Retry-After: 3}}",
        "the header `Retry-After` is not written by hand",
    );
    answer(
        "{status: 200, headers: {a: b, A: c}}",
        "the header `A` is written twice",
    );
    answer(
        "{status: 200, headers: {a: \"b\\r\\nc: d\"}}",
        "this cannot be the value of a header",
    );
}

#[test]
fn pushback() {
    one("3s", "1500ms", "Retry-After speaks in whole seconds");
    one("3s", "3", "`3` is not a wait");
    one("3s", "2.5", "`2.5` is not a wait");
    one("3s", "-1", "`-1` is not a wait");
    one("3s", "{twice: [3]}", "`twice` writes the header more than once");
    one("3s", "{raw: \"a\\nb\"}", "this cannot be the value of a header");
    one("3s", "{imf: {ahead: soon}}", "`soon` is not a duration");
}

#[test]
fn a_load_slows_by_a_time_for_each_call_and_by_nothing_else() {
    let healthy = "version: 1\ntitle: t\ndependencies: {a: {slows: {per_call_in_flight: 5ms}}}\n\
                   operations: [{request: {method: GET, to: [a], path: /}}]\n";
    assert_eq!(shown(healthy), "");
    let zero = healthy.replace("5ms", "0s");
    assert_eq!(sentences(&zero), ["this must be longer than zero"]);
    let typo = healthy.replace("per_call_in_flight", "per_call");
    insta::assert_snapshot!(shown(&typo), @"
    error: unknown key `per_call`
     --> orders.yaml:3:28
      |
    3 | dependencies: {a: {slows: {per_call: 5ms}}}
      |                            ^^^^^^^^ not a key that may stand here
      |
      = help: expected one of: per_call_in_flight
    help: did you mean `per_call_in_flight`?
      |
    3 | dependencies: {a: {slows: {per_call_in_flight: 5ms}}}
      |                                    ++++++++++
    ");
    let far = healthy.replace("5ms", "1m");
    assert_eq!(sentences(&far), ["this is too much for each call in flight"]);
}
