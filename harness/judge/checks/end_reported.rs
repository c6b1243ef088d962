//! Every operation that was asked is tried, and its caller is told what became of it.

use super::{Check, CheckResult, Levels};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::time;
use crate::judge::{Case, Course, Grade, Level};

const ID: &str = "end.reported";
const CITES: &[&str] = &[];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "Every operation that is asked is tried, and its end is told.",
    requirement: "A caller that is told nothing waits for ever. An operation is silent where it was waited for to the end \
        although nothing was left to wait for: all its calls were over, and the last was a whole success or the last \
        attempt that the client promises. One that is waited for while a wait, an answer or a connection is \
        outstanding, or its own backoff may run, is only noted. An operation that is reported as failed without a \
        call was not tried: refused connections, cuts at accept, a kept connection that may have been closing, calls \
        that could not be attributed, an open breaker, a budget, a pending pushback, a deadline and a cancellation \
        explain that. Who says that it could not run an operation must not have called. A trial in which an \
        operation was silent, was not tried, or was not asked because another had no end, is inconclusive where \
        nothing worse is found.",
    cites: CITES,
    levels: Levels {
        silent: "warn; fail for could_not_run after a call",
        promised: "fail (`prompt`, for silence)",
        opted_out: "note",
    },
    bears_on: &[],
    mutants: &["keeps-silent", "excuses-itself"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        if let Some((worth, because)) = told(case, course) {
            let worth = match case.promises.opted_out(ID) {
                true => Worth::note(worth.level),
                false => worth,
            };
            let last = course.calls.last().copied();
            // Operations that were waited for in vain are told together, whichever turn each was last answered by.
            let span = last
                .filter(|_| worth.grade > Grade::Note)
                .and_then(|c| case.span_of(c));
            ruling.charge(
                Charge::new(worth, because)
                    .about(course)
                    .shown_by(last)
                    .asked_at(span),
            );
        }
    }
    ruling.finish(Level::Integrity, |_| String::new())
}

fn told(case: &Case, course: &Course) -> Option<(Worth, String)> {
    let op = course.id();
    let warned = Worth {
        level: Level::Integrity,
        grade: Grade::Warn,
    };
    if course.ran_all_the_same() {
        let said = course.record.could_not_run.as_deref().unwrap_or_default();
        let calls = crate::judge::wording::count(course.calls.len() as u64, "call");
        return Some((
            Worth::UNTRUE,
            format!("the client said that it could not run {op} (\"{said}\"), and had made {calls}"),
        ));
    }
    if course.failed_untried(case) {
        let because = format!("{op} was reported as failed without a call, and nothing explains that");
        return Some((warned, because));
    }
    let until = course.record.no_result.filter(|_| course.outcome().is_none())?;
    let waited = time(until.since(course.record.asked.unwrap_or_default()));
    let Some(last) = course.silent_since(case) else {
        let because = format!("{op} had no end after {waited}, and was not waited for any longer");
        return Some((Worth::note(Level::Integrity), because));
    };
    let worth = match case.promises.prompt {
        true => Worth::BROKEN_PROMISE,
        false => warned,
    };
    let ended = last.answer_ended.unwrap_or(last.at());
    let because = format!(
        "nothing was said of {op} for {} after {}, its last call, was answered; nothing was left to wait for",
        time(until.since(ended)),
        last.id(),
    );
    Some((worth, because))
}

#[cfg(test)]
#[path = "end_reported_tests.rs"]
mod tests;
