//! Retries in all stay within the client's budget.

use std::collections::BTreeMap;

use super::attempts_capped::{counted, may_have_been_resent};
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::promise::PolicyCan;
use crate::term::ProcessId;

const ID: &str = "budget.kept";
const CITES: &[&str] = &["sre-retry-budget", "sre-cascading"];

/// What one retry costs, in thousandths.
const RETRY: u64 = 1000;

/// With so many operations, more retries than originals are worth a note where no budget is promised.
const MANY_OPERATIONS: u64 = 20;

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "Retries in all stay within the budget that the client promises.",
    requirement: "A budget lets all operations of a process together make only so many retries: its first credit, and \
        what each operation earns. It is judged by its totals only, in integers, since on the wire a retry may overtake \
        the original that paid for it; each process has a bucket of its own, and is judged by itself, so that a command \
        that is started once for each operation has as many buckets as operations. Redirects, side calls, repeats that an answer foresees, and \
        what a transport may have sent again on a kept connection are no retries. The budget that a scenario hands \
        over (`given`) binds a client whose file says `policy: given`; any other may take it or keep to its own. \
        Refused connections leave no trace, so the count is a lower bound.",
    cites: CITES,
    levels: Levels {
        silent: "note, where 20 operations or more cost twice as many calls",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Garbled,
        FaultClass::Slow,
    ],
    mutants: &["overspends-budget"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    let retries: Vec<&Call> = courses.iter().flat_map(|course| retries(case, course)).collect();
    match budget(case) {
        Some(budget) => judge_promised(case, budget, &courses, &mut ruling),
        None => note_many(case, &courses, &retries, &mut ruling),
    }
    ruling.finish(Level::Promised, |_| {
        format!("{} made in all, within the budget", were(retries.len() as u64))
    })
}

/// The calls of an operation that are certainly retries of the client's own.
fn retries<'a>(case: &Case, course: &Course<'a>) -> Vec<&'a Call> {
    let counted = counted(case, course);
    let own = counted
        .into_iter()
        .filter(|call| !may_have_been_resent(case, call));
    own.skip(1).collect()
}

/// A bucket, in thousandths of a retry.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    first: u64,
    earn: u64,
}

impl Bucket {
    fn new(initial: u32, cap: u32, earn_per_mille: u32) -> Self {
        Bucket {
            first: u64::from(initial.min(cap)) * RETRY,
            earn: u64::from(earn_per_mille),
        }
    }

    /// The most retries that so many buckets allow, shared by so many operations.
    fn allows(self, buckets: u64, operations: u64) -> u64 {
        (self.first * buckets + self.earn * operations) / RETRY
    }

    fn or_larger(self, other: Bucket) -> Self {
        Bucket {
            first: self.first.max(other.first),
            earn: self.earn.max(other.earn),
        }
    }
}

/// The bucket of each process; `None` where no budget is promised.
fn budget(case: &Case) -> Option<Bucket> {
    let given = case.trial.given.as_ref().and_then(|g| g.budget.as_ref());
    let given = given.map(|b| Bucket::new(b.initial, b.cap, b.earn_per_mille));
    let promised = case.promises.budget.as_ref();
    let promised = promised.map(|b| Bucket::new(b.initial, b.cap, b.earn_per_mille));
    match (case.can.policy, given, promised) {
        (PolicyCan::Given, Some(given), _) => Some(given),
        (PolicyCan::Own, Some(given), Some(promised)) => Some(promised.or_larger(given)),
        (PolicyCan::Own, Some(_), None) => None,
        (_, None, promised) => promised,
    }
}

/// The operations of each process.
fn by_process<'c, 'a>(case: &Case, courses: &'c [Course<'a>]) -> BTreeMap<ProcessId, Vec<&'c Course<'a>>> {
    let mut processes: BTreeMap<ProcessId, Vec<&Course>> = BTreeMap::new();
    for course in courses {
        let operation = case.evidence.operations.get(&course.id());
        let process = operation.map_or(ProcessId::FIRST, |o| o.process);
        processes.entry(process).or_default().push(course);
    }
    processes
}

fn judge_promised(case: &Case, bucket: Bucket, courses: &[Course], ruling: &mut Ruling) {
    let processes = by_process(case, courses);
    // Evidence that names one process only may tell of several by their ends.
    let buckets = match processes.len() {
        1 => (case.evidence.client.ends.len() as u64).max(1),
        _ => 1,
    };
    for (process, courses) in &processes {
        let allowance = bucket.allows(buckets, courses.len() as u64);
        let whose = match processes.len() {
            1 => String::new(),
            _ => format!(" of {process}"),
        };
        judge_process(case, courses, allowance, &whose, ruling);
    }
}

/// Judges the operations that share one bucket, or several that cannot be told apart.
fn judge_process(case: &Case, courses: &[&Course], allowance: u64, whose: &str, ruling: &mut Ruling) {
    let failed = |course: &&Course| {
        let attempts = course.attempts.iter();
        attempts.filter(|call| case.surely_failed(call)).count()
    };
    if courses.iter().map(failed).sum::<usize>() as u64 > allowance {
        ruling.exercise_at_large();
    }
    let retries: Vec<&Call> = courses.iter().flat_map(|course| retries(case, course)).collect();
    let made = retries.len() as u64;
    if made <= allowance {
        return;
    }
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    let because = format!(
        "{} made for {}{whose}; the budget allows {allowance}",
        were(made),
        count(courses.len() as u64, "operation"),
    );
    let too_many = retries
        .iter()
        .copied()
        .skip(usize::try_from(allowance).unwrap_or(usize::MAX));
    let span = retries.last().and_then(|call| case.span_of(call));
    let mut charge = Charge::new(worth, because).shown_by(too_many).asked_at(span);
    for course in courses.iter().filter(|course| course.attempts.len() > 1) {
        charge = charge.about(course);
    }
    ruling.charge_unless_late(case, charge);
}

/// So many retries, with their verb.
fn were(retries: u64) -> String {
    match retries {
        1 => "1 retry was".to_owned(),
        n => format!("{n} retries were"),
    }
}

fn note_many(case: &Case, courses: &[Course], retries: &[&Call], ruling: &mut Ruling) {
    let (made, operations) = (retries.len() as u64, courses.len() as u64);
    if operations < MANY_OPERATIONS || made <= operations {
        return;
    }
    let because =
        format!("{made} retries were made for {operations} operations; the client promises no budget");
    let span = retries.last().and_then(|call| case.span_of(call));
    ruling.charge(Charge::new(Worth::note(Level::Promised), because).asked_at(span));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{ClientEnd, Fact};
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, answered};
    use crate::promise::BudgetPromise;
    use crate::term::{Claim, OperationId, Stamp, StopReason};

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
        story.promising(|p| {
            p.budget = Some(BudgetPromise {
                initial: 2,
                cap: 4,
                earn_per_mille: 100,
            });
        })
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
}
