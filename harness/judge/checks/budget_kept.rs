//! Retries in all stay within the client's budget.

use std::collections::BTreeMap;

use super::attempts_capped::{counted, may_have_been_resent};
use super::budget_ledger::{Allowance, Ledger};
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::promise::{Budget, PolicyCan};
use crate::term::ProcessId;

const ID: &str = "budget.kept";
const CITES: &[&str] = &[
    "sre-retry-budget",
    "sre-cascading",
    "aws-retry-behavior",
    "aws-retry-update",
    "finagle-retry-budget",
    "grpc-a6",
];

/// With so many operations, more retries than originals are worth a note where no budget is promised.
const MANY_OPERATIONS: u64 = 20;

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "Retries in all stay within the budget that the client promises.",
    requirement: "A budget lets all operations of a process together make only so many retries. It is judged by its \
        totals only, in integers, since on the wire a retry may overtake the original that paid for it. A bucket \
        allows its first credit, what operations or successes earn, and what is refilled in the time the trial took. A \
        window allows its floor once for each nine tenths of the window (some implementations forget in tenths), and its \
        share of what pays. A quota of tokens: what all retries take, each at the least that it may have cost, is no more than the \
        tokens and all that successes may have given back. A throttle allows fewer retries than half of its tokens and \
        what successes gave back. Whatever may have been a success is taken for one. Each process has a budget of its \
        own, and is judged by itself, so that a command that is started once for each operation has as many as \
        operations, and a client that is started anew begins with a full one. Redirects, side calls, repeats that an answer foresees, and what a transport may have sent again on \
        a kept connection are no retries. The budget that a scenario hands over (`given`) binds a client whose file \
        says `policy: given`; any other may take it or keep to its own. Refused connections leave no trace, so the count \
        is a lower bound.",
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
    mutants: &[
        "overspends-budget",
        "retries-earn",
        "starts-full",
        "refunds-failures",
    ],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    let retries: Vec<&Call> = courses.iter().flat_map(|course| retries(case, course)).collect();
    let budgets = budgets(case);
    match budgets.is_empty() {
        false => judge_promised(case, &budgets, &courses, &mut ruling),
        true => note_many(case, &courses, &retries, &mut ruling),
    }
    ruling.finish(Level::Promised, |_| {
        format!("{} made in all, within the budget", were(retries.len() as u64))
    })
}

/// The calls of an operation that are certainly retries of the client's own.
pub(super) fn retries<'a>(case: &Case, course: &Course<'a>) -> Vec<&'a Call> {
    let counted = counted(case, course);
    let own = counted
        .into_iter()
        .filter(|call| !may_have_been_resent(case, call));
    own.skip(1).collect()
}

/// The budgets of each process, of which one has to be kept; none where none is promised.
fn budgets<'c>(case: &'c Case) -> Vec<&'c Budget> {
    let given = case.trial.given.as_ref().and_then(|g| g.budget.as_ref());
    let promised = case.promises.budget.as_ref();
    match (case.can.policy, given, promised) {
        (PolicyCan::Given, Some(given), _) => vec![given],
        // It may take what is handed over, or keep to its own.
        (PolicyCan::Own, Some(given), Some(promised)) => vec![promised, given],
        (PolicyCan::Own, Some(_), None) => Vec::new(),
        (_, None, promised) => promised.into_iter().collect(),
    }
}

/// The operations of each process.
pub(super) fn by_process<'c, 'a>(
    case: &Case,
    courses: &'c [Course<'a>],
) -> BTreeMap<ProcessId, Vec<&'c Course<'a>>> {
    let mut processes: BTreeMap<ProcessId, Vec<&Course>> = BTreeMap::new();
    for course in courses {
        let operation = case.evidence.operations.get(&course.id());
        let process = operation.map_or(ProcessId::FIRST, |o| o.process);
        processes.entry(process).or_default().push(course);
    }
    processes
}

/// The calls that one process may make for so many operations, were all of them its own; `None` where no budget is
/// promised.
pub fn one_process_may(case: &Case, courses: &[Course]) -> Option<u64> {
    let ledger = Ledger::of(case, &courses.iter().collect::<Vec<_>>(), 1);
    let budgets = budgets(case);
    let allowances = budgets
        .iter()
        .map(|budget| ledger.allowance(budget).retries as u64);
    Some(courses.len() as u64 + allowances.max()?)
}

fn judge_promised(case: &Case, budgets: &[&Budget], courses: &[Course], ruling: &mut Ruling) {
    let processes = by_process(case, courses);
    // Evidence that names one process only may tell of several by their ends.
    let buckets = match processes.len() {
        1 if case.evidence.restarts.is_empty() => (case.evidence.client.ends.len() as u64).max(1),
        _ => 1,
    };
    for (process, courses) in &processes {
        let whose = match processes.len() {
            1 => String::new(),
            _ => format!(" of {process}"),
        };
        let ledger = Ledger::of(case, courses, buckets);
        // The most generous of them is the one that may have been kept.
        let allowances = budgets.iter().map(|budget| ledger.allowance(budget));
        if let Some(allowance) = allowances.max_by_key(|allowance| allowance.retries) {
            judge_process(case, courses, &ledger, &allowance, &whose, ruling);
        }
    }
}

/// Judges the operations that share one bucket, or several that cannot be told apart.
fn judge_process(
    case: &Case,
    courses: &[&Course],
    ledger: &Ledger,
    allowance: &Allowance,
    whose: &str,
    ruling: &mut Ruling,
) {
    let failed = |course: &&Course| {
        let attempts = course.attempts.iter();
        attempts.filter(|call| case.surely_failed(call)).count()
    };
    if courses.iter().map(failed).sum::<usize>() > allowance.retries {
        ruling.exercise_at_large();
    }
    let retries: Vec<&Call> = ledger.retries.iter().map(|retry| retry.call).collect();
    if retries.len() <= allowance.retries {
        return;
    }
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    let because = format!(
        "{} made for {}{whose}; the budget allows {}",
        were(retries.len() as u64),
        count(courses.len() as u64, "operation"),
        allowance.words,
    );
    let too_many = retries.iter().copied().skip(allowance.retries);
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
}
