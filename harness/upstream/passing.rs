//! Calls that pass a tap before a layer: numbered, attributed and recorded beside those of the dependencies.

use hyper::HeaderMap;

use super::attribution::{Sight, attribute};
use super::head;
use super::shared::Shared;
use crate::evidence::{Fact, Seen};
use crate::term::{CallId, ConnId, Effect, Name, Role, Stamp, StampedBy};

/// The head of a call that passes a tap.
#[derive(Debug, Clone, Copy)]
pub struct Passing<'a> {
    /// The tap.
    pub point: &'a Name,
    /// The connection.
    pub conn: ConnId,
    /// Which request on it, from 1.
    pub nth_on_conn: u32,
    /// `HTTP/1.1`.
    pub protocol: &'a str,
    /// The method.
    pub method: &'a str,
    /// The path.
    pub path: &'a str,
    /// The query, if any.
    pub query: Option<&'a str>,
    /// The header lines.
    pub headers: &'a HeaderMap,
    /// The clock, read after its first byte was read.
    pub at: Stamp,
}

impl Shared {
    /// Numbers and records a connection to a tap; `None` where a ceiling is hit.
    pub fn connection_passes(&self, point: &Name) -> Option<ConnId> {
        let at = self.clock.now();
        self.number_connection(|conn| {
            self.recorder.record(Fact::Connected {
                conn,
                point: point.clone(),
                at,
                cut: None,
                turn: None,
                op: None,
            });
            conn
        })
    }

    /// Numbers, attributes and records a call at a tap; `None` where a ceiling is hit.
    pub fn call_passes(&self, passing: &Passing<'_>) -> Option<CallId> {
        let keys = head::values(passing.headers, self.key_header(None));
        let attributed = attribute(
            self,
            &Sight {
                point: passing.point,
                method: passing.method,
                path: passing.path,
                keys: &keys,
                headers: passing.headers,
            },
        );
        let mut arrival = Seen {
            call: CallId(0),
            op: attributed.op,
            by: attributed.by,
            role: attributed.op.map_or(Role::Side, |_| Role::Attempt),
            point: passing.point,
            conn: passing.conn,
            nth_on_conn: passing.nth_on_conn,
            protocol: passing.protocol,
            method: passing.method,
            path: attributed.path,
            query: passing.query.map(str::to_owned),
            keys,
            lacks: Vec::new(),
            head_sha256: head::digest(passing.headers),
            at: passing.at,
            stamped_by: StampedBy::Program,
            turn: None,
            outage: None,
            overflow: false,
            queued_us: 0,
            effect: Effect::None,
        };
        self.number_call(|call| {
            arrival.call = call;
            self.recorder.record_arrival(&arrival);
            call
        })
    }
}
