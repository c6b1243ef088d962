//! The answers on a connection, heard from its bytes.

use std::collections::VecDeque;

use http::{HeaderMap, Method};
use httparse::Status;

use super::body::{Body, Piece};
use super::requests::{LONGEST_HEAD, MOST_HEADERS, header_map, is_chunked, length};
use crate::term::CallId;

/// A request that was heard and whose answer was not, or not to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Awaited {
    /// Its call.
    pub call: CallId,
    /// Its method: it decides whether the answer has a body.
    pub method: Method,
}

/// What is heard.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Heard {
    /// The head of a final answer.
    Began(CallId, u16),
    /// The end of an answer.
    Ended(CallId),
    /// The connection speaks something else from now on.
    Turned,
    /// What is no HTTP/1, or answers nothing: nothing more is heard in this direction.
    Garbage(String),
}

/// The reading of one direction.
pub(super) struct Answers {
    awaited: VecDeque<Awaited>,
    state: State,
    head: Vec<u8>,
}

enum State {
    Head,
    Body(Body),
    /// Not followed any more.
    Blind,
}

/// What a head says of what follows it.
enum Follows {
    /// Another head: this one was not final.
    Head,
    Nothing,
    Body(Body),
    /// Another protocol.
    Other,
}

impl Answers {
    pub(super) fn new() -> Self {
        Answers {
            awaited: VecDeque::new(),
            state: State::Head,
            head: Vec::new(),
        }
    }

    /// A request was heard.
    pub(super) fn expect(&mut self, awaited: Awaited) {
        self.awaited.push_back(awaited);
    }

    /// The call whose answer is awaited next.
    pub(super) fn next(&self) -> Option<CallId> {
        self.awaited.front().map(|a| a.call)
    }

    /// Nothing more is followed.
    pub(super) fn be_blind(&mut self) {
        self.state = State::Blind;
    }

    /// The layer said its last, in order: the call whose answer ended with that.
    pub(super) fn end(&mut self) -> Option<CallId> {
        let ended = matches!(self.state, State::Body(Body::UntilClose));
        self.state = State::Blind;
        ended.then(|| self.awaited.pop_front()).flatten().map(|a| a.call)
    }

    /// The calls that will not be answered any more.
    pub(super) fn left(&mut self) -> impl Iterator<Item = CallId> + '_ {
        self.awaited.drain(..).map(|a| a.call)
    }

    /// Hears bytes.
    pub(super) fn hear(&mut self, mut bytes: &[u8]) -> Vec<Heard> {
        let mut heard = Vec::new();
        while !bytes.is_empty() {
            let used = match &mut self.state {
                State::Blind => break,
                State::Head => self.hear_head(bytes, &mut heard),
                State::Body(body) => match body.take(bytes, &mut |_| {}) {
                    Piece::More => bytes.len(),
                    Piece::Ends(used) => {
                        self.ended(&mut heard);
                        used
                    }
                    Piece::Broken => {
                        self.garbage("a body that is not chunked as it says", &mut heard, bytes.len())
                    }
                },
            };
            bytes = &bytes[used..];
        }
        heard
    }

    fn hear_head(&mut self, bytes: &[u8], heard: &mut Vec<Heard>) -> usize {
        let Some(awaited) = self.awaited.front().cloned() else {
            return self.garbage("an answer to no request", heard, bytes.len());
        };
        let before = self.head.len();
        self.head.extend_from_slice(bytes);
        if before > 0 && !bytes.contains(&b'\n') && self.head.len() <= LONGEST_HEAD {
            // It cannot end here, and a head that comes a byte at a time is not to be read anew for each.
            return bytes.len();
        }
        let (length, status, follows) = match parsed(&self.head, &awaited.method) {
            Ok(None) if self.head.len() <= LONGEST_HEAD => return bytes.len(),
            Ok(None) => return self.garbage("a head of more than 64 KiB", heard, bytes.len()),
            Err(because) => return self.garbage(&because, heard, bytes.len()),
            Ok(Some(whole)) => whole,
        };
        self.head = Vec::new();
        if !matches!(follows, Follows::Head) {
            heard.push(Heard::Began(awaited.call, status));
        }
        match follows {
            Follows::Head => {}
            Follows::Nothing => self.ended(heard),
            Follows::Body(body) => self.state = State::Body(body),
            Follows::Other => {
                self.ended(heard);
                self.state = State::Blind;
                heard.push(Heard::Turned);
            }
        }
        length - before
    }

    fn ended(&mut self, heard: &mut Vec<Heard>) {
        self.state = State::Head;
        heard.extend(self.awaited.pop_front().map(|a| Heard::Ended(a.call)));
    }

    fn garbage(&mut self, because: &str, heard: &mut Vec<Heard>, all: usize) -> usize {
        self.state = State::Blind;
        heard.push(Heard::Garbage(because.to_owned()));
        all
    }
}

fn parsed(bytes: &[u8], method: &Method) -> Result<Option<(usize, u16, Follows)>, String> {
    let mut lines = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut answer = httparse::Response::new(&mut lines);
    let length = match answer.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(e) => return Err(format!("not an answer of HTTP/1: {e}")),
    };
    let status = answer.code.unwrap_or_default();
    let follows = follows(status, method, &header_map(answer.headers))?;
    Ok(Some((length, status, follows)))
}

/// What follows a head (RFC 9112 section 6.3).
fn follows(status: u16, method: &Method, headers: &HeaderMap) -> Result<Follows, String> {
    Ok(match status {
        101 => Follows::Other,
        100..200 => Follows::Head,
        200..300 if *method == Method::CONNECT => Follows::Other,
        204 | 304 => Follows::Nothing,
        _ if *method == Method::HEAD => Follows::Nothing,
        _ if is_chunked(headers) => Follows::Body(Body::chunked()),
        _ => match length(headers)? {
            Some(0) => Follows::Nothing,
            Some(n) => Follows::Body(Body::Sized(n)),
            None => Follows::Body(Body::UntilClose),
        },
    })
}
