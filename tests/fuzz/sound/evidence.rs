//! Evidence files: read, judged again, and reported in every format.

use retrial::record::read_from;
use retrial::scenario::built_in;
use retrial::suite::judge_again;

use super::scenario::is_reported;
use crate::stand::{report, suite, trials};

/// Scenarios whose evidence holds facts of every kind, in few lines.
const SCENARIOS: [&str; 8] = [
    "cancelled",
    "outage-ends",
    "key-in-flight",
    "lost-acknowledgment",
    "truncated-answer",
    "retry-after",
    "capacity-at-once",
    "early-answer",
];

/// Evidence of trials that were played.
pub fn seeds() -> Vec<Vec<u8>> {
    let folder = tempfile::tempdir().expect("a folder");
    let wanted = built_in().iter().filter(|(name, _)| SCENARIOS.contains(name));
    let mut suite = suite(None, wanted.flat_map(|(name, yaml)| trials(name, yaml)).collect());
    suite.evidence = Some(folder.path().to_owned());
    report(suite);
    let files = std::fs::read_dir(folder.path()).expect("it is there").flatten();
    let mut files: Vec<_> = files.map(|file| file.path()).collect();
    files.sort();
    assert!(files.len() >= SCENARIOS.len(), "{files:?}");
    files
        .iter()
        .map(|file| std::fs::read(file).expect("it is there"))
        .collect()
}

/// It is judged again and reported, or refused with a sentence.
pub fn is_sound(bytes: &[u8]) -> Result<(), String> {
    let recorded = match read_from(bytes) {
        Ok(recorded) => recorded,
        Err(e) if e.to_string().is_empty() => return Err("refused without a sentence".to_owned()),
        Err(_) => return Ok(()),
    };
    match judge_again(&[("fuzz.jsonl".to_owned(), recorded)], false) {
        Ok(report) => is_reported(&report),
        Err(problems) if problems.is_empty() => Err("refused without a sentence".to_owned()),
        Err(_) => Ok(()),
    }
}
