//! Totals.

use super::*;
use crate::evidence::{ClientEnd, Fact};
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, answered};
use crate::term::{Claim, Stamp, StopReason};

/// So many operations, each with so many calls; two retries to begin with, and a tenth for each operation.
fn story(operations: u32, calls: u64) -> Story {
    let mut story = Story::of(vec![answered(503)]);
    for _ in 1..operations {
        story = story.operation("GET", "/", "quota");
    }
    for op in 1..=operations {
        let at = u64::from(op) * 1_000;
        story = (0..calls).fold(story, |s, n| s.call_of(op, 0, at + n * 10));
        story = story.reported_of(op, at + 900, Claim::Failed, StopReason::Unreported);
    }
    story.promising(|p| p.budget = Some(Budget::bucket(2, 4, 100)))
}

#[test]
fn spending_all_of_it_passes_and_one_more_fails() {
    let kept = story(10, 1)
        .call_of(1, 0, 20_000)
        .call_of(2, 0, 20_000)
        .call_of(3, 0, 20_000);
    assert_eq!(kept.check(ID).findings[0].grade, Grade::Pass);
    let (grade, because) = kept.call_of(4, 0, 20_000).worst(ID);
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "4 retries were made for 10 operations; the budget allows 3"
    );
}

#[test]
fn each_process_has_a_bucket_of_its_own() {
    let ended = |at| Fact::ClientEnded {
        at: Stamp::from_ms(at),
        how: ClientEnd::Exited(22),
    };
    let spent = story(3, 3);
    assert_eq!(spent.worst(ID).0, Grade::Fail);
    let apart = (1..=3).fold(spent, |story, at| story.and(ended(at * 1_000 + 950)));
    assert_eq!(apart.worst(ID).0, Grade::Pass);
}

#[test]
fn each_client_of_a_fleet_has_a_bucket_of_its_own() {
    let fleet = |retries| {
        let mut story = story(4, 1);
        for (op, process) in (1..=4).zip([1, 2, 1, 2]) {
            story = story.and(Fact::Asked {
                op: OperationId(op),
                at: Stamp::ZERO,
                deadline_ms: None,
                key: None,
                process: ProcessId(process),
            });
        }
        (0..retries).fold(story, |story, n| story.call_of(1, 0, 20_000 + n * 10))
    };
    assert_eq!(fleet(2).check(ID).findings[0].grade, Grade::Pass);
    let (grade, because) = fleet(3).worst(ID);
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "3 retries were made for 2 operations of process 1; the budget allows 2"
    );
}

#[test]
fn without_a_promise_many_retries_are_noted() {
    let silent = |operations, calls| story(operations, calls).promising(|p| p.budget = None);
    assert_eq!(silent(5, 4).worst(ID).0, Grade::Pass);
    assert_eq!(silent(20, 2).worst(ID).0, Grade::Pass);
    assert_eq!(silent(20, 4).worst(ID).0, Grade::Note);
}

#[test]
fn a_late_harness_accuses_nobody() {
    assert!(story(3, 3).late_by_ms(60).check(ID).withheld);
}
