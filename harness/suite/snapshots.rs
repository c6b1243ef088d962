//! The snapshots of a client's trials: a folder a client, a file a trial, in insta's format.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::files::unique_name;
use super::run::{LATE_US, Suite};
use crate::judge::Verdict;
use crate::report::{
    SnapshotIs, SnapshotNews, TrialReport, body_of, difference, snapshot_body, snapshot_file,
};

/// Where snapshots are kept, and what may be written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshots {
    /// The folder; each client has one of its own in it.
    pub folder: PathBuf,
    /// What may be written.
    pub writes: Writes,
}

/// What may be written into the folder of the snapshots.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Writes {
    /// Nothing, as under CI: a snapshot that is not there fails the run.
    Nothing,
    /// What differs or is new, beside its place, to be accepted.
    Beside,
    /// What differs or is new, in its place.
    InPlace,
}

/// Compares what was observed with what is kept; says nothing of what matches.
pub(super) fn compare(suite: &Suite, kept: &Snapshots, trials: &[TrialReport]) -> Vec<SnapshotNews> {
    let folder = kept.folder.join(unique_name(&suite.client.name));
    let mut news = Vec::new();
    for (trial, report) in suite.trials.iter().zip(trials) {
        if !is_observed(report) {
            continue;
        }
        let one = One {
            path: folder.join(format!("{}.snap", unique_name(&report.trial))),
            body: snapshot_body(trial, report),
            late: report.evidence.worst_lag_us > LATE_US,
        };
        let file = || snapshot_file(&suite.client.name, report, &one.body);
        news.extend(one.compare(kept.writes, file));
    }
    news.extend(unreferenced(&folder, suite));
    news
}

/// Whether there is something to compare: a trial that was skipped, not begun or broken off shows nothing.
fn is_observed(report: &TrialReport) -> bool {
    let judged = !matches!(report.verdict, Verdict::Skipped | Verdict::HarnessError);
    judged && !report.not_run && !report.evidence.interrupted
}

/// One trial's snapshot.
struct One {
    path: PathBuf,
    /// What was observed.
    body: String,
    /// Whether the harness was too late for a difference to prove anything.
    late: bool,
}

impl One {
    fn compare(&self, writes: Writes, file: impl Fn() -> String) -> Option<SnapshotNews> {
        let pinned = match fs::read_to_string(&self.path) {
            Ok(text) => match body_of(&text) {
                Some(body) => Some(body),
                None if writes != Writes::InPlace => return Some(self.unusable("it is no snapshot")),
                None => None,
            },
            Err(e) if e.kind() == io::ErrorKind::NotFound => None,
            Err(e) => return Some(self.unusable(&format!("it cannot be read: {e}"))),
        };
        if pinned.as_deref() == Some(self.body.as_str()) {
            return self.settled(writes);
        }
        let diff = pinned
            .as_ref()
            .map_or_else(Vec::new, |pinned| difference(pinned, &self.body));
        // Where nothing is pinned there is nothing to hold against anybody: what is written is read before it is kept.
        if self.late && pinned.is_some() {
            return Some(self.news(SnapshotIs::Unsure, diff));
        }
        let (is, written) = match (writes, pinned.is_some()) {
            (Writes::Nothing, true) => (SnapshotIs::Different, Ok(())),
            (Writes::Nothing, false) => (SnapshotIs::Missing, Ok(())),
            (Writes::Beside, true) => (SnapshotIs::Different, write(&self.beside(), &file())),
            (Writes::Beside, false) => (SnapshotIs::New, write(&self.beside(), &file())),
            (Writes::InPlace, _) => (SnapshotIs::Written, write(&self.path, &file())),
        };
        if let Err(e) = written {
            return Some(self.unusable(&format!("it cannot be written: {e}")));
        }
        if writes == Writes::InPlace {
            self.settled(writes);
        }
        Some(self.news(is, diff))
    }

    /// Takes away what waited to be accepted, once the snapshot is right.
    fn settled(&self, writes: Writes) -> Option<SnapshotNews> {
        if writes == Writes::Nothing {
            return None;
        }
        match fs::remove_file(self.beside()) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => {
                Some(self.unusable(&format!("what waits beside it cannot be removed: {e}")))
            }
            _ => None,
        }
    }

    fn beside(&self) -> PathBuf {
        self.path.with_extension("snap.new")
    }

    fn unusable(&self, why: &str) -> SnapshotNews {
        self.news(SnapshotIs::Unusable, vec![why.to_owned()])
    }

    fn news(&self, is: SnapshotIs, detail: Vec<String>) -> SnapshotNews {
        SnapshotNews {
            is,
            file: self.path.display().to_string(),
            detail,
        }
    }
}

/// Written whole or not at all: whoever reads it meanwhile sees the old one.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let half = path.with_extension("half");
    fs::write(&half, text)?;
    fs::rename(&half, path)
}

/// Snapshots of this client that no trial makes, whether it was selected or not.
fn unreferenced(folder: &Path, suite: &Suite) -> Vec<SnapshotNews> {
    let selected = suite.trials.iter().map(|trial| trial.id.as_str());
    let ids = selected.chain(suite.deselected.iter().map(String::as_str));
    let made: BTreeSet<_> = ids.map(|id| format!("{}.snap", unique_name(id))).collect();
    let Ok(entries) = fs::read_dir(folder) else {
        // A folder that is not there has nothing to say; one that cannot be read was said of its snapshots.
        return Vec::new();
    };
    let names = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let left: BTreeSet<_> = names
        .filter(|n| n.ends_with(".snap") && !made.contains(n))
        .collect();
    let news = |name: String| SnapshotNews {
        is: SnapshotIs::Unreferenced,
        file: folder.join(name).display().to_string(),
        detail: Vec::new(),
    };
    left.into_iter().map(news).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(folder: &Path, body: &str) -> One {
        One {
            path: folder.join("client").join("a.snap"),
            body: body.to_owned(),
            late: false,
        }
    }

    fn is(one: &One, writes: Writes) -> Option<SnapshotIs> {
        let file = || format!("---\nsource: x\n---\n{}", one.body);
        one.compare(writes, file).map(|news| news.is)
    }

    #[test]
    fn a_snapshot_is_new_then_written_then_matches_then_differs() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let first = one(folder.path(), "calls: 2\n");
        assert_eq!(is(&first, Writes::Nothing), Some(SnapshotIs::Missing));
        assert!(!first.beside().exists() && !folder.path().join("client").exists());
        assert_eq!(is(&first, Writes::Beside), Some(SnapshotIs::New));
        assert!(first.beside().exists() && !first.path.exists());
        assert_eq!(is(&first, Writes::InPlace), Some(SnapshotIs::Written));
        assert!(!first.beside().exists() && first.path.exists());
        assert_eq!(is(&first, Writes::Nothing), None);
        let other = one(folder.path(), "calls: 3\n");
        assert_eq!(is(&other, Writes::Nothing), Some(SnapshotIs::Different));
        assert!(!other.beside().exists());
        assert_eq!(is(&other, Writes::Beside), Some(SnapshotIs::Different));
        assert!(other.beside().exists());
        assert_eq!(is(&first, Writes::Beside), None);
        assert!(
            !first.beside().exists(),
            "what waits is taken away once it is settled"
        );
    }

    #[test]
    fn a_difference_that_the_harness_may_have_made_fails_nothing_and_is_not_written() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let late = |body| One {
            late: true,
            ..one(folder.path(), body)
        };
        assert_eq!(
            is(&late("calls: 2\n"), Writes::Nothing),
            Some(SnapshotIs::Missing)
        );
        assert_eq!(
            is(&late("calls: 2\n"), Writes::InPlace),
            Some(SnapshotIs::Written)
        );
        let other = late("calls: 3\n");
        for writes in [Writes::Nothing, Writes::Beside, Writes::InPlace] {
            assert_eq!(is(&other, writes), Some(SnapshotIs::Unsure));
        }
        assert!(!other.beside().exists());
        assert_eq!(is(&late("calls: 2\n"), Writes::Nothing), None);
    }

    #[test]
    fn a_file_that_is_no_snapshot_is_said_to_be_none() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let one = one(folder.path(), "calls: 2\n");
        fs::create_dir_all(folder.path().join("client")).expect("a folder can be made");
        fs::write(&one.path, "<<<<<<< HEAD").expect("it can be written");
        assert_eq!(is(&one, Writes::Beside), Some(SnapshotIs::Unusable));
        assert_eq!(is(&one, Writes::InPlace), Some(SnapshotIs::Written));
    }
}
