//! A wait asked for in seconds is waited for.

use super::controls::Controls;
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
    let controls = pushed_back::controls(case, &courses);
    let mut ruling = Ruling::new(ID, CITES);
    for course in &courses {
        for request in pushed_back::requests(case, course) {
            if request.form == Form::Seconds && !pushed_back::is_long(case, course, &request) {
                judge_request(case, &controls, course, &request, &mut ruling);
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

fn judge_request<'a>(
    case: &Case<'a>,
    controls: &Controls<'a>,
    course: &Course<'a>,
    request: &Request<'a>,
    ruling: &mut Ruling,
) {
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
            pushed_back::control_gap(case, controls, course, asked).is_some_and(|gap| gap < request.wait)
        }
    };
    if shown {
        ruling.exercise(course);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::{Above, PushbackForm, PushbackPromise, Then};
    use crate::scenario::Pushback;
    use crate::source::Span;
    use crate::term::CallId;

    fn story(status: u16) -> Story {
        Story::of(vec![
            answered(status).times(1).pushing_back(Pushback::Seconds(3)),
            answered(200),
        ])
    }

    #[test]
    fn an_early_call_is_told_with_its_gap_its_line_and_its_law() {
        let result = story(429).call(0, 0).call(1, 13).ok(15).check(ID);
        let finding = &result.findings[0];
        assert_eq!(
            finding.because,
            "call 2 came 12 ms after the 429; the server had asked for 3 s (RFC 9110 §10.2.3)"
        );
        assert_eq!(finding.calls, [CallId(1), CallId(2)]);
        assert_eq!(finding.span, Some(Span { start: 10, end: 15 }));
    }

    #[test]
    fn silence_is_worth_a_warning_for_503_and_3xx_and_a_note_for_the_others() {
        for (status, grade) in [
            (503, Grade::Warn),
            (302, Grade::Warn),
            (429, Grade::Note),
            (413, Grade::Note),
        ] {
            assert_eq!(
                story(status).call(0, 0).call(1, 100).ok(105).worst(ID).0,
                grade,
                "{status}"
            );
        }
    }

    #[test]
    fn a_promise_makes_it_a_failure_and_an_opt_out_a_note() {
        let promise = |honours: Vec<u16>| PushbackPromise {
            honours,
            forms: vec![PushbackForm::Seconds],
            above: None,
        };
        let early = || story(503).call(0, 0).call(1, 100).ok(105);
        assert_eq!(
            early()
                .promising(|p| p.pushback = Some(promise(vec![503])))
                .worst(ID)
                .0,
            Grade::Fail
        );
        assert_eq!(
            early()
                .promising(|p| p.pushback = Some(promise(vec![429])))
                .worst(ID)
                .0,
            Grade::Warn
        );
        let out = crate::promise::OptOut {
            check: ID.to_owned(),
            because: String::new(),
            see: None,
        };
        assert_eq!(
            early().promising(|p| p.opts_out = vec![out]).worst(ID).0,
            Grade::Note
        );
    }

    #[test]
    fn stopping_waiting_and_calling_in_time_are_right() {
        for right in [
            story(503).call(0, 0).failed(5),
            story(503).call(0, 0).call(1, 3_001).ok(3_010),
        ] {
            assert!(right.blamed().is_empty());
        }
        assert_eq!(
            story(503).call(0, 0).failed(5).check(ID).findings[0].grade,
            Grade::Pass
        );
    }

    #[test]
    fn every_early_call_of_a_series_counts_as_one_finding() {
        let turns = vec![answered(503).pushing_back(Pushback::Seconds(3))];
        let result = Story::of(turns)
            .call(0, 0)
            .call(0, 100)
            .call(0, 200)
            .failed(210)
            .check(ID);
        assert_eq!(result.findings.len(), 1);
        assert!(result.findings[0].because.ends_with("(and 1 more like it)"));
    }

    #[test]
    fn a_wait_within_a_ceiling_is_judged_here_and_one_beyond_it_is_not() {
        let above = |secs| Above {
            limit: std::time::Duration::from_secs(secs),
            then: Then::Stop,
        };
        let promise = |secs| PushbackPromise {
            honours: vec![503],
            forms: vec![],
            above: Some(above(secs)),
        };
        let early = |secs| {
            story(503)
                .promising(|p| p.pushback = Some(promise(secs)))
                .call(0, 0)
                .call(1, 100)
                .ok(105)
        };
        assert_eq!(early(3).check(ID).findings.len(), 1);
        assert!(early(2).check(ID).findings.is_empty());
    }
}
