//! An answer's head, made when it is served: dates, pushback, marked redirects. Who frames it is decided elsewhere.

use std::borrow::Cow;
use std::time::Duration;

use hyper::header::{DATE, HeaderMap, HeaderName, HeaderValue};
use hyper::{Method, StatusCode};

use super::dates::{self, Dates};
use crate::evidence::Fact;
use crate::scenario::{Answer, AnswerStatus, Asked, DateOffset, Framing, Pushback};
use crate::term::{CallId, OperationId, Stamp};
use crate::world::Clock;

/// What an answer asks of its client, and its header lines in order, the framing's left out.
pub(super) struct Head<'a> {
    pub status: u16,
    /// The date that stands before all lines, where the script writes none.
    date: Option<HeaderValue>,
    lines: Vec<(&'a str, Cow<'a, str>)>,
    /// When it was made: just before its first byte is handed over.
    pub at: Stamp,
    pushback: Option<Asking>,
}

/// A pushback as it was written for this answer.
struct Asking {
    text: String,
    asks: Asked,
    until: Option<Stamp>,
}

impl<'a> Head<'a> {
    /// The head of this answer, as of this moment by this clock.
    pub(super) fn made(
        answer: &'a Answer,
        op: Option<OperationId>,
        (at, clock): (Stamp, &Clock),
        dates: &Dates,
    ) -> Self {
        let wall = dates::by_clock(clock.wall_us(at), answer.clock);
        let date = match has(answer, "date") {
            true => None,
            false => dates.imf(wall / 1_000_000),
        };
        let mut lines: Vec<(&str, Cow<'_, str>)> = Vec::with_capacity(answer.headers.len());
        for (name, value) in &answer.headers {
            lines.push((name, marked(name, value, op)));
        }
        let pushback = answer.retry_after.as_ref().map(|pushback| {
            let (texts, unix) = written(pushback, wall);
            let text = texts.join(", ");
            lines.extend(texts.into_iter().map(|t| ("retry-after", t)));
            // By a clock that is off, a date asks whatever the client makes of it.
            let off = answer.clock.is_some() && pushback.is_date();
            let until = |unix: u64| unix.saturating_mul(1_000_000).saturating_sub(clock.unix_us());
            Asking {
                text,
                asks: if off { Asked::Nothing } else { pushback.asks() },
                until: unix.filter(|_| !off).map(until).map(Stamp::from_us),
            }
        });
        match answer.keep_alive {
            Some(true) => lines.push(("connection", "keep-alive".into())),
            Some(false) => lines.push(("connection", "close".into())),
            None => {}
        }
        Head {
            status: code(answer),
            date,
            lines,
            at,
            pushback,
        }
    }

    /// The wait that the pushback asks for.
    pub(super) fn wait(&self) -> Option<Duration> {
        match self.pushback.as_ref()?.asks {
            Asked::Wait(wait) => Some(wait),
            Asked::Nothing => None,
        }
    }

    /// The fact that this answer is begun. Where the pushback cannot have `reached` the client, nothing was asked.
    pub(super) fn begun(&self, call: CallId, reached: bool) -> Fact {
        let pushback = self.pushback.as_ref().filter(|_| reached);
        let wait = self.wait().filter(|_| reached);
        Fact::AnswerBegan {
            call,
            at: self.at,
            status: Some(self.status),
            asked_wait_ms: wait.map(|d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX)),
            asked_until: pushback.and_then(|p| p.until),
            retry_after: pushback.map(|p| p.text.clone()),
        }
    }

    /// The header lines as hyper takes them, in this room; `None` where a line is not one that hyper would write.
    pub(super) fn for_hyper(&self, room: HeaderMap) -> Option<(StatusCode, HeaderMap)> {
        let mut headers = room;
        if let Some(date) = &self.date {
            headers.append(DATE, date.clone());
        }
        for (name, value) in &self.lines {
            let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).ok()?);
        }
        Some((StatusCode::from_u16(self.status).ok()?, headers))
    }

    /// The status line, with its end.
    pub(super) fn status_line(&self) -> Vec<u8> {
        let reason = StatusCode::from_u16(self.status)
            .ok()
            .and_then(|s| s.canonical_reason())
            .unwrap_or("");
        format!("HTTP/1.1 {} {reason}\r\n", self.status).into_bytes()
    }

    /// The header section with these framing lines, and the empty line that ends it.
    pub(super) fn section(&self, framing: &[(&str, String)]) -> Vec<u8> {
        let mut section = Vec::with_capacity(256);
        let date = self.date.iter().map(|date| ("date", date.as_bytes()));
        let own = self.lines.iter().map(|(name, value)| (*name, value.as_bytes()));
        let framing = framing.iter().map(|(name, value)| (*name, value.as_bytes()));
        for (name, value) in date.chain(own).chain(framing) {
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                section.extend_from_slice(part);
            }
        }
        section.extend_from_slice(b"\r\n");
        section
    }
}

/// Whether hyper cannot write this answer: its end is the connection's, or the author wrote hyper's headers by hand.
pub(super) fn is_by_hand(answer: &Answer) -> bool {
    let hypers = ["content-length", "transfer-encoding", "connection"];
    answer.framing == Framing::Close || hypers.iter().any(|name| has(answer, name))
}

/// Whether an answer to this method has no body, whatever it says.
pub(super) fn is_bare(method: &Method, answer: &Answer) -> bool {
    method == Method::HEAD || is_bodiless(answer)
}

/// Whether an answer has no body whatever it was asked by, and tells no length (RFC 9110 section 8.6).
pub(super) fn is_bodiless(answer: &Answer) -> bool {
    matches!(code(answer), 204 | 304)
}

pub(super) fn has(answer: &Answer, name: &str) -> bool {
    answer.headers.iter().any(|(n, _)| n.eq_ignore_ascii_case(name))
}

/// An answer's status. One that is stored is refused before the dependency is served.
pub(super) fn code(answer: &Answer) -> u16 {
    match answer.status {
        AnswerStatus::Code(code) => code,
        AnswerStatus::Stored => 200,
    }
}

/// Where an answer redirects to within this dependency: a path without the operation's marker.
pub(super) fn redirects_to(answer: &Answer) -> Option<&str> {
    let is_redirect = (300..400).contains(&code(answer));
    let location = answer
        .headers
        .iter()
        .find(|(n, _)| n.eq_ignore_ascii_case("location"))?;
    let path = location.1.split(['?', '#']).next()?;
    (is_redirect && is_path(path)).then_some(path)
}

fn is_path(location: &str) -> bool {
    location.starts_with('/') && !location.starts_with("//")
}

/// A redirect carries the operation's marker, so that the call which follows it is still known.
fn marked<'a>(name: &str, value: &'a str, op: Option<OperationId>) -> Cow<'a, str> {
    match op {
        Some(op) if name.eq_ignore_ascii_case("location") && is_path(value) => format!("/{op}{value}").into(),
        _ => value.into(),
    }
}

/// The values of Retry-After by a clock that shows `wall`, and the second that a date names.
fn written(pushback: &Pushback, wall: u64) -> (Vec<Cow<'_, str>>, Option<u64>) {
    match pushback {
        Pushback::Seconds(n) => (vec![n.to_string().into()], None),
        Pushback::Raw(text) => (vec![text.into()], None),
        Pushback::Twice(texts) => (texts.iter().map(Into::into).collect(), None),
        Pushback::Date { form, offset } => {
            let unix = match offset {
                DateOffset::Ahead(by) => dates::ahead(wall, *by),
                DateOffset::Past(by) => dates::past(wall, *by),
            };
            (vec![dates::write(unix, *form).into()], Some(unix))
        }
    }
}
