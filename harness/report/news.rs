//! What is new about the snapshots of a run: nothing is said of one that matches.

/// One snapshot that does not simply match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotNews {
    /// What is to say.
    pub is: SnapshotIs,
    /// The file, or where it would be.
    pub file: String,
    /// The difference line by line, or the sentence that explains it; may be empty.
    pub detail: Vec<String>,
}

/// What there is to say of a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SnapshotIs {
    /// It differs from what was observed.
    Different,
    /// It is not there, and none may be written.
    Missing,
    /// It cannot be read or written.
    Unusable,
    /// What was observed differs, and the harness was too late for that to prove anything.
    Unsure,
    /// It was not there: what was observed waits beside it to be accepted.
    New,
    /// It was written as the user asked.
    Written,
    /// No trial makes it.
    Unreferenced,
}

impl SnapshotIs {
    /// In the order of the reports.
    pub const ALL: [SnapshotIs; 7] = [
        SnapshotIs::Different,
        SnapshotIs::Missing,
        SnapshotIs::Unusable,
        SnapshotIs::Unsure,
        SnapshotIs::New,
        SnapshotIs::Written,
        SnapshotIs::Unreferenced,
    ];

    /// The word in every format.
    pub const fn word(self) -> &'static str {
        match self {
            SnapshotIs::Different => "different",
            SnapshotIs::Missing => "missing",
            SnapshotIs::Unusable => "unusable",
            SnapshotIs::Unsure => "unsure",
            SnapshotIs::New => "new",
            SnapshotIs::Written => "written",
            SnapshotIs::Unreferenced => "unreferenced",
        }
    }

    /// Whether it fails the run.
    pub const fn fails(self) -> bool {
        match self {
            SnapshotIs::Different | SnapshotIs::Missing | SnapshotIs::Unusable => true,
            SnapshotIs::Unsure | SnapshotIs::New | SnapshotIs::Written | SnapshotIs::Unreferenced => false,
        }
    }

    /// What follows from it, for people.
    pub const fn advice(self) -> &'static str {
        match self {
            SnapshotIs::Different => "what was observed differs from the snapshot; `--update` accepts it",
            SnapshotIs::Missing => {
                "there is no snapshot, and under CI none is written: make it elsewhere and commit it"
            }
            SnapshotIs::Unusable => "the file cannot be used",
            SnapshotIs::Unsure => {
                "what was observed differs, and the harness was late: nothing is held against it"
            }
            SnapshotIs::New => {
                "new, beside its place as .snap.new; `--update` or `cargo insta review` accepts it"
            }
            SnapshotIs::Written => "written",
            SnapshotIs::Unreferenced => "no trial of this run makes it; delete it if none ever will",
        }
    }
}
