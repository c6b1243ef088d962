//! What is claimed as a success was answered as one.

use super::truncated_not_claimed::claims_a_cut_answer;
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::{Claim, Place, Stamp};

const ID: &str = "claim.acknowledged";
const CITES: &[&str] = &[];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation that is claimed as a success got a whole success answer.",
    requirement: "A success is claimed only where at least one whole success answer was handed over: a status from 200 \
        to 399, or what the scenario or the client's own declaration (`claims_ok_on`) takes for success. A command \
        whose exit status only says that it was answered needs any whole answer. A success that was handed over and \
        not claimed is noted: the client may have lost it on the way. Cut answers are the matter of \
        truncated.not_claimed.",
    cites: CITES,
    levels: Levels {
        silent: "fail",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &FaultClass::ALL,
    mutants: &["claims-anyway"],
    judge,
};

impl Case<'_> {
    /// Whether a call was acknowledged in the client's own eyes: also where it declares to take the status for success.
    pub(in crate::judge) fn acknowledged_to(&self, call: &Call) -> bool {
        let declared = |status: u16| self.promises.claims_ok_on.contains(&status);
        self.acknowledged(call) || (self.whole_answer(call) && self.status_of(call).is_some_and(declared))
    }
}

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        if let Some((reported, outcome)) = course.outcome() {
            judge_claim(case, course, reported, outcome.claim, &mut ruling);
        }
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "no success was claimed that was never answered, in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_claim(case: &Case, course: &Course, reported: Stamp, claim: Claim, ruling: &mut Ruling) {
    let acknowledged = course.calls.iter().any(|call| case.acknowledged_to(call));
    let closing = course
        .calls
        .iter()
        .any(|c| case.faults_met_by(course, c).contains(&FaultClass::Closing));
    if case.met_a_fault(course) && (!acknowledged || closing) {
        ruling.exercise(course);
    }
    match claim {
        Claim::Ok if !acknowledged => judge_false(case, course, "was claimed as a success", ruling),
        Claim::Answered if !course.calls.iter().any(|call| case.whole_answer(call)) => {
            judge_false(case, course, "was reported as answered", ruling);
        }
        Claim::Failed => note_unclaimed(case, course, (reported, "failed"), ruling),
        Claim::Unknown => note_unclaimed(case, course, (reported, "unknown"), ruling),
        Claim::Ok | Claim::Answered => {}
    }
}

fn judge_false(case: &Case, course: &Course, claim: &str, ruling: &mut Ruling) {
    // Calls that could not be attributed may be this operation's: its marker was lost on the way.
    let strays = case.evidence.calls.iter().any(|c| c.head.op.is_none());
    if claims_a_cut_answer(case, course) || (course.calls.is_empty() && strays) {
        return;
    }
    let unknown = course
        .calls
        .iter()
        .copied()
        .find(|call| case.left_after_success_head(call));
    ruling.exercise(course);
    let last = course.calls.last().copied();
    let span = last.and_then(|call| case.span_of(call));
    let (worth, why) = match (unknown, last) {
        (Some(left), _) => (
            Worth::note(Level::Integrity),
            format!(
                "the client left {} after the head of a success answer and before its end",
                left.id()
            ),
        ),
        (None, None) => (Worth::UNTRUE, "it made no call".to_owned()),
        (None, Some(_)) => {
            let calls = count(course.calls.len() as u64, "call");
            (
                Worth::UNTRUE,
                format!("no whole success answer was given to its {calls}"),
            )
        }
    };
    let because = format!("{} {claim}; {why}", course.id());
    ruling.charge(
        Charge::new(worth, because)
            .about(course)
            .shown_by(course.calls.iter().copied())
            .asked_at(span),
    );
}

/// Whether the cut of a call may have taken its answer away again; one that comes long after it does not.
fn took_it_away(call: &Call) -> bool {
    match call.cut {
        None => false,
        Some((Place::Idle(after), _)) => after < LATE_GRACE / 5,
        Some(_) => true,
    }
}

/// Notes a plain 2xx that was handed over in good time and that the client says it never got.
fn note_unclaimed(case: &Case, course: &Course, (reported, as_what): (Stamp, &str), ruling: &mut Ruling) {
    let plain = |call: &&Call| {
        call.complete
            && !took_it_away(call)
            && call.peer_left.is_none()
            && case.means_success(call)
            && case
                .status_of(call)
                .is_some_and(|status| (200..300).contains(&status))
    };
    let Some(call) = course.calls.last().copied().filter(plain) else {
        return;
    };
    let Some(ended) = call.answer_ended.filter(|ended| *ended <= reported) else {
        return;
    };
    let because = format!(
        "{} was reported as {as_what} {} after {} was answered with success",
        course.id(),
        time(reported.since(ended)),
        call.id(),
    );
    let charge = Charge::new(Worth::note(Level::Integrity), because).about(course);
    ruling.charge(charge.shown_by([call]).asked_at(case.span_of(call)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::{CutBy, Means, StopReason};
    use std::time::Duration;

    #[test]
    fn claiming_success_after_failures_only_fails() {
        let story = Story::of(vec![answered(503)]).call(0, 0).call(0, 100).ok(110);
        let (grade, because) = story.worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "op-1 was claimed as a success; no whole success answer was given to its 2 calls"
        );
    }

    #[test]
    fn saying_that_it_failed_passes_and_is_put_to_the_test() {
        let result = Story::of(vec![answered(503)]).call(0, 0).failed(5).check(ID);
        assert_eq!(result.findings[0].grade, Grade::Pass);
        let recovered = Story::of(vec![answered(503).times(1), answered(200)])
            .call(0, 0)
            .call(1, 100)
            .ok(110);
        assert!(!recovered.check(ID).exercised);
    }

    #[test]
    fn the_script_decides_what_an_answer_means() {
        let meaning = |status, means| {
            let mut turn = answered(status);
            turn.answer.as_mut().unwrap().means = Some(means);
            Story::of(vec![turn]).call(0, 0).ok(5).worst(ID).0
        };
        assert_eq!(meaning(200, Means::Failure), Grade::Fail);
        assert_eq!(meaning(404, Means::Success), Grade::Pass);
    }

    #[test]
    fn a_success_that_is_not_claimed_is_noted_whatever_is_said_instead() {
        let success = || Story::of(vec![answered(200)]).call(0, 0);
        let unknown = success().reported(5, Claim::Unknown, StopReason::Unreported);
        assert_eq!(
            unknown.worst(ID),
            (
                Grade::Note,
                "op-1 was reported as unknown 4 ms after call 1 was answered with success".to_owned()
            )
        );
        assert_eq!(success().failed(5).worst(ID).0, Grade::Note);
        assert_eq!(success().ok(5).worst(ID).0, Grade::Pass);
    }

    #[test]
    fn a_claim_without_any_call_fails() {
        let (grade, because) = Story::of(vec![answered(503)]).ok(5).worst(ID);
        assert_eq!(
            (grade, because.as_str()),
            (Grade::Fail, "op-1 was claimed as a success; it made no call")
        );
    }

    #[test]
    fn a_client_that_left_after_the_head_of_a_success_is_noted() {
        let dripping = answered(200).cut(Place::Body(10), CutBy::Hang);
        let story = Story::of(vec![dripping])
            .call(0, 0)
            .left(50)
            .reported(60, Claim::Ok, StopReason::Ok);
        assert_eq!(story.worst(ID).0, Grade::Note);
    }

    #[test]
    fn bytes_that_begin_like_a_success_may_be_one_and_junk_may_not() {
        let raw = |bytes: &[u8]| {
            let mut turn = answered(200);
            turn.answer = None;
            turn.raw = Some(bytes.to_vec());
            Story::of(vec![turn]).call(0, 0).ok(5).worst(ID).0
        };
        assert_eq!(raw(b"HTTP/1.1 200 OK\r\n\r\n"), Grade::Pass);
        assert_eq!(raw(b"HTTP/1.1 503 No\r\n\r\n"), Grade::Fail);
        assert_eq!(raw(b"\x16\x03\x01"), Grade::Fail);
    }

    #[test]
    fn a_reset_long_after_a_whole_answer_makes_no_failure_of_it() {
        let closing = |after| answered(200).cut(Place::Idle(Duration::from_millis(after)), CutBy::Rst);
        let worst = |after| Story::of(vec![closing(after)]).call(0, 0).failed(300).worst(ID).0;
        assert_eq!(worst(100), Grade::Note);
        assert_eq!(worst(10), Grade::Pass);
    }
}
