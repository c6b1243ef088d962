//! curl, by the command of its file.

use std::process::Output;
use std::sync::atomic::Ordering;

use serde_json::Value;
use tokio::task::JoinSet;
use wiremock::ResponseTemplate;

use crate::file::{is_there, promised_statuses, read};
use crate::server::{TRUNCATED, calls, closing, failing};

fn is_installed() -> bool {
    is_there("curl", &["--version"])
}

/// The command with its placeholders filled; groups are left out, since no key and no body is given.
fn command(method: &str, url: &str) -> Vec<String> {
    let file = read("curl");
    let all = file["driver"]["exec"]["command"].as_array().unwrap();
    let single = all.iter().filter_map(Value::as_str);
    single
        .map(|word| word.replace("{method}", method).replace("{url}", url))
        .collect()
}

async fn run(method: &str, url: &str) -> Output {
    let words = command(method, url);
    tokio::process::Command::new(&words[0])
        .args(&words[1..])
        .output()
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_repeats_the_statuses_it_promises_and_no_other() {
    if !is_installed() {
        return;
    }
    let promised = promised_statuses(&read("curl"));
    let others = [400, 404, 425, 501];
    let mut trials = JoinSet::new();
    for status in promised.iter().copied().chain(others) {
        trials.spawn(async move {
            let server = failing(1, ResponseTemplate::new(status)).await;
            let output = run("GET", &server.uri()).await;
            (status, calls(&server).await, output.status.success())
        });
    }
    for (status, calls, success) in trials.join_all().await {
        let repeats = promised.contains(&status);
        assert_eq!(
            (calls, success),
            if repeats { (2, true) } else { (1, false) },
            "{status}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_makes_the_attempts_it_promises() {
    if !is_installed() {
        return;
    }
    // In place of its own growing wait, which takes 7 s.
    let busy = ResponseTemplate::new(503).insert_header("retry-after", "1");
    let server = failing(9, busy).await;
    let output = run("GET", &server.uri()).await;
    assert_eq!(read("curl")["promises"]["attempts"], calls(&server).await);
    assert!(!output.status.success());
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_repeats_no_failure_but_a_timeout() {
    if !is_installed() {
        return;
    }
    assert_eq!(
        read("curl")["promises"]["retries"]["failures"],
        serde_json::json!(["timeout"])
    );
    for answer in [&b""[..], TRUNCATED, b"not HTTP\r\n\r\n"] {
        let (url, count) = closing(answer);
        assert!(!run("GET", &url).await.status.success());
        assert_eq!(count.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn curl_asks_nothing_about_the_method() {
    if !is_installed() {
        return;
    }
    let server = failing(1, ResponseTemplate::new(503)).await;
    assert!(run("POST", &server.uri()).await.status.success());
    assert_eq!(calls(&server).await, 2);
}
