//! A request carries one key.

use super::key_same::worth;
use super::{Check, CheckResult, Levels};
use crate::judge::ruling::{Charge, Ruling};
use crate::judge::wording::{cited, count};
use crate::judge::{Case, Level};

const ID: &str = "key.one_header";
const CITES: &[&str] = &["idempotency-key-07"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "No request carries more than one idempotency key header.",
    requirement: "A request has exactly one header field with its key. Several are one list to HTTP, so that a server \
        refuses them or takes them for a key that nobody meant; a client that adds its header anew at each attempt \
        sends one more each time. Put to the test by every second attempt under a key.",
    cites: CITES,
    levels: Levels {
        silent: "fail where a key is sent at all",
        promised: "fail",
        opted_out: "fail",
    },
    bears_on: &super::FAILURES,
    mutants: &["two-key-headers"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in case.courses().iter().filter(|c| c.takes_a_key()) {
        let keyed = course
            .attempts
            .iter()
            .copied()
            .filter(|c| !c.head.keys.is_empty());
        for (i, call) in keyed.enumerate() {
            if i > 0 {
                ruling.exercise(course);
            }
            if call.head.keys.len() > 1 {
                let because = format!(
                    "{} of {} carried {}{}",
                    call.id(),
                    course.id(),
                    count(call.head.keys.len() as u64, "key header"),
                    cited(CITES[0]),
                );
                let charge = Charge::new(worth(case), because).about(course);
                ruling.charge(charge.shown_by([call]).asked_at(case.span_of(call)));
            }
        }
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "no attempt carried more than one key in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};

    fn story() -> Story {
        let turns = vec![answered(503).times(1), answered(200).applied()];
        Story::of(turns).by("POST").keyed().call(0, 0).call(1, 100)
    }

    #[test]
    fn one_key_at_each_attempt_passes() {
        assert_eq!(story().ok(110).check(ID).findings[0].grade, Grade::Pass);
    }

    #[test]
    fn a_header_that_is_added_anew_fails() {
        let (grade, because) = story().under(&["key-1", "key-1"]).ok(110).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 of op-1 carried 2 key headers (draft-ietf-httpapi-idempotency-key-header-07)"
        );
    }

    #[test]
    fn a_single_attempt_and_unkeyed_ones_put_nothing_to_the_test() {
        let single = Story::of(vec![answered(200)]).by("POST").keyed().call(0, 0).ok(5);
        assert_eq!(single.check(ID), CheckResult::default());
        assert_eq!(story().under(&[]).ok(110).check(ID), CheckResult::default());
    }
}
