//! JSON reports that are joined: read, merged, and reported in every format.

use retrial::report::{json, read_json};
use retrial::scenario::built_in;
use retrial::suite::merge;

use super::scenario::is_reported;
use crate::stand::{report, suite, trials};

/// Scenarios whose reports differ most.
const SCENARIOS: [&str; 4] = [
    "cancelled",
    "outage-ends",
    "lost-acknowledgment",
    "capacity-at-once",
];

/// The version that wrote them.
fn version() -> &'static str {
    static VERSION: std::sync::OnceLock<String> = std::sync::OnceLock::new();
    VERSION.get_or_init(|| report(suite(None, Vec::new())).harness)
}

/// Reports of trials that were played, and of a mutant's.
pub fn seeds() -> Vec<Vec<u8>> {
    let wanted = || built_in().iter().filter(|(name, _)| SCENARIOS.contains(name));
    let played = |mutant| wanted().map(move |(name, yaml)| report(suite(mutant, trials(name, yaml))));
    let reports = played(None).chain(played(Some("claims-anyway")));
    reports
        .map(|report| json(&report, 0).expect("it can be written").into_bytes())
        .collect()
}

/// It is joined with nothing else and reported, or refused with a sentence.
pub fn is_sound(bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let joined =
        read_json(&text, version()).and_then(|read| merge(vec![("fuzz.json".to_owned(), read)], false));
    match joined {
        Ok(report) => is_reported(&report),
        Err(sentence) if sentence.trim().is_empty() => Err("refused without a sentence".to_owned()),
        Err(_) => Ok(()),
    }
}
