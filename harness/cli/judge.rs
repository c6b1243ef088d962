//! `retrial judge`.

use std::fs;
use std::path::{Path, PathBuf};

use super::arguments::Judge;
use super::destination::Destinations;
use super::failure::Failure;
use crate::record::{self, Recorded};
use crate::report::SuiteReport;
use crate::suite::{self, Exit};

/// Judges saved evidence again, and reports like `retrial run`.
pub(super) fn judge(arguments: &Judge) -> Result<Exit, Failure> {
    let files = evidence_files(&arguments.evidence)?;
    let read: Result<Vec<_>, _> = files.iter().map(|file| read(file)).collect();
    let report = report(&read?, arguments.output.strict)?;
    let destinations = Destinations::open(&arguments.output.reports)?;
    if destinations.evidence().is_some() {
        let hint = Some("copy the files");
        return Err(Failure::usage("judging makes no new evidence", hint));
    }
    destinations.write(&report)
}

fn report(recorded: &[(String, Recorded)], strict: bool) -> Result<SuiteReport, Failure> {
    let Some((_, first)) = recorded.first() else {
        return Err(Failure::new(Exit::Nothing, "there is no evidence to judge", None));
    };
    let (client, seed) = (&first.header.client, first.header.seed);
    if let Some((path, _)) = recorded
        .iter()
        .find(|(_, r)| r.header.client != *client || r.header.seed != seed)
    {
        let sentence = format!("{path} is evidence of another run than {}", recorded[0].0);
        return Err(Failure::usage(
            &sentence,
            Some("judge the evidence of one run at a time"),
        ));
    }
    suite::judge_again(recorded, strict).map_err(|problems| Failure::files(&problems))
}

fn read(file: &Path) -> Result<(String, Recorded), Failure> {
    let path = file.display().to_string();
    match record::read(file) {
        Ok(recorded) => Ok((path, recorded)),
        Err(e) => Err(Failure::usage(&format!("{path}: {e}"), None)),
    }
}

/// Folders stand for the `.jsonl` files in them, in order of name.
fn evidence_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for path in paths {
        if path.is_dir() {
            files.extend(in_folder(path)?);
        } else {
            files.push(path.clone());
        }
    }
    Ok(files)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let unreadable =
        |e: std::io::Error| Failure::usage(&format!("{} cannot be read: {e}", folder.display()), None);
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|ending| ending == "jsonl") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
