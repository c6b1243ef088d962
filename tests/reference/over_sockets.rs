//! The client as a process, against servers that this project did not write.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use axum::Router;
use axum::extract::{ConnectInfo, Request, State};
use axum::http::StatusCode;
use wiremock::matchers::{any, method};
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::conversation::{Conversation, command, order};

/// A server that answers so many times with 503, and then with 200.
async fn failing(times: u64) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(503))
        .up_to_n_times(times)
        .mount(&server)
        .await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_string("hello"))
        .mount(&server)
        .await;
    server
}

async fn calls(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_attempts_it_reports_are_the_requests_that_the_server_logged() {
    for (times, claim, stop) in [
        (1, "ok", "ok"),
        (2, "ok", "ok"),
        (3, "ok", "ok"),
        (9, "failed", "attempt_cap"),
    ] {
        let server = failing(times).await;
        let report = Conversation::start().ask(&order("op-1", "GET", &server.uri()));
        assert_eq!(report["op"], "op-1");
        assert_eq!((&report["claim"], &report["stop"]), (&claim.into(), &stop.into()));
        assert_eq!(report["attempts"], calls(&server).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_reports_of_a_success_is_what_the_server_sent() {
    let server = failing(2).await;
    let mut client = Conversation::start();
    let report = client.ask(&order("op-1", "GET", &server.uri()));
    assert_eq!(client.hello["client"], "reference");
    assert_eq!(report["status"], 200);
    // SHA-256 of "hello".
    let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    assert_eq!(report["body_sha256"], digest);
    assert_eq!(report.get("error"), None);
    assert!(client.end().success());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_policy_that_is_handed_over_is_followed() {
    let server = failing(9).await;
    let given = serde_json::json!({
        "attempts": 2, "attempt_timeout_ms": null, "min_useful_ms": 0.000001,
        "statuses": [503], "backoff": "none", "rolls": null,
    });
    let first = serde_json::json!({
        "retrial": 1, "trial": "t", "given": given, "concurrency": 1, "dependencies": {},
    });
    let mut child = command(&[]).spawn().unwrap();
    let line = order("op-1", "GET", &server.uri());
    write!(child.stdin.take().unwrap(), "{first}\n{line}\n").unwrap();
    let mut said = String::new();
    child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
    child.wait().unwrap();
    assert!(said.contains(r#""attempts":2,"stop":"attempt_cap""#), "{said}");
    assert_eq!(calls(&server).await, 2);
}

#[test]
fn a_first_line_that_cannot_be_followed_ends_it_with_a_sentence() {
    for first in [
        "",
        "hello",
        r#"{"retrial":2}"#,
        r#"{"retrial":1,"given":{"patience":3}}"#,
        r#"{"retrial":1,"given":{"backoff":{"fixed_ms":"1s"}}}"#,
    ] {
        let mut child = command(&[]).stderr(Stdio::piped()).spawn().unwrap();
        write!(child.stdin.take().unwrap(), "{first}").unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{first}");
        assert!(output.stderr.starts_with(b"reference client: "), "{first}");
    }
}

#[test]
fn a_mutant_that_is_not_there_is_refused_with_those_that_are() {
    let output = command(&["--mutant", "lazy"])
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said.contains("no mutant `lazy`") && said.contains("early-retry"));
    let list = command(&["--list-mutants"]).output().unwrap();
    assert!(list.stdout.starts_with(b"early-retry\tpushback.honoured\t"));
}

/// What an axum application saw: method, idempotency key and the caller's port of each call.
type Log = Arc<Mutex<Vec<(String, Option<String>, u16)>>>;

/// An application that answers with the status that the path names, and counts.
async fn application() -> (String, Log) {
    let log = Log::default();
    let app = Router::new().fallback(answer).with_state(log.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    (url, log)
}

async fn answer(
    State(log): State<Log>,
    ConnectInfo(caller): ConnectInfo<SocketAddr>,
    request: Request,
) -> StatusCode {
    let key = request.headers().get("idempotency-key");
    let key = key.map(|key| key.to_str().unwrap().to_owned());
    log.lock()
        .unwrap()
        .push((request.method().to_string(), key, caller.port()));
    request.uri().path()[1..].parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_repeats_what_may_be_repeated_and_nothing_else() {
    for (verb, key, status, attempts, stop) in [
        ("GET", None, 503, 4, "attempt_cap"),
        ("DELETE", None, 429, 4, "attempt_cap"),
        ("GET", None, 404, 1, "terminal"),
        ("GET", None, 501, 1, "terminal"),
        ("POST", None, 503, 1, "unsafe"),
        ("PATCH", Some("k-1"), 503, 4, "attempt_cap"),
    ] {
        let (url, log) = application().await;
        let mut line = order("op-1", verb, &format!("{url}/{status}"));
        line["key"] = key.into();
        let report = Conversation::start().ask(&line);
        let log = log.lock().unwrap();
        assert_eq!(
            (&report["stop"], &report["status"]),
            (&stop.into(), &status.into())
        );
        assert_eq!(
            (report["attempts"].as_u64(), log.len()),
            (Some(attempts), attempts as usize)
        );
        let quoted = key.map(|key| format!("\"{key}\""));
        assert!(log.iter().all(|(m, k, _)| m == verb && *k == quoted));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_are_kept_from_call_to_call() {
    let (url, log) = application().await;
    let mut client = Conversation::start();
    for op in ["op-1", "op-2", "op-3"] {
        client.ask(&order(op, "GET", &format!("{url}/200")));
    }
    let log = log.lock().unwrap();
    assert!(log.len() == 3 && log.iter().all(|call| call.2 == log[0].2));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_repeated_is_not_risked_on_a_kept_connection() {
    let (url, log) = application().await;
    let mut client = Conversation::start();
    client.ask(&order("op-1", "GET", &format!("{url}/200")));
    client.ask(&order("op-2", "POST", &format!("{url}/200")));
    let log = log.lock().unwrap();
    assert_ne!(log[0].2, log[1].2);
}

#[tokio::test(flavor = "multi_thread")]
async fn operations_run_side_by_side_and_can_be_called_off() {
    let server = MockServer::start().await;
    let slow = ResponseTemplate::new(200).set_delay(Duration::from_secs(60));
    Mock::given(method("PUT")).respond_with(slow).mount(&server).await;
    Mock::given(method("GET"))
        .respond_with(ResponseTemplate::new(204))
        .mount(&server)
        .await;
    let mut client = Conversation::start();
    client.say(&order("op-1", "PUT", &server.uri()));
    assert_eq!(client.ask(&order("op-2", "GET", &server.uri()))["op"], "op-2");
    let report = client.ask(&serde_json::json!({"cancel": "op-1"}));
    assert_eq!(
        (&report["op"], &report["stop"]),
        (&"op-1".into(), &"cancelled".into())
    );
    client.say(&serde_json::json!({"cancel": "op-1"}));
    assert!(client.end().success(), "to call off what has ended is no fault");
}

#[test]
fn a_connection_that_is_refused_or_broken_is_counted_attempt_by_attempt() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let report = Conversation::start().ask(&order("op-1", "GET", &format!("http://{gone}/")));
    assert_eq!(
        (&report["attempts"], &report["claim"]),
        (&4.into(), &"failed".into())
    );

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let mut client = Conversation::start();
    client.say(&order("op-1", "GET", &url));
    for _ in 0..4 {
        let (mut caller, _) = listener.accept().unwrap();
        let read = caller.read(&mut [0; 1024]).unwrap();
        assert!(read > 0);
        caller
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel")
            .unwrap();
    }
    let report = client.report();
    assert_eq!(
        (&report["attempts"], &report["claim"]),
        (&4.into(), &"failed".into())
    );
}

/// What the client makes of a date that is so many seconds ahead, with 5 s before its deadline.
async fn stop_for_a_date(arguments: &[&str], zone: &str, ahead: u64) -> serde_json::Value {
    let server = MockServer::start().await;
    let words = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(ahead));
    let busy = ResponseTemplate::new(503).insert_header("retry-after", asctime(&words));
    Mock::given(any())
        .respond_with(busy)
        .up_to_n_times(1)
        .mount(&server)
        .await;
    let fine = ResponseTemplate::new(200);
    Mock::given(any()).respond_with(fine).mount(&server).await;
    Conversation::with(arguments, zone).ask(&order("op-1", "GET", &server.uri()))["stop"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn dates_are_read_in_utc_in_every_zone_but_by_the_mutant() {
    let (soon, beyond_the_deadline) = (2, 60);
    for zone in ["UTC", "Asia/Tokyo", "America/New_York"] {
        assert_eq!(stop_for_a_date(&[], zone, soon).await, "ok", "{zone}");
        assert_eq!(
            stop_for_a_date(&[], zone, beyond_the_deadline).await,
            "deadline",
            "{zone}"
        );
    }
    let mutant = ["--mutant", "local-dates"];
    assert_eq!(
        stop_for_a_date(&mutant, "Asia/Tokyo", beyond_the_deadline).await,
        "ok"
    );
    assert_eq!(
        stop_for_a_date(&mutant, "America/New_York", soon).await,
        "deadline"
    );
}

fn asctime(imf: &str) -> String {
    let words: Vec<&str> = imf.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let [weekday, day, month, year, time, _] = words[..] else {
        panic!("{imf} is not a date");
    };
    let day = day.trim_start_matches('0');
    format!("{weekday} {month} {day:>2} {time} {year}")
}
