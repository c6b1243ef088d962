//! What of each trial is asked, and what each round runs.

use std::path::PathBuf;
use std::sync::Arc;

use super::ask::{Asking, asking};
use super::files::evidence_files;
use super::requirement::unmet;
use super::run::Suite;
use super::times::time_of;
use super::trial::{Common, One};
use crate::scenario::Trial;

/// What of each trial can be asked.
pub(super) async fn askings(suite: &Suite) -> Vec<Asking> {
    let unmet = unmet(&suite.client.requires).await;
    let asking_of = |trial: &Arc<Trial>| {
        let time = time_of(trial, suite.time, &suite.closures);
        let asking = asking(trial, &suite.client, time);
        let skipped = unmet.clone().or(asking.skipped.clone());
        Asking { skipped, ..asking }
    };
    suite.trials.iter().map(asking_of).collect()
}

/// What each round runs.
pub(super) fn plans(common: &Common, askings: &[Asking]) -> Vec<Vec<Arc<One>>> {
    let suite = &common.suite;
    let files = evidence_files(suite.evidence.as_deref(), &suite.trials, suite.rounds.get());
    let plan = |files: Vec<Option<PathBuf>>| {
        let trials = suite.trials.iter().zip(askings).zip(files);
        let one = |((trial, asking), file): ((&Arc<Trial>, &Asking), Option<PathBuf>)| {
            Arc::new(One {
                trial: Arc::clone(trial),
                evidence_file: file.filter(|_| asking.skipped.is_none()),
                asking: asking.clone(),
            })
        };
        trials.map(one).collect()
    };
    files.into_iter().map(plan).collect()
}
