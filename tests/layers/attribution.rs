//! Whose call is it, several layers down?

use super::stack::{front, loan, run};

const MANY: &str = "
version: 1
title: Several requests at once
needs: [{layers: 2}]
dependencies:
  membership: {}
  notification: {script: [{times: 1, effect: applied, answer: {status: 503}}, {effect: applied, answer: {status: 200}}]}
operations:
  - {count: 6, start: at_once, deadline: 20s, request: {method: POST, to: [membership, notification], path: /loan}}
";

/// How the calls at a point were attributed, from the evidence.
fn by(ran: &super::stack::Ran) -> (u64, u64) {
    let trial = ran.trial();
    let calls = trial["dependencies"]["notification"]["calls"].as_u64().unwrap();
    (calls, trial["side_calls"].as_u64().unwrap())
}

#[test]
fn without_marks_operations_run_one_at_a_time_and_every_call_has_its_own() {
    let ran = run(&[loan(1, 2), front(1)], "", MANY);
    // Counters are per operation: each meets its own fault once.
    assert_eq!(by(&ran), (12, 0), "{}", ran.text);
}

#[test]
fn marks_that_are_passed_on_tell_operations_apart_that_run_together() {
    for marks in ["marks: {trace: true}\n", "marks: {invocation: x-request-id}\n"] {
        let marked = loan(1, 2).with("MARKS", 1);
        let ran = run(&[marked, front(1)], marks, MANY);
        assert_eq!(by(&ran), (12, 0), "{marks}{}", ran.text);
    }
}

/// The segment to a point.
fn to<'a>(ran: &'a super::stack::Ran, point: &str) -> &'a serde_json::Value {
    let segments = ran.trial()["segments"].as_array().unwrap();
    segments.iter().find(|s| s["to"] == point).unwrap()
}

#[test]
fn health_checks_of_a_gateway_multiply_nothing_whether_or_not_marks_are_declared() {
    for marks in ["", "marks: {trace: true}\n"] {
        let checking = front(1).with("CHECKS_EVERY_MS", 5);
        let ran = run(&[loan(1, 2).with("MARKS", 1), checking], marks, MANY);
        let segment = to(&ran, "loan");
        assert_eq!(
            (&segment["calls"], &segment["multiplier"], &segment["unmarked"]),
            (&6.into(), &1.0.into(), &0.into()),
            "{marks}{}",
            ran.text
        );
        assert!(segment["side_calls"].as_u64().unwrap() > 0, "{}", ran.text);
        assert!(ran.text.contains("at `loan`)"), "{}", ran.text);
    }
}

#[test]
fn health_checks_of_a_service_are_known_where_they_began_before_it_was_asked() {
    let checking = loan(1, 2).with("CHECKS_EVERY_MS", 5);
    let ran = run(&[checking, front(1)], "", MANY);
    let segment = to(&ran, "membership");
    assert_eq!(
        (&segment["calls"], &segment["unmarked"]),
        (&6.into(), &6.into()),
        "{}",
        ran.text
    );
    assert!(segment["side_calls"].as_u64().unwrap() > 0);
    assert!(
        ran.text.contains("counted because nothing else ran"),
        "{}",
        ran.text
    );
    // They use up no turn of the script, which is per operation.
    assert_eq!(by(&ran).0, 12, "{}", ran.text);
}

#[test]
fn marks_that_are_declared_and_not_passed_on_leave_side_calls_that_are_listed() {
    let ran = run(&[loan(1, 2), front(1)], "marks: {trace: true}\n", MANY);
    let (calls, side) = by(&ran);
    assert_eq!(calls, 0, "{}", ran.text);
    assert!(side > 0);
    assert!(
        ran.text.contains("side calls, which belong to no operation"),
        "{}",
        ran.text
    );
}

#[test]
fn a_scenario_that_was_not_written_for_layers_is_skipped() {
    let ran = run(&[loan(1, 1)], "", "healthy");
    assert_eq!(
        ran.trial()["because"],
        "the client is a service, and the scenario is not written for layers"
    );
    let ran = run(&[loan(1, 1)], "", MANY);
    assert_eq!(
        ran.trial()["because"],
        "the scenario needs 2 layers, and the client has 1"
    );
    assert_eq!(ran.status, 4);
    let again = "  - {restart: all, request: {method: POST, to: [membership], path: /loan}}\n";
    let ran = run(&[loan(1, 1), front(1)], "", &format!("{MANY}{again}"));
    assert_eq!(
        ran.trial()["because"],
        "a service is not started anew within a trial, and the scenario asks for it"
    );
}
