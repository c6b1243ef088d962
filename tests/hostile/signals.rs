//! TERM and Ctrl-C at any point of a run, and twice: it ends soon, leaves nothing, and a report is whole or not there.

use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::needed::is_here;
use crate::program::{Ran, signalled};

/// A client that hangs with a child in another session: the run lasts until it is told to end.
const CLIENT: &str =
    "version: 1\nname: hangs\ndriver: {exec: {command: [sh, -c, 'setsid sleep 300 & sleep 300; : {url}']}}\n";

const SCENARIO: &str = "\
version: 1
title: t
dependencies:
  quota: {script: [{times: 1, answer: {status: 503}}, {answer: {status: 200}}]}
operations:
  - {count: 3, start: at_once, deadline: 100s, request: {method: GET, to: [quota], path: /quota}}
";

fn told_to_end(first: (Signal, Duration), second: Option<(Signal, Duration)>) -> Ran {
    let files = [("s.yaml", SCENARIO), ("client.yaml", CLIENT)];
    let arguments = [
        "run",
        "-s",
        "s.yaml",
        "--client",
        "client.yaml",
        "-r",
        "json=r.json",
        "-r",
        "evidence=e",
    ];
    signalled(&files, &arguments, move |pid| {
        let pid = Pid::from_raw(pid);
        for (signal, after) in [Some(first), second].into_iter().flatten() {
            std::thread::sleep(after);
            // It may be gone by the second one.
            let _ = kill(pid, signal);
        }
    })
}

fn is_sound(ran: &Ran, what: &str) {
    assert!(ran.took < Duration::from_secs(20), "{what}: {:?}", ran.took);
    assert_eq!(ran.left, [""; 0], "{what}");
    let json = ran.read("r.json");
    if !json.is_empty() {
        let json: serde_json::Value = serde_json::from_str(&json).unwrap_or_default();
        assert_eq!(
            json["exit"], 130,
            "{what}: a report that is half, or of another end"
        );
    }
    // Before the first moment in which a signal can be heard, it ends the program as it ends any.
    assert!(
        matches!(ran.code, Some(130) | None),
        "{what}: {:?} {}",
        ran.code,
        ran.read("stderr")
    );
    let half = std::fs::read_dir(ran.folder.path())
        .expect("it is there")
        .flatten();
    let half: Vec<_> = half
        .filter(|file| file.file_name().to_string_lossy().ends_with(".half"))
        .collect();
    assert!(half.is_empty() || ran.code.is_none(), "{what}: {half:?}");
}

/// From before the program has read its arguments to well into its trial.
const MOMENTS_MS: [u64; 9] = [0, 3, 10, 20, 40, 80, 160, 320, 640];

#[test]
fn one_signal_at_any_moment_ends_the_run_with_its_report() {
    if !is_here("setsid") {
        return;
    }
    for (n, ms) in MOMENTS_MS.into_iter().enumerate() {
        let signal = if n % 2 == 0 {
            Signal::SIGTERM
        } else {
            Signal::SIGINT
        };
        let begun = Instant::now();
        let ran = told_to_end((signal, Duration::from_millis(ms)), None);
        is_sound(
            &ran,
            &format!("{signal} after {ms} ms, {:?} ago", begun.elapsed()),
        );
        if ran.code == Some(130) {
            assert!(
                !ran.read("r.json").is_empty(),
                "{signal} after {ms} ms left no report"
            );
            assert!(ran.temporary.is_empty(), "{:?}", ran.temporary);
        }
    }
}

#[test]
fn two_signals_at_any_moment_end_the_run_at_once() {
    if !is_here("setsid") {
        return;
    }
    for (n, ms) in MOMENTS_MS.into_iter().enumerate() {
        let (one, other) = match n % 2 == 0 {
            true => (Signal::SIGTERM, Signal::SIGINT),
            false => (Signal::SIGINT, Signal::SIGTERM),
        };
        let between = Duration::from_millis([0, 1, 30][n % 3]);
        let ran = told_to_end((one, Duration::from_millis(ms)), Some((other, between)));
        is_sound(&ran, &format!("{one} after {ms} ms, {other} {between:?} later"));
    }
}
