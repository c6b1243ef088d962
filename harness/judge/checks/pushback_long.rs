//! A wait beyond the deadline or the client's ceiling is neither cut short nor slept through.

use super::pushed_back::{self, Request};
use super::{Check, CheckResult, Levels};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::{answer, cited, count, time};
use crate::judge::{Case, Course, FaultClass, Level};
use crate::promise::{Above, Then};

const ID: &str = "pushback.long";
const CITES: &[&str] = &["rfc9110-10.2.3"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "A wait beyond the deadline or the client's ceiling is neither cut short nor slept through.",
    requirement: "When the server asks for a longer wait than the operation's deadline or the client's declared \
        ceiling allows, the right end is to stop. A call before the wait is over is judged as in pushback.honoured, \
        against what the client declares to do above its ceiling. A result that comes more than 250 ms after a \
        deadline that reached the client was slept for. Without a deadline, a client that is still waiting when the \
        watch ends is not blamed, unless it promises to stop.",
    cites: CITES,
    levels: Levels {
        silent: "note; an early call as in pushback.honoured",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Pushback, FaultClass::Date],
    mutants: &["sleeps-long"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        let long = |r: &Request| pushed_back::is_long(case, course, r);
        let requests = pushed_back::requests(case, course).into_iter().filter(long);
        for request in requests {
            if pushed_back::ended(case, course) {
                ruling.exercise(course);
            }
            judge_early(case, course, &request, &mut ruling);
            judge_slept(case, course, &request, &mut ruling);
        }
    }
    ruling.finish(Level::Normative, |ops| {
        format!(
            "a wait too long was neither cut short nor slept through in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_early(case: &Case, course: &Course, request: &Request, ruling: &mut Ruling) {
    let asked = request.call;
    let Some(early) = course.early(case, asked, request.wait) else {
        return;
    };
    ruling.exercise(course);
    let gap = early.at().since(asked.answer_began.unwrap_or_default());
    let because = format!(
        "{} came {} after {}; the server had asked for {}{}",
        early.id(),
        time(gap),
        answer(asked),
        time(request.wait),
        cited(CITES[0]),
    );
    // A promise says what happens above the ceiling; what it leaves open is no breach of it.
    let promised = pushed_back::promise(case, request).is_some();
    let kept = promised
        && course
            .early(case, asked, pushed_back::promised_wait(case, request))
            .is_none();
    let worth = match kept {
        true => Worth::note(Level::Promised),
        false => pushed_back::worth_of_early(case, ID, request),
    };
    ruling.charge(
        Charge::new(worth, because)
            .about(course)
            .shown_by([asked, early])
            .asked_at(case.span_of(asked)),
    );
}

fn judge_slept(case: &Case, course: &Course, request: &Request, ruling: &mut Ruling) {
    let Some((promised, slept)) = slept(case, course, request) else {
        return;
    };
    let worth = match promised && !case.promises.opted_out(ID) {
        true => Worth::BROKEN_PROMISE,
        false => Worth::note(Level::Normative),
    };
    let asked = request.call;
    let because = format!("the server had asked for {}, and {slept}", time(request.wait));
    ruling.charge_unless_late(
        case,
        Charge::new(worth, because)
            .about(course)
            .shown_by([asked])
            .asked_at(case.span_of(asked)),
    );
}

/// Whether the client slept for the wait: whether that breaks a promise, and how it shows.
fn slept(case: &Case, course: &Course, request: &Request) -> Option<(bool, String)> {
    let over = course.over()?;
    let id = course.id();
    if let Some(deadline) = course.deadline()
        && over > deadline.plus(LATE_GRACE)
    {
        let late = time(over.since(deadline));
        let how = match course.outcome() {
            Some(_) => format!("{id} was reported {late} after its deadline"),
            None => format!("{id} was still not reported {late} after its deadline"),
        };
        return Some((
            case.promises.deadline || pushed_back::ceiling(case).is_some(),
            how,
        ));
    }
    let stops = |above: &Above| above.then == Then::Stop && request.wait > above.limit;
    let began = request.call.answer_began?;
    // A client that promises to stop has nothing to wait for: within its ceiling's time it says so.
    let waited = course
        .record
        .no_result
        .filter(|_| course.outcome().is_none())?
        .since(began);
    let stops = pushed_back::ceiling(case).filter(stops)?;
    (waited > stops.limit).then(|| {
        (
            true,
            format!("{id} was still not reported {} later", time(waited)),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::{PushbackForm, PushbackPromise};
    use crate::scenario::Pushback;
    use std::time::Duration;

    fn story() -> Story {
        let turns = vec![
            answered(503).times(1).pushing_back(Pushback::Seconds(90)),
            answered(200),
        ];
        Story::of(turns).deadline_ms(5_000)
    }

    fn promising(story: Story, then: Then) -> Story {
        story.promising(|p| {
            let above = Some(Above {
                limit: Duration::from_secs(2),
                then,
            });
            p.pushback = Some(PushbackPromise {
                honours: vec![503],
                forms: vec![PushbackForm::Seconds],
                above,
            });
        })
    }

    #[test]
    fn stopping_at_once_is_right() {
        assert_eq!(
            story().call(0, 0).failed(5).check(ID).findings[0].grade,
            Grade::Pass
        );
    }

    #[test]
    fn an_early_call_is_judged_as_an_early_call() {
        let early = || story().call(0, 0).call(1, 100).ok(110);
        assert_eq!(early().worst(ID).0, Grade::Warn);
        assert_eq!(promising(early(), Then::Stop).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn what_the_client_declares_above_its_ceiling_is_no_breach() {
        let early = |at| story().call(0, 0).call(1, at).ok(at + 10);
        assert_eq!(promising(early(100), Then::Ignore).worst(ID).0, Grade::Note);
        assert_eq!(promising(early(2_001), Then::Cap).worst(ID).0, Grade::Note);
        assert_eq!(promising(early(1_000), Then::Cap).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn sleeping_past_a_deadline_that_was_passed_breaks_the_promise_of_it() {
        let slept = || story().call(0, 0).gave_no_result(1, 7_000);
        assert_eq!(slept().worst(ID).0, Grade::Note);
        let (grade, because) = slept().promising(|p| p.deadline = true).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "the server had asked for 90 s, and op-1 was still not reported 2 s after its deadline"
        );
    }

    #[test]
    fn a_deadline_that_never_reached_the_client_is_not_held_against_it() {
        let mut slept = story()
            .promising(|p| p.deadline = true)
            .call(0, 0)
            .gave_no_result(1, 7_000);
        slept.deadline_passed = false;
        assert_eq!(slept.worst(ID).0, Grade::Pass);
    }
}
