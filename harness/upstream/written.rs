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
    let framing = framing_lines(call, answer, chunked);
    let mut bytes = head.status_line();
    let section = head.section(&framing);
    let (of_status, of_section, body_cut) = match cut.map(|c| c.at) {
        Some(Place::StatusLine(n)) => (n, 0, Some(0)),
        Some(Place::Headers(n)) => (u64::MAX, n, Some(0)),
        Some(Place::Body(n)) => (u64::MAX, u64::MAX, Some(n)),
        None | Some(Place::AfterAnswer | Place::Idle(_)) => (u64::MAX, u64::MAX, None),
        Some(Place::Accept | Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer) => {
            (0, 0, Some(0))
        }
    };
    let within = |n: u64, len: usize| usize::try_from(n).unwrap_or(usize::MAX).min(len);
    let whole_head = matches!(
        cut.map(|c| c.at),
        None | Some(Place::Body(_) | Place::AfterAnswer)
    ) || within(of_section, section.len()) == section.len();
    bytes.truncate(within(of_status, bytes.len()));
    bytes.extend_from_slice(&section[..within(of_section, section.len())]);
    let by = cut.map_or(CutBy::Fin, |c| c.by);
    let body = if bare {
        Pieces::none()
    } else {
        Pieces::of(&answer.body)
    };
    let whole_body = match body_cut {
        None => true,
        Some(_) if bare => true,
        Some(_) if chunked => false,
        // A body that ends with its connection is complete wherever the connection ends in order.
        Some(_) if answer.framing == Framing::Close => by == CutBy::Fin,
        Some(n) => n >= body.left(),
    };
    let sending = Sending {
        head: bytes,
        body,
        body_cut,
        chunked: chunked && !bare,
        drip: answer.drip,
        complete: whole_head && whole_body,
    };
    (sending, whole_head && by != CutBy::Rst)
}

fn framing_lines(call: &Call, answer: &Answer, chunked: bool) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    let by_author = answer::has(answer, "content-length") || answer::has(answer, "transfer-encoding");
    let bodiless = matches!(answer::code(answer), 204 | 304);
    if !by_author && !bodiless {
        match answer.framing {
            Framing::Sized => lines.push(("content-length", answer.body.len().to_string())),
            Framing::Chunked if chunked => lines.push(("transfer-encoding", "chunked".to_owned())),
            Framing::Chunked | Framing::Close => {}
        }
    }
    let says_close = call.closes || answer.framing == Framing::Close;
    if says_close && answer.keep_alive.is_none() && !answer::has(answer, "connection") {
        lines.push(("connection", "close".to_owned()));
    }
    lines
}
