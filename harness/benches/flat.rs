//! Ten million calls over real sockets through one trial of the whole suite: how long, and how memory goes with the calls.
//! `cargo bench --bench flat`, or with a number of operations after `--`; each makes ten calls.
//!
//! Operations cost memory, a million of them at most; calls do so up to `evidence::MOST_CALLS`, beyond which they are
//! counted. So the figure to look at is how memory grows once that number is passed.

#![allow(clippy::print_stdout, reason = "a benchmark tells what it measured")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use retrial::evidence::{MOST_CALLS, Outcome};
use retrial::library::{Operation, Scenario};

/// Operations, where the command line names no other number: the most that a scenario may have.
const OPERATIONS: u64 = 1_000_000;

/// Calls of each, as many as the trial's ceiling allows.
const CALLS: u64 = 10;

/// Operations begun in a second: few enough that those that are under way stay few.
const RATE: u64 = 2_000;

/// A line is printed each time so many calls have been made.
const STEP: u64 = 1_000_000;

type Http = Client<HttpConnector, Empty<Bytes>>;

fn main() {
    // Cargo hands over `--bench` too.
    let operations = std::env::args().find_map(|word| word.parse().ok());
    let operations: u64 = operations.unwrap_or(OPERATIONS);
    let yaml = format!(
        "version: 1\ntitle: Ten calls each\ndependencies: {{d: {{}}}}\noperations: [{{count: {operations}, start: {{per_second: {RATE}}}, \
         request: {{method: GET, to: [d], path: /}}}}]\n"
    );
    let scenario = Scenario::from_yaml(&yaml).expect("it is a scenario");
    let (made, began) = (Arc::new(AtomicU64::new(0)), Instant::now());
    let http: Http = Client::builder(TokioExecutor::new()).build(HttpConnector::new());
    let counter = Arc::clone(&made);
    let on_trial = scenario.client("ten calls", move |operation, _| {
        ten_calls(http.clone(), operation, Arc::clone(&counter), began)
    });
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let report = runtime.block_on(on_trial.run_real());
    let text = report.to_string();
    told(&made, began);
    println!("{text}");
    let beyond = (operations * CALLS).saturating_sub(u64::from(MOST_CALLS));
    assert!(
        beyond == 0 || text.contains(&format!("{beyond} calls")),
        "the calls beyond are counted"
    );
}

async fn ten_calls(http: Http, operation: Operation, made: Arc<AtomicU64>, began: Instant) -> Outcome {
    let mut last = Outcome::failed();
    for _ in 0..CALLS {
        let Ok(url) = operation.url.parse() else {
            return Outcome::failed().saying("its URL is none");
        };
        let answer = match http.get(url).await {
            Ok(answer) => answer,
            Err(e) => return Outcome::unknown().saying(&e.to_string()),
        };
        let status = answer.status().as_u16();
        if let Err(e) = answer.into_body().collect().await {
            return Outcome::unknown().saying(&e.to_string());
        }
        last = Outcome::ok(status);
        if (made.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(STEP) {
            told(&made, began);
        }
    }
    last
}

fn told(made: &AtomicU64, began: Instant) {
    let (calls, seconds) = (made.load(Ordering::Relaxed), began.elapsed().as_secs_f64());
    let held = memory("VmRSS:").unwrap_or_else(|| "not known here".to_owned());
    let most = memory("VmHWM:").unwrap_or_else(|| "not known here".to_owned());
    println!("{calls} calls in {seconds:.1} s; memory {held}, at most {most}");
}

/// What Linux tells of this process's memory.
fn memory(of: &str) -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(of))?;
    Some(line.trim().to_owned())
}
