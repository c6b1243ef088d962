//! A million operations of the reference client through a full outage, in virtual time: how long it takes, and how much
//! memory. `cargo bench --bench million`, or with a number of operations after `--`.
//!
//! Facts are tallied and dropped (`Recorder::tallying`), so that nothing grows with the calls; the counts are exact.

#![allow(clippy::print_stdout, reason = "a benchmark tells what it measured")]

#[allow(dead_code, reason = "the tests use all of it, this benchmark a part")]
#[path = "../../tests/virtual_time/playing.rs"]
mod playing;
#[allow(dead_code, reason = "the program uses all of it, this benchmark a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;
#[allow(dead_code, reason = "the program uses all of it, this benchmark a part")]
#[path = "../virtual_reference.rs"]
mod virtual_reference;

use std::time::Instant;

use playing::{Defect, play, trial};
use retrial::evidence::Recorder;

/// Operations, where the command line names no other number.
const OPERATIONS: u64 = 1_000_000;

/// The golden policy: two retries to begin with, a tenth of a retry for each operation.
const OUTAGE: &str = "
version: 1
title: Everything fails for a million operations
given:
  attempts: 3
  statuses: [429, 503, 504]
  failures: []
  backoff: {exponential: {base: 100ms, factor: 2, cap: 800ms, jitter: full}}
  rolls: {fixed: [0.5]}
  budget: {initial: 2, cap: 4, earn_per_mille: 100}
dependencies:
  quota: {script: [{answer: {status: 503, after: 1ms}}]}
operations:
  - {count: COUNT, deadline: 1500ms, request: {method: GET, to: [quota], path: /report}}
";

fn main() {
    // Cargo hands over `--bench` too.
    let operations = std::env::args().find_map(|word| word.parse().ok());
    let operations: u64 = operations.unwrap_or(OPERATIONS);
    let trial = trial("million", &OUTAGE.replace("COUNT", &operations.to_string()));
    let recorder = Recorder::tallying();
    let began = Instant::now();
    play(&trial, 1, Defect::None, &recorder);
    let took = began.elapsed();
    let tally = recorder.tally().unwrap_or_default();
    assert!(tally.troubles.is_empty(), "{:?}", tally.troubles);
    assert_eq!(tally.operations, operations);
    assert_eq!(tally.attempts(), operations + 2 + operations / 10);
    println!(
        "{operations} operations, {} calls: {:.1} s",
        tally.attempts(),
        took.as_secs_f64()
    );
    println!(
        "peak RSS: {}",
        peak_rss().unwrap_or_else(|| "not known here".to_owned())
    );
}

/// The most memory that this process had, as Linux tells it.
fn peak_rss() -> Option<String> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(line.trim().to_owned())
}
