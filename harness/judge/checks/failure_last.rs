//! The failure that is reported is the last one.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::CONSEQUENCE;
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::{Claim, Stamp};

const ID: &str = "failure.last";
const CITES: &[&str] = &["rfc9110-15.5"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The status that is reported with a failure is the one that the last attempt was answered with.",
    requirement: "After a 503 and a 404 the caller is to be told 404: the failure that ended the operation, not one \
        that was repeated. It is judged only where the client reports a status, its last call was certainly answered \
        with another failing one in good time, and the reported one had been answered to an earlier call. A status \
        that no call was answered with is noted: the client made it up. A last attempt that broke off without a \
        status leaves nothing to compare with.",
    cites: CITES,
    levels: Levels {
        silent: "fail; a status that nobody answered: note",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Transient, FaultClass::Permanent],
    mutants: &["masks-failure"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        if let Some((reported, outcome)) = course.outcome()
            && outcome.claim == Claim::Failed
            && let Some(status) = outcome.status
        {
            judge_operation(case, course, (reported, status), &mut ruling);
        }
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "{} were reported with the last failure",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, (reported, claimed): (Stamp, u16), ruling: &mut Ruling) {
    let Some((last, status)) = last_answer(case, course, reported) else {
        return;
    };
    let told_before = course.calls.iter().any(|call| {
        call.id() != last.id() && call.answer_began.is_some() && case.status_of(call) == Some(claimed)
    });
    // One failure alone cannot be mistaken for another.
    if course
        .calls
        .iter()
        .any(|call| call.id() != last.id() && case.status_of(call) != Some(status))
    {
        ruling.exercise(course);
    }
    if claimed == status {
        return;
    }
    let worth = match told_before && !case.promises.opted_out(ID) {
        true => Worth::UNTRUE,
        false => Worth::note(Level::Integrity),
    };
    let (id, whose) = (
        course.id(),
        if told_before {
            "an earlier answer's"
        } else {
            "nobody's"
        },
    );
    let because = format!(
        "{id} was reported with {claimed}, {whose}; {} was answered with {status}",
        last.id()
    );
    let charge = Charge::new(worth, because).about(course).shown_by([last]);
    ruling.charge(charge.asked_at(case.span_of(last)));
}

/// The last call of an operation and its failing status, where it certainly was the last that the client knew of.
fn last_answer<'a>(case: &Case, course: &Course<'a>, reported: Stamp) -> Option<(&'a Call, u16)> {
    let last = course.calls.last().copied()?;
    let ended = last.answer_ended.filter(|_| case.certainly_read(last))?;
    // The report may have crossed an answer that came just before it.
    let known = ended.plus(CONSEQUENCE) <= reported || course.calls.len() == 1 || !case.promises.hedges;
    let alone = course.calls.iter().all(|call| {
        let over = call.peer_left.or(call.answer_ended);
        call.id() == last.id() || over.is_some_and(|over| over <= last.at())
    });
    let status = case.status_of(last).filter(|_| case.surely_failed(last))?;
    (known && alone && ended <= reported && last.peer_left.is_none()).then_some((last, status))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::{CutBy, Place};

    fn story(claimed: u16) -> Story {
        let story = Story::of(vec![answered(503).times(1), answered(404)])
            .call(0, 0)
            .call(1, 100);
        story
            .failed(150)
            .telling(|outcome| outcome.status = Some(claimed))
    }

    #[test]
    fn the_last_status_passes_and_an_earlier_one_fails() {
        let right = story(404).check(ID);
        assert!(right.exercised);
        assert_eq!(right.findings[0].grade, Grade::Pass);
        let (grade, because) = story(503).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "op-1 was reported with 503, an earlier answer's; call 2 was answered with 404"
        );
    }

    #[test]
    fn a_status_that_nobody_answered_is_noted() {
        assert_eq!(story(599).worst(ID).0, Grade::Note);
    }

    #[test]
    fn a_last_attempt_that_broke_off_leaves_the_status_before_it() {
        let turns = vec![
            answered(503).times(1),
            answered(404).cut(Place::BeforeAnswer, CutBy::Rst),
        ];
        let story = Story::of(turns).call(0, 0).call(1, 100).failed(150);
        assert_eq!(
            story.telling(|outcome| outcome.status = Some(503)).worst(ID).0,
            Grade::Pass
        );
    }
}
