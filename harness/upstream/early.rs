//! Early answers: what becomes of a body that is still on its way when its request is answered.

use std::sync::Arc;

use hyper::body::{Body, Incoming};

use super::arrival::Call;
use super::exchange::Line;
use super::head::Told;
use super::request_body::up_to;
use super::served::Ordered;

/// The body of a request, as far as hyper hands it on.
pub(super) struct Upload {
    pub(super) body: Incoming,
    /// Whether the client waits to be told to send it.
    waits: bool,
}

impl Upload {
    pub(super) fn of(head: Told, body: Incoming) -> Self {
        Upload {
            waits: head.waits,
            body,
        }
    }
}

impl Line {
    /// Sees to a request's body: reads it before the answer, or, where that comes early, beside it or not at all.
    /// `None` where the client left in the middle.
    pub(super) async fn receive(
        self: &Arc<Self>,
        call: &Call,
        upload: Upload,
        ordered: &Ordered<'_>,
    ) -> bool {
        let early = ordered.answer.is_some_and(|answer| answer.early);
        if !early && upload.body.is_end_stream() {
            self.read_nothing(call.id);
            return true;
        }
        Box::pin(self.receive_body(call, upload, ordered, early)).await
    }

    async fn receive_body(
        self: &Arc<Self>,
        call: &Call,
        upload: Upload,
        ordered: &Ordered<'_>,
        early: bool,
    ) -> bool {
        match (early, ordered.cut) {
            (false, cut) => self
                .read(call.id, upload.body, cut.and_then(|c| up_to(c.at)))
                .await
                .is_some(),
            // One that was never asked for does not come; hyper closes the connection behind the answer.
            (true, None) if !upload.waits => {
                self.drain(call, upload.body);
                true
            }
            // The connection ends while the body is on its way: that is the rude answer.
            (true, _) => self.read(call.id, upload.body, Some(0)).await.is_some(),
        }
    }

    /// Reads a body beside its answer: a server that closed with bytes unread would reset the connection, and the
    /// reset could overtake the answer.
    fn drain(self: &Arc<Self>, call: &Call, body: Incoming) {
        self.tap.read_beside();
        let (line, call, alive) = (self.clone(), call.id, self.served.effects.enter());
        tokio::spawn(async move {
            // Whether the client left is seen by the connection.
            let _ = line.read(call, body, None).await;
            drop(alive);
        });
    }
}
