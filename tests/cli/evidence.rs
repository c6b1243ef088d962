//! Evidence that is saved, and judged again.

use std::fs;

use crate::program::{Folder, ONE_503, OUTAGE, stderr, stdout};

/// The findings of a JSON report, without what differs between a run and its judging.
fn judged(text: &str) -> Vec<serde_json::Value> {
    let report: serde_json::Value = serde_json::from_str(text).expect("the report is JSON");
    let trials = report["trials"].as_array().expect("it has trials");
    let kept = |t: &serde_json::Value| {
        serde_json::json!([
            t["trial"],
            t["verdict"],
            t["because"],
            t["findings"],
            t["stop_reasons"],
            t["dependencies"],
            t["repeat"]
        ])
    };
    trials.iter().map(kept).collect()
}

#[test]
fn saved_evidence_is_judged_the_same_again() {
    let folder = Folder::new()
        .with("one-503.yaml", ONE_503)
        .with("outage.yaml", OUTAGE);
    let run = [
        "run",
        "-s",
        "one-503.yaml",
        "-s",
        "outage.yaml",
        "--mutant",
        "one-more",
    ];
    let reports = ["-r", "json=run.json", "-r", "evidence=saved"];
    folder.retrial(&[&run[..], &reports[..]].concat()).code(1);
    let again = folder.retrial(&["judge", "saved", "-r", "json=-"]).code(1);
    assert_eq!(judged(&folder.read("run.json")), judged(&stdout(&again)));
    assert_eq!(judged(&stdout(&again)).len(), 2);
}

#[test]
fn the_evidence_of_every_built_in_trial_is_judged_the_same_again() {
    let folder = Folder::new();
    let reports = ["-r", "json=run.json", "-r", "evidence=saved"];
    folder.retrial(&[&["run"][..], &reports].concat()).code(0);
    let again = folder.retrial(&["judge", "saved", "-r", "json=-"]).code(0);
    let again = judged(&stdout(&again));
    let mut run = judged(&folder.read("run.json"));
    // Of what is not run there is no evidence.
    run.retain(|trial| trial[1] != "skipped");
    assert!(run.len() > 90, "{}", run.len());
    // Saved evidence is read in the order of its files' names.
    for trial in &run {
        let same = again.iter().find(|other| other[0] == trial[0]);
        assert_eq!(Some(trial), same);
    }
    assert_eq!(run.len(), again.len());
}

#[test]
fn evidence_that_broke_off_is_judged_with_a_remark() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    folder
        .retrial(&["run", "-s", "one-503.yaml", "-r", "evidence=saved"])
        .code(0);
    let text = folder.read("saved/one-503.jsonl");
    fs::write(folder.path("saved/one-503.jsonl"), &text[..text.len() - 9]).expect("it can be written");
    let ended = folder.retrial(&["judge", "saved/one-503.jsonl"]);
    assert!(
        stdout(&ended).contains("the trial broke off"),
        "{}",
        stdout(&ended)
    );
}

#[test]
fn what_is_no_evidence_is_refused_with_its_place() {
    let folder = Folder::new().with("one-503.yaml", ONE_503);
    let ended = folder.retrial(&["judge", "one-503.yaml"]).code(2);
    assert_eq!(
        stderr(&ended),
        "error: one-503.yaml: line 1: not the head of an evidence file\n"
    );
    folder.retrial(&["judge", "missing.jsonl"]).code(2);
}

/// The reference client, under a file of its own that lists a known finding.
fn listing(mutant: &str, expected: &str) -> String {
    let program = env!("CARGO_BIN_EXE_retrial");
    format!(
        "version: 1\nname: mine\ndriver: {{jsonl: {{command: ['{program}', client{mutant}], concurrency: 4}}}}\n\
         promises: {{attempts: 4}}\nexpected: [{expected}]\n"
    )
}

#[test]
fn judging_applies_the_clients_list_and_exits_like_the_run() {
    let known = "{check: attempts.capped, scenario: outage, because: off by one}";
    let anywhere = "{check: attempts.capped, because: off by one}";
    for (mutant, expected, code) in [
        (", --mutant, one-more", known, 0),
        ("", known, 1),
        (", --mutant, one-more", anywhere, 0),
        // Other scenarios were not run, so that the entry may mean one of them.
        ("", anywhere, 0),
    ] {
        let folder = Folder::new()
            .with("outage.yaml", OUTAGE)
            .with("client.yaml", &listing(mutant, expected));
        let run = ["run", "-s", "outage.yaml", "--client", "client.yaml"];
        let reports = ["-r", "json=run.json", "-r", "evidence=saved"];
        folder.retrial(&[&run[..], &reports].concat()).code(code);
        let again = folder.retrial(&["judge", "saved", "-r", "json=-"]).code(code);
        assert_eq!(judged(&folder.read("run.json")), judged(&stdout(&again)));
    }
}
