//! Every attempt of an operation carries the same body.

use super::attempts_capped::counted;
use super::{Check, CheckResult, Levels};
use crate::evidence::{Call, Digest};
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level};
use crate::scenario::RequestBody;
use crate::term::Sha256;

const ID: &str = "body.same";
const CITES: &[&str] = &["rfc9110-9.2.2", "idempotency-key-07"];

/// Planned bodies up to this length are digested to judge a body that was not read to its end.
const DIGESTED: u64 = 1024 * 1024;

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "Every attempt of an operation carries the body of the first.",
    requirement: "A repeat that is empty, shorter, or other content under the same idempotency key is another request \
        under the name of the first; such bodies were acknowledged by the thousand. Only bodies that were read to \
        their end are compared, since early answers and resets cut them; of the others only that they begin like the \
        first, where what was handed to the client is known byte for byte. Other differences are noted: multipart \
        boundaries and encodings may lawfully change. What follows an answer that foresees a repeat (401, 407, 408, \
        417, 421, 425) is a handshake and is not compared.",
    cites: CITES,
    levels: Levels {
        silent: "fail where it is empty, shorter, or other content under one key; else note",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[
        FaultClass::Transient,
        FaultClass::Lost,
        FaultClass::Truncated,
        FaultClass::Garbled,
    ],
    mutants: &["empties-body"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        judge_operation(case, course, &mut ruling);
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "{} sent one body on every attempt",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, ruling: &mut Ruling) {
    let attempts = counted(case, course);
    let whole = |call: &&Call| call.body.as_ref().is_some_and(|body| body.complete);
    let Some(first) = attempts.iter().copied().find(whole) else {
        return;
    };
    let Some(expected) = first.body.as_ref().filter(|body| body.len > 0) else {
        return;
    };
    for later in attempts.iter().copied().filter(|call| call.comes_after(first)) {
        let Some(body) = &later.body else { continue };
        if body.complete {
            ruling.exercise(course);
        }
        let one_key = !first.head.keys.is_empty() && first.head.keys == later.head.keys;
        let Some(difference) = difference(course, expected, body) else {
            continue;
        };
        let because = format!("{} of {} {}", later.id(), course.id(), told(first, &difference));
        let charge = Charge::new(worth(case, &difference, one_key), because).about(course);
        ruling.charge(charge.shown_by([first, later]).asked_at(case.span_of(first)));
    }
}

/// How a later body differs from the first.
enum Difference {
    /// It has no bytes.
    Empty(u64),
    /// It has fewer.
    Shorter(u64, u64),
    /// It is other content.
    Other,
}

/// How a later body differs from a first that was read to its end; `None` where that is not known.
fn difference(course: &Course, first: &Digest, later: &Digest) -> Option<Difference> {
    match (later.complete, later.len) {
        (true, 0) => Some(Difference::Empty(first.len)),
        // A resumed upload sends the rest of what the server took; none of these servers offers that.
        (true, len) if len < first.len => Some(Difference::Shorter(len, first.len)),
        (true, _) => (later.sha256 != first.sha256).then_some(Difference::Other),
        (false, _) => begins_otherwise(course, first, later).then_some(Difference::Other),
    }
}

/// Whether a piece of a body is surely no beginning of the first one.
fn begins_otherwise(course: &Course, first: &Digest, piece: &Digest) -> bool {
    let Some(planned) = course.planned.request().body.as_ref() else {
        return false;
    };
    if planned.len() > DIGESTED || piece.len > planned.len() || piece.len == 0 {
        return false;
    }
    let bytes = bytes_of(planned);
    let len = usize::try_from(piece.len).unwrap_or(usize::MAX);
    Sha256::of(&bytes) == first.sha256
        && bytes
            .get(..len)
            .is_some_and(|begin| Sha256::of(begin) != piece.sha256)
}

fn bytes_of(body: &RequestBody) -> Vec<u8> {
    match body {
        RequestBody::Text(text) => text.clone().into_bytes(),
        RequestBody::Zeros(n) => vec![0; usize::try_from((*n).min(DIGESTED)).unwrap_or(0)],
    }
}

fn worth(case: &Case, difference: &Difference, one_key: bool) -> Worth {
    let grave = match difference {
        Difference::Empty(_) | Difference::Shorter(..) => true,
        Difference::Other => one_key,
    };
    match grave && !case.promises.opted_out(ID) {
        true => Worth::UNTRUE,
        false => Worth::note(Level::Integrity),
    }
}

fn told(first: &Call, difference: &Difference) -> String {
    match difference {
        Difference::Empty(of) => format!("had no body; {} had sent {}", first.id(), count(*of, "byte")),
        Difference::Shorter(len, of) => {
            format!("sent {}; {} had sent {of}", count(*len, "byte"), first.id())
        }
        Difference::Other => format!("sent another body than {}", first.id()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};

    fn put(bodies: &[&str]) -> Story {
        let story = Story::of(vec![answered(503)]).by("PUT").with_body("amount=1");
        let calls = bodies.iter().zip(0..);
        calls.fold(story, |story, (body, n)| {
            story.call(0, n * 100).sent(body.as_bytes(), true)
        })
    }

    #[test]
    fn the_same_body_twice_passes() {
        let result = put(&["amount=1", "amount=1"]).check(ID);
        assert!(result.exercised);
        assert_eq!(result.findings[0].grade, Grade::Pass);
    }

    #[test]
    fn an_empty_and_a_shorter_repeat_fail() {
        let (grade, because) = put(&["amount=1", ""]).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(because, "call 2 of op-1 had no body; call 1 had sent 8 bytes");
        let (grade, because) = put(&["amount=1", "amou"]).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(because, "call 2 of op-1 sent 4 bytes; call 1 had sent 8");
    }

    #[test]
    fn other_content_is_noted_and_fails_under_one_key() {
        assert_eq!(put(&["amount=1", "amount=2"]).worst(ID).0, Grade::Note);
        let keyed = Story::of(vec![answered(503)]).by("POST").keyed();
        let keyed = keyed
            .call(0, 0)
            .sent(b"a=1", true)
            .call(0, 100)
            .sent(b"a=2", true);
        assert_eq!(keyed.worst(ID).0, Grade::Fail);
    }

    #[test]
    fn a_body_that_was_not_read_to_its_end_is_judged_by_its_beginning_only() {
        let story = |piece: &[u8]| put(&["amount=1"]).call(0, 100).sent(piece, false).worst(ID).0;
        assert_eq!(story(b""), Grade::Pass);
        assert_eq!(story(b"amo"), Grade::Pass);
        assert_eq!(story(b"xyz"), Grade::Note);
    }

    #[test]
    fn a_handshake_may_begin_without_a_body() {
        let turns = vec![answered(401).times(1), answered(200)];
        let story = Story::of(turns).by("POST").call(0, 0).sent(b"a=1", true);
        assert_eq!(story.call(1, 100).sent(b"", true).worst(ID).0, Grade::Pass);
        let empty_first = put(&["", "amount=1"]);
        assert!(empty_first.check(ID).findings.is_empty());
    }
}
