//! Breakers: a client that keeps to its own is never blamed, whatever it does with late answers.

use std::collections::BTreeMap;
use std::time::Duration;

use proptest::prelude::*;

use super::cases;
use crate::evidence::Fact;
use crate::judge::evidence_builder::{AT_ONCE_MS, Story, Written, answered};
use crate::promise::Breaker;
use crate::term::{Claim, OperationId, ProcessId, Stamp, StopReason};

/// One operation of one attempt.
#[derive(Debug, Clone)]
struct One {
    start: u64,
    takes: u64,
    fails: bool,
    /// How long the client takes to see the answer.
    sees: u64,
}

fn one() -> impl Strategy<Value = One> {
    let fails = prop::bool::weighted(0.8);
    (0..6_000u64, prop_oneof![Just(0), 0..900u64], fails, 0..200u64).prop_map(
        |(start, takes, fails, sees)| One {
            start,
            takes,
            fails,
            sees,
        },
    )
}

/// A breaker by the book.
struct Book {
    failures: u32,
    open: u64,
    failed: u32,
    open_until: Option<u64>,
    probe: Option<usize>,
    /// Whether a success of a call from before it opened closes it.
    trusting: bool,
}

impl Book {
    fn admits(&mut self, nth: usize, now: u64) -> bool {
        match (self.probe, self.open_until) {
            (Some(_), _) => false,
            (None, Some(until)) if now < until => false,
            (None, Some(_)) => {
                self.probe = Some(nth);
                true
            }
            (None, None) => true,
        }
    }

    fn sees(&mut self, nth: usize, fails: bool, now: u64) {
        let is_probe = self.probe == Some(nth);
        let open = self.open_until.is_some();
        match (fails, is_probe, open) {
            (true, true, _) => (self.probe, self.open_until) = (None, Some(now + self.open)),
            (true, false, true) => {}
            (true, false, false) => {
                self.failed += 1;
                self.open_until = (self.failed >= self.failures).then_some(now + self.open);
            }
            (false, false, true) if !self.trusting => {}
            (false, ..) => (self.failed, self.open_until, self.probe) = (0, None, None),
        }
    }
}

/// What the client did: operations in order of their start, and which of them it called.
fn played(all: &mut [One], book: &mut Book) -> Vec<bool> {
    all.sort_by_key(|one| one.start);
    let mut pending: BTreeMap<(u64, usize), bool> = BTreeMap::new();
    let mut called = Vec::new();
    for (nth, one) in all.iter().enumerate() {
        while let Some(((at, seen), fails)) = pending.first_key_value().map(|(k, v)| (*k, *v)) {
            if at > one.start {
                break;
            }
            pending.pop_first();
            book.sees(seen, fails, at);
        }
        let admitted = book.admits(nth, one.start);
        called.push(admitted);
        if admitted {
            let sees = one.start + AT_ONCE_MS + one.takes + one.sees;
            pending.insert((sees, nth), one.fails);
        }
    }
    called
}

proptest! {
    #![proptest_config(cases())]

    #[test]
    fn a_breaker_that_is_kept_is_never_blamed(
        mut all in prop::collection::vec(one(), 1..40),
        failures in 1..5u32,
        open in 1..2_500u64,
        trusting in any::<bool>(),
    ) {
        let mut book = Book { failures, open, failed: 0, open_until: None, probe: None, trusting };
        let called = played(&mut all, &mut book);
        let turn = |one: &One| answered(if one.fails { 503 } else { 200 }).taking_ms(one.takes);
        let mut story = Story::of(all.iter().map(turn).collect());
        let open = Duration::from_millis(open);
        story = story.promising(|p| p.breaker = Some(Breaker { failures, open }));
        for (nth, one) in all.iter().enumerate() {
            let op = nth as u32 + 1;
            story = if op > 1 { story.operation("GET", "/", "quota") } else { story };
            let asked = Fact::Asked { op: OperationId(op), at: Stamp::from_ms(one.start), deadline_ms: None, key: None, process: ProcessId::FIRST };
            story = story.and(asked);
            story = match called[nth] {
                false => story.reported_of(op, one.start, Claim::Failed, StopReason::CircuitOpen),
                true => {
                    let ended = one.start + AT_ONCE_MS + one.takes + one.sees;
                    let claim = if one.fails { Claim::Failed } else { Claim::Ok };
                    story.call_of(op, nth, one.start).reported_of(op, ended, claim, StopReason::Unreported)
                }
            };
        }
        let result = story.check("breaker.kept");
        let blamed = result.findings.iter().any(|f| f.grade > crate::judge::Grade::Note);
        prop_assert!(!blamed, "{:#?}", result.findings);
    }
}
