//! The page `harness/COVERAGE.md`: text, check, scenarios, mutants. It is made from the checks, the citations and the
//! committed table of what each mutant was caught by; this test makes it anew and fails where it is stale or has an
//! empty cell. `RETRIAL_UPDATE=1 cargo test --test coverage` writes it.

mod catalogue;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;

use retrial::judge::checks::{self, Check};
use retrial::spec;

/// The check that rests on no text: it judges what the scenario itself asks for.
const OF_THE_SCENARIO: &str = "expect.met";

/// Checks that rest on no text: what no client may get wrong, and what it says of itself.
const OWN_RULES: [&str; 4] = ["claim.acknowledged", "end.final", "end.reported", "stop.allowed"];

fn path(relative: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(relative)
}

/// Per mutant and check, the scenarios in which it was caught by it: the committed snapshot, read back.
fn caught() -> BTreeMap<(String, String), BTreeSet<String>> {
    let text = fs::read_to_string(path("tests/mutants/snapshots/mutants__scenario_by_mutant.snap"))
        .expect("the snapshot of the mutants");
    let body = text.splitn(3, "---\n").nth(2).expect("a snapshot below its head");
    let mut found: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
    let mut mutant = String::new();
    for line in body.lines() {
        match line.strip_prefix("    ").and_then(|row| row.split_once(": ")) {
            None => mutant = line.trim().to_owned(),
            Some((scenario, checks)) => {
                for check in checks.split(", ").filter_map(|c| c.split(' ').next()) {
                    let key = (mutant.clone(), check.to_owned());
                    found.entry(key).or_default().insert(scenario.to_owned());
                }
            }
        }
    }
    found
}

/// One line of the table.
struct Row {
    text: String,
    check: &'static Check,
    scenarios: BTreeSet<String>,
}

impl Row {
    fn written(&self) -> String {
        let list = |words: &[String]| words.join(", ");
        let scenarios: Vec<String> = self.scenarios.iter().cloned().collect();
        let mutants: Vec<String> = self.check.mutants.iter().map(|m| (*m).to_owned()).collect();
        let cells = [
            self.text.clone(),
            format!("`{}`", self.check.id),
            list(&scenarios),
            list(&mutants),
        ];
        format!("| {} |\n", cells.join(" | "))
    }
}

/// The scenarios in which a check caught a mutant of its own.
fn bites_in(check: &Check) -> BTreeSet<String> {
    let caught = caught();
    let of = |mutant: &&str| caught.get(&((*mutant).to_owned(), check.id.to_owned()));
    check.mutants.iter().filter_map(of).flatten().cloned().collect()
}

fn rows() -> Vec<Row> {
    let judged = || checks::ALL.iter().filter(|check| check.id != OF_THE_SCENARIO);
    let mut rows = Vec::new();
    for citation in spec::ALL.iter() {
        for check in judged().filter(|check| check.cites.contains(&citation.key)) {
            let (text, scenarios) = (citation.to_string(), bites_in(check));
            rows.push(Row {
                text,
                check,
                scenarios,
            });
        }
    }
    for check in judged().filter(|check| check.cites.is_empty()) {
        let (text, scenarios) = ("no text: a rule of its own".to_owned(), bites_in(check));
        rows.push(Row {
            text,
            check,
            scenarios,
        });
    }
    rows
}

fn page() -> String {
    let mut page = String::from(
        "# What is covered\n\nMade by `tests/coverage` from the checks, the citations and the table of what each mutant of the \
         reference client was\ncaught by; do not edit. `RETRIAL_UPDATE=1 cargo test --test coverage` writes it anew.\n\n\
         ## From the text to the mutant\n\nThe scenarios are those in which the check caught a mutant of its own.\n\n\
         | text | check | scenarios | mutants |\n|---|---|---|---|\n",
    );
    page.extend(rows().iter().map(Row::written));
    page += "\n## From what can go wrong to the check\n\n| wrong behaviour | judged by |\n|---|---|\n";
    for (wrong, by) in catalogue::JUDGED {
        let checks: Vec<String> = by.iter().map(|id| format!("`{id}`")).collect();
        page += &format!("| {wrong} | {} |\n", checks.join(", "));
    }
    page += "\n## Observations\n\nWhat is recorded and not judged, and why.\n\n| conduct | why it is not judged |\n|---|---|\n";
    for (conduct, why) in catalogue::OBSERVED {
        page += &format!("| {conduct} | {why} |\n");
    }
    page
}

#[test]
fn the_page_is_what_the_checks_the_citations_and_the_mutants_make_of_it() {
    let (file, page) = (path("harness/COVERAGE.md"), page());
    if std::env::var_os("RETRIAL_UPDATE").is_some() {
        fs::write(&file, &page).expect("the page can be written");
    }
    let written = fs::read_to_string(&file).unwrap_or_default();
    assert!(
        written == page,
        "harness/COVERAGE.md is stale: RETRIAL_UPDATE=1 cargo test --test coverage"
    );
}

#[test]
fn no_cell_is_empty() {
    for row in rows() {
        assert!(!row.check.mutants.is_empty(), "{} has no mutant", row.check.id);
        assert!(!row.scenarios.is_empty(), "{} bites in no scenario", row.check.id);
    }
}

#[test]
fn every_check_has_a_row_and_those_without_a_text_are_known() {
    let rows = rows();
    for check in checks::ALL.iter().filter(|check| check.id != OF_THE_SCENARIO) {
        assert!(rows.iter().any(|row| row.check.id == check.id), "{}", check.id);
        assert_eq!(
            check.cites.is_empty(),
            OWN_RULES.contains(&check.id),
            "{}",
            check.id
        );
    }
}

#[test]
fn every_mutant_of_a_check_is_caught_by_it() {
    let caught = caught();
    for check in checks::ALL {
        for mutant in check.mutants {
            let key = ((*mutant).to_owned(), check.id.to_owned());
            assert!(
                caught.contains_key(&key),
                "{mutant} is not caught by {}",
                check.id
            );
        }
    }
}

#[test]
fn what_can_go_wrong_is_judged_by_checks_that_exist() {
    for (wrong, by) in catalogue::JUDGED {
        assert!(!by.is_empty(), "{wrong}");
        for id in *by {
            assert!(checks::check(id).is_some(), "{wrong}: there is no check {id}");
        }
    }
}
