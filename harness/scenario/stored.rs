//! What a key store answers: the answer of the call that applied the effect, or a plain success.

use std::sync::LazyLock;
use std::time::Duration;

use super::{Answer, AnswerBody, AnswerStatus, Framing, Turn};
use crate::term::Place;

static PLAIN_SUCCESS: LazyLock<Answer> = LazyLock::new(|| Answer {
    status: AnswerStatus::Code(200),
    retry_after: None,
    headers: Vec::new(),
    body: AnswerBody::Empty,
    framing: Framing::Sized,
    after: Duration::ZERO,
    drip: None,
    keep_alive: None,
    means: None,
    clock: None,
    early: false,
});

/// 200 without a body: what a healthy dependency answers, and what is answered where `stored` is asked for and nothing
/// is stored.
pub fn plain_success() -> &'static Answer {
    &PLAIN_SUCCESS
}

impl Turn {
    /// The answer that is stored with the effect of a call that falls to this turn: its own, unless that was cut.
    pub fn stored(&self) -> Option<&Answer> {
        let cut = match self.cut.map(|c| c.at) {
            None | Some(Place::AfterAnswer | Place::Idle(_)) => false,
            Some(
                Place::Accept
                | Place::RequestHead
                | Place::RequestBody(_)
                | Place::BeforeAnswer
                | Place::StatusLine(_)
                | Place::Headers(_)
                | Place::Body(_),
            ) => true,
        };
        self.answer
            .as_ref()
            .filter(|answer| !cut && answer.status != AnswerStatus::Stored)
    }
}
