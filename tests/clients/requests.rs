//! requests, by the adapter beside its file.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use wiremock::{MockServer, ResponseTemplate};

use crate::file::{folder, is_there, promised_statuses, read};
use crate::server::{TRUNCATED, calls, closing, failing};

/// Before its version 2, urllib3 took half a body for a whole one.
const IMPORT: &str = "import requests, urllib3; assert int(urllib3.__version__.split('.')[0]) >= 2";

fn is_installed() -> bool {
    is_there("python3", &["-c", IMPORT])
}

/// Hands one process those orders (method, URL): what it says of each, in their order.
fn run(orders: &[(&str, String)]) -> Vec<Value> {
    let file = read("python/requests");
    let words = file["driver"]["jsonl"]["command"].as_array().unwrap();
    let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
    let mut child = Command::new(words[0])
        .args(&words[1..])
        .current_dir(folder("python/requests"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    writeln!(
        stdin,
        "{}",
        json!({"retrial": 1, "trial": "t", "concurrency": 8, "dependencies": {}})
    )
    .unwrap();
    for (number, (method, url)) in orders.iter().enumerate() {
        let order = json!({
            "op": format!("op-{}", number + 1), "method": method, "url": url, "base_url": url, "urls": [url],
            "headers": [], "stream": false,
        });
        writeln!(stdin, "{order}").unwrap();
    }
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    reports(&String::from_utf8(output.stdout).unwrap(), orders.len())
}

fn reports(said: &str, orders: usize) -> Vec<Value> {
    let lines: Vec<Value> = said
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!((&lines[0]["retrial"], lines.len()), (&json!(1), orders + 1));
    let of = |number: usize| lines.iter().find(|line| line["op"] == format!("op-{number}"));
    (1..=orders).map(|number| of(number).unwrap().clone()).collect()
}

/// Asks once of each server.
fn ask_each(method: &'static str, servers: &[MockServer]) -> Vec<Value> {
    let orders: Vec<(&str, String)> = servers.iter().map(|server| (method, server.uri())).collect();
    run(&orders)
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_repeats_the_statuses_it_promises_and_no_other() {
    if !is_installed() {
        return;
    }
    let promised = promised_statuses(&read("python/requests"));
    let statuses: Vec<u16> = promised.iter().copied().chain([404, 408, 425, 500]).collect();
    let mut servers = Vec::new();
    for status in &statuses {
        servers.push(failing(1, ResponseTemplate::new(*status)).await);
    }
    let reports = ask_each("GET", &servers);
    for ((status, server), report) in statuses.iter().zip(&servers).zip(&reports) {
        let expected = if promised.contains(status) {
            (2, json!("ok"))
        } else {
            (1, json!("failed"))
        };
        assert_eq!(
            (calls(server).await, report["claim"].clone()),
            expected,
            "{status}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_makes_the_attempts_it_promises() {
    if !is_installed() {
        return;
    }
    let server = failing(9, ResponseTemplate::new(503)).await;
    let report = &run(&[("GET", server.uri())])[0];
    assert_eq!(
        read("python/requests")["promises"]["attempts"],
        calls(&server).await
    );
    assert_eq!(report["claim"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_repeats_the_methods_it_promises_and_no_other() {
    if !is_installed() {
        return;
    }
    let file = read("python/requests");
    let promised = file["promises"]["retries"]["methods"].as_array().unwrap();
    for method in ["GET", "PUT", "DELETE", "POST", "PATCH"] {
        let server = failing(1, ResponseTemplate::new(503)).await;
        run(&[(method, server.uri())]);
        let expected = if promised.contains(&json!(method)) { 2 } else { 1 };
        assert_eq!(calls(&server).await, expected, "{method}");
    }
}

#[test]
fn requests_repeats_a_close_and_surfaces_half_a_body() {
    if !is_installed() {
        return;
    }
    for (answer, expected) in [(&b""[..], 4), (TRUNCATED, 1)] {
        let (url, count) = closing(answer);
        assert_eq!(run(&[("GET", url)])[0]["claim"], "failed");
        assert_eq!(count.load(Ordering::SeqCst), expected);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_breaks_on_a_retry_after_that_says_nothing() {
    if !is_installed() {
        return;
    }
    let server = failing(1, ResponseTemplate::new(503).insert_header("retry-after", "soon")).await;
    let report = &run(&[("GET", server.uri())])[0];
    assert_eq!((calls(&server).await, &report["claim"]), (1, &json!("failed")));
    assert!(report["error"].as_str().unwrap().contains("InvalidHeader"));
}
