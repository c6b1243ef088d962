//! Turns, written short, and what is recorded of their answers.

use std::time::Duration;

use crate::evidence::Fact;
use crate::scenario::{Answer, AnswerBody, AnswerStatus, Asked, Cut, Framing, Pushback, Turn, When};
use crate::source::Span;
use crate::term::{CallId, CutBy, Effect, Place, Stamp};

/// A turn that answers with a status, without end.
pub fn answered(status: u16) -> Turn {
    let answer = Answer {
        status: AnswerStatus::Code(status),
        retry_after: None,
        headers: Vec::new(),
        body: AnswerBody::Zeros(100),
        framing: Framing::Sized,
        after: Duration::ZERO,
        drip: None,
        keep_alive: None,
        means: None,
        early: false,
        clock: None,
    };
    Turn {
        times: None,
        when: None,
        takes: Duration::ZERO,
        effect: Effect::None,
        answer: Some(answer),
        cut: None,
        raw: None,
        span: Span::default(),
    }
}

/// What a turn may have besides its status.
pub trait Written {
    fn times(self, n: u32) -> Self;
    fn path(self, path: &str) -> Self;
    fn pushing_back(self, pushback: Pushback) -> Self;
    fn cut(self, at: Place, by: CutBy) -> Self;
    fn taking_ms(self, ms: u64) -> Self;
    fn applied(self) -> Self;
    fn framed(self, framing: Framing) -> Self;
}

impl Written for Turn {
    fn times(mut self, n: u32) -> Self {
        self.times = Some(n);
        self
    }
    fn path(mut self, path: &str) -> Self {
        self.when = Some(When {
            path: Some(path.to_owned()),
            ..When::default()
        });
        self
    }
    fn pushing_back(mut self, pushback: Pushback) -> Self {
        self.answer.as_mut().unwrap().retry_after = Some(pushback);
        self
    }
    fn cut(mut self, at: Place, by: CutBy) -> Self {
        self.cut = Some(Cut { at, by });
        self
    }
    fn taking_ms(mut self, ms: u64) -> Self {
        self.takes = Duration::from_millis(ms);
        self
    }
    fn applied(mut self) -> Self {
        self.effect = Effect::Applied;
        self
    }
    fn framed(mut self, framing: Framing) -> Self {
        self.answer.as_mut().unwrap().framing = framing;
        self
    }
}

/// What is recorded when an answer is begun.
pub fn began(call: CallId, at: Stamp, answer: &Answer) -> Fact {
    let asks = answer.retry_after.as_ref().map(Pushback::asks);
    let wait = match asks {
        Some(Asked::Wait(wait)) => Some(wait),
        Some(Asked::Nothing) | None => None,
    };
    let is_date = answer.retry_after.as_ref().is_some_and(Pushback::is_date);
    let until = wait.filter(|_| is_date).map(|wait| {
        let us = at.plus(wait).us();
        Stamp::from_us(us.div_ceil(1_000_000) * 1_000_000)
    });
    let status = match answer.status {
        AnswerStatus::Code(code) => Some(code),
        AnswerStatus::Stored => None,
    };
    Fact::AnswerBegan {
        call,
        at,
        status,
        asked_wait_ms: wait.map(|w| u64::try_from(w.as_millis()).unwrap_or(u64::MAX)),
        asked_until: until,
        retry_after: answer.retry_after.as_ref().map(|p| format!("{p:?}")),
    }
}
