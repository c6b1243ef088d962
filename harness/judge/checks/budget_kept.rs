//! Retries in all stay within the client's budget.

use std::collections::{BTreeMap, BTreeSet};

use super::attempts_capped::{counted, may_have_been_resent};
use super::budget_ledger::{Allowance, Ledger};
use super::budget_terms::Breach;
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::promise::{Budget, PolicyCan};
use crate::term::{OperationId, ProcessId};

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
        totals and by every stretch of time, in integers. In all, a bucket \
        allows its first credit, what operations or successes earn, and what is refilled in the time the trial took. A \
        window allows its floor once for each half of the window (a well-known implementation may forget so soon), and its \
        share of what pays (above a half it is judged as one, for whole payments are rounded so). A quota of tokens: what all retries take, each at the least that it may have cost, is no more than the \
        tokens and all that successes may have given back. A throttle allows fewer retries than half of its tokens, for each dependency, and \
        what successes gave back; of a client that hedges it says nothing, since what did not fail takes no token. In a stretch of time, however much was earned before it, a bucket allows its cap, a \
        quota its tokens and a throttle half of them, and what may have come in meanwhile; a stretch of half a \
        window at the most, the floor and the share of what pays within it and in the window before (and a tenth). On \
        the wire a retry may overtake the original that paid for it. So a retry counts in a stretch only where \
        it was surely decided in it: between the answer before it, where the operation's attempts came one after another \
        and that one was answered at once, else the arrival of the attempt before, or else the operation's order, and \
        its own arrival. Whatever pays counts if it may have: an operation from its order to its first call, a success \
        from the first answer that may be one until 250 ms after the report, and what was called off or ended in the \
        second half of its time may give back a retry that it never made. Whatever may have been a success is taken for \
        one. Each process has a budget of its \
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
        "hoards-credit",
        "tumbles-window",
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
        let tried = budgets.iter().map(|budget| tried(&ledger, courses, budget));
        let tried: Vec<(Allowance, Option<Breach>)> = tried.collect();
        let is_kept = tried.iter().any(|(_, breach)| breach.is_none());
        // The most generous of them is the one that may have been kept.
        let Some((allowance, breach)) = tried.into_iter().max_by_key(|(allowance, _)| allowance.retries)
        else {
            continue;
        };
        if may_use_up(case, courses, &allowance) {
            ruling.exercise_at_large();
        }
        if let Some(breach) = breach.filter(|_| !is_kept) {
            charge(case, courses, &ledger, &breach, &whose, ruling);
        }
    }
}

/// What a budget allows in all, and how it was broken: by all retries together, else by those of a stretch of time.
fn tried(ledger: &Ledger, courses: &[&Course], budget: &Budget) -> (Allowance, Option<Breach>) {
    let allowance = ledger.allowance(budget);
    let breach = match ledger.retries.len() > allowance.retries {
        true => Some(Breach {
            retries: (0..ledger.retries.len()).collect(),
            within: format!("for {}", count(courses.len() as u64, "operation")),
            allowed: allowance.retries,
            words: allowance.words.clone(),
        }),
        false => ledger.breach(budget),
    };
    (allowance, breach)
}

/// Whether so much failed that all of a budget may have been spent on it.
fn may_use_up(case: &Case, courses: &[&Course], allowance: &Allowance) -> bool {
    let failed = |course: &&Course| {
        let attempts = course.attempts.iter();
        attempts.filter(|call| case.surely_failed(call)).count()
    };
    courses.iter().map(failed).sum::<usize>() > allowance.retries
}

/// Charges the operations that share one bucket, or several that cannot be told apart.
fn charge(
    case: &Case,
    courses: &[&Course],
    ledger: &Ledger,
    breach: &Breach,
    whose: &str,
    ruling: &mut Ruling,
) {
    let retries = breach.retries.iter().filter_map(|nth| ledger.retries.get(*nth));
    let retries: Vec<&Call> = retries.map(|retry| retry.call).collect();
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    let because = format!(
        "{} made {}{whose}; the budget allows {}",
        were(retries.len() as u64),
        breach.within,
        breach.words,
    );
    let too_many = retries.iter().copied().skip(breach.allowed);
    let span = retries.last().and_then(|call| case.span_of(call));
    let mut charge = Charge::new(worth, because).shown_by(too_many).asked_at(span);
    let made_by: BTreeSet<OperationId> = retries.iter().filter_map(|call| call.head.op).collect();
    for course in courses.iter().filter(|course| made_by.contains(&course.id())) {
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
#[path = "budget_kept_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "budget_habits_tests.rs"]
mod habits_tests;
#[cfg(test)]
#[path = "budget_kinds_tests.rs"]
mod kinds_tests;
#[cfg(test)]
#[path = "budget_told.rs"]
mod told;
