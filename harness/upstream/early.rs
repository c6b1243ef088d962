//! Early answers: what becomes of a body that is still on its way when its request is answered.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::EXPECT;
use hyper::http::request::Parts;

use super::arrival::Call;
use super::exchange::Line;
use super::keyed::Decided;
use super::request_body::{nothing, up_to};
use crate::evidence::Digest;

impl Line {
    /// Sees to a request's body: reads it before the answer, or, where that comes early, beside it or not at all.
    /// `None` where the client left in the middle.
    pub(super) async fn receive(
        self: &Arc<Self>,
        call: &Call,
        parts: &Parts,
        body: Incoming,
    ) -> Option<Digest> {
        let (early, cut) = match &call.decided {
            Decided::AtHead(decision) => {
                let ordered = self.served.ordered(decision.falls);
                (ordered.answer.is_some_and(|answer| answer.early), ordered.cut)
            }
            Decided::AwaitsBody(_) => (false, None),
        };
        // A body that the client waits to be told to send does not come; hyper closes the connection behind the answer.
        let waits = parts.headers.contains_key(EXPECT);
        match (early, cut) {
            (false, cut) => self.read(call.id, body, cut.and_then(|c| up_to(c.at))).await,
            (true, None) if !waits => {
                self.drain(call, body);
                Some(nothing())
            }
            // The connection ends while the body is on its way: that is the rude answer.
            (true, _) => self.read(call.id, body, Some(0)).await,
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
