//! `retrial merge`.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::arguments::Merge;
use super::destination::Destinations;
use super::failure::Failure;
use crate::report::{SuiteReport, read_json};
use crate::suite::{self, Exit};

/// The longest report that is read, in bytes.
const MOST: u64 = 256 * 1024 * 1024;

/// Joins JSON reports, and reports like `retrial run`.
pub(super) fn merge(arguments: &Merge) -> Result<Exit, Failure> {
    let read: Result<Vec<_>, _> = arguments.files.iter().map(|file| read(file)).collect();
    let hint = Some("join the reports of one client, and of each trial one");
    let report = suite::merge(read?, arguments.output.strict).map_err(|e| Failure::usage(&e, hint))?;
    let destinations = Destinations::open(&arguments.output.reports)?;
    if destinations.evidence().is_some() {
        let hint = Some("copy the files");
        return Err(Failure::usage("joining makes no new evidence", hint));
    }
    destinations.write(&report)
}

fn read(file: &Path) -> Result<(String, SuiteReport), Failure> {
    let path = file.display().to_string();
    let mut text = String::new();
    let read = File::open(file).and_then(|file| file.take(MOST).read_to_string(&mut text));
    let report = match read {
        Ok(_) => read_json(&text, env!("CARGO_PKG_VERSION")),
        Err(e) => Err(format!("cannot be read: {e}")),
    };
    match report {
        Ok(report) => Ok((path, report)),
        Err(e) => Err(Failure::usage(&format!("{path}: {e}"), None)),
    }
}
