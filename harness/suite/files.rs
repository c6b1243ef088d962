//! The names of evidence files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sha2::{Digest, Sha256};

use crate::scenario::Trial;

/// One file a trial and round in `folder`, named after the trial; none without a folder.
pub(super) fn evidence_files(
    folder: Option<&Path>,
    trials: &[Arc<Trial>],
    rounds: u32,
) -> Vec<Vec<Option<PathBuf>>> {
    let mut taken = BTreeSet::new();
    let mut file = |trial: &Arc<Trial>, round: u32| {
        let name = match round {
            1 => file_name(&trial.id),
            n => format!("{}.run-{n}", file_name(&trial.id)),
        };
        let name = free_name(&name, &mut taken);
        folder.map(|folder| folder.join(format!("{name}.jsonl")))
    };
    let rounds = 1..=rounds;
    rounds
        .map(|round| trials.iter().map(|trial| file(trial, round)).collect())
        .collect()
}

/// The most characters of an id that a file's name keeps.
const MOST: usize = 100;

/// A name for `id` that every shell and file system takes, the same in every run, and that no other id has.
///
/// Where characters had to be replaced or cut, a digest of the id tells it from its like.
pub(super) fn unique_name(id: &str) -> String {
    let cut: String = file_name(id).chars().take(MOST).collect();
    // A leading dot hides a file, and `..` is none.
    let name = cut.trim_start_matches(['.', '-']);
    // Some file systems do not tell upper case from lower case.
    let kept = name == id && !name.is_empty() && !name.contains(|c: char| c.is_ascii_uppercase());
    if kept {
        return name.to_owned();
    }
    let digest = Sha256::digest(id.as_bytes());
    let marked: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
    format!("{name}-{marked}")
}

/// A trial's id holds slashes and brackets; a file's name holds what every shell leaves alone.
fn file_name(trial: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '+');
    let name: String = trial.chars().map(|c| if kept(c) { c } else { '_' }).collect();
    name.trim_end_matches('_').to_owned()
}

fn free_name(name: &str, taken: &mut BTreeSet<String>) -> String {
    let numbered = (2..).map(|n| format!("{name}-{n}"));
    let mut candidates = std::iter::once(name.to_owned()).chain(numbered);
    let free = candidates.find(|candidate| taken.insert(candidate.clone()));
    free.unwrap_or_else(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trial_id_becomes_a_name_that_shells_leave_alone() {
        assert_eq!(file_name("dates[503,Asia/Tokyo]"), "dates_503_Asia_Tokyo");
    }

    #[test]
    fn two_trials_never_share_a_file() {
        let mut taken = BTreeSet::new();
        assert_eq!(free_name("a", &mut taken), "a");
        assert_eq!(free_name("a", &mut taken), "a-2");
        assert_eq!(free_name("a", &mut taken), "a-3");
    }

    #[test]
    fn a_unique_name_is_harmless_and_tells_every_id_from_its_like() {
        assert_eq!(unique_name("lost-ack"), "lost-ack");
        let long = "x".repeat(5000);
        let ids = [
            "d[503,a/b]",
            "d[503,a_b]",
            "../../etc/passwd",
            "..",
            "",
            "-rf",
            "ü",
            "a b",
            "a\0b",
            "Ab",
            "ab",
            &long,
        ];
        let names: BTreeSet<_> = ids.iter().map(|id| unique_name(id).to_lowercase()).collect();
        assert_eq!(names.len(), ids.len(), "{names:?}");
        for name in names {
            let harmless = |c: char| c.is_ascii_alphanumeric() || "-_.+".contains(c);
            assert!(name.chars().all(harmless) && name.len() < 120, "{name}");
            assert!(!name.starts_with('.') && !name.is_empty(), "{name}");
        }
    }
}
