//! The judge's own trial: every mutant of the reference client is caught by the check meant for it, and the reference
//! by none. The table scenario x mutant -> findings is a committed snapshot.
//!
//! What only costs waiting is played in virtual time, where one seed gives one table. On real sockets what a mutant is
//! caught by beside its own check may hang on which of two calls came first, and a harness that was late says less. A
//! cell that differs from the committed one is therefore played again, alone; it stands as committed if it comes out so
//! once, and is a difference if it never does.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use std::sync::Mutex;
use std::thread;

use serde_json::Value;

/// So many suites at a time: each is mostly waiting.
const AT_A_TIME: usize = 4;

/// How often what a busy machine left undecided is run again.
const AGAIN: usize = 4;

fn retrial(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(arguments)
        .output()
        .expect("the program starts");
    String::from_utf8(output.stdout).expect("text")
}

/// Name of a mutant, and the check meant to catch it.
fn mutants() -> Vec<(String, String)> {
    let listed = retrial(&["client", "--list-mutants"]);
    let row = |line: &str| {
        let mut cells = line.split('\t').map(str::to_owned);
        Some((cells.next()?, cells.next()?))
    };
    listed.lines().filter_map(row).collect()
}

/// Per scenario, the checks that warn or fail, whichever of its trials they do so in.
type Findings = BTreeMap<String, BTreeSet<String>>;

/// What is remembered of one trial: the checks that warn or fail, and a verdict that says that nothing was judged.
#[derive(Default)]
struct Tried {
    checks: BTreeSet<String>,
    unjudged: Option<String>,
}

fn tried(report: &Value) -> BTreeMap<String, Tried> {
    let trials = report["trials"].as_array().expect("trials").iter();
    let one = |trial: &Value| {
        let findings = trial["findings"].as_array().expect("findings").iter();
        let verdict = trial["verdict"].as_str().expect("a verdict");
        let unjudged = ["inconclusive", "skipped", "harness_error"].contains(&verdict);
        let tried = Tried {
            checks: findings.filter_map(marked).collect(),
            unjudged: unjudged.then(|| verdict.to_owned()),
        };
        (trial["trial"].as_str().expect("a name").to_owned(), tried)
    };
    trials.map(one).collect()
}

fn marked(finding: &Value) -> Option<String> {
    let check = finding["check"].as_str().expect("a check");
    match finding["verdict"].as_str().expect("a verdict") {
        "fail" => Some(check.to_owned()),
        "warn" => Some(format!("{check} (warn)")),
        _ => None,
    }
}

fn report(mutant: Option<&str>, more: &[&str]) -> BTreeMap<String, Tried> {
    let mut arguments = vec!["run", "--seed", "1", "--skip-tag", "layers", "--report", "json=-"];
    if let Some(name) = mutant {
        arguments.extend(["--mutant", name]);
    }
    arguments.extend(more);
    tried(&serde_json::from_str(&retrial(&arguments)).expect("a JSON report"))
}

/// Runs a suite. What a busy machine left undecided is run again, alone: a harness that was late accuses nobody, and
/// what it did not say belongs in no table.
fn run(mutant: Option<&str>) -> Findings {
    let mut trials = report(mutant, &[]);
    for _ in 0..AGAIN {
        let undecided = |t: &(&String, &Tried)| t.1.unjudged.as_deref() == Some("inconclusive");
        let ids: Vec<String> = trials
            .iter()
            .filter(undecided)
            .map(|(id, _)| id.clone())
            .collect();
        if ids.is_empty() {
            break;
        }
        let mut more = vec!["--jobs", "1"];
        more.extend(ids.iter().map(String::as_str));
        trials.extend(report(mutant, &more));
    }
    by_scenario(trials)
}

fn by_scenario(trials: BTreeMap<String, Tried>) -> Findings {
    let mut found = Findings::new();
    for (id, tried) in trials {
        let scenario = id.split('[').next().unwrap_or(&id).to_owned();
        let said: BTreeSet<String> = tried.checks.into_iter().chain(tried.unjudged).collect();
        if !said.is_empty() {
            found.entry(scenario).or_default().extend(said);
        }
    }
    found
}

/// Runs each mutant on every built-in scenario.
fn all(mutants: &[(String, String)]) -> BTreeMap<String, Findings> {
    let todo = Mutex::new(mutants.iter());
    let done = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let next = todo.lock().expect("no panic").next();
                    let Some((name, _)) = next else { break };
                    let findings = run(Some(name));
                    done.lock().expect("no panic").insert(name.clone(), findings);
                }
            });
        }
    });
    done.into_inner().expect("no panic")
}

/// The committed table, as it was written.
fn committed() -> BTreeMap<String, Findings> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/mutants/snapshots/mutants__scenario_by_mutant.snap"
    );
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let body = text.splitn(3, "---\n").nth(2).unwrap_or_default();
    let (mut table, mut mutant) = (BTreeMap::<String, Findings>::new(), String::new());
    for line in body.lines() {
        match line.trim().split_once(": ") {
            Some((scenario, checks)) if line.starts_with(' ') => {
                let checks = checks.split(", ").map(str::to_owned).collect();
                table
                    .entry(mutant.clone())
                    .or_default()
                    .insert(scenario.to_owned(), checks);
            }
            _ => mutant = line.trim().to_owned(),
        }
    }
    table
}

/// Plays again, alone, what differs from the committed row of a mutant.
fn settle(mutant: &str, found: &mut Findings, committed: &Findings) {
    for _ in 0..AGAIN {
        let differs = |scenario: &&String| found.get(*scenario) != committed.get(*scenario);
        let both: BTreeSet<&String> = found.keys().chain(committed.keys()).collect();
        let differing: Vec<String> = both.into_iter().filter(differs).cloned().collect();
        if differing.is_empty() {
            return;
        }
        let mut more = vec!["--jobs", "1"];
        more.extend(differing.iter().map(String::as_str));
        let again = by_scenario(report(Some(mutant), &more));
        for scenario in &differing {
            match again.get(scenario) {
                Some(checks) => found.insert(scenario.clone(), checks.clone()),
                None => found.remove(scenario),
            };
        }
    }
}

fn table(found: &BTreeMap<String, Findings>) -> String {
    let mut text = String::new();
    for (mutant, findings) in found {
        text.push_str(&format!("{mutant}\n"));
        for (scenario, checks) in findings {
            let checks: Vec<&str> = checks.iter().map(String::as_str).collect();
            text.push_str(&format!("    {scenario}: {}\n", checks.join(", ")));
        }
    }
    text
}

#[test]
fn every_mutant_is_caught_by_the_check_meant_for_it() {
    let mutants = mutants();
    assert!(mutants.len() >= 10, "{mutants:?}");
    let mut found = all(&mutants);
    if std::env::var_os("INSTA_UPDATE").is_none() {
        let committed = committed();
        for (name, findings) in &mut found {
            settle(name, findings, committed.get(name).unwrap_or(&Findings::new()));
        }
    }
    for (name, check) in &mutants {
        let caught = found[name]
            .values()
            .flatten()
            .any(|c| c.split(' ').next() == Some(check));
        assert!(caught, "{name} is not caught by {check}: {:#?}", found[name]);
    }
    insta::assert_snapshot!("scenario_by_mutant", table(&found));
}

#[test]
fn the_reference_client_is_caught_by_none() {
    assert_eq!(run(None), Findings::new());
}
