//! Answers that cannot be early, and clocks that are off twice.

use super::one;

/// Expects exactly one problem with a dependency that one PUT with a body of 9 bytes, or one GET, goes to.
fn script(turn: &str, request: &str, sentence: &str) {
    let new = format!(
        "script:\n      - {turn}\n      - {{answer: {{status: 200}}}}\noperations:\n  - {{request: {request}}}\n"
    );
    let old = &super::GOOD[super::GOOD.find("script:").unwrap()..];
    one(old, &new, sentence);
}

const PUT: &str = "{method: PUT, to: [orders], path: /, body: {zeros: 9}}";
const GET: &str = "{method: GET, to: [orders], path: /}";

#[test]
fn an_early_answer_needs_a_body_and_has_no_effect() {
    let early = "{times: 1, answer: {status: 503, early: true}}";
    script(early, GET, "no operation sends a body here");
    let applied = "{times: 1, effect: applied, answer: {status: 503, early: true}}";
    script(applied, PUT, "nothing was read that could have an effect");
    let idle = "{times: 1, answer: {status: 503, early: true}, cut: {at: {idle: 1s}, by: fin}}";
    script(idle, PUT, "a connection that uploads is not idle");
    let before = "{times: 1, answer: {status: 503, early: true}, cut: {at: before_answer, by: fin}}";
    script(before, PUT, "this answer is never sent");
}

#[test]
fn a_clock_that_is_off_writes_date_alone() {
    let twice = "{times: 1, answer: {status: 503, clock: {ahead: 1h}, headers: {Date: now}}}";
    script(twice, PUT, "`clock` writes this header");
}
