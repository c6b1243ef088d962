//! A malformed Retry-After asks for nothing: it neither kills nor paralyses the client.

use super::pushed_back;
use super::{Check, CheckResult, Levels};
use std::time::Duration;

use crate::evidence::{Call, ClientEnd};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::{LATE_GRACE, far_beyond};
use crate::judge::wording::{cited, count, time};
use crate::judge::{Case, Course, FaultClass, Grade, Level};
use crate::term::StopReason;

const ID: &str = "pushback.malformed";
const CITES: &[&str] = &["rfc9110-10.2.3"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "A malformed Retry-After neither kills the client nor makes it wait far longer than it would anyway.",
    requirement: "Retry-After is a number of whole seconds or a date; a fraction, a sign, words, a list or two \
        different headers ask for nothing, so no call can be early. The client goes on as if the header were not \
        there: it does not crash, and it does not wait more than ten times its own backoff, which a control without \
        the header shows. Stopping is right, unless the reason it gives is a wait that nobody asked for.",
    cites: CITES,
    levels: Levels {
        silent: "warn",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Malformed],
    mutants: &["obeys-malformed"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let courses = case.courses();
    let controls = pushed_back::controls(case, &courses);
    let mut ruling = Ruling::new(ID, CITES);
    for course in &courses {
        for asked in pushed_back::malformed(case, course) {
            let control = pushed_back::control_gap(case, &controls, course, asked);
            let crash = crashed(case, &courses, course, asked);
            judge_one(case, course, asked, Signs { control, crash }, &mut ruling);
        }
    }
    ruling.finish(Level::Normative, |ops| {
        format!(
            "a malformed Retry-After was passed over in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

/// What else is known of a call that was answered so.
struct Signs {
    /// The longest gap of its controls.
    control: Option<Duration>,
    /// How the client crashed.
    crash: Option<String>,
}

fn judge_one(case: &Case, course: &Course, asked: &Call, signs: Signs, ruling: &mut Ruling) {
    let Signs { control, crash } = signs;
    let went_on = course.over().is_some() || course.next_at(asked).is_some();
    if crash.is_some() || (control.is_some() && went_on) {
        ruling.exercise(course);
    }
    let obeyed = || control.and_then(|own| obeyed(course, asked, own));
    let Some(what) = crash.or_else(obeyed) else { return };
    let wrote = asked.retry_after.as_deref().unwrap_or_default();
    let because = format!(
        "after the malformed `Retry-After: {wrote}` {what}{}",
        cited(CITES[0])
    );
    let charge = Charge::new(worth(case), because)
        .about(course)
        .shown_by([asked].into_iter().chain(course.next_at(asked)))
        .asked_at(case.span_of(asked));
    ruling.charge_unless_late(case, charge);
}

fn worth(case: &Case) -> Worth {
    match &case.promises.pushback {
        _ if case.promises.opted_out(ID) => Worth::note(Level::Promised),
        Some(_) => Worth::BROKEN_PROMISE,
        None => Worth::advice(Grade::Warn),
    }
}

/// Whether one of the client's processes died of a signal right after the answer.
fn crashed(case: &Case, courses: &[Course], course: &Course, asked: &Call) -> Option<String> {
    let began = asked.answer_began?;
    let until = course.over()?.plus(LATE_GRACE);
    let mut died = case
        .evidence
        .client
        .ends
        .iter()
        .filter_map(|(at, how)| match how {
            ClientEnd::Signalled(signal) => Some((*at, *signal)),
            ClientEnd::Exited(_) | ClientEnd::Killed { .. } => None,
        });
    let (_, signal) = died.find(|(at, _)| *at >= began && *at <= until && course.next_at(asked).is_none())?;
    let alone = courses
        .iter()
        .all(|c| c.id() == course.id() || !overlaps(c, course));
    alone.then(|| format!("the client died of signal {signal}"))
}

fn overlaps(a: &Course, b: &Course) -> bool {
    let starts_before_end = |x: &Course, y: &Course| match (x.record.asked, y.over()) {
        (Some(asked), Some(over)) => asked <= over.plus(LATE_GRACE),
        _ => true,
    };
    starts_before_end(a, b) && starts_before_end(b, a)
}

/// How it shows that the client waited, or would have waited, far longer than of its own accord.
fn obeyed(course: &Course, asked: &Call, own: Duration) -> Option<String> {
    let began = asked.answer_began?;
    let enough = began.plus(far_beyond(own));
    if let Some(next) = course.next_at(asked) {
        let gap = next.at().since(began);
        return (next.at() > enough).then(|| {
            format!(
                "{} came only {} later; the control's came after {}",
                next.id(),
                time(gap),
                time(own)
            )
        });
    }
    let Some((_, outcome)) = course.outcome() else {
        let ended = course.record.no_result?;
        return (ended > enough)
            .then(|| format!("the client was still waiting {} later", time(ended.since(began))));
    };
    let imagined = match outcome.stop {
        StopReason::Pushback => true,
        StopReason::Deadline => course.deadline().is_some_and(|deadline| deadline > enough),
        _ => false,
    };
    imagined.then(|| {
        format!(
            "the client gave up with `{}`, although no wait was asked for",
            outcome.stop
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Fact;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::PushbackPromise;
    use crate::scenario::Pushback;
    use crate::term::{Claim, ProcessId, Stamp};

    /// op-1 meets junk, op-2 no header; the control was tried again after 100 ms.
    fn story() -> Story {
        let turns = vec![
            answered(503)
                .times(1)
                .path("/")
                .pushing_back(Pushback::Raw("soon".to_owned())),
            answered(503).times(1).path("/control"),
            answered(200),
        ];
        let story = Story::of(turns)
            .operation("GET", "/control", "quota")
            .deadline_ms(20_000);
        story
            .call_of(2, 1, 0)
            .call_of(2, 2, 101)
            .reported_of(2, 110, Claim::Ok, StopReason::Ok)
            .call_of(1, 0, 1_000)
    }

    fn promising(story: Story) -> Story {
        let promise = PushbackPromise {
            honours: vec![503],
            forms: Vec::new(),
            above: None,
        };
        story.promising(|p| p.pushback = Some(promise))
    }

    #[test]
    fn going_on_as_without_the_header_is_right_and_so_is_stopping() {
        for right in [story().call_of(1, 2, 2_000).ok(2_010), story().failed(1_010)] {
            assert_eq!(right.check(ID).findings[0].grade, Grade::Pass);
        }
    }

    #[test]
    fn waiting_far_longer_than_the_control_did_is_warned_of_and_breaks_a_promise() {
        let late = || story().call_of(1, 2, 12_000).ok(12_010);
        assert_eq!(late().worst(ID).0, Grade::Warn);
        assert_eq!(promising(late()).worst(ID).0, Grade::Fail);
        assert_eq!(story().gave_no_result(1, 23_000).worst(ID).0, Grade::Warn);
    }

    #[test]
    fn a_stop_for_a_wait_that_nobody_asked_for_shows_that_junk_was_obeyed() {
        for stop in [StopReason::Pushback, StopReason::Deadline] {
            assert_eq!(
                story().reported(1_010, Claim::Failed, stop).worst(ID).0,
                Grade::Warn,
                "{stop}"
            );
        }
    }

    #[test]
    fn a_wait_without_a_control_says_nothing() {
        let turns = vec![
            answered(503)
                .times(1)
                .pushing_back(Pushback::Raw("soon".to_owned())),
            answered(200),
        ];
        let result = Story::of(turns).call(0, 0).call(1, 30_000).ok(30_010).check(ID);
        assert_eq!(result, CheckResult::default());
    }

    #[test]
    fn a_process_that_dies_of_a_signal_has_crashed() {
        let op = crate::term::OperationId(1);
        let asked = Fact::Asked {
            op,
            at: Stamp::from_ms(900),
            deadline_ms: None,
            key: None,
            process: ProcessId::FIRST,
        };
        let died = Fact::ClientEnded {
            at: Stamp::from_ms(1_005),
            how: ClientEnd::Signalled(11),
        };
        let (grade, because) = story().and(asked).and(died).failed(1_010).worst(ID);
        assert_eq!(grade, Grade::Warn);
        assert!(because.contains("the client died of signal 11"), "{because}");
    }
}
