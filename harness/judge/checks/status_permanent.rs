//! A failure that no repeat can change is not repeated.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level, statuses};

const ID: &str = "status.permanent";
const CITES: &[&str] = &["rfc9110-15.5"];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation ends at a failing status that the client does not promise to repeat.",
    requirement: "A client that lists the statuses it repeats repeats no other; where it lists none, repeats after \
        statuses that no repeat is likely to change (400, 403, 404, 501 and the like) are noted. Repeats that a \
        status itself foresees (401, 407, 408, 417, 421, 425) are only noted, and a call to another dependency, or one \
        that another call in flight may explain, is left unjudged.",
    cites: CITES,
    levels: Levels {
        silent: "note",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Permanent],
    mutants: &["retries-permanent"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        for call in course
            .attempts
            .iter()
            .copied()
            .filter(|call| is_permanent(case, call))
        {
            judge_call(case, course, call, &mut ruling);
        }
    }
    ruling.finish(Level::Promised, |ops| {
        format!(
            "{} ended at a status that is not repeated",
            count(ops.len() as u64, "operation")
        )
    })
}

/// The statuses that the client promises to repeat, and no others: its own list, or the one it was handed.
pub(super) fn repeated<'a>(case: &Case<'a>) -> Option<Vec<&'a [u16]>> {
    let promised = case.promises.retries.as_ref()?.statuses.as_deref()?;
    let given = case.trial.given.as_ref().and_then(|g| g.statuses.as_deref());
    Some([Some(promised), given].into_iter().flatten().collect())
}

fn is_permanent(case: &Case, call: &Call) -> bool {
    let Some(status) = case.status_of(call).filter(|s| *s >= 400) else {
        return false;
    };
    let listed = |lists: Vec<&[u16]>| !lists.iter().any(|list| list.contains(&status));
    case.certainly_read(call)
        && !case.means_success(call)
        && repeated(case).map_or_else(|| statuses::permanent(status), listed)
}

fn judge_call(case: &Case, course: &Course, call: &Call, ruling: &mut Ruling) {
    let Some(next) = course.next_attempt_at(call) else {
        if course.over().is_some() {
            ruling.exercise(course);
        }
        return;
    };
    if !course.follows(case, call, next) {
        return;
    }
    ruling.exercise(course);
    let status = case.status_of(call).unwrap_or_default();
    let promised = repeated(case).is_some();
    let worth = match promised && !statuses::repeat_is_foreseen(status) && !case.promises.opted_out(ID) {
        true => Worth::BROKEN_PROMISE,
        false => Worth::note(Level::Promised),
    };
    let why = match promised {
        true => "the client does not promise to repeat it",
        false => "no repeat is likely to change it",
    };
    let because = format!("{} repeated {} after its {status}; {why}", next.id(), course.id());
    ruling.charge(
        Charge::new(worth, because)
            .about(course)
            .shown_by([call, next])
            .asked_at(case.span_of(call)),
    );
}
