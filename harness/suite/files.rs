//! The names of evidence files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::scenario::Trial;

/// One file a trial in `folder`, named after the trial; none without a folder.
pub(super) fn evidence_files(folder: Option<&Path>, trials: &[Arc<Trial>]) -> Vec<Option<PathBuf>> {
    let mut taken = BTreeSet::new();
    let file = |trial: &Arc<Trial>| {
        let name = free_name(&file_name(&trial.id), &mut taken);
        folder.map(|folder| folder.join(format!("{name}.jsonl")))
    };
    trials.iter().map(file).collect()
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
}
