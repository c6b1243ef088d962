//! How a run gets on, on standard error, and only where somebody sits at it.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::report::{TrialReport, plain};
use crate::suite::Watcher;

/// A bar that counts trials and names one that runs. It hides itself where standard error is no terminal.
pub(super) struct Progress {
    bar: ProgressBar,
    running: Mutex<BTreeSet<String>>,
}

impl Progress {
    /// A bar for so many trials.
    pub(super) fn over(trials: usize) -> Self {
        let bar = ProgressBar::new(trials as u64);
        if let Ok(style) = ProgressStyle::with_template("{spinner} {pos}/{len} trials, {elapsed}: {wide_msg}")
        {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress {
            bar,
            running: Mutex::default(),
        }
    }

    /// Takes the bar away.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    fn show(&self, change: impl FnOnce(&mut BTreeSet<String>)) {
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut running);
        let names: Vec<_> = running.iter().map(|name| plain(name)).collect();
        self.bar.set_message(names.join(", "));
    }
}

impl Watcher for Progress {
    fn began(&self, trial: &str) {
        self.show(|running| {
            running.insert(trial.to_owned());
        });
    }

    fn ended(&self, report: &TrialReport) {
        self.bar.inc(1);
        self.show(|running| {
            running.remove(&report.trial);
        });
    }
}
