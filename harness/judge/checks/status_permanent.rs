//! A failure that no repeat can change is not repeated.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::keyed::same_key;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level, statuses};
use crate::promise::FailureKind;
use crate::scenario::Asked;
use crate::term::Sha256;

const ID: &str = "status.permanent";
const CITES: &[&str] = &["rfc9110-15.5"];

/// Statuses that ask for other credentials.
const CREDENTIALS: [u16; 2] = [401, 407];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "An operation ends at a failing status that the client does not promise to repeat.",
    requirement: "A client that lists the statuses it repeats repeats no other; where it lists none, repeats after \
        statuses that no repeat is likely to change (400, 403, 404, 501 and the like) are noted. Repeats that a \
        status itself foresees (401, 407, 408, 417, 421, 425; 409 while the first call with the same key is at work) are \
        only noted, but for a 401 or 407 that is repeated with the same head to the letter: such a repeat brings no other \
        credentials. After an answer that invites a repeat (a 413 with a wait, or a wait that the client promises to \
        honour after that status), and where a call goes to another dependency or another call in flight may explain \
        it, nothing is judged.",
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

/// Whether the client promises to repeat this failure of an exchange, and was handed nothing else.
pub(super) fn repeats_failure(case: &Case, kind: FailureKind) -> bool {
    let retries = case.promises.retries.as_ref();
    let promised = retries.and_then(|r| r.failures.as_ref());
    let given = case.trial.given.as_ref().and_then(|g| g.failures.as_ref());
    promised.is_some_and(|kinds| kinds.contains(&kind)) && given.is_none_or(|kinds| kinds.contains(&kind))
}

fn is_permanent(case: &Case, call: &Call) -> bool {
    let Some(status) = case.status_of(call).filter(|s| *s >= 400) else {
        return false;
    };
    let listed = |lists: Vec<&[u16]>| !lists.iter().any(|list| list.contains(&status));
    case.certainly_read(call)
        && !case.means_success(call)
        && !invites(case, call, status)
        && repeated(case).map_or_else(|| statuses::permanent(status), listed)
}

/// Whether the answer itself invites a repeat: by a wait that the client promises to honour after this status, or, in a
/// 413, by any wait (RFC 9110 §15.5.14: the condition is temporary, and the client may try again).
fn invites(case: &Case, call: &Call, status: u16) -> bool {
    let waits = case
        .pushback_of(call)
        .is_some_and(|pushback| pushback.asks() != Asked::Nothing);
    let promise = case.promises.pushback.as_ref();
    waits && (status == 413 || promise.is_some_and(|p| p.honours.contains(&status)))
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
    let in_flight = case.refused_while_in_flight(call) && same_key(call, next);
    let foreseen = in_flight || (statuses::repeat_is_foreseen(status) && !brings_nothing(call, next, status));
    let worth = match promised && !foreseen && !case.promises.opted_out(ID) {
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

/// Whether a repeat after a demand for credentials is the request that was refused, to the letter: it brings none, and
/// none but those that were refused.
fn brings_nothing(call: &Call, next: &Call, status: u16) -> bool {
    let known = call.head.head_sha256 != Sha256::default();
    CREDENTIALS.contains(&status) && known && call.head.head_sha256 == next.head.head_sha256
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::promise::{PushbackPromise, Retries};
    use crate::scenario::Pushback;

    fn story(status: u16) -> Story {
        Story::of(vec![answered(status).times(1), answered(200)])
    }

    fn promising(story: Story) -> Story {
        let retries = Retries {
            statuses: Some(vec![429, 503]),
            ..Retries::default()
        };
        story.promising(|p| p.retries = Some(retries))
    }

    #[test]
    fn ending_at_a_permanent_status_passes() {
        assert_eq!(
            promising(story(404)).call(0, 0).failed(5).check(ID).findings[0].grade,
            Grade::Pass
        );
    }

    #[test]
    fn repeating_what_is_not_on_the_list_fails_the_promise_and_is_noted_in_silence() {
        let (grade, because) = promising(story(404)).call(0, 0).call(1, 100).ok(105).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 repeated op-1 after its 404; the client does not promise to repeat it"
        );
        assert_eq!(
            story(404).call(0, 0).call(1, 100).ok(105).worst(ID).0,
            Grade::Note
        );
        assert_eq!(
            story(409).call(0, 0).call(1, 100).ok(105).worst(ID).0,
            Grade::Pass
        );
    }

    #[test]
    fn repeats_on_the_list_and_those_that_a_status_foresees_are_no_breach() {
        assert_eq!(
            promising(story(503)).call(0, 0).call(1, 100).ok(105).worst(ID).0,
            Grade::Pass
        );
        for foreseen in [401, 408, 421, 425] {
            assert_eq!(
                promising(story(foreseen))
                    .call(0, 0)
                    .call(1, 100)
                    .ok(105)
                    .worst(ID)
                    .0,
                Grade::Note
            );
        }
    }

    #[test]
    fn the_same_credentials_again_are_a_breach_and_others_are_foreseen() {
        let headed =
            |story: Story, text: &'static [u8]| story.heading(|head| head.head_sha256 = Sha256::of(text));
        let again = |status, first, second| {
            let story = headed(promising(story(status)).call(0, 0), first);
            headed(story.call(1, 100), second).ok(105).worst(ID).0
        };
        assert_eq!(again(401, b"a: 1", b"a: 1"), Grade::Fail);
        assert_eq!(again(401, b"a: 1", b"a: 2"), Grade::Note);
        assert_eq!(again(408, b"a: 1", b"a: 1"), Grade::Note);
    }

    #[test]
    fn a_wait_that_is_honoured_by_promise_and_any_in_a_413_invites_a_repeat() {
        let pushed = |status| {
            let turn = answered(status).times(1).pushing_back(Pushback::Seconds(3));
            promising(
                Story::of(vec![turn, answered(200)])
                    .call(0, 0)
                    .call(1, 3_005)
                    .ok(3_010),
            )
        };
        let honouring = |story: Story| {
            let promise = PushbackPromise {
                honours: vec![418],
                forms: Vec::new(),
                above: None,
            };
            story.promising(|p| p.pushback = Some(promise))
        };
        assert_eq!(pushed(413).check(ID), CheckResult::default());
        assert_eq!(honouring(pushed(418)).check(ID), CheckResult::default());
        assert_eq!(pushed(418).worst(ID).0, Grade::Fail);
        let bare = promising(story(413)).call(0, 0).call(1, 100).ok(105);
        assert_eq!(bare.worst(ID).0, Grade::Fail);
    }
}
