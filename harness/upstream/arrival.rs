//! The head of a request: whose it is, what it falls to, and what is recorded of it.

use std::sync::atomic::Ordering;

use hyper::body::Incoming;
use hyper::header::HeaderMap;
use hyper::{Method, Request, Version};

use super::attribution::{Attributed, Sight, attribute};
use super::capacity::{Seat, Share};
use super::exchange::Line;
use super::head::{self, Told};
use super::keyed::{Awaiting, Decided};
use super::served::Served;
use super::shared::lock;
use crate::evidence::Seen;
use crate::script::{Asking, AtHead, Falls};
use crate::term::{CallId, Effect, OperationId, Role, StampedBy};

/// What is remembered of a call between its head and its answer.
pub(super) struct Call {
    pub id: CallId,
    pub op: Option<OperationId>,
    pub method: Method,
    pub decided: Decided,
    /// What its head tells of its connection and its body.
    pub told: Told,
    pub is_http_10: bool,
    /// Its share in the load, until its work takes it over.
    pub share: Option<Share>,
}

impl Line {
    /// Numbers, attributes, decides and records a call whose head was read, and seats it; `None` where a ceiling is hit.
    pub(super) fn arrive(&self, request: &Request<Incoming>) -> Option<(Call, Option<Seat>)> {
        let (served, headers) = (&self.served, request.headers());
        let keys = served.keys_of(headers);
        if served.shared.started.get().is_none() {
            served.shared.start_now();
        }
        let sight = Sight {
            point: &served.dependency.name,
            method: request.method().as_str(),
            path: request.uri().path(),
            keys: &keys,
            headers,
        };
        let attributed = attribute(&served.shared, &sight);
        let (op, (came, told)) = (attributed.op, self.tap.arrived(headers));
        let asking = Asking {
            op,
            conn: self.conn,
            nth_on_conn: self.requests.fetch_add(1, Ordering::Relaxed) + 1,
            at: came.at,
            since_start: served.since_start(),
            method: request.method().as_str(),
            path: attributed.path,
            header: &|name| head::values(headers, name),
        };
        let mut arrival = self.seen(request, &asking, &attributed, (keys, told));
        arrival.stamped_by = came.by;
        let (id, at_head) = served.shared.number_call(|call| {
            let at_head = lock(&served.script).decide_at_head(&asking);
            arrival.queued_us = queued_us(&at_head);
            if let AtHead::Decided(decision) = at_head {
                match decision.falls {
                    Falls::Turn(turn) => arrival.turn = Some(turn),
                    Falls::Outage(outage) => arrival.outage = Some(outage),
                    Falls::Overflow => arrival.overflow = true,
                }
                arrival.effect = served.effect(decision.falls);
            }
            arrival.call = call;
            served.shared.recorder.record_arrival(&arrival);
            (call, at_head)
        })?;
        let seat = Seat::of(served, &at_head);
        let call = Call {
            id,
            op,
            share: Share::of(served, &at_head),
            method: request.method().clone(),
            decided: decided(at_head, &asking),
            told,
            is_http_10: request.version() == Version::HTTP_10,
        };
        Some((call, seat))
    }

    /// What is recorded of a head; its number and its turn are filled in when they are decided.
    fn seen<'a>(
        &'a self,
        request: &'a Request<Incoming>,
        asking: &Asking<'a>,
        attributed: &Attributed<'_>,
        (keys, told): (Vec<String>, Told),
    ) -> Seen<'a> {
        Seen {
            call: CallId(0),
            op: attributed.op,
            by: attributed.by,
            role: self.served.role(attributed.op, attributed.path),
            point: &self.served.dependency.name,
            conn: self.conn,
            nth_on_conn: asking.nth_on_conn,
            protocol: protocol(request.version()),
            method: asking.method,
            path: asking.path,
            query: request.uri().query().map(str::to_owned),
            keys,
            lacks: self.served.shared.lacking(attributed.op, request.headers()),
            head_sha256: told.digest,
            at: asking.at,
            stamped_by: StampedBy::Program,
            turn: None,
            outage: None,
            overflow: false,
            queued_us: 0,
            effect: Effect::None,
        }
    }
}

fn queued_us(at_head: &AtHead) -> u64 {
    let queued = match at_head {
        AtHead::Decided(decision) => decision.queued,
        AtHead::AwaitsBody(known) => known.queued,
    };
    u64::try_from(queued.as_micros()).unwrap_or(u64::MAX)
}

fn decided(at_head: AtHead, asking: &Asking<'_>) -> Decided {
    match at_head {
        AtHead::Decided(decision) => Decided::AtHead(decision),
        AtHead::AwaitsBody(known) => Decided::AwaitsBody(Box::new(Awaiting {
            known,
            nth_on_conn: asking.nth_on_conn,
            at: asking.at,
            since_start: asking.since_start,
            path: asking.path.to_owned(),
        })),
    }
}

impl Served {
    /// The values of the header in which this dependency looks for keys, in order, as they are.
    pub(super) fn keys_of(&self, headers: &HeaderMap) -> Vec<String> {
        let configured = self.dependency.keys.as_ref().map(|keys| keys.header.as_str());
        head::values(headers, self.shared.key_header(configured))
    }

    /// What a call to this path is to its operation.
    fn role(&self, op: Option<OperationId>, path: &str) -> Role {
        let Some(op) = op else { return Role::Side };
        let Some(mut redirects) = self.redirects.look() else {
            return Role::Attempt;
        };
        match redirects.get(&op).is_some_and(|to| to == path) {
            true => {
                redirects.remove(&op);
                Role::Redirect
            }
            false => Role::Attempt,
        }
    }
}

fn protocol(version: Version) -> &'static str {
    match version {
        Version::HTTP_09 => "HTTP/0.9",
        Version::HTTP_10 => "HTTP/1.0",
        Version::HTTP_2 => "HTTP/2",
        Version::HTTP_3 => "HTTP/3",
        _ => "HTTP/1.1",
    }
}
