//! Real and virtual time: which is chosen, what reports say of it, and that evidence of it is judged again.

use serde_json::Value;

use crate::program::{Folder, ONE_503, OUTAGE, stderr, stdout};

/// A connection is reset: only sockets show that.
const RESET: &str = "\
version: 1
title: A reset, then success
dependencies:
  quota:
    script:
      - {times: 1, cut: {at: before_answer, by: rst}}
      - {effect: applied, answer: {status: 200}}
operations:
  - {deadline: 10s, request: {method: GET, to: [quota], path: /quota}}
";

/// An hour of pushback, which in virtual time is waited for.
const HOUR: &str = "\
version: 1
title: A minute of pushback, asked for sixty times
given: {attempts: 61}
dependencies:
  quota:
    script:
      - {times: 60, answer: {status: 503, retry_after: 1m}}
      - {effect: applied, answer: {status: 200}}
operations:
  - {deadline: 2h, request: {method: GET, to: [quota], path: /quota}}
";

fn folder() -> Folder {
    Folder::new()
        .with("one-503.yaml", ONE_503)
        .with("reset.yaml", RESET)
}

/// Trial, time and epoch of each trial.
fn times(text: &str) -> Vec<(String, String, Value)> {
    let report: Value = serde_json::from_str(text).expect("the report is JSON");
    let trials = report["trials"].as_array().expect("it has trials");
    let text = |v: &Value| v.as_str().expect("a text").to_owned();
    let one = |t: &Value| (text(&t["trial"]), text(&t["time"]), t["epoch"].clone());
    trials.iter().map(one).collect()
}

#[test]
fn each_trial_is_played_in_the_time_that_shows_its_faults_and_says_so() {
    let files = ["run", "-s", "one-503.yaml", "-s", "reset.yaml", "-r", "json=-"];
    let report = stdout(&folder().retrial(&files).code(0));
    let epoch = Value::from("2026-01-01T00:00:00Z");
    let expected = [
        ("one-503".to_owned(), "virtual".to_owned(), epoch.clone()),
        ("reset".to_owned(), "real".to_owned(), Value::Null),
    ];
    assert_eq!(times(&report), expected);
    for (wanted, epoch) in [("real", Value::Null), ("virtual", epoch)] {
        let report = stdout(
            &folder()
                .retrial(&[&files[..], &["--time", wanted]].concat())
                .code(0),
        );
        assert!(
            times(&report).iter().all(|t| t.1 == wanted && t.2 == epoch),
            "{report}"
        );
    }
}

#[test]
fn the_other_reports_say_it_too() {
    let files = ["run", "-s", "one-503.yaml", "-s", "reset.yaml"];
    let reports = ["-r", "text=-", "-r", "junit=j.xml", "-r", "markdown=m.md"];
    let folder = folder();
    let text = stdout(&folder.retrial(&[&files[..], &reports].concat()).code(0));
    assert!(text.contains("pass     virtual  one-503"), "{text}");
    assert!(text.contains("pass     real     reset"), "{text}");
    assert!(
        text.contains("virtual time begins at 2026-01-01T00:00:00Z"),
        "{text}"
    );
    let junit = folder.read("j.xml");
    assert!(
        junit.contains(r#"<property name="time" value="virtual"/>"#),
        "{junit}"
    );
    assert!(
        junit.contains(r#"<property name="epoch" value="2026-01-01T00:00:00Z"/>"#),
        "{junit}"
    );
    let markdown = folder.read("m.md");
    assert!(markdown.contains("| pass | virtual | one-503 |"), "{markdown}");
}

#[test]
fn a_clients_own_process_lives_in_real_time() {
    let command = [
        "run",
        "-s",
        "one-503.yaml",
        "--time",
        "virtual",
        "--",
        "curl",
        "{url}",
    ];
    let said = stderr(&folder().retrial(&command).code(2));
    assert!(
        said.contains("a client that is a process lives in real time"),
        "{said}"
    );
}

#[test]
fn evidence_of_virtual_time_is_judged_the_same_again() {
    let folder = Folder::new().with("outage.yaml", OUTAGE);
    let run = [
        "run",
        "-s",
        "outage.yaml",
        "--mutant",
        "one-more",
        "-r",
        "json=-",
        "-r",
        "evidence=e",
    ];
    let ran: Value = serde_json::from_str(&stdout(&folder.retrial(&run).code(1))).expect("JSON");
    let again = folder.retrial(&["judge", "e", "-r", "json=-"]).code(1);
    let again: Value = serde_json::from_str(&stdout(&again)).expect("JSON");
    for key in [
        "time",
        "epoch",
        "verdict",
        "findings",
        "dependencies",
        "stop_reasons",
    ] {
        assert_eq!(ran["trials"][0][key], again["trials"][0][key], "{key}");
    }
    assert_eq!(again["trials"][0]["time"], "virtual");
}

#[test]
fn an_hour_of_waiting_is_waited_for_and_takes_no_hour() {
    let folder = Folder::new().with("hour.yaml", HOUR);
    let run = ["run", "-s", "hour.yaml", "-r", "evidence=e", "--seed", "1"];
    folder.retrial(&run).code(0);
    let first = folder.read("e/hour.jsonl");
    let ended = first
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix(r#"{"watch_ended":{"at":"#));
    let ended: u64 = ended
        .and_then(|at| at.trim_end_matches('}').parse().ok())
        .expect("the end of the watch");
    assert!(ended > 3_600_000_000, "{ended}");
    folder.retrial(&run).code(0);
    assert_eq!(folder.read("e/hour.jsonl"), first);
}

/// Two clients in an outage, each started anew once, with a retry to begin with.
const RESTARTED: &str = "\
version: 1
title: A fleet is started anew in an outage
given:
  attempts: 3
  backoff: {exponential: {base: 10ms, factor: 2, cap: 20ms, jitter: none}}
  budget: {initial: 1, cap: 3, earn_per_mille: 0}
dependencies:
  quota: {script: [{answer: {status: 503}}]}
operations:
  - {clients: 2, count: 2, deadline: 10s, request: {method: GET, to: [quota], path: /quota}}
  - {clients: 2, count: 2, restart: all, deadline: 10s, request: {method: GET, to: [quota], path: /quota}}
";

#[test]
fn a_fleet_that_is_started_anew_does_more_than_one_process_may_in_both_times() {
    let folder = Folder::new().with("restarted.yaml", RESTARTED);
    for time in ["real", "virtual"] {
        let run = ["run", "-s", "restarted.yaml", "--time", time, "-r", "text=-"];
        // Each of the four processes has one retry, and none is to be blamed for it.
        let text = stdout(&folder.retrial(&run).code(0));
        let fleet = "fleet: 2 clients, 4 processes with those started anew, made 12 calls for 8 operations; one process with \
                     its budget may make 9 for as many";
        assert!(text.contains(fleet), "{time}: {text}");
        let full = folder.retrial(&[&run[..], &["--mutant", "starts-full"]].concat());
        let text = stdout(&full.code(1));
        let because = "the budget allows 1 (and 3 more like it)";
        assert!(text.contains("budget.kept"), "{time}: {text}");
        assert!(text.contains(because), "{time}: {text}");
    }
}

#[test]
fn runs_of_one_seed_in_virtual_time_are_the_same_to_the_byte() {
    let run = || {
        let args = ["run", "--time", "virtual", "--seed", "7", "-r", "json=-"];
        stdout(&folder().retrial(&args).code(0))
    };
    let first = run();
    assert!(times(&first).len() > 80, "the whole suite is in it");
    for _ in 0..2 {
        assert!(run() == first, "a run differs from the first of its seed");
    }
}

#[test]
fn the_program_itself_plays_every_golden_scenario() {
    let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/golden");
    let files = std::fs::read_dir(golden).expect("the folder is there");
    let files: Vec<String> = files
        .map(|f| f.expect("a file").path().display().to_string())
        .collect();
    assert!(files.len() > 40);
    let scenarios = files.iter().flat_map(|file| ["-s", file]);
    let args: Vec<&str> = ["run", "--time", "virtual"]
        .into_iter()
        .chain(scenarios)
        .collect();
    let told = stdout(&folder().retrial(&args).code(0));
    assert!(!told.contains("inconclusive"), "{told}");
}
