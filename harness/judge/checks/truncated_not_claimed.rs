//! A cut answer is not claimed to be whole.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::{cited, count};
use crate::judge::{Case, Course, FaultClass, Grade, Level};
use crate::term::Claim;

const ID: &str = "truncated.not_claimed";
const CITES: &[&str] = &["rfc9112-8", "rfc9112-6.3", "rfc9112-7.1"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation whose only success answers were cut is not claimed as a success.",
    requirement: "An answer that ends before its Content-Length or its last chunk is incomplete, and a client must \
        record it so. An operation that is claimed as a success although every success answer it got was cut breaks \
        that. A body delimited by the end of the connection and closed in order cannot be told from a whole one and \
        is not held against anybody; nor are partial answers (206), which may make a whole together. A command whose \
        exit status only says that it read an answer is judged by its last call.",
    cites: CITES,
    levels: Levels {
        silent: "fail",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &[FaultClass::Truncated],
    mutants: &["claims-truncated"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        let truncated: Vec<&Call> = cut_successes(case, course);
        if truncated.is_empty() || course.claim().is_none() {
            continue;
        }
        ruling.exercise(course);
        if claims_a_cut_answer(case, course) {
            ruling.charge(charge(case, course, &truncated));
        }
    }
    ruling.finish(Level::Normative, |ops| {
        format!(
            "no cut answer was claimed to be whole in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

/// The calls of an operation whose answer would have meant success and was cut.
fn cut_successes<'a>(case: &Case, course: &Course<'a>) -> Vec<&'a Call> {
    let calls = course.calls.iter().copied();
    calls
        .filter(|call| case.visibly_truncated(call) && case.means_success(call))
        .collect()
}

/// Whether an operation is claimed on the strength of a cut answer, and of nothing else.
pub(super) fn claims_a_cut_answer(case: &Case, course: &Course) -> bool {
    let cut = cut_successes(case, course);
    let partial = course.calls.iter().any(|call| case.status_of(call) == Some(206));
    let whole = course
        .calls
        .iter()
        .any(|call| case.acknowledged_to(call) || case.left_after_success_head(call));
    if cut.is_empty() || partial || whole {
        return false;
    }
    match course.claim() {
        Some(Claim::Ok) => true,
        // An exit status of 0 says that the final answer was whole: the last call's, if it came after the others.
        Some(Claim::Answered) => course.calls.last().is_some_and(|last| {
            let alone = course
                .calls
                .iter()
                .all(|c| c.id() == last.id() || ended_before(c, last));
            alone && cut.iter().any(|c| c.id() == last.id())
        }),
        Some(Claim::Failed | Claim::Unknown) | None => false,
    }
}

fn ended_before(call: &Call, later: &Call) -> bool {
    call.peer_left
        .or(call.answer_ended)
        .is_some_and(|ended| ended <= later.at())
}

fn charge(case: &Case, course: &Course, truncated: &[&Call]) -> Charge {
    let claim = match course.claim() {
        Some(Claim::Answered) => "was reported as answered",
        Some(Claim::Ok | Claim::Failed | Claim::Unknown) | None => "was claimed as a success",
    };
    let last = truncated.last().copied();
    let cut = last.and_then(|call| case.cut_of(call)).map_or_else(
        || "was cut".to_owned(),
        |(place, by)| format!("was cut {place} by {by}"),
    );
    let which = match truncated.len() {
        1 => "its only success answer".to_owned(),
        n => format!("the last of its {n} success answers, none of them whole,"),
    };
    let because = format!("{} {claim}; {which} {cut}{}", course.id(), cited(CITES[0]));
    let span = last.and_then(|call| case.span_of(call));
    Charge::new(Worth::advice(Grade::Fail), because)
        .about(course)
        .shown_by(truncated.iter().copied())
        .asked_at(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::scenario::Framing;
    use crate::term::{CutBy, Place, StopReason};

    fn story(by: CutBy) -> Story {
        Story::of(vec![
            answered(200).times(1).cut(Place::Body(40), by),
            answered(200),
        ])
    }

    #[test]
    fn claiming_a_cut_answer_fails_and_only_this_check_says_so() {
        let story = story(CutBy::Fin)
            .call(0, 0)
            .reported(5, Claim::Ok, StopReason::Unreported);
        let blamed = story.blamed();
        assert_eq!(blamed.len(), 1);
        let told = "op-1 was claimed as a success; its only success answer was cut after 40 bytes of the body by FIN \
                    (RFC 9112 §8)";
        assert_eq!((blamed[0].check.as_str(), blamed[0].because.as_str()), (ID, told));
    }

    #[test]
    fn failing_and_trying_again_are_right() {
        for by in [CutBy::Fin, CutBy::Rst] {
            assert_eq!(
                story(by).call(0, 0).failed(5).check(ID).findings[0].grade,
                Grade::Pass
            );
            assert_eq!(
                story(by).call(0, 0).call(1, 100).ok(110).check(ID).findings[0].grade,
                Grade::Pass
            );
        }
    }

    #[test]
    fn a_chunked_answer_cut_after_its_bytes_is_still_cut() {
        let cut = answered(200)
            .framed(Framing::Chunked)
            .cut(Place::Body(100), CutBy::Fin);
        assert_eq!(Story::of(vec![cut]).call(0, 0).ok(5).worst(ID).0, Grade::Fail);
    }

    #[test]
    fn an_exit_status_of_zero_after_a_cut_last_answer_fails() {
        let answered_so = |s: Story| {
            s.reported(200, Claim::Answered, StopReason::Unreported)
                .worst(ID)
                .0
        };
        assert_eq!(answered_so(story(CutBy::Fin).call(0, 0)), Grade::Fail);
        assert_eq!(
            answered_so(story(CutBy::Fin).call(0, 0).call(1, 100)),
            Grade::Pass
        );
    }

    #[test]
    fn an_answer_to_head_has_no_body_to_cut() {
        assert_eq!(
            story(CutBy::Fin)
                .by("HEAD")
                .call(0, 0)
                .ok(5)
                .check(ID)
                .findings
                .len(),
            0
        );
    }
}
