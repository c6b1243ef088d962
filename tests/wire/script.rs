//! Dependencies written by hand, in as few words as a test needs.

use std::time::Duration;

use retrial::scenario::{
    Answer, AnswerBody, AnswerStatus, Cut, Dependency, Down, Framing, Outage, Pushback, Scope, Turn,
};
use retrial::source::Span;
use retrial::term::{CutBy, Effect, Place};

/// A dependency with these turns; the last is to have neither `times` nor `when`.
pub fn dependency(turns: Vec<Turn>) -> Dependency {
    Dependency {
        name: "quota".into(),
        per: Scope::Operation,
        outages: vec![],
        capacity: None,
        slows: None,
        keys: None,
        turns,
        healthy: false,
        span: Span::default(),
    }
}

/// A dependency that is down so, and else answers 200.
pub fn down(from: Duration, until: Option<Duration>, be: Down) -> Dependency {
    let outage = Outage {
        from,
        until,
        every: None,
        be,
        span: Span::default(),
    };
    Dependency {
        outages: vec![outage],
        ..dependency(vec![answers(answer(200))])
    }
}

/// An answer with this status and no body.
pub fn answer(status: u16) -> Answer {
    Answer {
        status: AnswerStatus::Code(status),
        retry_after: None,
        headers: vec![],
        body: AnswerBody::Empty,
        framing: Framing::Sized,
        after: Duration::ZERO,
        drip: None,
        keep_alive: None,
        means: None,
        early: false,
        clock: None,
    }
}

/// An answer 200 with this text.
pub fn text(text: &str) -> Answer {
    Answer {
        body: AnswerBody::Text(text.to_owned()),
        ..answer(200)
    }
}

/// An answer 503 with this pushback.
pub fn pushes_back(pushback: Pushback) -> Answer {
    Answer {
        retry_after: Some(pushback),
        ..answer(503)
    }
}

/// A turn of nothing.
pub fn turn() -> Turn {
    Turn {
        times: None,
        when: None,
        takes: Duration::ZERO,
        effect: Effect::None,
        answer: None,
        cut: None,
        raw: None,
        span: Span::default(),
    }
}

/// A turn that answers so.
pub fn answers(answer: Answer) -> Turn {
    Turn {
        answer: Some(answer),
        ..turn()
    }
}

/// A turn that answers so and is cut.
pub fn cuts(answer: Answer, at: Place, by: CutBy) -> Turn {
    Turn {
        answer: Some(answer),
        cut: Some(Cut { at, by }),
        ..turn()
    }
}

/// This turn, for so many calls.
pub fn times(n: u32, turn: Turn) -> Turn {
    Turn {
        times: Some(n),
        ..turn
    }
}
