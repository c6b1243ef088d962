//! Real clients, wrong and then right: does the check that is named tell them apart, for the reason that is named?
//!
//! `fixtures/clients/pairs.yaml` is the table, `fixtures/clients/install.sh` installs what it needs. A pair whose
//! packages are not there is skipped, aloud; with `RETRIAL_TEST_ALL=1` it fails.

mod table;

use std::io::Write;
use std::process::{Command, Stdio};
use std::thread;

use serde_json::Value;

use table::{Pair, Side, fixtures, pairs};

/// How often a pair is tried whose trial says nothing: a late harness holds no count against a client.
const TRIES: u32 = 3;

#[test]
fn each_pair_is_told_apart_by_its_check_and_for_its_reason() {
    let known = &checks();
    let pairs = pairs();
    let mut wrong = Vec::new();
    let at_once = thread::available_parallelism().map_or(1, usize::from);
    for some in pairs.chunks(at_once) {
        thread::scope(|scope| {
            let running = some
                .iter()
                .map(|pair| scope.spawn(move || (pair, tell_apart(pair, known))));
            let running: Vec<_> = running.collect();
            for (pair, told) in running.into_iter().map(|one| one.join().unwrap()) {
                wrong.extend(told.err().map(|why| format!("{}: {why}", pair.pair)));
            }
        });
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn each_side_is_installed_by_the_script() {
    let packages = std::fs::read_to_string(fixtures().join("packages.txt")).unwrap();
    let folders: Vec<&str> = packages
        .lines()
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    for pair in pairs() {
        for side in [&pair.wrong, &pair.right] {
            assert!(folders.contains(&side.packages.as_str()), "{}", side.packages);
        }
    }
}

/// The ids of the checks that there are.
fn checks() -> String {
    let mut retrial = Command::new(env!("CARGO_BIN_EXE_retrial"));
    let output = retrial.args(["list", "--checks"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn tell_apart(pair: &Pair, known: &str) -> Result<(), String> {
    let check = &pair.check;
    let exists = known
        .lines()
        .any(|line| line.split_whitespace().next() == Some(check));
    match (exists, pair.not_yet) {
        (true, true) => return Err(format!("{check} is there: strike its `not_yet`")),
        (false, false) => return Err(format!("there is no check {check}")),
        (false, true) => return skip(pair, &format!("there is no check {check} yet")),
        (true, false) => {}
    }
    if let Some(why) = pair.wrong.missing().or_else(|| pair.right.missing()) {
        return match std::env::var_os("RETRIAL_TEST_ALL") {
            Some(_) => Err(why),
            None => skip(pair, &why),
        };
    }
    is_accused(pair)?;
    has_passed(pair)
}

fn is_accused(pair: &Pair) -> Result<(), String> {
    let of_grade = |finding: &&Value| finding["verdict"] == pair.grade.as_str();
    let says = |finding: &Value| finding["because"].as_str().unwrap().contains(&pair.says);
    for _ in 0..TRIES {
        let findings = findings(pair, &pair.wrong)?;
        let blamed: Vec<&Value> = findings.iter().filter(of_grade).collect();
        match blamed.iter().any(|finding| says(finding)) {
            true => return Ok(()),
            false if blamed.is_empty() => {}
            false => return Err(format!("the wrong one is accused of something else: {blamed:#?}")),
        }
    }
    Err("the wrong one is not accused".to_owned())
}

fn has_passed(pair: &Pair) -> Result<(), String> {
    for _ in 0..TRIES {
        let findings = findings(pair, &pair.right)?;
        if let Some(blamed) = findings.iter().find(|finding| finding["verdict"] != "pass") {
            return Err(format!("the right one is accused: {blamed:#?}"));
        }
        // No finding at all would mean that the check was never put to use.
        if !findings.is_empty() {
            return Ok(());
        }
    }
    Err(format!("{} was not put to use by the right one", pair.check))
}

fn skip(pair: &Pair, why: &str) -> Result<(), String> {
    // Not by a macro of the test's: those are kept from sight where the test passes.
    let said = format!("skipped: {}: {why}\n", pair.pair);
    std::io::stderr().write_all(said.as_bytes()).unwrap();
    Ok(())
}

/// What the pair's check found of this side, in every trial of the scenario.
fn findings(pair: &Pair, side: &Side) -> Result<Vec<Value>, String> {
    let output = run(pair, side).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let report: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| format!("no report ({e}): {said}"))?;
    let trials = report["trials"].as_array().unwrap();
    let broken = |trial: &&Value| ["harness_error", "skipped"].contains(&trial["verdict"].as_str().unwrap());
    if let Some(broken) = trials.iter().find(broken) {
        return Err(format!("{}: {}", broken["verdict"], broken["because"]));
    }
    let findings = trials
        .iter()
        .flat_map(|trial| trial["findings"].as_array().unwrap());
    let ours = findings.filter(|finding| finding["check"] == pair.check.as_str());
    Ok(ours.cloned().collect())
}

fn run(pair: &Pair, side: &Side) -> Command {
    let folder = side.folder();
    let mut retrial = Command::new(env!("CARGO_BIN_EXE_retrial"));
    retrial.args(["run", "--report", "json=-", "--client"]);
    retrial.arg(fixtures().join(&side.client));
    match (&pair.scenario, &pair.file) {
        (Some(name), None) => retrial.arg(name),
        (None, Some(file)) => retrial.arg("--scenario").arg(fixtures().join(file)),
        (Some(_), Some(_)) | (None, None) => panic!("{}: a scenario or a file", pair.pair),
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = std::iter::once(folder.join("bin"));
    let path = std::env::join_paths(first.chain(std::env::split_paths(&path))).unwrap();
    retrial
        .env("PATH", path)
        .env("NODE_PATH", folder.join("node_modules"));
    retrial.stdin(Stdio::null());
    retrial
}
