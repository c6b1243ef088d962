//! Ctrl-C.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::program::Folder;

/// The dependency is silent for longer than any test runs.
const SILENT: &str = "\
version: 1
title: Silence
dependencies:
  quota: {script: [{cut: {at: before_answer, by: hang}}]}
operations:
  - {deadline: 100s, request: {method: GET, to: [quota], path: /quota}}
";

#[test]
fn an_interrupted_run_still_writes_its_report_and_exits_130() {
    let folder = Folder::new().with("silent.yaml", SILENT);
    let child = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args([
            "run",
            "-s",
            "silent.yaml",
            "--time",
            "real",
            "-r",
            "json=-",
            "-r",
            "evidence=e",
        ])
        .current_dir(folder.path("."))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id fits"));
    wait_for_evidence(&folder);
    kill(pid, Signal::SIGINT).expect("the program is running");
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(
        output.status.code(),
        Some(130),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report is whole");
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["trials"][0]["verdict"], "inconclusive");
}

/// The evidence file is made when the trial begins: from then on there is something to interrupt.
fn wait_for_evidence(folder: &Folder) {
    while !folder.path("e/silent.jsonl").exists() {
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Signals are heard before any file is read: here the scenario comes only after the first of them.
#[cfg(target_os = "linux")]
#[test]
fn an_interruption_before_the_files_are_read_has_its_report_too() {
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let (mut child, pid) = waiting_for_its_scenario();
        kill(pid, signal).expect("the program is running");
        let mut stdin = child.stdin.take().expect("it is piped");
        wait_for_talk(&mut child);
        stdin.write_all(SILENT.as_bytes()).expect("the program reads");
        drop(stdin);
        let output = child.wait_with_output().expect("the program ends");
        assert_eq!(output.status.code(), Some(130));
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("the report is whole");
        assert_eq!(
            (&report["interrupted"], &report["exit"]),
            (&true.into(), &130.into())
        );
    }
}

/// Nobody has to wait for a file that does not come.
#[cfg(target_os = "linux")]
#[test]
fn a_second_interruption_before_the_files_are_read_ends_the_program() {
    let (mut child, pid) = waiting_for_its_scenario();
    // To wait would close it, and an end of the file is what does not come.
    let stdin = child.stdin.take();
    kill(pid, Signal::SIGINT).expect("the program is running");
    wait_for_talk(&mut child);
    kill(pid, Signal::SIGINT).expect("the program is running");
    let status = child.wait().expect("the program ends");
    drop(stdin);
    assert_eq!(status.code(), Some(130));
}

/// A run that waits for its scenario on standard input and has its signals caught.
#[cfg(target_os = "linux")]
fn waiting_for_its_scenario() -> (Child, Pid) {
    let child = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(["run", "-s", "/dev/stdin", "-r", "json=-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a process id fits"));
    let begun = Instant::now();
    while !(catches(pid, Signal::SIGINT) && catches(pid, Signal::SIGTERM)) {
        assert!(begun.elapsed() < Duration::from_secs(20), "no signal is caught");
        std::thread::sleep(Duration::from_millis(2));
    }
    (child, pid)
}

/// Whether a process has a handler for a signal.
#[cfg(target_os = "linux")]
fn catches(pid: Pid, signal: Signal) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
    let mask = caught.and_then(|hex| u64::from_str_radix(hex.trim(), 16).ok());
    mask.is_some_and(|mask| mask & (1 << (signal as i32 - 1)) != 0)
}

/// The program says that it was interrupted.
#[cfg(target_os = "linux")]
fn wait_for_talk(child: &mut Child) {
    let mut said = [0; 11];
    let stderr = child.stderr.as_mut().expect("it is piped");
    std::io::Read::read_exact(stderr, &mut said).expect("it says so");
    assert_eq!(&said, b"interrupted");
}
