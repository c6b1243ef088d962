//! Each operation has a key of its own.

use std::collections::BTreeMap;

use super::key_same::worth;
use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::keyed::key_of;
use crate::judge::ruling::{Charge, Ruling};
use crate::judge::wording::{cited, count};
use crate::judge::{Case, Course, Level};

const ID: &str = "key.fresh";
const CITES: &[&str] = &["idempotency-key-07"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "No operation goes under the idempotency key of another.",
    requirement: "To a server a key names one operation: a second operation under it is refused, or taken for a \
        repeat and never carried out. Operations that go to one dependency carry different keys, unless the scenario \
        has them share one. Keys of safe methods say nothing, and what goes to another dependency is left unjudged.",
    cites: CITES,
    levels: Levels {
        silent: "fail where a key is sent at all",
        promised: "fail",
        opted_out: "fail",
    },
    // That two operations carry keys proves nothing of what a client makes of a fault.
    bears_on: &[],
    mutants: &["one-key-for-all"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let courses = case.courses();
    let mut used: BTreeMap<(&str, &[String]), (&Course, &Call)> = BTreeMap::new();
    let mut keyed_at: Vec<&str> = Vec::new();
    for course in courses.iter().filter(|c| c.takes_a_key()) {
        let points = course.points();
        let calls = course.attempts.iter().copied();
        for call in calls.filter(|call| !call.head.keys.is_empty()) {
            if keyed_at.contains(&&*call.head.point) {
                ruling.exercise(course);
            }
            let first = used
                .entry((&call.head.point, &call.head.keys))
                .or_insert((course, call));
            charge(case, *first, (course, call), &mut ruling);
        }
        keyed_at.extend(points.into_iter().filter(|point| {
            let keyed = |c: &Call| !c.head.keys.is_empty();
            course.attempts_at(point).any(keyed)
        }));
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "{} carried a key of its own",
            count(ops.len() as u64 + 1, "operation")
        )
    })
}

/// Charges the first call of an operation that goes under another's key.
fn charge(case: &Case, first: (&Course, &Call), second: (&Course, &Call), ruling: &mut Ruling) {
    let ((owner, one), (course, other)) = (first, second);
    let again = course
        .attempts_at(&other.head.point)
        .find(|c| c.head.keys == other.head.keys)
        .is_some_and(|c| c.id() != other.id());
    if owner.id() == course.id() || course.shares_its_key_with(owner) || again {
        return;
    }
    let because = format!(
        "{} sent {} with {}, which {} had carried for {}{}",
        other.id(),
        course.id(),
        key_of(other),
        one.id(),
        owner.id(),
        cited(CITES[0]),
    );
    let charge = Charge::new(worth(case), because).about(course);
    ruling.charge(charge.shown_by([one, other]).asked_at(case.span_of(other)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, answered};
    use crate::scenario::KeyPlan;

    /// Two keyed operations.
    fn two() -> Story {
        let story = Story::of(vec![answered(200)]).by("POST").keyed();
        story.operation("POST", "/", "quota").keyed()
    }

    fn sharing() -> Story {
        let mut story = two();
        for group in &mut story.trial.operations {
            group.request.key = Some(KeyPlan::Shared("k".to_owned()));
        }
        story
    }

    #[test]
    fn keys_of_their_own_pass() {
        let result = two()
            .call_of(1, 0, 0)
            .call_of(1, 0, 10)
            .call_of(2, 0, 20)
            .check(ID);
        assert_eq!(result.findings[0].grade, Grade::Pass);
        assert_eq!(
            result.findings[0].because,
            "2 operations carried a key of its own"
        );
    }

    #[test]
    fn one_key_for_two_operations_fails_once() {
        let story = two().call_of(1, 0, 0).call_of(2, 0, 20).under(&["key-1"]);
        let result = story.call_of(2, 0, 30).under(&["key-1"]).check(ID);
        let told: Vec<_> = result
            .findings
            .iter()
            .map(|f| (f.grade, f.because.as_str()))
            .collect();
        let sentence = "call 2 sent op-2 with the key key-1, which call 1 had carried for op-1 \
                        (draft-ietf-httpapi-idempotency-key-header-07)";
        assert_eq!(told, [(Grade::Fail, sentence)]);
    }

    #[test]
    fn what_the_scenario_has_share_a_key_shares_it() {
        let story = sharing().call_of(1, 0, 0).call_of(2, 0, 20).under(&["key-1"]);
        assert_eq!(story.worst(ID).0, Grade::Pass);
    }

    #[test]
    fn another_dependency_another_method_and_a_single_operation_are_left_unjudged() {
        assert_eq!(two().call_of(1, 0, 0).check(ID), CheckResult::default());
        let elsewhere = two().dependency("spare", Vec::new());
        let elsewhere = elsewhere
            .call_of(1, 0, 0)
            .call_at(2, "spare", 0, 20)
            .under(&["key-1"]);
        assert_eq!(elsewhere.check(ID), CheckResult::default());
        let safe = two()
            .by("GET")
            .call_of(1, 0, 0)
            .call_of(2, 0, 20)
            .under(&["key-1"]);
        assert_eq!(safe.check(ID), CheckResult::default());
    }
}
