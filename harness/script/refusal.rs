//! What a script may say that is not played yet: refused with a sentence, never ignored.

use crate::scenario::{Answer, AnswerStatus, Bound, Dependency, Down, Turn, When};
use crate::term::Place;

/// Why this dependency cannot be played, as a sentence without a full stop; `None` where it can.
pub fn refusal(dependency: &Dependency) -> Option<String> {
    let name = &dependency.name;
    let of_dependency = if dependency
        .turns
        .last()
        .is_none_or(|t| t.times.is_some() || t.when.is_some())
    {
        Some("its last turn has `times` or `when`, so there is no turn after it".to_owned())
    } else {
        None
    };
    let keyed = dependency.keys.is_some();
    let of_outages = || dependency.outages.iter().find_map(|o| of_outage(&o.be));
    let of_capacity = || of_answer(&dependency.capacity.as_ref()?.overflow, false);
    let of_turns = || {
        (1..)
            .zip(&dependency.turns)
            .find_map(|(n, t)| Some(format!("turn {n}: {}", of_turn(t, keyed)?)))
    };
    let why = of_dependency
        .or_else(of_outages)
        .or_else(of_capacity)
        .or_else(of_turns)?;
    Some(format!("dependency `{name}`: {why}"))
}

fn of_outage(down: &Down) -> Option<String> {
    match down {
        Down::Refused | Down::BlackHole | Down::Hang => None,
        Down::Answer(answer) => of_answer(answer, false),
    }
}

fn of_turn(turn: &Turn, keyed: bool) -> Option<String> {
    let cut_at = turn.cut.map(|c| c.at);
    if turn.answer.is_none() && turn.raw.is_none() && needs_answer(cut_at) {
        return Some("it has neither an answer nor a cut before one".to_owned());
    }
    if turn.raw.is_some() && cut_at.is_some_and(within_answer) {
        return Some("`raw` bytes are sent whole: a cut within them is not played yet".to_owned());
    }
    let accepts = cut_at == Some(Place::Accept);
    let when = turn.when.as_ref();
    let within_request = matches!(cut_at, Some(Place::RequestHead | Place::RequestBody(_)));
    if when.is_some_and(|w| w.key.is_some() && (!keyed || accepts || within_request)) {
        return Some(
            "what is stored under a key is known where there are `keys` and the whole request was read"
                .to_owned(),
        );
    }
    when.and_then(|w| of_when(w, accepts))
        .or_else(|| turn.answer.as_ref().and_then(|a| of_answer(a, keyed)))
}

fn of_when(when: &When, accepts: bool) -> Option<String> {
    let policy = |b: Option<Bound>| matches!(b, Some(Bound::Policy(_)));
    if policy(when.attempt) || policy(when.on_connection) {
        Some("a `when` counts in numbers, not in what a client promises".to_owned())
    } else if accepts && (when.method.is_some() || when.path.is_some() || !when.headers.is_empty()) {
        Some("a connection is cut at accept before its request is known".to_owned())
    } else {
        None
    }
}

fn of_answer(answer: &Answer, keyed: bool) -> Option<String> {
    match answer.status {
        AnswerStatus::Stored => (!keyed).then(|| "nothing is `stored` without `keys`".to_owned()),
        AnswerStatus::Code(code) if !(200..=999).contains(&code) => {
            Some(format!("{code} is not the status of a final answer"))
        }
        AnswerStatus::Code(_) => None,
    }
}

/// Whether a turn with this cut begins an answer.
fn needs_answer(at: Option<Place>) -> bool {
    match at {
        None | Some(Place::StatusLine(_) | Place::Headers(_) | Place::Body(_)) => true,
        Some(Place::AfterAnswer | Place::Idle(_)) => true,
        Some(Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer) => false,
    }
}

/// Whether the place is inside an answer, or counts on the connection's living on after one.
fn within_answer(at: Place) -> bool {
    match at {
        Place::StatusLine(_) | Place::Headers(_) | Place::Body(_) | Place::Idle(_) => true,
        Place::Accept | Place::RequestHead | Place::RequestBody(_) => false,
        Place::BeforeAnswer | Place::AfterAnswer => false,
    }
}
