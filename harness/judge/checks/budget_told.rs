//! Operations told one after another, for the tests of what a budget allows in a stretch of time.

use std::time::Duration;

use super::ID;
use crate::evidence::Fact;
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::promise::{BucketBudget, Budget, Payer, WindowBudget};
use crate::scenario::Turn;
use crate::term::{Claim, CutBy, OperationId, Place, ProcessId, Stamp, StopReason};

pub(super) const FINE: usize = 0;
pub(super) const DOWN: usize = 1;
pub(super) const SLOW: usize = 2;
pub(super) const SILENT: usize = 3;
pub(super) const THROTTLED: usize = 4;

pub(super) fn turns() -> Vec<Turn> {
    let silent = answered(200).cut(Place::BeforeAnswer, CutBy::Hang);
    vec![
        answered(200),
        answered(503),
        answered(503).taking_ms(900),
        silent,
        answered(429),
    ]
}

/// A story in which operations are told one after another.
pub(super) struct Told(pub Story, pub u32);

impl Told {
    pub fn of(budget: Budget) -> Told {
        Told(Story::of(turns()).promising(|p| p.budget = Some(budget)), 0)
    }

    /// An operation with these calls, each at its time, reported 2 ms after the last.
    pub fn operation(self, calls: &[(usize, u64)]) -> Told {
        let (first, last) = (calls[0].1, calls[calls.len() - 1]);
        let claim = if last.0 == FINE { Claim::Ok } else { Claim::Failed };
        let Told(story, n) = self.begun(first);
        let story = calls.iter().fold(story, |s, (turn, at)| s.call_of(n, *turn, *at));
        Told(story.reported_of(n, last.1 + 2, claim, StopReason::Unreported), n)
    }

    pub fn begun(self, at: u64) -> Told {
        let n = self.1 + 1;
        let story = if n > 1 {
            self.0.operation("GET", "/", "quota")
        } else {
            self.0
        };
        let asked = Fact::Asked {
            op: OperationId(n),
            at: Stamp::from_ms(at),
            deadline_ms: None,
            key: None,
            process: ProcessId::FIRST,
        };
        Told(story.and(asked), n)
    }

    /// So many operations from `at` on, one every 10 ms, that succeed at once.
    pub fn fine(self, n: u64, at: u64) -> Told {
        (0..n).fold(self, |told, n| told.operation(&[(FINE, at + n * 10)]))
    }

    /// So many operations from `at` on, side by side, each with one retry 20 ms after it began.
    pub fn retried(self, n: u64, at: u64) -> Told {
        (0..n).fold(self, |told, n| {
            told.operation(&[(DOWN, at + n), (DOWN, at + n + 20)])
        })
    }

    pub fn says(&self) -> (Grade, String) {
        self.0.worst(ID)
    }

    pub fn passes(&self) -> bool {
        self.says().0 < Grade::Fail
    }
}

pub(super) fn bucket(
    initial: u32,
    cap: u32,
    earn_per_mille: u32,
    earned_by: Payer,
    refill_ms: Option<u64>,
) -> Budget {
    Budget::Bucket(BucketBudget {
        initial,
        cap,
        earn_per_mille,
        earned_by,
        refill_every: refill_ms.map(Duration::from_millis),
    })
}

pub(super) fn window(ms: u64, ratio_per_mille: u32, at_least: u32, paid_by: Payer) -> Budget {
    Budget::Window(WindowBudget {
        window: Duration::from_millis(ms),
        ratio_per_mille,
        at_least,
        paid_by,
    })
}
