//! A wait asked for by a date is waited for, in each written form and every time zone.

use std::time::Duration;

use super::controls::Controls;
use super::pushed_back::{self, Form, Request};
use super::{Check, CheckResult, Levels, clock_off};
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
        where a control without the header was tried again sooner. By which clock a client reads a date of a server \
        whose clock is off is noted.",
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
    let controls = pushed_back::controls(case, &courses);
    let dates: Vec<Dated> = courses
        .iter()
        .flat_map(|course| dated(case, &controls, course))
        .collect();
    let mut ruling = Ruling::new(ID, CITES);
    for date in &dates {
        let worth = worth(case, date, &dates);
        judge_date(case, date, worth, &mut ruling);
    }
    clock_off::note(case, &courses, &controls, &mut ruling);
    ruling.finish(Level::Normative, |ops| {
        format!(
            "the dates in the answers to {} were read right",
            count(ops.len() as u64, "operation")
        )
    })
}

fn dated<'a>(case: &Case<'a>, controls: &Controls<'a>, course: &'a Course<'a>) -> Vec<Dated<'a>> {
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
        let control = pushed_back::control_gap(case, controls, course, call);
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
            Made::TooFar(format!("{} came {} after it", next.id(), time(late_by)))
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
        return (ended > enough).then(|| {
            format!(
                "the client was still waiting {} after it",
                time(ended.since(over))
            )
        });
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
    fits.then(|| format!("the client gave up with `{stop}` although it was near"))
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
    let Some((because, shown)) = told(date) else {
        if date.control.is_some() && pushed_back::ended(case, date.course) {
            ruling.exercise(date.course);
        }
        return;
    };
    ruling.exercise(date.course);
    let worth = match date.made {
        Made::RoundedDown(..) => Worth::note(Level::Normative),
        Made::Honoured | Made::Nothing | Made::Early(_) | Made::TooFar(_) => worth,
    };
    let charge = Charge::new(worth, format!("{because}{}", cited(CITES[0])))
        .about(date.course)
        .shown_by([asked].into_iter().chain(shown))
        .asked_at(case.span_of(asked));
    match date.made {
        Made::TooFar(_) => ruling.charge_unless_late(case, charge),
        Made::Honoured | Made::Nothing | Made::Early(_) | Made::RoundedDown(..) => ruling.charge(charge),
    }
}

/// What there is to tell of a date, and the call that shows it.
fn told<'a>(date: &Dated<'a>) -> Option<(String, Option<&'a Call>)> {
    let asked = date.request.call;
    let wrote = asked.retry_after.as_deref().unwrap_or_default();
    let wrote = format!("`{wrote}` ({})", name(date.form));
    let wait = time(date.request.wait);
    match &date.made {
        Made::Honoured | Made::Nothing => None,
        Made::Early(call) => {
            let gap = time(call.at().since(asked.answer_began?));
            let because = format!(
                "{} came {gap} after {}; the server had asked for {wait}",
                call.id(),
                answer(asked)
            );
            Some((format!("{because} by {wrote}"), Some(*call)))
        }
        Made::RoundedDown(call, over) => {
            let by = time(over.since(call.at()));
            Some((
                format!("{} came {by} before {wrote}: the client rounds down", call.id()),
                Some(*call),
            ))
        }
        Made::TooFar(how) if date.request.wait.is_zero() => Some((
            format!(
                "{} named a moment already past by {wrote}, and {how}",
                answer(asked)
            ),
            None,
        )),
        Made::TooFar(how) => Some((
            format!(
                "{} named a moment {wait} ahead by {wrote}, and {how}",
                answer(asked)
            ),
            None,
        )),
    }
}

fn name(form: DateForm) -> &'static str {
    match form {
        DateForm::Imf => "IMF-fixdate",
        DateForm::Rfc850 => "RFC 850 form",
        DateForm::Asctime => "asctime form",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::{PushbackForm, PushbackPromise};
    use crate::scenario::DateOffset;
    use crate::term::Claim;

    /// op-1 meets an IMF-fixdate, op-2 an asctime date, op-3 no header; the control was tried again after 100 ms.
    fn story() -> Story {
        let date = |form| Pushback::Date {
            form,
            offset: DateOffset::Ahead(Duration::from_secs(3)),
        };
        let turns = vec![
            answered(503).times(1).path("/").pushing_back(date(DateForm::Imf)),
            answered(503)
                .times(1)
                .path("/asctime")
                .pushing_back(date(DateForm::Asctime)),
            answered(503).times(1).path("/control"),
            answered(200),
        ];
        Story::of(turns)
            .operation("GET", "/asctime", "quota")
            .operation("GET", "/control", "quota")
            .deadline_ms(20_000)
            .call_of(3, 2, 0)
            .call_of(3, 3, 101)
            .reported_of(3, 110, Claim::Ok, StopReason::Ok)
    }

    fn promising(story: Story) -> Story {
        story.promising(|p| {
            let forms = vec![PushbackForm::Seconds, PushbackForm::Dates];
            p.pushback = Some(PushbackPromise {
                honours: vec![503],
                forms,
                above: None,
            });
        })
    }

    #[test]
    fn a_client_that_waits_for_every_form_passes() {
        let story = story().call_of(1, 0, 1_000).call_of(1, 3, 5_000).ok(5_010);
        let story = story.call_of(2, 1, 6_000).call_of(2, 3, 10_000).reported_of(
            2,
            10_010,
            Claim::Ok,
            StopReason::Ok,
        );
        assert_eq!(story.check(ID).findings[0].grade, Grade::Pass);
        assert!(promising(story).blamed().is_empty());
    }

    #[test]
    fn a_form_misread_while_another_is_honoured_fails_also_in_silence() {
        let story = story().call_of(1, 0, 1_000).call_of(1, 3, 5_000).ok(5_010);
        let story =
            story
                .call_of(2, 1, 6_000)
                .call_of(2, 3, 6_101)
                .reported_of(2, 6_110, Claim::Ok, StopReason::Ok);
        let (grade, because) = story.worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert!(
            because.starts_with("call 6 came 100 ms after the 503; the server had asked for 3 s by "),
            "{because}"
        );
        assert!(because.ends_with("(asctime form) (RFC 9110 §5.6.7)"), "{because}");
    }

    #[test]
    fn a_client_that_reads_no_dates_is_noted_in_silence_and_fails_its_promise() {
        let story = story().call_of(1, 0, 1_000).call_of(1, 3, 1_101).ok(1_110);
        let story =
            story
                .call_of(2, 1, 6_000)
                .call_of(2, 3, 6_101)
                .reported_of(2, 6_110, Claim::Ok, StopReason::Ok);
        assert_eq!(story.worst(ID).0, Grade::Note);
        assert_eq!(promising(story).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn a_date_read_hours_ahead_shows_by_a_deadline_that_had_room_or_by_sleep() {
        let rest = |story: Story| {
            story
                .call_of(2, 1, 60_000)
                .reported_of(2, 60_010, Claim::Failed, StopReason::Pushback)
        };
        let stopped = story()
            .call_of(1, 0, 1_000)
            .reported(1_010, Claim::Failed, StopReason::Deadline);
        assert_eq!(promising(rest(stopped)).worst(ID).0, Grade::Fail);
        let asleep = story().call_of(1, 0, 1_000).gave_no_result(1, 23_000);
        assert_eq!(promising(rest(asleep)).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn stopping_at_a_date_is_right() {
        let story = story()
            .call_of(1, 0, 1_000)
            .reported(1_010, Claim::Failed, StopReason::Terminal);
        let story = story
            .call_of(2, 1, 6_000)
            .reported_of(2, 6_010, Claim::Failed, StopReason::Unreported);
        assert_eq!(promising(story).check(ID).findings[0].grade, Grade::Pass);
    }

    #[test]
    fn without_a_control_that_was_tried_again_nothing_is_shown() {
        let date = Pushback::Date {
            form: DateForm::Imf,
            offset: DateOffset::Ahead(Duration::from_secs(3)),
        };
        let story = Story::of(vec![answered(503).times(1).pushing_back(date), answered(200)]);
        let story = story.call(0, 0).call(1, 4_100).ok(4_110);
        assert!(!story.check(ID).exercised);
        assert!(story.check(ID).findings.is_empty());
    }

    #[test]
    fn a_past_date_asks_for_no_wait_and_must_not_put_the_client_to_sleep() {
        let past = Pushback::Date {
            form: DateForm::Imf,
            offset: DateOffset::Past(Duration::from_secs(3_600)),
        };
        let mut story = story();
        story.trial.dependencies[0].turns[0] = answered(503).times(1).path("/").pushing_back(past);
        let at_once = story.clone().call_of(1, 0, 1_000).call_of(1, 3, 1_001).ok(1_010);
        assert!(promising(at_once).blamed().is_empty());
        let asleep = story.call_of(1, 0, 1_000).gave_no_result(1, 23_000);
        assert_eq!(promising(asleep).worst(ID).0, Grade::Fail);
    }
}
