//! `retrial compare`, and policies that are tried with `--given`.

use std::fs;

use serde_json::Value;

use crate::program::{Folder, ONE_503, OUTAGE, stderr, stdout};

/// A hundred operations meet an outage.
const HUNDRED: &str = "\
version: 1
title: Everything fails
given: {attempts: 3, backoff: {fixed: 1s}}
dependencies:
  quota: {script: [{answer: {status: 503}}]}
operations:
  - {count: 100, start: {per_second: 50}, deadline: 20s, request: {method: GET, to: [quota], path: /quota}}
";

const TENTH: &str = "version: 1\ngiven: {budget: {initial: 2, cap: 4, earn_per_mille: 100}}\n";

fn folder() -> Folder {
    Folder::new()
        .with("hundred.yaml", HUNDRED)
        .with("one-503.yaml", ONE_503)
        .with("outage.yaml", OUTAGE)
        .with("tenth.yaml", TENTH)
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("the report is JSON")
}

#[test]
fn a_policy_is_tried_beside_what_the_scenario_hands_over() {
    let compared = [
        "compare",
        "reference",
        "--given",
        "tenth.yaml",
        "-s",
        "hundred.yaml",
    ];
    let report = ["-r", "json=-", "--seed", "7"];
    let ended = folder().retrial(&[&compared[..], &report].concat()).code(0);
    let report = json(&stdout(&ended));
    assert_eq!(report["subjects"][1]["policy"], "tenth.yaml");
    let calls = |i: usize| &report["trials"][0]["each"][i]["dependencies"]["quota"]["calls"];
    // The budget is the study's: two to begin with, and one more for ten operations. What it leaves open, the scenario says.
    assert_eq!((calls(0), calls(1)), (&300.into(), &112.into()));
    let differs = report["trials"][0]["differs"].as_array().expect("a list");
    assert!(differs.contains(&"calls quota".into()), "{differs:?}");
    assert!(!differs.contains(&"operations".into()), "{differs:?}");
    assert_eq!(report["figures"]["each"][1]["retries"], 12);
}

#[test]
fn one_table_stars_what_differs() {
    let compared = [
        "compare",
        "reference",
        "one-more",
        "-s",
        "outage.yaml",
        "-s",
        "one-503.yaml",
    ];
    let seed = ["--seed", "7", "--only", "outage", "--only", "one-503"];
    let ended = folder().retrial(&[&compared[..], &seed].concat()).code(0);
    let text = stdout(&ended);
    let starred = |row: &str| {
        let line = text.lines().find(|line| line.contains(row));
        line.unwrap_or_else(|| panic!("{row} in {text}")).starts_with('*')
    };
    assert!(
        starred("calls quota") && starred("fail attempts.capped"),
        "{text}"
    );
    assert!(!starred("key conflicts"), "{text}");
    assert!(text.ends_with("2 trials: 1 with differences (*)\n"), "{text}");
    let only = ["--differences", "-r", "markdown=c.md"];
    let folder = folder();
    let text = stdout(&folder.retrial(&[&compared[..], &seed, &only].concat()).code(0));
    assert!(
        !text.contains("one-503") && text.contains("calls quota"),
        "{text}"
    );
    let markdown = folder.read("c.md");
    assert!(
        markdown.contains("|  | calls quota | **4** | **5** |"),
        "{markdown}"
    );
}

#[test]
fn a_client_of_a_file_has_all_of_them_play_in_real_time() {
    let program = env!("CARGO_BIN_EXE_retrial");
    let client = format!(
        "version: 1\nname: mine\ndriver: {{jsonl: {{command: ['{program}', client], concurrency: 4}}}}\n"
    );
    let folder = folder().with("client.yaml", &client);
    let compared = ["compare", "reference", "client.yaml", "-s", "one-503.yaml"];
    let report = json(&stdout(
        &folder
            .retrial(&[&compared[..], &["-r", "json=-"]].concat())
            .code(0),
    ));
    let trial = &report["trials"][0];
    assert_eq!(trial["time"], "real");
    let repeat = trial["each"][0]["repeat"].as_str().expect("a command");
    assert!(repeat.contains("--time real"), "{repeat}");
    let repeat = trial["each"][1]["repeat"].as_str().expect("a command");
    assert!(repeat.contains("--client client.yaml"), "{repeat}");
    let said = stderr(
        &folder
            .retrial(&[&compared[..], &["--time", "virtual"]].concat())
            .code(2),
    );
    assert!(said.contains("client.yaml is a process"), "{said}");
}

#[test]
fn what_cannot_be_compared_is_refused_with_a_sentence() {
    let refused = |arguments: &[&str]| stderr(&folder().retrial(&[&["compare"], arguments].concat()).code(2));
    assert!(refused(&["reference"]).contains("a comparison needs two sides"));
    assert!(refused(&["reference", "refrence"]).contains("did you mean `reference`?"));
    assert!(refused(&["reference", "reference"]).contains("are called reference"));
    assert!(refused(&["reference", "one-more", "-r", "junit=j.xml"]).contains("no JUnit report"));
    assert!(refused(&["reference", "one-more", "-r", "evidence=e"]).contains("keeps no evidence"));
    assert!(refused(&["reference", "--given", "outage.yaml"]).contains("outage.yaml:2"));
}

#[test]
fn a_tried_policy_is_named_repeated_and_judged_again() {
    let folder = folder();
    let run = [
        "run",
        "-s",
        "hundred.yaml",
        "--given",
        "tenth.yaml",
        "--seed",
        "7",
    ];
    let reports = ["-r", "json=-", "-r", "evidence=e"];
    let ran = json(&stdout(&folder.retrial(&[&run[..], &reports].concat()).code(0)));
    assert_eq!(ran["client"], "reference with the policy tenth");
    let repeat = ran["trials"][0]["repeat"].as_str().expect("a command");
    assert!(repeat.contains("--given tenth.yaml"), "{repeat}");
    // The policy stands in the evidence: its file is not needed any more, and may say something else.
    fs::remove_file(folder.path("tenth.yaml")).expect("it is there");
    let again = json(&stdout(&folder.retrial(&["judge", "e", "-r", "json=-"]).code(0)));
    for key in ["verdict", "findings", "dependencies", "figures"] {
        assert_eq!(ran["trials"][0][key], again["trials"][0][key], "{key}");
    }
}

#[test]
fn a_client_is_held_to_the_policy_that_is_tried() {
    let run = [
        "run",
        "-s",
        "hundred.yaml",
        "--given",
        "tenth.yaml",
        "--mutant",
        "overspends-budget",
    ];
    let ended = folder().retrial(&[&run[..], &["--seed", "7"]].concat()).code(1);
    assert!(stdout(&ended).contains("budget.kept"), "{}", stdout(&ended));
}

#[test]
fn a_policy_that_is_wrong_or_cannot_be_handed_over_is_refused() {
    let bad = "version: 1\ngiven: {budgets: {initial: 2}}\n";
    let client = "version: 1\nname: mine\ndriver: {exec: {command: [curl, '{url}']}}\n";
    let folder = folder().with("bad.yaml", bad).with("client.yaml", client);
    let said = stderr(&folder.retrial(&["run", "--given", "bad.yaml"]).code(2));
    assert!(
        said.contains("bad.yaml:2:9") && said.contains("did you mean `budget`?"),
        "{said}"
    );
    let handed = ["run", "--given", "tenth.yaml", "--client", "client.yaml"];
    let said = stderr(&folder.retrial(&handed).code(2));
    assert!(said.contains("mine follows its own policy"), "{said}");
    let checked = folder.retrial(&["check", "tenth.yaml"]).code(0);
    assert_eq!(
        stdout(&checked),
        "tenth.yaml: a policy, to be tried with --given\n"
    );
}
