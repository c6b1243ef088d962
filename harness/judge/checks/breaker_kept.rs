//! While its breaker is open a client calls nothing, and then one call tries.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::breaker_line::{Breach, Line};
use super::budget_kept::by_process;
use super::{Check, CheckResult, FAILURES, Levels};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, Level};
use crate::promise::{Breaker, PolicyCan};
use crate::term::Name;

const ID: &str = "breaker.kept";
const CITES: &[&str] = &["circuit-breaker"];

/// Of a client that promises no breaker: when it would be worth knowing that it has none.
const WOULD_HELP: Breaker = Breaker {
    failures: 20,
    open: Duration::from_secs(1),
};

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "While its breaker is open a client does not call the target, and then one call tries it.",
    requirement: "A client that promises `breaker` calls a target no more once so many calls in a row have failed, until \
        the time has passed; then it makes one call, whose success closes the breaker and whose failure opens it again. \
        Failures are whole answers 500, 502, 503 and 504. Each target of each process is judged by itself. A call is \
        blamed only if it was surely sent after its client knew of the failures: it follows from the last of them in its \
        own operation, or was asked for after the others were reported, or came 250 ms later. The time counts from \
        before the last of the failures was answered; 5 ms are tolerated. A second call is blamed that comes before the \
        one that tries is answered. Whatever leaves open how the client counts ends the judging of that target: an end \
        that is neither a success nor such a failure, a success beside failures, a connection that was refused or cut at \
        once, a redirect, a hedge. A command that is a process for each operation is not judged. The breaker that a \
        scenario hands over (`given`) binds a client whose file says `policy: given`; of any other nothing is said there. Where \
        none is promised it is noted that a process called a target within a second of twenty failures in a row.",
    cites: CITES,
    levels: Levels {
        silent: "note (calls went on after 20 failures in a row)",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &FAILURES,
    mutants: &["ignores-breaker", "crowds-probe"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    if let Some(kept) = kept(case).filter(|_| !case.promises.hedges) {
        let processes = by_process(case, &courses);
        // Evidence that names one process only may tell of several by their ends.
        let named = processes.len() > 1 || !case.evidence.restarts.is_empty();
        let apart = named || case.evidence.client.ends.len() <= 1;
        for courses in processes.values().filter(|_| apart) {
            for point in points(courses) {
                judge_point(case, kept, courses, &point, &mut ruling);
            }
        }
    }
    ruling.finish(Level::Promised, |_| {
        "nothing was called while the breaker was open, and one call tried".to_owned()
    })
}

/// The breaker that a client is looked at with.
#[derive(Debug, Clone, Copy)]
struct Kept<'c> {
    breaker: &'c Breaker,
    promised: bool,
}

fn kept<'c>(case: &'c Case) -> Option<Kept<'c>> {
    let given = case.trial.given.as_ref().and_then(|g| g.breaker.as_ref());
    let held = match (case.can.policy, given) {
        (PolicyCan::Given, Some(given)) => Some(given),
        // It may take what is handed over, or keep to its own.
        (PolicyCan::Own, Some(_)) => return None,
        (_, None) => case.promises.breaker.as_ref(),
    };
    // Who follows what is handed over is not to have what that leaves out.
    if held.is_none() && case.trial.given.is_some() && case.can.policy == PolicyCan::Given {
        return None;
    }
    Some(Kept {
        breaker: held.unwrap_or(&WOULD_HELP),
        promised: held.is_some(),
    })
}

/// The targets of some operations of which every failure leaves a call.
fn points(courses: &[&Course]) -> BTreeSet<Name> {
    let targets = courses.iter().flat_map(|course| &course.planned.request().to);
    targets.cloned().collect()
}

fn judge_point(case: &Case, kept: Kept, courses: &[&Course], point: &Name, ruling: &mut Ruling) {
    let refused = case.evidence.gates.iter().any(|(at, ..)| at == point);
    let cut = case.evidence.accept_cuts.iter().any(|cut| cut.point == *point);
    let others = courses.iter().any(|c| c.calls.len() != c.attempts.len());
    if refused || cut || others {
        return;
    }
    let by_op: BTreeMap<_, _> = courses.iter().map(|course| (course.id(), *course)).collect();
    let mut calls: Vec<_> = courses
        .iter()
        .flat_map(|course| course.attempts_at(point))
        .collect();
    calls.sort_by_key(|call| (call.at(), call.id()));
    let mut line = Line::new(case, kept.breaker, by_op);
    for call in calls {
        if let Some(breach) = line.next(call) {
            charge(case, kept, &line, &breach, ruling);
            // One call tells who has no breaker as well as a thousand.
            if !kept.promised && matches!(breach, Breach::Open { .. }) {
                return;
            }
        }
    }
    if line.opened && kept.promised {
        ruling.exercise_at_large();
    }
}

fn charge(case: &Case, kept: Kept, line: &Line, breach: &Breach, ruling: &mut Ruling) {
    let worth = match kept.promised && !case.promises.opted_out(ID) {
        true => Worth::BROKEN_PROMISE,
        false => Worth::note(Level::Promised),
    };
    let (call, because) = match breach {
        Breach::Open { call, after, .. } => (
            *call,
            format!(
                "{} came {} after {} in a row{}",
                call.id(),
                time(*after),
                count(u64::from(kept.breaker.failures), "failure"),
                promise(kept),
            ),
        ),
        // Who has no breaker tries nothing.
        Breach::Crowd { .. } if !kept.promised => return,
        Breach::Crowd { call, probe } => (
            *call,
            format!(
                "{} came while {} tried whether the target had recovered; the client promises one call at a time for that",
                call.id(),
                probe.id(),
            ),
        ),
    };
    let mut charge = Charge::new(worth, because).asked_at(case.span_of(call));
    charge = match breach {
        Breach::Open { by, call, .. } => charge.shown_by(by.iter().copied().chain([*call])),
        Breach::Crowd { call, probe } => charge.shown_by([*probe, *call]),
    };
    if let Some(course) = line.course(call) {
        charge = charge.about(course);
    }
    ruling.charge_unless_late(case, charge);
}

fn promise(kept: Kept) -> String {
    match kept.promised {
        true => format!(
            "; the client promises to call nothing for {}",
            time(kept.breaker.open)
        ),
        false => ": no breaker is seen, and none is promised".to_owned(),
    }
}

#[cfg(test)]
#[path = "breaker_kept_tests.rs"]
mod tests;
