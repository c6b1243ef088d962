//! A wait asked for in seconds is waited for.

use super::pushed_back::{self, Form, Request};
use super::{Check, CheckResult, Levels};
use crate::judge::ruling::{Charge, Ruling};
use crate::judge::wording::{answer, cited, count, time};
use crate::judge::{Case, Course, FaultClass, Level};

const ID: &str = "pushback.honoured";
const CITES: &[&str] = &["rfc9110-10.2.3", "rfc9110-15.6.4", "rfc6585-4"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "No call comes before the wait is over that the server asked for in seconds.",
    requirement: "When an answer carries Retry-After with a number of seconds, the client ought to wait at least as \
        long before it calls the same dependency again for the same operation. The wait counts from before the \
        answer's first byte was handed over; 5 ms are tolerated. Waiting, stopping and turning to another dependency \
        are all right. A call that a hedge, an attempt timer or another call in flight may explain is left unjudged. \
        The conduct counts as shown where a control without the header came sooner, or where no call followed.",
    cites: CITES,
    levels: Levels {
        silent: "warn for 503 and 3xx, note for other statuses",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Pushback],
    mutants: &["early-retry"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let courses = case.courses();
    let mut ruling = Ruling::new(ID, CITES);
    for course in &courses {
        for request in pushed_back::requests(case, course) {
            if request.form == Form::Seconds && !pushed_back::is_long(case, course, &request) {
                judge_request(case, &courses, course, &request, &mut ruling);
            }
        }
    }
    ruling.finish(Level::Normative, |ops| {
        format!(
            "no call came before the wait was over that the server had asked of {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_request(case: &Case, courses: &[Course], course: &Course, request: &Request, ruling: &mut Ruling) {
    let asked = request.call;
    if let Some(early) = course.early(case, asked, request.wait) {
        ruling.exercise(course);
        let gap = time(early.at().since(asked.answer_began.unwrap_or_default()));
        let because = format!(
            "{} came {gap} after {}; the server had asked for {}{}",
            early.id(),
            answer(asked),
            time(request.wait),
            cited(CITES[0]),
        );
        let worth = pushed_back::worth_of_early(case, ID, request);
        ruling.charge(
            Charge::new(worth, because)
                .about(course)
                .shown_by([asked, early])
                .asked_at(case.span_of(asked)),
        );
        return;
    }
    let shown = match course.next_at(asked) {
        None => pushed_back::ended(case, course),
        Some(_) => {
            pushed_back::control_gap(case, courses, course, asked).is_some_and(|gap| gap < request.wait)
        }
    };
    if shown {
        ruling.exercise(course);
    }
}
