//! The wall time of a whole run of the program, beside the ideal for what it does.
//! `cargo bench --bench speed -- suite`.
//!
//! Each trial has the client wait by Retry-After, and is watched for late calls after that: that much must pass. Each
//! trial starts an adapter of its own. So the last trial cannot begin to wait before all adapters were started, and the
//! ideal is the processor time of all starts, shared by the cores, and one wait behind them.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use retrial::engine::Patience;

use crate::rounds::Spread;

/// The program.
const RETRIAL: &str = env!("CARGO_BIN_EXE_retrial");

/// How long a trial's client is told to wait.
const TOLD: Duration = Duration::from_secs(1);

/// How often each suite runs.
const RUNS: usize = 5;

/// Tells the wall times of suites with so many trials.
pub fn compare() {
    let start = start_of_an_adapter();
    println!(
        "processor time of an adapter's start: {:.1} ms",
        start.as_secs_f64() * 1e3
    );
    for trials in [10, 50, 100] {
        let folder = tempfile::tempdir().expect("a folder");
        write_scenarios(folder.path(), trials);
        let runs: Vec<f64> = (0..RUNS)
            .map(|_| run(folder.path(), trials).as_secs_f64())
            .collect();
        let ideal = ideal(trials, start).as_secs_f64();
        let ratios = Spread::of(runs.iter().map(|took| took / ideal).collect());
        println!(
            "a suite of {trials} trials: {} s, the ideal {ideal:.2} s, ratio {ratios} (goal 1.1)",
            Spread::of(runs)
        );
    }
}

fn ideal(trials: u32, start: Duration) -> Duration {
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let starts = start * trials / u32::try_from(cores).expect("few cores");
    starts + TOLD + Patience::default().watch
}

/// From a process to its hello and to its end, by itself.
fn start_of_an_adapter() -> Duration {
    const STARTS: u32 = 20;
    let before = spent_by_children();
    for _ in 0..STARTS {
        let mut adapter = Command::new(RETRIAL)
            .arg("client")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program");
        let hello = r#"{"retrial":1,"trial":"speed","concurrency":1,"dependencies":{}}"#;
        let mut stdin = adapter.stdin.take().expect("a pipe");
        writeln!(stdin, "{hello}").expect("an adapter that reads");
        let mut back = String::new();
        let stdout = adapter.stdout.take().expect("a pipe");
        BufReader::new(stdout).read_line(&mut back).expect("a hello");
        drop(stdin);
        adapter.wait().expect("an end");
    }
    (spent_by_children() - before) / STARTS
}

/// The processor time of the children that have ended.
fn spent_by_children() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).expect("a system that counts");
    let us = usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
    Duration::from_micros(u64::try_from(us).expect("time goes forward"))
}

fn write_scenarios(folder: &Path, trials: u32) {
    for n in 0..trials {
        let yaml = format!(
            "version: 1\ntitle: Speed {n}\ndependencies: {{quota: {{script: [\
             {{times: 1, answer: {{status: 503, retry_after: {}s}}}}, {{answer: {{status: 200}}}}]}}}}\n\
             operations: [{{request: {{method: GET, to: [quota], path: /report}}}}]\n",
            TOLD.as_secs()
        );
        std::fs::write(folder.join(format!("speed-{n}.yaml")), yaml).expect("room on the disk");
    }
}

/// Runs the suite as a user does, with an adapter for each trial.
fn run(folder: &Path, trials: u32) -> Duration {
    let mut command = Command::new(RETRIAL);
    // All at once, as the ideal has them: by default fewer run side by side.
    command
        .args(["run", "--time", "real", "--jobs"])
        .arg(trials.to_string());
    for n in 0..trials {
        command
            .arg("--scenario")
            .arg(folder.join(format!("speed-{n}.yaml")));
    }
    let began = Instant::now();
    let output = command.output().expect("the program");
    let took = began.elapsed();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "the reference client does right: {said}");
    took
}
