//! What leans on a key store: it must be there, and have seen the whole request.

use super::super::raw::{self, PlaceAt};
use super::Check;
use crate::source::{Placed, Span};

impl Check<'_> {
    /// Reports what asks for a key store where there is none, or before it can know anything.
    pub(super) fn keyed(&self, raw: &raw::Dependency) {
        for turn in raw.script.iter().flat_map(|script| &script.value) {
            self.keyed_turn(&turn.value, raw.keys.is_some());
        }
        for outage in &raw.outages {
            if let raw::Down::Answer(answer) = &outage.value.be.value {
                self.never_stored(answer);
            }
        }
        if let Some(capacity) = &raw.capacity {
            self.never_stored(&capacity.value.overflow);
        }
    }

    fn keyed_turn(&self, turn: &raw::Turn, has_keys: bool) {
        let key = turn.when.as_ref().and_then(|when| when.value.key.as_ref());
        if let Some(key) = key {
            self.stands_on_keys(key.span, "`key`", has_keys);
            self.is_read_whole(turn, key.span);
        }
        let Some(answer) = &turn.answer else { return };
        if let Some(stored) = answer.value.stored.as_ref().filter(|s| s.value) {
            self.stands_on_keys(stored.span, "`stored`", has_keys);
            self.is_sent_as_stored(&answer.value, stored.span);
            self.is_not_cut_within(turn, stored.span);
        }
    }

    fn stands_on_keys(&self, span: Span, what: &str, has_keys: bool) {
        if !has_keys {
            self.problems.add(
                self.problems
                    .at(span, format!("{what} asks for a dependency that recognises keys"))
                    .labelled("this one does not")
                    .hint("add `keys: {header: Idempotency-Key, keep: 24h}` beside `script`"),
            );
        }
    }

    fn is_read_whole(&self, turn: &raw::Turn, key: Span) {
        let Some(cut) = &turn.cut else { return };
        match cut.value.at.value {
            PlaceAt::RequestHead | PlaceAt::RequestBody(_) => self.problems.add(
                self.problems
                    .at(
                        key,
                        "what a key stands for is known when the whole request was read",
                    )
                    .labelled("cannot be told yet")
                    .beside(cut.value.at.span, "cut before that"),
            ),
            // At accept no condition can be told at all: that is said elsewhere.
            PlaceAt::Accept
            | PlaceAt::BeforeAnswer
            | PlaceAt::StatusLine(_)
            | PlaceAt::Headers(_)
            | PlaceAt::Body(_)
            | PlaceAt::AfterAnswer
            | PlaceAt::Idle(_) => {}
        }
    }

    /// A stored answer is another turn's, sent again as it is; only its delay is this turn's own.
    fn is_sent_as_stored(&self, answer: &raw::Answer, stored: Span) {
        let written = [
            answer.retry_after.as_ref().map(|x| x.span),
            answer.headers.iter().next().map(|(name, _)| name.span),
            answer.body.as_ref().map(|x| x.span),
            answer.framing.as_ref().map(|x| x.span),
            answer.drip.as_ref().map(|x| x.span),
            answer.keep_alive.as_ref().map(|x| x.span),
            answer.means.as_ref().map(|_| stored),
        ];
        for span in written.into_iter().flatten() {
            self.problems.add(
                self.problems
                    .at(span, "a stored answer is sent as it was stored")
                    .labelled("only `after` can stand beside `stored`"),
            );
        }
    }

    fn is_not_cut_within(&self, turn: &raw::Turn, stored: Span) {
        let Some(cut) = &turn.cut else { return };
        match cut.value.at.value {
            PlaceAt::StatusLine(_) | PlaceAt::Headers(_) | PlaceAt::Body(_) => self.problems.add(
                self.problems
                    .at(
                        cut.value.at.span,
                        "how long a stored answer is depends on what is stored",
                    )
                    .labelled("cannot be counted here")
                    .beside(stored, "stored by another call")
                    .hint("cut at `before_answer` or `after_answer`"),
            ),
            PlaceAt::Accept
            | PlaceAt::RequestHead
            | PlaceAt::RequestBody(_)
            | PlaceAt::BeforeAnswer
            | PlaceAt::AfterAnswer
            | PlaceAt::Idle(_) => {}
        }
    }

    fn never_stored(&self, answer: &Placed<raw::Answer>) {
        if let Some(stored) = answer.value.stored.as_ref().filter(|s| s.value) {
            self.problems.say(
                stored.span,
                "who is not let in has nothing stored",
                "only a turn answers what is stored",
            );
        }
    }
}
