//! Retries in all stay within the client's budget.

use super::attempts_capped::{counted, may_have_been_resent};
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::promise::PolicyCan;

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
        the original that paid for it; each process has a bucket of its own, so that a command that is started once for \
        each operation has as many buckets as operations. Redirects, side calls, repeats that an answer foresees, and \
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
    match allowance(case, courses.len() as u64) {
        Some(allowance) => judge_promised(case, &courses, &retries, allowance, &mut ruling),
        None => note_many(case, &courses, &retries, &mut ruling),
    }
    ruling.finish(Level::Promised, |_| {
        format!(
            "{} were made in all, within the budget",
            count(retries.len() as u64, "retry").replace("retrys", "retries")
        )
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

/// The most retries that the budget allows in this trial; `None` where no budget is promised.
fn allowance(case: &Case, operations: u64) -> Option<u64> {
    let processes = (case.evidence.client.ends.len() as u64).max(clients(case)).max(1);
    let of = |initial: u32, cap: u32, earn: u32| {
        let first = u64::from(initial.min(cap)) * RETRY * processes;
        (first + u64::from(earn) * operations) / RETRY
    };
    let given = case.trial.given.as_ref().and_then(|g| g.budget.as_ref());
    let given = given.map(|b| of(b.initial, b.cap, b.earn_per_mille));
    let promised = case.promises.budget.as_ref();
    let promised = promised.map(|b| of(b.initial, b.cap, b.earn_per_mille));
    match (case.can.policy, given, promised) {
        (PolicyCan::Given, Some(given), _) => Some(given),
        (PolicyCan::Own, Some(given), Some(promised)) => Some(promised.max(given)),
        (PolicyCan::Own, Some(_), None) => None,
        (_, None, promised) => promised,
    }
}

/// The most client processes that a group of operations is shared by.
fn clients(case: &Case) -> u64 {
    let groups = case.trial.operations.iter();
    groups.map(|group| u64::from(group.clients)).max().unwrap_or(1)
}

fn judge_promised(case: &Case, courses: &[Course], retries: &[&Call], allowance: u64, ruling: &mut Ruling) {
    let of = |course: &Course| {
        course
            .attempts
            .iter()
            .filter(|call| case.surely_failed(call))
            .count()
    };
    let failures = courses.iter().map(of).sum::<usize>() as u64;
    if failures > allowance {
        ruling.exercise_at_large();
    }
    let made = retries.len() as u64;
    if made <= allowance {
        return;
    }
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    let because = format!(
        "{made} retries were made for {}; the budget allows {allowance}",
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
