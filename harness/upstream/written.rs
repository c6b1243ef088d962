//! An answer as it is written by hand: how much of its head and body is sent, and whether that is complete.

use super::answer::{self, Head};
use super::arrival::Call;
use super::body::Pieces;
use super::by_hand::Sending;
use crate::scenario::{Answer, Cut, Framing};
use crate::term::{CutBy, Place};

/// What is sent of an answer by hand, and whether its pushback can be relied on to have reached the client: the head
/// is sent whole, and no reset can overtake it.
pub(super) fn by_hand_answer(
    call: &Call,
    answer: &Answer,
    head: &Head<'_>,
    cut: Option<Cut>,
) -> (Sending, bool) {
    let bare = answer::is_bare(&call.method, answer);
    let chunked = answer.framing == Framing::Chunked && !call.is_http_10;
    let sent = Sent::up_to(cut.map(|c| c.at));
    let mut bytes = head.status_line();
    bytes.truncate(within(sent.status_line, bytes.len()));
    let section = head.section(&framing_lines(call, answer, chunked));
    let of_section = within(sent.section, section.len());
    bytes.extend_from_slice(&section[..of_section]);
    let whole_head = of_section == section.len();
    let by = cut.map_or(CutBy::Fin, |c| c.by);
    let whole_body = bare || is_whole(answer, chunked, sent.body, by);
    let sending = Sending {
        head: bytes,
        body: if bare {
            Pieces::none()
        } else {
            Pieces::of(&answer.body)
        },
        body_cut: sent.body,
        chunked: chunked && !bare,
        drip: answer.drip,
        complete: whole_head && whole_body,
    };
    (sending, whole_head && by != CutBy::Rst)
}

/// How many bytes of each part are sent at most.
struct Sent {
    status_line: u64,
    section: u64,
    /// `None` is all of it, and its end.
    body: Option<u64>,
}

impl Sent {
    fn up_to(place: Option<Place>) -> Self {
        let (status_line, section, body) = match place {
            Some(Place::StatusLine(n)) => (n, 0, Some(0)),
            Some(Place::Headers(n)) => (u64::MAX, n, Some(0)),
            Some(Place::Body(n)) => (u64::MAX, u64::MAX, Some(n)),
            None | Some(Place::AfterAnswer | Place::Idle(_)) => (u64::MAX, u64::MAX, None),
            Some(Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer) => {
                (0, 0, Some(0))
            }
        };
        Sent {
            status_line,
            section,
            body,
        }
    }
}

fn within(n: u64, len: usize) -> usize {
    usize::try_from(n).unwrap_or(usize::MAX).min(len)
}

/// Whether the body is complete by its framing, where no more than `cut` bytes of it are sent.
fn is_whole(answer: &Answer, chunked: bool, cut: Option<u64>, by: CutBy) -> bool {
    let len = cut.map_or(answer.body.len(), |n| n.min(answer.body.len()));
    if let Some(promised) = promised(answer) {
        return len >= promised;
    }
    match answer.framing {
        Framing::Sized => len >= answer.body.len(),
        Framing::Chunked if chunked => cut.is_none(),
        // A body that ends with its connection is complete wherever the connection ends in order.
        Framing::Chunked | Framing::Close => cut.is_none() || by == CutBy::Fin,
    }
}

/// The length that the author wrote into the head, true or not.
fn promised(answer: &Answer) -> Option<u64> {
    let length = answer
        .headers
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))?;
    length.1.trim().parse().ok()
}

fn framing_lines(call: &Call, answer: &Answer, chunked: bool) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let by_author = answer::has(answer, "content-length") || answer::has(answer, "transfer-encoding");
    if !by_author && !answer::is_bodiless(answer) {
        match answer.framing {
            Framing::Sized => lines.push(("content-length", answer.body.len().to_string())),
            Framing::Chunked if chunked => lines.push(("transfer-encoding", "chunked".to_owned())),
            Framing::Chunked | Framing::Close => {}
        }
    }
    let says_close = call.told.closes || answer.framing == Framing::Close;
    if says_close && answer.keep_alive.is_none() && !answer::has(answer, "connection") {
        lines.push(("connection", "close".to_owned()));
    }
    lines
}
