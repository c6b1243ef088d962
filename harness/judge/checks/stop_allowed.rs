//! The reported stop reason is one that can be true.

use super::stop_conditions::impossible;
use super::{Check, CheckResult, Levels};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::StopReason;

const ID: &str = "stop.allowed";
const CITES: &[&str] = &[];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The stop reason that the client reports is one whose condition holds.",
    requirement: "A client may test its cap, budget, deadline and safety in any order, so every reason whose condition \
        holds is right; a POST with one attempt and a 503 may end as unsafe, attempt_cap or terminal. A reason is \
        wrong only where its condition cannot hold: ok without a success answer, attempt_cap with attempts left, \
        deadline where none was passed or far more than a wait had room, pushback where no wait was asked for, \
        terminal at a failure that the client promises to repeat with attempts left, and so on. A client that \
        reports no reason is not judged.",
    cites: CITES,
    levels: Levels {
        silent: "skipped where no reason is reported",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Permanent,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Closing,
        FaultClass::Garbled,
        FaultClass::Refused,
        FaultClass::Slow,
    ],
    mutants: &["wrong-stop"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let courses = case.courses();
    let mut ruling = Ruling::new(ID, CITES);
    for course in &courses {
        judge_operation(case, &courses, course, &mut ruling);
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "the stop reasons of {} can be true",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, courses: &[Course], course: &Course, ruling: &mut Ruling) {
    let Some((_, outcome)) = course.outcome() else {
        return;
    };
    if outcome.stop == StopReason::Unreported {
        return;
    }
    if case.met_a_fault(course) {
        ruling.exercise(course);
    }
    let Some(why) = impossible(case, courses, course, outcome.stop) else {
        return;
    };
    let possible = StopReason::ALL.into_iter().filter(|reason| {
        *reason != StopReason::Unreported && impossible(case, courses, course, *reason).is_none()
    });
    let possible: Vec<String> = possible.map(|reason| format!("`{reason}`")).collect();
    let instead = match possible.is_empty() {
        true => String::new(),
        false => format!("; possible here: {}", possible.join(", ")),
    };
    let because = format!(
        "{} was reported as ended by `{}`, but {why}{instead}",
        course.id(),
        outcome.stop
    );
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    let last = course.calls.last().copied();
    let charge = Charge::new(worth, because)
        .about(course)
        .shown_by(last)
        .asked_at(last.and_then(|c| case.span_of(c)));
    ruling.charge_unless_late(case, charge);
}
