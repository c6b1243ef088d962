//! Ctrl-C.

use std::process::{Command, Stdio};
use std::time::Duration;

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
