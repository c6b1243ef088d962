//! The body that is handed over is that of one whole answer.

use std::collections::BTreeMap;

use sha2::{Digest as _, Sha256};

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::scenario::{AnswerBody, AnswerStatus};
use crate::term::{Claim, Place};

const ID: &str = "body.whole";
const CITES: &[&str] = &["rfc9112-8", "rfc9112-6.3"];

/// Bodies up to this length are digested.
const DIGESTED: u64 = 16 * 1024 * 1024;

/// So many pieces of cut answers are tried before a whole one.
const PIECES: usize = 8;

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "The body that a client hands over is that of one whole answer to the operation.",
    requirement: "What came of a cut answer is thrown away before the next attempt, or resumed by a range; put before \
        a whole answer, it makes a body that nobody sent. So does the late answer of an attempt that was given up, if \
        another operation gets it. The digest that the client reports of a success must be that of the body of one \
        whole answer to that operation. A client may lawfully decode or rewrite what it hands over: a digest that is \
        none of them is held against it only where another operation of the trial shows that it hands bodies over as \
        they came, or where it is that of pieces put before a whole answer. Partial answers (206), encoded, stored and \
        raw ones are not judged.",
    cites: CITES,
    levels: Levels {
        silent: "fail; unshown: note",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Truncated, FaultClass::Slow, FaultClass::Lost],
    mutants: &["glues-bodies"],
    judge,
};

/// Digests of bodies, each worked out once.
type Digests<'a> = BTreeMap<(&'a [u8], u64), String>;

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    let mut digests = Digests::new();
    let mut judged = Vec::new();
    for course in &case.courses() {
        if let Some(reported) = reported(case, course) {
            judged.push((
                course.clone(),
                reported,
                is_one_of(case, course, reported, &mut digests),
            ));
        }
    }
    let hands_over = |not: &Course| judged.iter().any(|(c, _, whole)| *whole && c.id() != not.id());
    for (course, reported, whole) in &judged {
        if course.calls.len() > 1 {
            ruling.exercise(course);
        }
        if !whole {
            let shown = hands_over(course);
            judge_strange(case, course, (*reported, shown), &mut ruling);
        }
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "{} handed over the body of one whole answer",
            count(ops.len() as u64, "operation")
        )
    })
}

/// The digest that is reported of a success, where the bodies of all the operation's answers are known.
fn reported<'a>(case: &Case, course: &Course<'a>) -> Option<&'a str> {
    let (_, outcome) = course.outcome()?;
    let claimed = outcome.claim == Claim::Ok && course.planned.request().method != "HEAD";
    let known = |call: &Call| {
        let Some(answer) = case.answer_of(call) else {
            return case.turn_of(call).is_none_or(|turn| turn.raw.is_none());
        };
        let encoded = answer
            .headers
            .iter()
            .any(|(name, _)| name.eq_ignore_ascii_case("content-encoding"));
        let stored = answer.status == AnswerStatus::Stored;
        !encoded && !stored && case.status_of(call) != Some(206) && answer.body.len() <= DIGESTED
    };
    let left = course.calls.iter().any(|call| case.left_after_success_head(call));
    let acknowledged = course.calls.iter().any(|call| case.acknowledged_to(call));
    let judged = claimed && acknowledged && !left && course.calls.iter().all(|call| known(call));
    outcome.body_sha256.as_deref().filter(|_| judged)
}

/// Whether a digest is that of the body of an answer that was whole to its reader.
fn is_one_of<'a>(case: &Case<'a>, course: &Course<'a>, reported: &str, digests: &mut Digests<'a>) -> bool {
    let whole = course.calls.iter().filter(|call| case.whole_answer(call));
    let mut bodies = whole.filter_map(|call| body(case, call));
    bodies.any(|(text, len)| {
        let digest = digests
            .entry((text, len))
            .or_insert_with(|| digest_of(&[(text, len)]));
        digest.eq_ignore_ascii_case(reported)
    })
}

/// As much of its answer's body as a call got: a text cut to a length, or so many zeros.
fn body<'a>(case: &Case<'a>, call: &Call) -> Option<(&'a [u8], u64)> {
    let body = &case.answer_of(call)?.body;
    let sent = match case.cut_of(call) {
        Some((Place::Body(n), _)) => n.min(body.len()),
        _ => body.len(),
    };
    let text: &[u8] = match body {
        AnswerBody::Empty | AnswerBody::Zeros(_) => &[],
        AnswerBody::Text(text) => text.as_bytes(),
    };
    Some((text, sent))
}

/// The digest of bodies one behind the other; a body without a text is so many zeros.
fn digest_of(bodies: &[(&[u8], u64)]) -> String {
    let mut hash = Sha256::new();
    for (text, len) in bodies {
        let len = usize::try_from(*len).unwrap_or(usize::MAX);
        match text.is_empty() {
            true => hash.update(vec![0; len]),
            false => hash.update(text.get(..len).unwrap_or(text)),
        }
    }
    format!("{:x}", hash.finalize())
}

/// Whether a digest is that of what came of cut answers, put before a whole one.
fn is_glued(case: &Case, course: &Course, reported: &str) -> bool {
    let pieces = course.calls.iter().filter(|call| !case.whole_answer(call));
    let mut pieces: Vec<_> = pieces.filter_map(|call| body(case, call)).take(PIECES).collect();
    let whole = course.calls.iter().filter(|call| case.whole_answer(call));
    let mut whole = whole.filter_map(|call| body(case, call));
    let begun = pieces.len();
    begun > 0
        && whole.any(|body| {
            pieces.truncate(begun);
            pieces.push(body);
            (0..begun).any(|from| digest_of(&pieces[from..]).eq_ignore_ascii_case(reported))
        })
}

fn judge_strange(case: &Case, course: &Course, (reported, shown): (&str, bool), ruling: &mut Ruling) {
    let glued = is_glued(case, course, reported);
    let worth = match (glued || shown) && !case.promises.opted_out(ID) {
        true => Worth::UNTRUE,
        false => Worth::note(Level::Integrity),
    };
    let what = match glued {
        true => "that of a cut answer's piece and a whole answer behind it",
        false => "that of none of its whole answers",
    };
    let because = format!("the body that was handed over for {} is {what}", course.id());
    let span = course.calls.first().and_then(|call| case.span_of(call));
    let charge = Charge::new(worth, because).about(course);
    ruling.charge(charge.shown_by(course.calls.iter().copied()).asked_at(span));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};
    use crate::term::{CutBy, StopReason};

    fn zeros(n: usize) -> String {
        digest_of(&[(&[], n as u64)])
    }

    /// op-1 meets an answer cut after 40 of its 100 bytes and then a whole one; op-2 a whole one.
    fn story(digest: String, control: String) -> Story {
        let cut = answered(200).times(1).path("/").cut(Place::Body(40), CutBy::Fin);
        let story = Story::of(vec![cut, answered(200)]).operation("GET", "/control", "quota");
        let story = story
            .call_of(2, 1, 0)
            .reported_of(2, 10, Claim::Ok, StopReason::Ok);
        let story = story.telling(|outcome| outcome.body_sha256 = Some(control));
        let story = story.call(0, 100).call(1, 200).ok(210);
        story.telling(|outcome| outcome.body_sha256 = Some(digest))
    }

    #[test]
    fn the_digest_of_one_whole_answer_passes_in_either_case() {
        let upper = zeros(100).to_ascii_uppercase();
        for digest in [zeros(100), upper] {
            assert_eq!(story(digest, zeros(100)).check(ID).findings[0].grade, Grade::Pass);
        }
    }

    #[test]
    fn pieces_put_before_a_whole_answer_fail_by_themselves() {
        let (grade, because) = story(zeros(140), "other".to_owned()).worst(ID);
        assert_eq!(grade, Grade::Fail);
        let told = "the body that was handed over for op-1 is that of a cut answer's piece and a whole answer behind it";
        assert_eq!(because, told);
    }

    #[test]
    fn another_digest_is_held_against_a_client_that_is_shown_to_hand_bodies_over_as_they_came() {
        assert_eq!(story(zeros(7), zeros(100)).worst(ID).0, Grade::Fail);
        assert_eq!(story(zeros(7), zeros(9)).worst(ID).0, Grade::Note);
    }

    #[test]
    fn partial_and_encoded_answers_are_left_unjudged() {
        let mut partial = story(zeros(7), zeros(100));
        let answer = partial.trial.dependencies[0].turns[0].answer.as_mut().unwrap();
        answer
            .headers
            .push(("Content-Encoding".to_owned(), "gzip".to_owned()));
        assert_eq!(partial.worst(ID).0, Grade::Pass);
    }
}
