//! The requests on a connection, heard from its bytes.

use http::{HeaderMap, HeaderName, HeaderValue, Method};
use httparse::Status;
use sha2::{Digest as _, Sha256};

use super::body::{Body, Piece};
use crate::evidence::Digest;
use crate::term::{self, Stamp};

/// The longest head that is followed.
pub(super) const LONGEST_HEAD: usize = 64 * 1024;

/// The most header lines that are followed.
pub(super) const MOST_HEADERS: usize = 256;

/// The head of a request.
#[derive(Debug, Clone)]
pub struct Head {
    /// The method.
    pub method: Method,
    /// The path, or what stands in its place.
    pub path: String,
    /// The query, if any.
    pub query: Option<String>,
    /// `HTTP/1.1`.
    pub protocol: &'static str,
    /// The header lines.
    pub headers: HeaderMap,
    /// The clock, read after its first byte was read.
    pub at: Stamp,
}

/// What is heard.
#[derive(Debug)]
pub(super) enum Heard {
    /// A head.
    Head(Box<Head>),
    /// The end of the request's body.
    Body(Digest),
    /// What is no HTTP/1: nothing more is heard in this direction.
    Garbage(String),
}

/// The reading of one direction.
pub(super) struct Requests {
    state: State,
    /// The head so far.
    head: Vec<u8>,
    /// When its first byte came.
    began: Stamp,
    hash: Sha256,
    length: u64,
}

enum State {
    Head,
    Body(Body),
    /// Not followed any more.
    Blind,
}

impl Requests {
    pub(super) fn new() -> Self {
        Requests {
            state: State::Head,
            head: Vec::new(),
            began: Stamp::ZERO,
            hash: Sha256::new(),
            length: 0,
        }
    }

    /// Nothing more is followed: the connection speaks something else from now on.
    pub(super) fn be_blind(&mut self) {
        self.state = State::Blind;
    }

    /// Hears bytes that were read at `at`.
    pub(super) fn hear(&mut self, mut bytes: &[u8], at: Stamp) -> Vec<Heard> {
        let mut heard = Vec::new();
        while !bytes.is_empty() {
            let used = match &mut self.state {
                State::Blind => break,
                State::Head => self.hear_head(bytes, at, &mut heard),
                State::Body(_) => self.hear_body(bytes, &mut heard),
            };
            bytes = &bytes[used..];
        }
        heard
    }

    /// The body that was not read to its end when the direction ended.
    pub(super) fn end(&mut self) -> Option<Digest> {
        let cut = matches!(self.state, State::Body(_));
        self.state = State::Blind;
        cut.then(|| self.digest(false))
    }

    fn hear_head(&mut self, bytes: &[u8], at: Stamp, heard: &mut Vec<Heard>) -> usize {
        if self.head.is_empty() {
            // Line ends between requests belong to none (RFC 9112 section 2.2).
            let blank = bytes.iter().take_while(|b| matches!(b, b'\r' | b'\n')).count();
            if blank > 0 {
                return blank;
            }
            self.began = at;
        }
        let before = self.head.len();
        self.head.extend_from_slice(bytes);
        if before > 0 && !bytes.contains(&b'\n') && self.head.len() <= LONGEST_HEAD {
            // It cannot end here, and a head that comes a byte at a time is not to be read anew for each.
            return bytes.len();
        }
        match parsed(&self.head, self.began) {
            Ok(None) if self.head.len() <= LONGEST_HEAD => bytes.len(),
            Ok(None) => self.garbage("a head of more than 64 KiB".to_owned(), heard, bytes.len()),
            Err(because) => self.garbage(because, heard, bytes.len()),
            Ok(Some((length, head, body))) => {
                self.head = Vec::new();
                (self.hash, self.length) = (Sha256::new(), 0);
                heard.push(Heard::Head(head));
                match body {
                    None => heard.push(Heard::Body(self.digest(true))),
                    Some(body) => self.state = State::Body(body),
                }
                length - before
            }
        }
    }

    fn hear_body(&mut self, bytes: &[u8], heard: &mut Vec<Heard>) -> usize {
        let State::Body(body) = &mut self.state else {
            return bytes.len();
        };
        let (hash, length) = (&mut self.hash, &mut self.length);
        let piece = body.take(bytes, &mut |content| {
            hash.update(content);
            *length += content.len() as u64;
        });
        match piece {
            Piece::More => bytes.len(),
            Piece::Ends(used) => {
                self.state = State::Head;
                heard.push(Heard::Body(self.digest(true)));
                used
            }
            Piece::Broken => {
                heard.push(Heard::Body(self.digest(false)));
                self.garbage(
                    "a body that is not chunked as it says".to_owned(),
                    heard,
                    bytes.len(),
                )
            }
        }
    }

    fn garbage(&mut self, because: String, heard: &mut Vec<Heard>, all: usize) -> usize {
        self.state = State::Blind;
        heard.push(Heard::Garbage(because));
        all
    }

    fn digest(&mut self, complete: bool) -> Digest {
        let hash = std::mem::replace(&mut self.hash, Sha256::new());
        Digest {
            len: std::mem::take(&mut self.length),
            sha256: term::Sha256::finished(hash),
            complete,
        }
    }
}

/// A head's length, the head, and the body that follows it, once it is whole.
type Whole = (usize, Box<Head>, Option<Body>);

fn parsed(bytes: &[u8], at: Stamp) -> Result<Option<Whole>, String> {
    let mut lines = [httparse::EMPTY_HEADER; MOST_HEADERS];
    let mut request = httparse::Request::new(&mut lines);
    let length = match request.parse(bytes) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) => return Ok(None),
        Err(e) => return Err(format!("not a request of HTTP/1: {e}")),
    };
    let word = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let method = word(request.method);
    let method = Method::from_bytes(method.as_bytes()).map_err(|e| format!("not a method: {e}"))?;
    let target = word(request.path);
    let (path, query) = match target.split_once('?') {
        Some((path, query)) => (path.to_owned(), Some(query.to_owned())),
        None => (target, None),
    };
    let headers = header_map(request.headers);
    let body = body_of(&headers)?;
    let head = Head {
        method,
        path,
        query,
        protocol: protocol(request.version),
        headers,
        at,
    };
    Ok(Some((length, Box::new(head), body)))
}

/// The header lines; one that cannot be kept is left out, since it is handed on all the same.
pub(super) fn header_map(lines: &[httparse::Header<'_>]) -> HeaderMap {
    let kept = lines.iter().filter_map(|line| {
        let name = HeaderName::from_bytes(line.name.as_bytes()).ok()?;
        Some((name, HeaderValue::from_bytes(line.value).ok()?))
    });
    let mut headers = HeaderMap::new();
    for (name, value) in kept {
        headers.append(name, value);
    }
    headers
}

fn protocol(version: Option<u8>) -> &'static str {
    match version {
        Some(0) => "HTTP/1.0",
        _ => "HTTP/1.1",
    }
}

/// The body that the head of a request announces.
fn body_of(headers: &HeaderMap) -> Result<Option<Body>, String> {
    if is_chunked(headers) {
        return Ok(Some(Body::chunked()));
    }
    Ok(length(headers)?.filter(|n| *n > 0).map(Body::Sized))
}

/// Whether the last transfer coding is `chunked`.
pub(super) fn is_chunked(headers: &HeaderMap) -> bool {
    let last = headers
        .get_all(http::header::TRANSFER_ENCODING)
        .iter()
        .next_back();
    let codings = last.and_then(|value| value.to_str().ok());
    let coding = codings.and_then(|all| all.rsplit(',').next());
    coding.is_some_and(|coding| coding.trim().eq_ignore_ascii_case("chunked"))
}

/// The length that the head announces.
///
/// # Errors
/// It announces what is no number: a clause.
pub(super) fn length(headers: &HeaderMap) -> Result<Option<u64>, String> {
    let Some(value) = headers.get(http::header::CONTENT_LENGTH) else {
        return Ok(None);
    };
    let number = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    number
        .map(Some)
        .ok_or_else(|| "a Content-Length that is no number".to_owned())
}
