//! One seed, one evidence file: byte for byte, however often and beside whatever else it runs.

use std::collections::BTreeSet;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::sync::Arc;

use retrial::scenario::Trial;

use crate::stand::{all, report, suite, trials};

/// Chance, jitter and operations side by side, with an outage, a capacity and resets between them.
const RANDOM: &str = "
version: 1
title: Everything that chance and order could decide
given: {attempts: 6, backoff: {exponential: {base: 30ms, factor: 2, cap: 500ms, jitter: decorrelated}}}
dependencies:
  quota:
    outages: [{from: 200ms, until: 400ms, every: 1s, be: refused}, {from: 600ms, until: 700ms, be: hang}]
    capacity: {accept: {at_once: 6}, overflow: {status: 503}}
    script:
      - {when: {chance: 0.3}, answer: {status: 503, after: 5ms}}
      - {when: {chance: 0.2}, cut: {at: before_answer, by: rst}}
      - {when: {chance: 0.2}, effect: applied, answer: {status: 200, body: {zeros: 90000}, drip: {bytes: 20000, every: 3ms}}}
      - {takes: 7ms, effect: applied, answer: {status: 200}}
operations:
  - {count: 20, start: at_once, deadline: 10s, request: {method: GET, to: [quota], path: /a}}
  - {count: 20, start: {per_second: 40}, deadline: 10s, request: {method: PUT, to: [quota], path: /b, body: {zeros: 100000}}}
  - {count: 5, start: at_once, deadline: 10s, cancel: {after: 300ms}, request: {method: POST, to: [quota], path: /c, key: own}}
";

/// Runs the trials that often, with that seed, and gives the evidence of each run.
fn evidence(trials: Vec<Arc<Trial>>, rounds: u32, seed: u64) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let rounds = NonZero::new(rounds).expect("once at least");
    report(retrial::suite::Suite {
        rounds,
        seed,
        evidence: Some(folder.path().to_owned()),
        ..suite(None, trials)
    });
    files(folder.path())
}

fn files(folder: &Path) -> Vec<(String, String)> {
    let entries = fs::read_dir(folder).expect("the folder is there").flatten();
    let read = |path: &Path| fs::read_to_string(path).expect("evidence is text");
    let name = |entry: &fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut files: Vec<_> = entries.map(|entry| (name(&entry), read(&entry.path()))).collect();
    files.sort();
    files
}

#[test]
fn a_hundred_runs_of_one_seed_give_one_evidence_file() {
    let runs = evidence(trials("random", RANDOM), 100, 7);
    assert_eq!(runs.len(), 100);
    let (_, first) = &runs[0];
    assert!(
        first.matches("\"arrived\"").count() > 45,
        "there is something to differ in"
    );
    for (name, text) in &runs {
        let differs = first.lines().zip(text.lines()).find(|(one, other)| one != other);
        assert!(first == text, "{name}: {differs:?}");
    }
}

#[test]
fn another_seed_gives_another() {
    let of_seed = |seed| evidence(trials("random", RANDOM), 1, seed).remove(0).1;
    let seeds: BTreeSet<String> = (1..=5)
        .map(|seed| of_seed(seed).lines().skip(1).collect::<String>())
        .collect();
    assert_eq!(seeds.len(), 5);
}

#[test]
fn every_built_in_scenario_gives_the_same_evidence_twice() {
    let (once, again) = (evidence(all(), 1, 1), evidence(all(), 1, 1));
    for ((name, one), (_, other)) in once.iter().zip(&again) {
        assert!(one == other, "{name}");
    }
    assert!(once.len() > 70 && once.len() == again.len());
}
