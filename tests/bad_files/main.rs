//! Files that cannot be used, and what is said of each: where, what, and what to write instead.

mod client;
mod early;
mod file;
mod keys;
mod large;
mod meaning;
mod shape;
mod turns;

use std::sync::Arc;

use retrial::scenario;
use retrial::source::{Problem, Source, render};

/// A scenario in which nothing is wrong; the tests change one thing of it.
const GOOD: &str = "\
version: 1
title: The first answer asks for a wait
dependencies:
  orders:
    script:
      - {times: 1, answer: {status: 503, retry_after: 3s}}
      - {effect: applied, answer: {status: 200}}
operations:
  - {request: {method: GET, to: [orders], path: /orders}}
";

/// The good scenario with something of it replaced.
fn with(old: &str, new: &str) -> String {
    assert!(GOOD.contains(old), "`{old}` is not in the good scenario");
    GOOD.replacen(old, new, 1)
}

/// What is wrong with a scenario.
fn problems(yaml: &str) -> Vec<Problem> {
    let source = Arc::new(Source::new("orders.yaml", yaml));
    scenario::load(source, "orders").err().unwrap_or_default()
}

/// What is wrong with a scenario, as it is shown.
fn shown(yaml: &str) -> String {
    render(&problems(yaml), false)
}

/// The sentences of a scenario's problems.
fn sentences(yaml: &str) -> Vec<String> {
    problems(yaml).into_iter().map(|p| p.message).collect()
}

/// Expects exactly one problem with what was changed.
fn one(old: &str, new: &str, sentence: &str) {
    assert_eq!(sentences(&with(old, new)), [sentence], "after `{new}`");
}

#[test]
fn nothing_is_said_of_a_good_scenario() {
    assert_eq!(shown(GOOD), "");
    assert_eq!(shown(&GOOD.replace('\n', "\r\n")), "");
}
