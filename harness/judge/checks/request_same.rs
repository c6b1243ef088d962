//! A repeat asks for what the first attempt asked for.

use super::{Check, CheckResult, Levels};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::wording::count;
use crate::judge::{Case, Course, FaultClass, Level, statuses};
use crate::scenario::Answer;
use crate::term::{Claim, Role};

const ID: &str = "request.same";
const CITES: &[&str] = &["rfc9110-9.2.2"];

/// Headers of an answer by which a server may send a client elsewhere.
const ELSEWHERE: [&str; 4] = ["location", "content-location", "link", "alt-svc"];

/// Headers that a client may leave out of a repeat: they speak of the connection, of what is expected of the server, of
/// what the client holds (a lost answer may have changed that), or of the form in which an answer is wanted.
const MAY_GO: [&str; 19] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "content-length",
    "cookie",
    "expect",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "keep-alive",
    "proxy-connection",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// See the requirement below.
pub const CHECK: Check = Check {
    id: ID,
    summary: "A repeat is the request of the first attempt: method, path, query, and the caller's headers.",
    requirement: "A repeat sends the same request once more. Where the call on the strength of which an operation is \
        claimed went to another path than the attempt that failed, the caller gets the answer to a question that was \
        not asked. Redirects are no repeats; calls to other paths beside the operation's own (look-ups, preflights) \
        are not held against anybody, nor is anything after an answer that names another place. Another query is \
        noted: some clients mark their attempts there; and so is a claim on the strength of another method, which a \
        resumed transfer may use. A POST or PATCH to the operation's path in place of an idempotent method makes a repeat \
        unsafe that was not, and fails, unless a redirect may have turned the method. So does a repeat without a header \
        that the scenario handed over and the first attempt carried; what a header says may change, and those that \
        speak of the connection, of expectations, preconditions, cookies, ranges and encodings may go, and any after an answer that foresees another \
        request (401, 407, 417 and the like).",
    cites: CITES,
    levels: Levels {
        silent: "fail; another query, or a method that is not POST or PATCH: note",
        promised: "fail",
        opted_out: "note",
    },
    bears_on: &[FaultClass::Lost, FaultClass::Truncated, FaultClass::Garbled],
    mutants: &["other-path", "posts-again", "loses-headers"],
    judge,
};

fn judge(case: &Case) -> CheckResult {
    let mut ruling = Ruling::new(ID, CITES);
    for course in &case.courses() {
        judge_operation(case, course, &mut ruling);
    }
    ruling.finish(Level::Integrity, |ops| {
        format!(
            "every repeat asked for the same again in {}",
            count(ops.len() as u64, "operation")
        )
    })
}

fn judge_operation(case: &Case, course: &Course, ruling: &mut Ruling) {
    let Some(first) = course
        .attempts
        .iter()
        .copied()
        .find(|call| is_planned(course, call))
    else {
        return;
    };
    let later = |call: &&Call| call.comes_after(first) && call.head.role == Role::Attempt;
    let others = course.calls.iter().copied().filter(later);
    let others: Vec<&Call> = others
        .filter(|call| call.head.point == first.head.point)
        .collect();
    if others.is_empty() || !case.surely_failed(first) || is_sent_elsewhere(case, course) {
        return;
    }
    ruling.exercise(course);
    let queries = others.iter().copied().filter(|call| is_planned(course, call));
    if let Some(marked) = queries
        .into_iter()
        .find(|call| call.head.query != first.head.query)
    {
        let because = format!(
            "{} of {} asks with another query than {}",
            marked.id(),
            course.id(),
            first.id()
        );
        ruling.charge(charge(
            case,
            course,
            [first, marked],
            (Worth::note(Level::Integrity), because),
        ));
    }
    if let Some(poorer) = others.iter().find_map(|call| poorer(case, course, first, call)) {
        ruling.charge(poorer);
    }
    if let Some(posted) = others.iter().copied().find(|call| is_posted(case, course, call)) {
        ruling.charge(posted_instead(case, course, first, posted));
    } else if let Some(strange) = claimed_on(case, course) {
        let told = told(case, course, first, strange);
        ruling.charge(charge(case, course, [first, strange], told));
    }
}

/// Whether a call asks for the operation's own path by its own method.
fn is_planned(course: &Course, call: &Call) -> bool {
    call.head.method == course.planned.request().method && is_there(course, call)
}

/// Whether a call asks for the operation's own path.
fn is_there(course: &Course, call: &Call) -> bool {
    let path = course.planned.request().path.split('?').next();
    call.head.path == path.unwrap_or_default()
}

/// Whether a call sends by POST or PATCH what was to be sent by a method that may be repeated.
fn is_posted(case: &Case, course: &Course, call: &Call) -> bool {
    let turned = |earlier: &&Call| {
        let status = case.status_of(earlier);
        earlier.at() < call.at() && status.is_some_and(|s| (300..400).contains(&s))
    };
    statuses::idempotent(&course.planned.request().method)
        && statuses::not_idempotent(&call.head.method)
        && is_there(course, call)
        && !course.calls.iter().any(turned)
}

fn posted_instead(case: &Case, course: &Course, first: &Call, posted: &Call) -> Charge {
    let (was, is) = (&course.planned.request().method, &posted.head.method);
    let (op, call) = (course.id(), posted.id());
    let because = format!(
        "{call} sent {op} again as a {is}; {} was a {was}, which may be repeated",
        first.id()
    );
    charge(case, course, [first, posted], (untrue(case), because))
}

/// A repeat that lacks what the caller handed over and the first attempt carried.
fn poorer(case: &Case, course: &Course, first: &Call, call: &Call) -> Option<Charge> {
    let foreseen =
        |c: &&Call| c.at() < call.at() && case.status_of(c).is_some_and(statuses::repeat_is_foreseen);
    if !is_planned(course, call) || course.calls.iter().any(foreseen) {
        return None;
    }
    let lost = call.head.lacks.iter().find(|name| {
        let may_go = MAY_GO.iter().any(|free| free.eq_ignore_ascii_case(name));
        !may_go && !first.head.lacks.contains(name)
    })?;
    let (op, id) = (course.id(), call.id());
    let because = format!(
        "{id} of {op} lacks the caller's header `{lost}`, which {} carried",
        first.id()
    );
    Some(charge(case, course, [first, call], (untrue(case), because)))
}

/// What an untruth is worth here.
fn untrue(case: &Case) -> Worth {
    match case.promises.opted_out(ID) {
        true => Worth::note(Level::Integrity),
        false => Worth::UNTRUE,
    }
}

/// Whether any answer names another place to ask at.
fn is_sent_elsewhere(case: &Case, course: &Course) -> bool {
    let names = |answer: &Answer| {
        answer
            .headers
            .iter()
            .any(|(name, _)| ELSEWHERE.contains(&name.to_ascii_lowercase().as_str()))
    };
    course
        .calls
        .iter()
        .any(|call| case.answer_of(call).is_some_and(names))
}

/// The call on the strength of which an operation is claimed, where it asks for something else and none that asks for
/// the right thing may have been answered.
fn claimed_on<'a>(case: &Case, course: &Course<'a>) -> Option<&'a Call> {
    if course.claim() != Some(Claim::Ok) {
        return None;
    }
    let might = |call: &&Call| case.acknowledged_to(call) || case.left_after_success_head(call);
    let might: Vec<&Call> = course.calls.iter().copied().filter(might).collect();
    let right = might
        .iter()
        .any(|call| is_planned(course, call) || call.head.role != Role::Attempt);
    might.last().copied().filter(|_| !right)
}

fn told(case: &Case, course: &Course, first: &Call, strange: &Call) -> (Worth, String) {
    let note = Worth::note(Level::Integrity);
    if strange.head.method != first.head.method {
        let (was, is) = (&first.head.method, &strange.head.method);
        let because = format!(
            "{} was claimed on the strength of {}, a {is}; it was to {was}",
            course.id(),
            strange.id()
        );
        return (note, because);
    }
    let because = format!(
        "{} was claimed on the strength of {}, which asked for `{}`; {} had asked for `{}`",
        course.id(),
        strange.id(),
        strange.head.path,
        first.id(),
        first.head.path,
    );
    (untrue(case), because)
}

fn charge(case: &Case, course: &Course, calls: [&Call; 2], (worth, because): (Worth, String)) -> Charge {
    let span = case.span_of(calls[0]);
    Charge::new(worth, because)
        .about(course)
        .shown_by(calls)
        .asked_at(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Grade;
    use crate::judge::evidence_builder::{Story, Written, answered};

    fn story() -> Story {
        Story::of(vec![answered(503).times(1), answered(200)])
            .call(0, 0)
            .call(1, 100)
    }

    #[test]
    fn the_same_path_passes() {
        assert_eq!(story().ok(110).check(ID).findings[0].grade, Grade::Pass);
    }

    #[test]
    fn claiming_what_was_answered_at_another_path_fails() {
        let (grade, because) = story()
            .heading(|head| head.path = "/other".into())
            .ok(110)
            .worst(ID);
        assert_eq!(grade, Grade::Fail);
        let told =
            "op-1 was claimed on the strength of call 2, which asked for `/other`; call 1 had asked for `/`";
        assert_eq!(because, told);
    }

    #[test]
    fn another_query_or_method_is_noted() {
        let marked = story()
            .heading(|head| head.query = Some("attempt=2".to_owned()))
            .ok(110);
        assert_eq!(marked.worst(ID).0, Grade::Note);
        let resumed = story().heading(|head| head.method = "HEAD".into()).ok(110);
        assert_eq!(resumed.worst(ID).0, Grade::Note);
    }

    fn put() -> Story {
        let redirect = answered(301).times(1);
        Story::of(vec![answered(503).times(1), answered(200), redirect])
            .by("PUT")
            .call(0, 0)
    }

    #[test]
    fn a_post_in_place_of_what_may_be_repeated_fails_unless_a_redirect_may_have_turned_it() {
        let posted = |story: Story| {
            story
                .call(1, 100)
                .heading(|head| head.method = "POST".into())
                .ok(110)
        };
        let (grade, because) = posted(put()).worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 sent op-1 again as a POST; call 1 was a PUT, which may be repeated"
        );
        assert_ne!(posted(put().call(2, 50)).worst(ID).0, Grade::Fail);
        let looked_up = posted(put())
            .heading(|head| head.path = "/token".into())
            .call(1, 200);
        assert_ne!(looked_up.worst(ID).0, Grade::Fail);
        let first = posted(
            Story::of(vec![answered(200), answered(200)])
                .by("POST")
                .call(0, 0),
        );
        assert_eq!(first.worst(ID).0, Grade::Pass);
    }

    #[test]
    fn a_repeat_without_the_callers_header_fails_where_the_first_carried_it() {
        let lacking = |name: &str| {
            let name = name.to_owned();
            put()
                .call(1, 100)
                .heading(move |head| head.lacks.push(name.into()))
                .ok(110)
        };
        let (grade, because) = lacking("Authorization").worst(ID);
        assert_eq!(grade, Grade::Fail);
        assert_eq!(
            because,
            "call 2 of op-1 lacks the caller's header `Authorization`, which call 1 carried"
        );
        assert_eq!(lacking("Expect").worst(ID).0, Grade::Pass);
        let never = put().heading(|head| head.lacks.push("x".into())).call(1, 100);
        let never = never.heading(|head| head.lacks.push("x".into())).ok(110);
        assert_eq!(never.worst(ID).0, Grade::Pass);
        let anew = Story::of(vec![answered(401).times(1), answered(200)])
            .by("PUT")
            .call(0, 0)
            .call(1, 100);
        let anew = anew
            .heading(|head| head.lacks.push("Authorization".into()))
            .ok(110);
        assert_eq!(anew.worst(ID).0, Grade::Pass);
    }

    #[test]
    fn a_look_up_beside_the_repeat_and_an_answer_that_names_another_place_are_lawful() {
        let looked_up = story()
            .heading(|head| head.path = "/region".into())
            .call(1, 200)
            .ok(210);
        assert_eq!(looked_up.worst(ID).0, Grade::Pass);
        let mut sent = story().heading(|head| head.path = "/there".into()).ok(110);
        let answer = sent.trial.dependencies[0].turns[0].answer.as_mut().unwrap();
        answer
            .headers
            .push(("Content-Location".to_owned(), "/there".to_owned()));
        assert_eq!(sent.worst(ID).0, Grade::Pass);
    }
}
