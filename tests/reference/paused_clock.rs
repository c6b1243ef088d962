//! The policy, to the millisecond.

use std::time::Duration;

use crate::reference::given::{Backoff, Given};
use crate::reference::lines::{Claim, Order, Stop};
use crate::reference::policy::Policy;
use crate::stage::{Stage, answer, get, never, play, post, raw};

/// The policy of the golden cases, as the first line hands it over.
fn golden(more: serde_json::Value) -> Policy {
    let mut given = serde_json::json!({
        "attempts": 3,
        "reserve_ms": 50,
        "min_useful_ms": 20,
        "statuses": [429, 503, 504],
        "backoff": {"exponential": {"base_ms": 100, "factor": 2, "cap_ms": 800, "jitter": "full"}},
        "rolls": {"fixed": [0.5]},
        "budget": {"initial": 2, "cap": 4, "earn_per_mille": 100},
    });
    for (key, value) in more.as_object().unwrap() {
        given[key] = value.clone();
    }
    Policy::given(serde_json::from_value::<Given>(given).unwrap())
}

fn golden_get() -> Order {
    Order {
        deadline_ms: Some(1500),
        ..get()
    }
}

fn none() -> serde_json::Value {
    serde_json::json!({})
}

#[tokio::test(start_paused = true)]
async fn the_golden_recovery_is_met_to_the_millisecond() {
    let script = vec![
        answer(40, 503, ""),
        answer(30, 429, "retry-after: 1\r\n"),
        answer(20, 200, ""),
    ];
    let (report, stage) = play(golden(none()), golden_get(), script).await;
    assert_eq!(stage.dispatched(), [0, 90, 1120]);
    assert_eq!(stage.now(), 1140);
    assert_eq!((report.stop, report.attempts), (Some(Stop::Ok), Some(3)));
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_deadline_ends_the_operation_at_once() {
    let order = Order {
        deadline_ms: Some(1000),
        ..get()
    };
    let script = vec![answer(10, 429, "retry-after: 2\r\n")];
    let (report, stage) = play(golden(none()), order, script).await;
    assert_eq!((report.stop, report.attempts), (Some(Stop::Deadline), Some(1)));
    assert_eq!(stage.now(), 10);
}

#[tokio::test(start_paused = true)]
async fn a_permanent_status_is_terminal() {
    let (report, _) = play(golden(none()), golden_get(), vec![answer(1, 400, "")]).await;
    assert_eq!((report.stop, report.attempts), (Some(Stop::Terminal), Some(1)));
}

#[tokio::test(start_paused = true)]
async fn an_attempt_that_uses_up_the_deadline_is_ended_by_its_own_timer() {
    let (report, stage) = play(golden(none()), golden_get(), vec![answer(2000, 200, "")]).await;
    assert_eq!(
        (report.stop, report.attempts),
        (Some(Stop::AttemptTimeout), Some(1))
    );
    assert_eq!(stage.now(), 1450);
}

#[tokio::test(start_paused = true)]
async fn a_shared_budget_bounds_the_calls_of_a_full_outage() {
    for (budget, calls) in [
        (
            serde_json::json!({"initial": 2, "cap": 4, "earn_per_mille": 100}),
            112,
        ),
        (serde_json::Value::Null, 300),
    ] {
        let stage = Stage::new(vec![answer(1, 503, "")]);
        let client = stage.client(golden(serde_json::json!({"budget": budget})));
        for _ in 0..100 {
            client.operate(&golden_get(), never()).await;
        }
        assert_eq!(stage.dispatched().len(), calls);
    }
}

#[tokio::test(start_paused = true)]
async fn the_binding_of_each_figure_of_the_policy_is_seen() {
    let always_503 = || vec![answer(0, 503, "")];
    let unbounded = serde_json::json!({
        "budget": null, "rolls": {"fixed": [1.0]}, "attempts": 6,
        "backoff": {"exponential": {
            "base_ms": 100, "factor": 3, "cap_ms": 350,
            "jitter": "full"}},
    });
    let (report, stage) = play(golden(unbounded), golden_get(), always_503()).await;
    // 100, 300, then the cap; the next would start at 1450, where nothing is left.
    assert_eq!(stage.dispatched(), [0, 100, 400, 750, 1100]);
    assert_eq!(report.stop, Some(Stop::Deadline));
}

#[tokio::test(start_paused = true)]
async fn a_pushback_above_the_ceiling_stops_where_no_deadline_decides() {
    for (value, stop, attempts) in [
        ("60", Stop::Ok, 2),
        ("61", Stop::Pushback, 1),
        ("999999999999999999999", Stop::Pushback, 1),
    ] {
        let script = vec![
            answer(0, 503, &format!("retry-after: {value}\r\n")),
            answer(0, 200, ""),
        ];
        let (report, _) = play(Policy::default(), get(), script).await;
        assert_eq!(
            (report.stop, report.attempts),
            (Some(stop), Some(attempts)),
            "{value}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn every_broken_answer_is_a_failure_that_a_get_repeats() {
    for broken in [
        "",
        "HTTP/1.1 20",
        "HTTP/1.1 200 OK\r\ncontent-le",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        "not HTTP at all\r\n\r\n",
    ] {
        let (report, _) = play(Policy::default(), get(), vec![raw(broken), answer(0, 200, "")]).await;
        assert_eq!(
            (report.claim, report.attempts),
            (Some(Claim::Ok), Some(2)),
            "{broken}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn an_unkeyed_post_is_repeated_only_where_it_cannot_have_been_applied() {
    let lost = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel";
    for (first, stop, claim) in [
        (answer(0, 503, ""), Stop::Unsafe, Claim::Failed),
        (answer(0, 429, ""), Stop::Unsafe, Claim::Failed),
        (raw(lost), Stop::Unsafe, Claim::Unknown),
        (raw(""), Stop::Unsafe, Claim::Unknown),
        (answer(0, 400, ""), Stop::Terminal, Claim::Failed),
        (answer(0, 425, ""), Stop::Ok, Claim::Ok),
    ] {
        let (report, _) = play(Policy::default(), post(), vec![first, answer(0, 200, "")]).await;
        assert_eq!((report.stop, report.claim), (Some(stop), Some(claim)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_keyed_post_is_repeated_as_it_was_under_its_key() {
    let order = Order {
        key: Some("k-7".to_owned()),
        ..post()
    };
    let (report, stage) = play(
        Policy::default(),
        order,
        vec![answer(0, 503, ""), raw(""), answer(0, 200, "")],
    )
    .await;
    assert_eq!((report.claim, report.attempts), (Some(Claim::Ok), Some(3)));
    let requests = stage.requests();
    assert!(requests[0].contains("idempotency-key: \"k-7\"") && requests[0].ends_with("hello"));
    assert!(requests.iter().all(|request| *request == requests[0]));
}

#[tokio::test(start_paused = true)]
async fn a_body_that_cannot_be_read_twice_is_sent_once() {
    let order = Order {
        method: "PUT".to_owned(),
        stream: true,
        ..post()
    };
    let (report, stage) = play(Policy::default(), order, vec![answer(0, 503, "")]).await;
    assert_eq!((report.stop, report.attempts), (Some(Stop::Unsafe), Some(1)));
    assert!(stage.requests()[0].contains("transfer-encoding: chunked"));
}

#[tokio::test(start_paused = true)]
async fn of_a_failure_the_head_is_enough() {
    let cut = raw("HTTP/1.1 503 X\r\nretry-after: 3\r\ncontent-length: 5\r\n\r\nhel");
    let (_, stage) = play(Policy::default(), get(), vec![cut, answer(0, 200, "")]).await;
    assert_eq!(stage.dispatched(), [0, 3000]);
    let permanent = raw("HTTP/1.1 404 X\r\ncontent-length: 5\r\n\r\nhel");
    let (report, _) = play(Policy::default(), get(), vec![permanent]).await;
    assert_eq!((report.stop, report.status), (Some(Stop::Terminal), Some(404)));
}

#[tokio::test(start_paused = true)]
async fn after_trouble_a_connection_is_kept_if_it_stays_open_for_a_while() {
    // At the third attempt the first connection has stayed open for twice the wait.
    for (wait_ms, opened) in [(5, 3), (10, 2), (30, 1)] {
        let policy = Policy {
            backoff: Backoff::Fixed(Duration::from_millis(wait_ms)),
            ..Policy::default()
        };
        let script = vec![answer(0, 503, ""), answer(0, 503, ""), answer(0, 200, "")];
        let (_, stage) = play(policy, get(), script).await;
        assert_eq!((stage.dispatched().len(), stage.opened()), (3, opened));
    }
}

#[tokio::test(start_paused = true)]
async fn a_close_behind_a_success_costs_the_next_operation_nothing() {
    let closing = raw("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n");
    let stage = Stage::new(vec![closing, answer(0, 200, "")]);
    let client = stage.client(Policy::default());
    client.operate(&get(), never()).await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    let report = client.operate(&get(), never()).await;
    assert_eq!((report.attempts, stage.dispatched().len()), (Some(1), 2));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_wait_ends_at_once_and_sends_nothing_more() {
    let stage = Stage::new(vec![answer(0, 503, "retry-after: 30\r\n")]);
    let client = stage.client(Policy::default());
    let cancelled = tokio::time::sleep(Duration::from_millis(100));
    let report = client.operate(&get(), cancelled).await;
    assert_eq!((report.stop, report.attempts), (Some(Stop::Cancelled), Some(1)));
    assert_eq!(stage.now(), 100);
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(stage.dispatched(), [0]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_post_in_flight_claims_nothing() {
    let stage = Stage::new(vec![answer(60_000, 200, "")]);
    let client = stage.client(Policy::default());
    let cancelled = tokio::time::sleep(Duration::from_millis(100));
    let report = client.operate(&post(), cancelled).await;
    assert_eq!(
        (report.stop, report.claim),
        (Some(Stop::Cancelled), Some(Claim::Unknown))
    );
}

#[tokio::test]
async fn an_order_that_cannot_be_sent_is_not_tried() {
    for url in ["https://stage/", "stage", "http://", "http://[::1", ""] {
        let order = Order {
            url: url.to_owned(),
            ..get()
        };
        let (report, stage) = play(Policy::default(), order, vec![answer(0, 200, "")]).await;
        assert!(report.could_not_run.is_some(), "{url}");
        assert!(stage.dispatched().is_empty());
    }
}
