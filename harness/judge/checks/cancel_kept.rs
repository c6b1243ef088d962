//! What the caller has given up ends promptly, and nothing more of it is sent.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::tolerance::LATE_GRACE;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course, FaultClass, Level};
use crate::term::Stamp;

const ID: &str = "cancel.kept";
const CITES: &[&str] = &["grpc-a6"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation that its caller gives up ends promptly, and nothing more of it is sent.",
    requirement: "A caller that cancels an operation has no use for its answer: a wait is broken off, an attempt under \
        way is abandoned, no other is begun. Both a call and the report are late more than 250 ms after the client was \
        told. Only clients whose file says that they can be told (`can: {cancel: true}`) are asked such operations, so \
        that to go on is to break one's word.",
    cites: CITES,
    levels: Levels {
        silent: "fail (only a client that can be told is asked)",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Pushback,
        FaultClass::Date,
        FaultClass::Lost,
        FaultClass::Slow,
    ],
    mutants: &["ignores-cancel"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        if let Some(cancelled) = course.record.cancelled {
            judge_operation(case, course, cancelled, &mut ruling);
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "{} ended promptly when the caller gave up",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, cancelled: Stamp, ruling: &mut Ruling) {
    // What had ended before cannot be cancelled any more.
    let Some(over) = course.over().filter(|over| *over >= cancelled) else {
        return;
    };
    ruling.exercise(course);
    let latest = cancelled.plus(LATE_GRACE);
    // What comes after the report is the matter of end.final.
    let late = course
        .calls
        .iter()
        .copied()
        .find(|call| call.at() > latest && call.at() <= over);
    if let Some(call) = late {
        let because = format!(
            "{} came {} after the caller had given {} up",
            call.id(),
            since(call.at(), cancelled),
            course.id()
        );
        ruling.charge_unless_late(case, charge(case, course, because, Some(call)));
    } else if over > latest {
        let told = if course.outcome().is_some() {
            "was reported"
        } else {
            "had no end"
        };
        let because = format!(
            "{} {told} {} after its caller had given it up",
            course.id(),
            since(over, cancelled)
        );
        ruling.charge_unless_late(case, charge(case, course, because, course.calls.last().copied()));
    }
}

fn since(at: Stamp, cancelled: Stamp) -> String {
    time(at.since(cancelled))
}

fn charge(case: &Case, course: &Course, because: String, call: Option<&Call>) -> Charge {
    let worth = match case.promises.opted_out(ID) {
        true => Worth::note(Level::Promised),
        false => Worth::BROKEN_PROMISE,
    };
    Charge::new(worth, because)
        .about(course)
        .shown_by(call)
        .asked_at(Some(course.planned.group.span))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Fact;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::scenario::Pushback;
    use crate::term::{Claim, OperationId, StopReason};

    fn story() -> Story {
        let pushing = answered(429).times(1).pushing_back(Pushback::Seconds(3));
        let cancelled = Fact::Cancelled {
            op: OperationId(1),
            at: Stamp::from_ms(500),
        };
        Story::of(vec![pushing, answered(200)]).call(0, 0).and(cancelled)
    }

    #[test]
    fn ending_at_once_passes_and_a_grace_is_granted() {
        for over in [500, 750] {
            let result = story()
                .reported(over, Claim::Failed, StopReason::Cancelled)
                .check(ID);
            assert_eq!(result.findings[0].grade, Grade::Pass, "{over}");
        }
    }

    #[test]
    fn going_on_fails_by_its_call_and_waiting_on_by_its_report() {
        let (grade, because) = story().call(1, 3_005).ok(3_010).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(because, "call 2 came 2.505 s after the caller had given op-1 up");
        let (grade, because) = story().failed(751).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "op-1 was reported 251 ms after its caller had given it up"
        );
    }

    #[test]
    fn what_had_ended_before_cannot_be_cancelled() {
        let before = story().reported(400, Claim::Failed, StopReason::Pushback);
        assert!(before.check(ID).findings.is_empty());
    }

    #[test]
    fn a_late_harness_accuses_nobody() {
        assert!(story().failed(900).late_by_ms(60).check(ID).withheld);
    }
}
