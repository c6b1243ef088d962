//! No attempt is waited for longer than the client's attempt timeout.

use std::time::Duration;

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::schedule::Schedule;
use crate::judge::tolerance::{LATE_GRACE, LEAST_OWN_WAIT};
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::{Claim, CutBy, Stamp};

const ID: &str = "timeout.kept";
const CITES: &[&str] = &["sre-cascading"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "No attempt is waited for longer than the attempt timeout that the client promises.",
    requirement: "An attempt is over when its timer ends it, however much of the answer is there. A success that is \
        claimed came within the timeout, and the last attempt of an operation is left, answered or reported by then. \
        It counts from the call's arrival (so that connecting is not counted) and grants 250 ms on top; where no success \
        came of it, also the longest wait before a retry, since a client may leave its attempt's connection open until then. The \
        timeout that a scenario hands over (`given`) binds a client whose file says `policy: given`; any other may take \
        the longer of that and its own.",
    cites: CITES,
    levels: Levels {
        silent: "skipped",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Lost, FaultClass::Slow],
    mutants: &["untimed"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    if let Some(timeout) = longest(case) {
        let courses = case.courses();
        let pause = longest_pause(case, &courses);
        for course in &courses {
            judge_claim(case, course, timeout, &mut ruling);
            judge_last(case, course, (timeout, pause), &mut ruling);
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "{} went on after the attempt timeout",
            count(ops.len() as u64, "operation")
        )
    })
}

/// The longest timeout that may hold: the promised one, and what was handed over to a client that need not take it.
fn longest(case: &Case) -> Option<Duration> {
    let given = case.trial.given.as_ref().and_then(|g| g.attempt_timeout);
    let promised = case.promises.attempt_timeout?;
    Some(promised.max(given.unwrap_or_default()))
}

/// The longest wait before a retry, by promise or as it was seen.
fn longest_pause(case: &Case, courses: &[Course]) -> Duration {
    let promised = Schedule::of(case).map(|schedule| schedule.longest());
    let gaps = courses
        .iter()
        .flat_map(|c| c.attempts.iter().filter_map(|call| c.gap_after(call)));
    gaps.max()
        .unwrap_or_default()
        .max(promised.unwrap_or(LEAST_OWN_WAIT))
}

/// When an answer was over; `None` where none came to an end, as where the exchange is left hanging.
fn answered_at(case: &Case, call: &Call) -> Option<Stamp> {
    let hangs = matches!(case.cut_of(call), Some((_, CutBy::Hang)));
    call.answer_ended.filter(|_| !hangs)
}

/// A success that is claimed was there in time.
fn judge_claim(case: &Case, course: &Course, timeout: Duration, ruling: &mut Ruling) {
    let late = |call: &Call, by: Duration| answered_at(case, call).is_none_or(|at| at > call.at().plus(by));
    if course.calls.iter().any(|call| late(call, timeout)) {
        ruling.exercise(course);
    }
    let successes = course.calls.iter().filter(|call| case.acknowledged_to(call));
    let Some(first) = successes.min_by_key(|call| call.answer_ended.map(|at| at.since(call.at()))) else {
        return;
    };
    if course.claim() != Some(Claim::Ok) || !late(first, timeout.saturating_add(LATE_GRACE)) {
        return;
    }
    let took = first.answer_ended.unwrap_or(first.at()).since(first.at());
    let because = format!(
        "{} was reported as a success, and {} was answered after {}; {}",
        course.id(),
        first.id(),
        time(took),
        promises(timeout)
    );
    charge(case, course, (first, because), ruling);
}

/// The last attempt was left in time.
fn judge_last(case: &Case, course: &Course, limits: (Duration, Duration), ruling: &mut Ruling) {
    let (timeout, pause) = limits;
    let Some((last, over)) = course.attempts.last().zip(course.over()) else {
        return;
    };
    // A later call may be a redirect that it follows.
    let followed = course.calls.iter().any(|call| call.at() > last.at());
    let ends = [last.peer_left, answered_at(case, last), Some(over)];
    let left = ends.into_iter().flatten().min().unwrap_or(Stamp::ZERO);
    let latest = last
        .at()
        .plus(timeout.saturating_add(pause).saturating_add(LATE_GRACE));
    if followed || left <= latest || case.wait_pending(&last.head.point, latest) {
        return;
    }
    let because = format!(
        "{} of {} was not given up for {}; {}",
        last.id(),
        course.id(),
        time(left.since(last.at())),
        promises(timeout)
    );
    charge(case, course, (last, because), ruling);
}

fn promises(timeout: Duration) -> String {
    format!("the client promises {} for an attempt", time(timeout))
}

fn charge<'a>(case: &Case<'a>, course: &Course<'a>, shown: (&'a Call, String), ruling: &mut Ruling) {
    let (call, because) = shown;
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    let charge = Charge::new(worth, because).about(course).shown_by([call]);
    ruling.charge_unless_late(case, charge.asked_at(case.span_of(call)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Fact;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::{CallId, Place};

    fn promising(story: Story) -> Story {
        story.promising(|p| p.attempt_timeout = Some(Duration::from_millis(400)))
    }

    /// An answer after so long, which the client takes.
    fn taking(ms: u64) -> Story {
        promising(Story::of(vec![answered(200).taking_ms(ms)]).call(0, 0).ok(ms + 5))
    }

    #[test]
    fn a_success_in_time_passes_and_one_that_came_long_after_fails() {
        assert_eq!(taking(100).worst(ID).0, Grade::Pass);
        assert_eq!(taking(640).worst(ID).0, Grade::Pass);
        let (grade, because) = taking(1_500).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert!(
            because.ends_with("was answered after 1.501 s; the client promises 400 ms for an attempt"),
            "{because}"
        );
        assert_eq!(
            taking(1_500).promising(|p| p.attempt_timeout = None).check(ID),
            CheckResult::default()
        );
    }

    #[test]
    fn a_success_of_another_attempt_is_nobodys_fault() {
        let turns = vec![answered(200).times(1).taking_ms(1_500), answered(200)];
        let story = Story::of(turns).call(0, 0).left(400).call(1, 450).ok(455);
        let result = promising(story).check(ID);
        assert!(result.exercised);
        assert_eq!(result.findings[0].grade, Grade::Pass);
    }

    /// Silence, and a client that leaves the call and then reports a failure.
    fn hanging(left: u64, over: u64) -> Story {
        let hang = answered(200).cut(Place::BeforeAnswer, CutBy::Hang);
        // What is cut is recorded at once as ended, and its client knows of nothing.
        let cut = Fact::AnswerEnded {
            call: CallId(1),
            at: Stamp::from_ms(1),
            complete: false,
            cut: Some((Place::BeforeAnswer, CutBy::Hang)),
        };
        let story = Story::of(vec![hang]).call(0, 0).and(cut);
        promising(story.left(left).failed(over))
    }

    #[test]
    fn a_failure_that_was_waited_for_is_found_too() {
        let failing = |ms| {
            promising(
                Story::of(vec![answered(503).taking_ms(ms)])
                    .call(0, 0)
                    .failed(ms + 5),
            )
        };
        assert_eq!(failing(1_600).worst(ID).0, Grade::Pass);
        assert_eq!(failing(2_000).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn a_handed_over_wait_is_the_longest_one() {
        let given = |wait| {
            let mut story = hanging(1_400, 1_405);
            story.can.policy = crate::promise::PolicyCan::Given;
            story.trial.given = Some(crate::promise::Given {
                backoff: Some(crate::promise::Backoff::Fixed(Duration::from_millis(wait))),
                ..crate::promise::Given::default()
            });
            story.worst(ID).0
        };
        assert_eq!((given(900), given(20)), (Grade::Pass, Grade::Fail));
    }

    #[test]
    fn silence_is_left_when_the_timer_ends_or_after_the_wait_before_a_retry() {
        assert_eq!(hanging(400, 405).worst(ID).0, Grade::Pass);
        // It closes its connection when it has waited for the retry that it then does not make.
        assert_eq!(hanging(1_400, 1_405).worst(ID).0, Grade::Pass);
        assert_eq!(hanging(5_000, 5_005).worst(ID).0, Grade::Fail);
        let own = |p: &mut crate::promise::Promises| p.attempt_timeout = Some(Duration::from_secs(5));
        assert_eq!(hanging(5_000, 5_005).promising(own).worst(ID).0, Grade::Pass);
    }

    #[test]
    fn who_reports_in_time_and_leaves_the_connection_to_itself_passes() {
        assert_eq!(hanging(9_000, 450).worst(ID).0, Grade::Pass);
    }
}
