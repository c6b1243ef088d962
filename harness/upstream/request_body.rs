//! The body of a request: read as far as the script lets it, digested, never kept.

use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};
use sha2::Digest as _;

use super::exchange::Line;
use crate::evidence::{Digest, Fact};
use crate::term::{CallId, Place, Sha256};

impl Line {
    /// Reads the request's body, no more than `stop` bytes of it; `None` where the client left in the middle.
    pub(super) async fn read(&self, call: CallId, body: Incoming, stop: Option<u64>) -> Option<Digest> {
        let (digest, broken) = read_body(body, stop).await;
        self.has_read(call, &digest);
        (!broken).then_some(digest)
    }

    /// Notes that a request has no body: most have none.
    pub(super) fn read_nothing(&self, call: CallId) {
        self.has_read(call, &nothing());
    }

    fn has_read(&self, call: CallId, body: &Digest) {
        self.tap.request_read(call);
        self.note_read(call, body);
    }

    /// Records that nothing more of a request's body will be read.
    pub(super) fn note_read(&self, call: CallId, body: &Digest) {
        let body = body.clone();
        self.served
            .shared
            .recorder
            .record_of_call(Fact::BodyRead { call, body });
    }
}

/// How much of a request's body is read before a cut there; `None` is all of it.
pub(super) fn up_to(cut: Place) -> Option<u64> {
    match cut {
        Place::Accept | Place::RequestHead => Some(0),
        Place::RequestBody(n) => Some(n),
        Place::BeforeAnswer | Place::StatusLine(_) | Place::Headers(_) => None,
        Place::Body(_) | Place::AfterAnswer | Place::Idle(_) => None,
    }
}

/// What is read of a request without a body.
pub(super) fn nothing() -> Digest {
    Digest {
        len: 0,
        sha256: Sha256::default(),
        complete: true,
    }
}

/// Reads a body to its end, or until so many bytes were read; whether it broke off is told beside its digest.
async fn read_body(mut body: Incoming, stop: Option<u64>) -> (Digest, bool) {
    if body.is_end_stream() {
        return (nothing(), false);
    }
    let (mut hash, mut len, mut broken, mut kept_whole) = (sha2::Sha256::new(), 0_u64, false, true);
    let stop = stop.unwrap_or(u64::MAX);
    while len < stop && !broken {
        let Some(frame) = body.frame().await else { break };
        let data = frame.map(|f| f.into_data().unwrap_or_default());
        broken = data.is_err();
        let data = data.unwrap_or_default();
        let n = usize::try_from(stop - len).unwrap_or(usize::MAX).min(data.len());
        kept_whole = n == data.len();
        hash.update(&data[..n]);
        len += n as u64;
    }
    let complete = !broken && kept_whole && (stop == u64::MAX || body.is_end_stream());
    let sha256 = Sha256::finished(hash);
    (
        Digest {
            len,
            sha256,
            complete,
        },
        broken,
    )
}
