//! The judge's own trial, in virtual time: every mutant is caught by the check meant for it, but for those whose
//! defect only shows in a process.

use std::collections::BTreeSet;
use std::sync::Arc;

use retrial::judge::Grade;
use retrial::scenario::Trial;

use crate::reference::mutants::table;
use crate::stand::{all, report, suite};

/// Whose defect needs a process: it reads the time zone of its environment.
const IN_A_PROCESS: [&str; 1] = ["local-dates"];

/// The checks that warn or fail.
fn caught_by(mutant: &str, trials: Vec<Arc<Trial>>) -> BTreeSet<String> {
    let trials = report(suite(Some(mutant), trials)).trials;
    let findings = trials.into_iter().flat_map(|trial| trial.findings);
    let bad = findings.filter(|f| f.finding.grade >= Grade::Warn);
    bad.map(|f| f.finding.check).collect()
}

#[test]
fn every_mutant_is_caught_by_the_check_meant_for_it() {
    let table = table();
    let mut rows = 0;
    for line in table.lines() {
        let mut cells = line.split('\t');
        let (Some(mutant), Some(check)) = (cells.next(), cells.next()) else {
            panic!("a row without a check: {line}");
        };
        let caught = caught_by(mutant, all());
        let shows = !IN_A_PROCESS.contains(&mutant);
        assert_eq!(caught.contains(check), shows, "{mutant}, {check}: {caught:?}");
        rows += 1;
    }
    assert!(rows >= 30, "{rows}");
}
