//! The library as a test uses it: closures and services on trial, from every kind of runtime, and what is asserted.

use std::time::Duration;

use bytes::Bytes;
use http::Request;
use retrial::promise::Promises;
use retrial::{Operation, Outcome, Report, Scenario, Transport};

const HOUR: &str = "
version: 1
title: An hour of pushback, then success
dependencies:
  quota:
    script:
      - {times: 1, when: {path: /control}, answer: {status: 503}}
      - {times: 1, when: {path: /quota}, answer: {status: 503, retry_after: 1h}}
      - {effect: applied, answer: {status: 200}}
operations:
  - {deadline: 3h, request: {method: GET, to: [quota], path: /control}}
  - {deadline: 3h, request: {method: GET, to: [quota], path: /quota}}
";

/// Tries so often, with that wait between.
async fn tries(op: Operation, transport: Transport, times: u32, wait: Duration) -> Outcome {
    let mut outcome = Outcome::failed();
    for _ in 0..times {
        outcome = match transport.send(op.request().expect("a request")).await {
            Ok(answer) if answer.status().is_success() => return Outcome::ok(answer.status().as_u16()),
            Ok(answer) => Outcome::failed().with_status(answer.status().as_u16()),
            Err(e) => Outcome::unknown().saying(&e.to_string()),
        };
        tokio::time::sleep(wait).await;
    }
    outcome
}

fn scenario(yaml: &str) -> Scenario {
    Scenario::from_yaml(yaml).expect("a sound scenario")
}

/// A client that promises three attempts and makes so many.
async fn promising_three(made: u32) -> Report {
    let promises = Promises {
        attempts: Some(3),
        ..Promises::default()
    };
    let scenario = Scenario::built_in("outage-endless").expect("it is built in");
    let trial = scenario.client("three", move |op, transport| {
        tries(op, transport, made, Duration::from_millis(40))
    });
    trial.promises(promises).run_virtual().await
}

#[tokio::test]
async fn a_broken_promise_fails_the_test_with_its_sentence() {
    assert!(promising_three(3).await.findings_of("attempts.capped").is_empty());
    let report = promising_three(4).await;
    assert!(!report.passed());
    let said = report.to_string();
    assert!(said.contains("fail attempts.capped: "), "{said}");
    assert!(
        said.contains("the client promises 3 attempts in all")
            && said.contains("(built-in:outage-endless:7)"),
        "{said}"
    );
}

#[test]
#[should_panic(expected = "fail attempts.capped: ")]
fn assert_pass_panics_with_what_is_wrong() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(promising_three(4)).assert_pass();
}

/// Tries twice, and waits so many of the seconds that it is asked to wait.
async fn waits(op: Operation, transport: Transport, share: f64) -> Outcome {
    let first = transport
        .send(op.request().expect("a request"))
        .await
        .expect("an answer");
    let asked = first.headers().get("retry-after");
    let asked = asked.map_or(0.0, |value| {
        value.to_str().expect("text").parse().expect("seconds")
    });
    tokio::time::sleep(Duration::from_secs_f64(0.1 + asked * share)).await;
    tries(op, transport, 1, Duration::ZERO).await
}

#[tokio::test(start_paused = true)]
async fn an_hour_passes_in_virtual_time_also_within_a_paused_test() {
    let begun = tokio::time::Instant::now();
    let patient = |op, transport| waits(op, transport, 1.0);
    let patient = scenario(HOUR).client("patient", patient).keeps_deadlines();
    patient.run_virtual().await.assert_pass();
    assert_eq!(
        begun.elapsed(),
        Duration::ZERO,
        "the clock of the test stood still"
    );
}

#[tokio::test]
async fn a_report_of_virtual_time_is_pinned_whole() {
    let hasty = |op, transport| waits(op, transport, 0.5);
    let report = scenario(HOUR).client("hasty", hasty).run_virtual().await;
    insta::assert_json_snapshot!(report, @r#"
    {
      "client": "hasty",
      "trials": [
        {
          "trial": "scenario",
          "time": "virtual",
          "verdict": "warn",
          "stop_reasons": {
            "unreported": 2
          },
          "dependencies": {
            "quota": {
              "calls": 4,
              "delivered": 2,
              "acknowledged": 2,
              "multiplier": 2.0
            }
          },
          "findings": [
            {
              "check": "pushback.honoured",
              "verdict": "warn",
              "level": "normative",
              "because": "call 4 came 1800.1 s after the 503; the server had asked for 3600 s (RFC 9110 §10.2.3)",
              "place": "scenario.yaml:8",
              "calls": [
                3,
                4
              ],
              "cites": [
                "rfc9110-10.2.3",
                "rfc9110-15.6.4",
                "rfc6585-4"
              ]
            }
          ]
        }
      ]
    }
    "#);
}

#[tokio::test]
async fn both_times_give_the_same_counts() {
    let on_trial = || {
        let scenario = Scenario::built_in("status-before-effect[503]").expect("it is built in");
        scenario.client("tries", |op: Operation, transport| {
            let times = if op.method == "POST" && op.key.is_none() {
                1
            } else {
                2
            };
            tries(op, transport, times, Duration::from_millis(20))
        })
    };
    let (real, virtual_one) = (on_trial().run_real().await, on_trial().run_virtual().await);
    real.assert_pass();
    assert_eq!(real.trials[0].dependencies, virtual_one.trials[0].dependencies);
    assert_eq!(real.trials[0].verdict, virtual_one.trials[0].verdict);
}

#[tokio::test]
async fn a_service_is_put_on_trial_and_sees_key_body_and_headers() {
    let seen = |request: Request<Bytes>| async move {
        let whole = request.headers()["x-trace"] == "7"
            && request.headers().contains_key("idempotency-key")
            && request.body() == "hello";
        Ok::<_, std::io::Error>(
            http::Response::builder()
                .status(if whole { 200 } else { 500 })
                .body(())
                .expect("one"),
        )
    };
    let yaml = "
version: 1
title: A request with everything
dependencies: {d: {}}
operations: [{request: {method: POST, to: [d], path: /, key: own, headers: {X-Trace: '7'}, body: {text: hello}}}]
";
    let report = scenario(yaml)
        .tower("sees", move |_| tower::service_fn(seen))
        .run_virtual()
        .await;
    // It claims what no dependency ever acknowledged: so it was reported as a success, and is found out.
    assert_eq!(report.findings_of("claim.acknowledged").len(), 1, "{report}");
}

#[tokio::test]
async fn a_closure_that_panics_is_reported_and_takes_nothing_along() {
    let panics = |_: Operation, _: Transport| async { panic!("on purpose") };
    let report = scenario(HOUR).client("panics", panics).run_virtual().await;
    assert!(!report.passed());
    assert!(report.to_string().contains("the client panicked"), "{report}");
}

#[test]
fn what_is_wrong_with_a_scenario_is_said_with_its_line() {
    let wrong = Scenario::from_yaml(&HOUR.replace("status", "stauts")).expect_err("a mistake");
    assert!(wrong.to_string().contains("scenario.yaml:7:"), "{wrong}");
    let missing = Scenario::built_in("retry-after[503,Mars]").expect_err("there is none");
    assert!(
        missing.to_string().contains("`retry-after[503,Mars]`"),
        "{missing}"
    );
    assert!(Scenario::load("no/such/file.yaml").is_err());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/healthy.yaml");
    let loaded = Scenario::load(file).expect("it is there");
    assert_eq!(loaded.trials().collect::<Vec<_>>(), ["healthy"]);
}
