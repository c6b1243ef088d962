//! Every attempt of an operation carries the same key.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::keyed::key_of;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::{cited, count};
use crate::judge::{Case, Course, Level};

const ID: &str = "key.same";
const CITES: &[&str] = &["idempotency-key-07"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "Every attempt of an operation carries the same idempotency key.",
    requirement: "A key tells a server that a request is a repeat of an earlier one; an attempt under another key, or \
        under none, is a new operation to it. Where any attempt of an operation carries a key, all that go to the same \
        dependency carry that key. A change after an answer that asks for one (400, 422) is right, and keys of safe \
        methods say nothing. Only the header counts in which the dependency looks for keys.",
    cites: CITES,
    levels: Levels {
        silent: "fail where a key is sent at all",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &super::FAILURES,
    mutants: &["new-key-per-attempt"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in case.courses().iter().filter(|c| c.takes_a_key()) {
        for point in course.points() {
            let calls: Vec<&Call> = course.attempts_at(point).collect();
            if calls.iter().any(|call| !call.head.keys.is_empty()) {
                judge_calls(case, course, &calls, &mut ruling);
            }
        }
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "every attempt carried the same key in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_calls(case: &Case, course: &Course, calls: &[&Call], ruling: &mut Ruling) {
    for (first, second) in calls.iter().zip(calls.iter().skip(1)) {
        ruling.exercise(course);
        if first.head.keys != second.head.keys && !asks_for_another(case, first) {
            let because = format!(
                "{} sent {} again with {}; {} had carried {}{}",
                second.id(),
                course.id(),
                key_of(second),
                first.id(),
                key_of(first),
                cited(CITES[0]),
            );
            let charge = Charge::new(worth(case), because).about(course);
            ruling.charge(charge.shown_by([*first, *second]).asked_at(case.span_of(first)));
        }
    }
}

/// Whether the answer tells the client to correct its request, the key included.
fn asks_for_another(case: &Case, call: &Call) -> bool {
    call.answer_began.is_some() && matches!(case.status_of(call), Some(400 | 422))
}

/// What a misuse of keys is worth: a broken promise, or else an untruth told to the server.
pub(super) fn worth(case: &Case) -> Worth {
    match case.promises.key {
        true => Worth::BROKEN_PROMISE,
        false => Worth::UNTRUE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};

    fn story(status: u16) -> Story {
        Story::of(vec![answered(status).times(1).applied(), answered(200).applied()])
            .by("POST")
            .keyed()
            .call(0, 0)
    }

    #[test]
    fn the_same_key_on_every_attempt_passes() {
        let result = story(503).call(1, 100).ok(110).check(ID);
        assert_eq!((result.findings[0].grade, result.exercised), (Grade::Pass, true));
    }

    #[test]
    fn another_key_fails_in_silence_too_and_so_does_a_dropped_or_a_late_one() {
        let (grade, because) = story(503).call(1, 100).under(&["new"]).ok(110).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 sent op-1 again with the key new; call 1 had carried the key key-1 \
             (draft-ietf-httpapi-idempotency-key-header-07)"
        );
        assert_eq!(
            story(503).call(1, 100).under(&[]).ok(110).worst(ID).0,
            Grade::Fail
        );
        let late = story(503).under(&[]).call(1, 100).ok(110);
        assert_eq!(late.worst(ID).0, Grade::Fail);
    }

    #[test]
    fn a_key_that_the_server_asked_to_change_may_change() {
        for status in [400, 422] {
            let corrected = story(status).call(1, 100).under(&["new"]).ok(110);
            assert_eq!(corrected.worst(ID).0, Grade::Pass, "{status}");
        }
    }

    #[test]
    fn without_any_key_without_a_second_attempt_or_with_a_safe_method_nothing_is_said() {
        let unkeyed = story(503).under(&[]).call(1, 100).under(&[]).ok(110);
        assert_eq!(unkeyed.check(ID), CheckResult::default());
        assert_eq!(story(200).ok(10).check(ID), CheckResult::default());
        let safe = story(503).by("GET").call(1, 100).under(&["new"]).ok(110);
        assert_eq!(safe.check(ID), CheckResult::default());
    }

    #[test]
    fn another_dependency_may_look_in_another_header() {
        let mut story = story(503).dependency("spare", vec![answered(200).applied()]);
        story.trial.operations[0].request.to.push("spare".into());
        let story = story.call_at(1, "spare", 0, 100).under(&[]).ok(110);
        assert_eq!(story.check(ID), CheckResult::default());
    }
}
