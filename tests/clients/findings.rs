//! What the suite says of a real client of a known version, over every built-in scenario.
//!
//! A row that is not as the snapshot has it is tried again alone, twice: a late harness withholds what it would say. A
//! version without a snapshot is skipped, aloud: write one with `RETRIAL_TEST_ALL=1 INSTA_UPDATE=always`, and believe
//! none of it before it is held against the evidence files.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::file::{folder, skip};
use crate::redact::redacted;

/// How a snapshot came to be believed.
const CHECKED_BY_HAND: &str = "Each accusation was held against the evidence file of its trial, and what curl 7.88.1 \
    and requests 2.34.2 do was seen again at a bare socket that this project's harness has no part in: a date an hour \
    past, 120junk and 86400 leave curl waiting, 21 digits do not, and both take a header section that ends in its \
    first line for a whole answer.";

/// Notes of these are not compared: whether waits look alike, or calls follow failures closely, hangs on the machine.
const BY_THE_MACHINE: [&str; 3] = ["breaker.kept", "clients.spread", "jitter.present"];

/// How often a row that is not as it was is tried again.
const AGAIN: u32 = 2;

/// Rows by the trial's name, in the order of the report.
type Rows = Vec<(String, String)>;

#[test]
fn curl_is_found_out_as_it_was() {
    compare("curl", &["curl", "--version"]);
}

#[test]
fn requests_is_found_out_as_it_was() {
    let version = "import requests; print('requests', requests.__version__)";
    compare("python/requests", &["python3", "-c", version]);
}

fn compare(client: &str, version: &[&str]) {
    if std::env::var_os("RETRIAL_TEST_ALL").is_none() {
        return skip(&format!(
            "the findings on {client} take minutes; RETRIAL_TEST_ALL=1 asks for them"
        ));
    }
    let Some(named) = version_of(version) else {
        panic!(
            "`{}` does not run here, and RETRIAL_TEST_ALL is set",
            version.join(" ")
        );
    };
    let known = snapshot(&named);
    let writing = std::env::var_os("INSTA_UPDATE").is_some_and(|how| how == "always");
    if known.is_none() && !writing {
        return skip(&format!("there is no snapshot of the findings on {named}"));
    }
    let mut rows = run(client, &[]);
    for (trial, row) in &mut rows {
        try_again(client, trial, row, known.as_deref());
    }
    let text: Vec<String> = rows.into_iter().map(|(_, row)| row).collect();
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_description(CHECKED_BY_HAND);
    settings.bind(|| insta::assert_snapshot!(named, text.join("")));
}

/// `curl-7.88.1`: the first two words that the command prints.
fn version_of(command: &[&str]) -> Option<String> {
    let output = Command::new(command[0]).args(&command[1..]).output().ok()?;
    let said = String::from_utf8(output.stdout).ok()?;
    let mut words = said.split_whitespace();
    Some(format!("{}-{}", words.next()?, words.next()?))
}

fn snapshot(named: &str) -> Option<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/clients/snapshots");
    std::fs::read_to_string(folder.join(format!("{named}.snap"))).ok()
}

fn try_again(client: &str, trial: &str, row: &mut String, known: Option<&str>) {
    for _ in 0..AGAIN {
        // Where nothing is known yet, all but what a late harness left open is taken as it is.
        if known.map_or(!row.contains("the harness was"), |known| holds(known, row)) {
            return;
        }
        *row = run(client, &[trial]).remove(0).1;
    }
}

/// Whether the row stands there whole: what follows it is no further line of it.
fn holds(known: &str, row: &str) -> bool {
    known
        .split_once(row)
        .is_some_and(|(_, rest)| !rest.starts_with("    "))
}

fn run(client: &str, trials: &[&str]) -> Rows {
    let output = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(["run", "--seed", "1", "--report", "json=-", "--client"])
        .arg(folder(client).join("client.yaml"))
        .args(trials)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let trials = report["trials"].as_array().unwrap();
    trials.iter().map(row).collect()
}

/// The trial's verdict, what was found, and what was not asked and why.
fn row(trial: &Value) -> (String, String) {
    let name = trial["trial"].as_str().unwrap();
    // Why a trial passed that the client's own queue kept from its fault hangs on how soon the machine starts its calls.
    let because = trial["because"].as_str().filter(|_| trial["verdict"] != "pass");
    let because = because.map_or_else(String::new, |why| format!(": {}", redacted(why)));
    let findings = trial["findings"].as_array().unwrap().iter();
    let findings = findings.map(|f| ["verdict", "check", "because"].map(|key| f[key].as_str().unwrap()));
    let by_the_machine = |grade: &str, check: &str| grade == "note" && BY_THE_MACHINE.contains(&check);
    let told: Vec<_> = findings
        .filter(|[grade, check, _]| *grade != "pass" && !by_the_machine(grade, check))
        .collect();
    let verdict = match trial["verdict"].as_str().unwrap() {
        "noted" if told.is_empty() => "pass",
        other => other,
    };
    let mut row = format!("{name}: {verdict}{because}\n");
    for [grade, check, because] in told {
        row.push_str(&format!("    {grade} {check}: {}\n", redacted(because)));
    }
    for (why, operations) in left_out(trial) {
        row.push_str(&format!("    not asked, {why}: {}\n", operations.join(", ")));
    }
    (name.to_owned(), row)
}

fn left_out(trial: &Value) -> BTreeMap<&str, Vec<&str>> {
    let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for one in trial["left_out"].as_array().unwrap() {
        let [because, operation] = ["because", "operation"].map(|key| one[key].as_str().unwrap());
        reasons.entry(because).or_default().push(operation);
    }
    reasons
}
