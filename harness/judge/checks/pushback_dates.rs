//! A wait asked for by a date is waited for, in each written form and every time zone.

use std::time::Duration;

use super::pushed_back::{self, Form, Request};
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::{EARLY_TOLERANCE, far_beyond};
use crate::judge::wording::{answer, cited, count, time};
use crate::judge::{Case, Course, FaultClass, Grade, Level};
use crate::scenario::{DateForm, Pushback};
use crate::term::{Stamp, StopReason};

const ID: &str = "pushback.dates";
const CITES: &[&str] = &["rfc9110-5.6.7", "rfc9110-10.2.3"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "A wait asked for by an HTTP-date is waited for, in all three written forms and every time zone.",
    requirement: "Retry-After may be an HTTP-date. Whoever parses timestamps must accept all three forms and read \
        them as UTC, so a client that honours one form in a trial must not misread another. The date is the wait \
        rounded up to a whole second: a call before the wait was over is early, a call between the wait and the date \
        is noted as rounded down. A client that stops although the wait fits, or that still waits when its deadline \
        and far more than its own backoff have gone by, has misread the date too. The conduct counts as shown only \
        where a control without the header was tried again sooner.",
    cites: CITES,
    levels: Levels {
        silent: "fail for a form that is misread while another is honoured in the same trial, else note",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Date],
    mutants: &["ignores-dates", "local-dates"],
    judge,
};

/// What a client made of one date.
enum Made<'a> {
    /// It waited, and a control shows that it would not have waited so long anyway.
    Honoured,
    /// It made no further call, or one that a control does not tell from its own backoff.
    Nothing,
    /// It called before the wait was over.
    Early(&'a Call),
    /// It called after the wait and before the date.
    RoundedDown(&'a Call, Stamp),
    /// It took the date for one far ahead; a clause says how that shows.
    TooFar(String),
}

/// One answer with a date, and what the client made of it.
struct Dated<'a> {
    course: &'a Course<'a>,
    request: Request<'a>,
    form: DateForm,
    /// The longest gap of its controls.
    control: Option<Duration>,
    made: Made<'a>,
}

impl Dated<'_> {
    fn is_honoured(&self) -> bool {
        let controlled = self.control.is_some_and(|gap| gap < self.request.wait);
        controlled && matches!(self.made, Made::Honoured | Made::RoundedDown(..))
    }
}

fn judge(case: &Case) -> CheckResult {
    let courses = case.courses();
    let dates: Vec<Dated> = courses
        .iter()
        .flat_map(|course| dated(case, &courses, course))
        .collect();
    let mut ruling = Ruling::new(ID, CITES);
    for date in &dates {
        let worth = worth(case, date, &dates);
        judge_date(case, date, worth, &mut ruling);
    }
    ruling.finish(Level::Normative, |ops| {
        format!(
            "the dates in the answers to {} were read right",
            count(ops.len() as u64, "operation")
        )
    })
}

fn dated<'a>(case: &Case<'a>, courses: &'a [Course<'a>], course: &'a Course<'a>) -> Vec<Dated<'a>> {
    let attempts = course
        .attempts
        .iter()
        .copied()
        .filter(|call| case.certainly_read(call));
    let one = |call: &'a Call| {
        let Some(Pushback::Date { form, .. }) = case.pushback_of(call) else {
            return None;
        };
        let request = Request {
            call,
            wait: case.wait_asked(call).unwrap_or_default(),
            form: Form::Date,
            status: case.status_of(call)?,
        };
        let control = pushed_back::control_gap(case, courses, course, call);
        let long = pushed_back::is_long(case, course, &request);
        let made = if long {
            Made::Nothing
        } else {
            make_of(case, course, &request, control)
        };
        Some(Dated {
            course,
            request,
            form: *form,
            control,
            made,
        })
    };
    attempts.filter_map(one).collect()
}

fn make_of<'a>(case: &Case, course: &Course<'a>, request: &Request, control: Option<Duration>) -> Made<'a> {
    let call = request.call;
    if let Some(early) = course.early(case, call, request.wait) {
        return Made::Early(early);
    }
    let over = case.wait_over(call).or(call.answer_began).unwrap_or_default();
    let Some(next) = course.next_at(call) else {
        return control
            .and_then(|own| stayed_away(case, course, call, over, own))
            .map_or(Made::Nothing, Made::TooFar);
    };
    let late_by = next.at().since(over);
    if next.at().plus(EARLY_TOLERANCE) < over && course.follows(case, call, next) {
        return Made::RoundedDown(next, over);
    }
    match control {
        Some(own) if late_by > far_beyond(own) => {
            Made::TooFar(format!("{} came {} after that moment", next.id(), time(late_by)))
        }
        Some(own) if own < request.wait => Made::Honoured,
        _ => Made::Nothing,
    }
}

/// How it shows, where no call followed, that the client took the date for one far ahead.
fn stayed_away(case: &Case, course: &Course, call: &Call, over: Stamp, own: Duration) -> Option<String> {
    let enough = over.plus(far_beyond(own));
    if course.outcome().is_none() {
        let ended = course.record.no_result?;
        return (ended > enough)
            .then(|| format!("the client was still waiting {} later", time(ended.since(over))));
    }
    let stop = course.outcome()?.1.stop;
    let fits = match stop {
        StopReason::Deadline => course.deadline().is_some_and(|deadline| deadline > enough),
        StopReason::Pushback => pushed_back::ceiling(case).is_some_and(|above| {
            call.answer_began
                .is_some_and(|began| began.plus(above.limit) > enough)
        }),
        _ => false,
    };
    fits.then(|| format!("the client gave up with `{stop}` although that moment was near"))
}

/// The table's row: a form that is misread while another is honoured breaks a MUST.
fn worth(case: &Case, date: &Dated, dates: &[Dated]) -> Worth {
    let other_honoured = || dates.iter().any(|d| d.form != date.form && d.is_honoured());
    if case.promises.opted_out(ID) {
        Worth::note(Level::Promised)
    } else if pushed_back::promise(case, &date.request).is_some() {
        Worth::BROKEN_PROMISE
    } else if other_honoured() {
        Worth::advice(Grade::Fail)
    } else {
        Worth::note(Level::Normative)
    }
}

fn judge_date(case: &Case, date: &Dated, worth: Worth, ruling: &mut Ruling) {
    let asked = date.request.call;
    let wrote = asked.retry_after.as_deref().unwrap_or("a date");
    let (shown, because, worth) = match &date.made {
        Made::Honoured | Made::Nothing => {
            if date.control.is_some() && pushed_back::ended(case, date.course) {
                ruling.exercise(date.course);
            }
            return;
        }
        Made::Early(call) => {
            let gap = time(call.at().since(asked.answer_began.unwrap_or_default()));
            let what = format!(
                "{} came {gap} after {}; the server had asked for {}",
                call.id(),
                answer(asked),
                time(date.request.wait)
            );
            (Some(*call), what, worth)
        }
        Made::RoundedDown(call, over) => {
            let what = format!(
                "{} came {} before the date: the client rounds down",
                call.id(),
                time(over.since(call.at()))
            );
            (Some(*call), what, Worth::note(Level::Normative))
        }
        Made::TooFar(how) => (
            None,
            format!(
                "the date asked for {} from {}, and {how}",
                time(date.request.wait),
                answer(asked)
            ),
            worth,
        ),
    };
    ruling.exercise(date.course);
    let because = format!("{because} by `{wrote}` ({}){}", name(date.form), cited(CITES[0]));
    let charge = Charge::new(worth, because)
        .about(date.course)
        .shown_by([asked].into_iter().chain(shown))
        .asked_at(case.span_of(asked));
    match date.made {
        Made::TooFar(_) => ruling.charge_unless_late(case, charge),
        Made::Honoured | Made::Nothing | Made::Early(_) | Made::RoundedDown(..) => ruling.charge(charge),
    }
}

fn name(form: DateForm) -> &'static str {
    match form {
        DateForm::Imf => "IMF-fixdate",
        DateForm::Rfc850 => "RFC 850 form",
        DateForm::Asctime => "asctime form",
    }
}
