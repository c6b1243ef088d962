//! The reference client and its mutants, put through trials in virtual time.

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use retrial::report::{SuiteReport, TrialReport};
use retrial::scenario::{Trial, built_in, load};
use retrial::source::Source;
use retrial::suite::{Closures, Suite, Wanted, Watcher, reference, run};
use retrial::term::Time;
use retrial::upstream::Limits;
use tokio::sync::watch;

use crate::virtual_reference;

struct Nobody;

impl Watcher for Nobody {
    fn began(&self, _: &str) {}
    fn ended(&self, _: &TrialReport) {}
}

/// The trials of one scenario.
pub fn trials(name: &str, yaml: &str) -> Vec<Arc<Trial>> {
    let loaded = load(Arc::new(Source::new(format!("{name}.yaml"), yaml)), name);
    loaded
        .expect("a sound scenario")
        .into_iter()
        .map(Arc::new)
        .collect()
}

/// The trials of every built-in scenario.
pub fn all() -> Vec<Arc<Trial>> {
    built_in()
        .iter()
        .flat_map(|(name, yaml)| trials(name, yaml))
        .collect()
}

/// What a run is made of: the reference in virtual time, seed 1, one round, no evidence.
pub fn suite(mutant: Option<&str>, trials: Vec<Arc<Trial>>) -> Suite {
    Suite {
        client: reference("retrial", mutant).expect("its own file"),
        closures: Closures {
            real: None,
            in_virtual_time: Some(virtual_reference::begin(mutant)),
        },
        time: Wanted::Always(Time::Virtual),
        trials,
        deselected: Vec::new(),
        shard: None,
        strict: false,
        seed: 1,
        jobs: NonZero::<usize>::MIN.saturating_add(63),
        rounds: NonZero::<u32>::MIN,
        max_time: None,
        snapshots: None,
        limits: Limits {
            calls: 1000,
            connections: 1000,
            bytes: 64 << 20,
            time: Duration::from_secs(120),
        },
        evidence: None::<PathBuf>,
        repeat: Box::new(|trial| trial.id.clone()),
    }
}

/// Runs it to its end.
pub fn report(suite: Suite) -> SuiteReport {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let (_keep, interrupted) = watch::channel(false);
    runtime.block_on(run(suite, Arc::new(Nobody), interrupted))
}
