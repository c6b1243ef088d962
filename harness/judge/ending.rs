//! How the end of a call may look to the client: every reading that an honest client can come to.

use super::Case;
use super::tolerance::CONSEQUENCE;
use crate::evidence::Call;
use crate::promise::FailureKind;
use crate::scenario::{Answer, Down, Framing, Turn};
use crate::term::{CutBy, Means, Place};

/// One reading of a call's end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// A whole answer that gives the caller what it wanted.
    Success,
    /// An answer with this status that does not.
    Status(u16),
    /// The exchange failed.
    Broken(FailureKind),
}

impl<'a> Case<'a> {
    /// Whether the answer that a call got, if it got it whole, means success.
    ///
    /// The script decides (`means`); where it does not, statuses from 200 to 399 do.
    pub fn means_success(&self, call: &Call) -> bool {
        match self.answer_of(call).and_then(|answer| answer.means) {
            Some(Means::Success) => true,
            Some(Means::Failure) => false,
            None => match self.status_of(call) {
                Some(status) => (200..400).contains(&status),
                None => self
                    .raw_status(call)
                    .is_some_and(|status| (200..400).contains(&status)),
            },
        }
    }

    /// Whether a whole answer was handed over, as far as the client can tell.
    ///
    /// A body delimited by the end of the connection and cut by FIN is whole to its reader (RFC 9112 §8).
    pub fn whole_answer(&self, call: &Call) -> bool {
        call.complete || self.ends_unseen(call) || self.raw_status(call).is_some()
    }

    /// Whether a complete success answer was handed to the kernel for a call.
    pub fn acknowledged(&self, call: &Call) -> bool {
        self.whole_answer(call) && self.means_success(call)
    }

    /// Whether the client got the head of a success answer and left before the rest: what it made of it is unknown.
    pub fn left_after_success_head(&self, call: &Call) -> bool {
        call.peer_left.is_some()
            && call.cut.is_none()
            && call.answer_began.is_some()
            && self.means_success(call)
    }

    /// Whether a call was answered as a whole and nothing after the answer can have taken it away again.
    pub fn certainly_read(&self, call: &Call) -> bool {
        call.complete && !matches!(call.cut, Some((_, CutBy::Rst)))
    }

    /// Whether the answer's body was cut so that any reader can tell.
    pub fn visibly_truncated(&self, call: &Call) -> bool {
        if call.complete || call.head.method == "HEAD" || self.ends_unseen(call) {
            return false;
        }
        let (Some((place, _)), Some(answer)) = (self.cut_of(call), self.answer_of(call)) else {
            return false;
        };
        match place {
            Place::StatusLine(_) | Place::Headers(_) => true,
            Place::Body(n) => answer.framing != Framing::Sized || n < answer.body.len(),
            Place::Accept
            | Place::RequestHead
            | Place::RequestBody(_)
            | Place::BeforeAnswer
            | Place::AfterAnswer
            | Place::Idle(_) => false,
        }
    }

    /// Every way in which an honest client may read the end of a call; never empty.
    pub fn readings(&self, call: &Call) -> Vec<Reading> {
        let mut readings = Vec::new();
        if self.whole_answer(call) {
            readings.push(self.whole_reading(call));
            if !self.certainly_read(call) {
                readings.extend([FailureKind::Reset, FailureKind::Truncated].map(Reading::Broken));
            }
            return readings;
        }
        if call.peer_left.is_some() && call.cut.is_none() {
            readings.push(Reading::Broken(FailureKind::Timeout));
            if call.answer_began.is_some() {
                readings.push(self.whole_reading(call));
            }
            return readings;
        }
        self.broken_readings(call)
    }

    /// Whether a call surely failed: no reading of its end is a success.
    pub fn surely_failed(&self, call: &Call) -> bool {
        !self.readings(call).contains(&Reading::Success)
    }

    /// Whether some honest client may have read the end of a call as a failure: as one of its readings, or because its own
    /// timer was quicker than an answer that was not given at once.
    pub fn may_have_failed(&self, call: &Call) -> bool {
        let readings = self.readings(call);
        self.may_have_timed_out(call) || readings.iter().any(|reading| *reading != Reading::Success)
    }

    /// The cut of a call: as it was played, else as scripted where the exchange was not completed.
    pub fn cut_of(&self, call: &Call) -> Option<(Place, CutBy)> {
        if call.cut.is_some() || call.complete {
            return call.cut;
        }
        if let Some(outage) = self.outage_of(call) {
            return match outage.be {
                Down::Hang | Down::BlackHole => Some((Place::BeforeAnswer, CutBy::Hang)),
                Down::Refused | Down::Answer(_) => None,
            };
        }
        self.turn_of(call)?.cut.map(|cut| (cut.at, cut.by))
    }

    /// Whether the client may have ended a call by its own timer: it left, or the call was not answered at once.
    pub fn may_have_timed_out(&self, call: &Call) -> bool {
        match call.answer_ended {
            Some(ended) if self.certainly_read(call) => ended.since(call.at()) > CONSEQUENCE,
            _ => !matches!(self.cut_of(call), Some((_, CutBy::Fin | CutBy::Rst))) || call.peer_left.is_some(),
        }
    }

    fn whole_reading(&self, call: &Call) -> Reading {
        match self.status_of(call).or_else(|| self.raw_status(call)) {
            _ if self.means_success(call) => Reading::Success,
            Some(status) => Reading::Status(status),
            None => Reading::Broken(FailureKind::Malformed),
        }
    }

    fn broken_readings(&self, call: &Call) -> Vec<Reading> {
        let by_cut = |by: CutBy, also: &[FailureKind]| {
            let first = match by {
                CutBy::Fin => FailureKind::Closed,
                CutBy::Rst => FailureKind::Reset,
                CutBy::Hang => FailureKind::Timeout,
            };
            let kinds = std::iter::once(first).chain(also.iter().copied());
            kinds.map(Reading::Broken).collect::<Vec<_>>()
        };
        match self.cut_of(call) {
            Some((Place::StatusLine(_) | Place::Headers(_), by)) => {
                by_cut(by, &[FailureKind::Malformed, FailureKind::Truncated])
            }
            Some((Place::Body(_) | Place::AfterAnswer | Place::Idle(_), by)) => {
                let mut readings = by_cut(by, &[FailureKind::Truncated]);
                // The head was there to be read: a failing status may be taken for the failure.
                readings.extend(
                    self.status_of(call)
                        .filter(|_| !self.means_success(call))
                        .map(Reading::Status),
                );
                readings
            }
            Some((Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer, by)) => {
                by_cut(by, &[])
            }
            None if self.raw_of(call).is_some() => {
                by_cut(CutBy::Fin, &[FailureKind::Malformed, FailureKind::Truncated])
            }
            None => by_cut(CutBy::Hang, &[]),
        }
    }

    fn ends_unseen(&self, call: &Call) -> bool {
        let unseen = |answer: &Answer| answer.framing == Framing::Close;
        matches!(self.cut_of(call), Some((Place::Body(_), CutBy::Fin)))
            && call.answer_ended.is_some()
            && self.answer_of(call).is_some_and(unseen)
    }

    fn raw_of(&self, call: &Call) -> Option<&'a [u8]> {
        let raw = |turn: &'a Turn| turn.raw.as_deref();
        self.turn_of(call)
            .and_then(raw)
            .filter(|_| self.outage_of(call).is_none())
    }

    /// The status that raw bytes carry, where they begin like an answer: then nothing is known of what follows.
    fn raw_status(&self, call: &Call) -> Option<u16> {
        let rest = self.raw_of(call)?.strip_prefix(b"HTTP/")?;
        let digits = rest.get(4..7).filter(|_| rest.get(3) == Some(&b' '))?;
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
}
