//! The parser beside the pump: it hears both directions of one connection and records the calls.

use std::sync::Arc;

use super::Register;
use super::answers::{Answers, Awaited, Heard as Answered};
use super::pump::Way;
use super::requests::{Heard as Asked, Requests};
use crate::evidence::{Digest, Fact};
use crate::term::{CallId, ConnId, Name};

/// Hears one connection.
pub(super) struct Ear {
    register: Arc<dyn Register>,
    point: Name,
    conn: ConnId,
    requests: Requests,
    answers: Answers,
    /// The call whose request is being heard.
    asking: Option<CallId>,
    nth: u32,
}

impl Ear {
    pub(super) fn new(register: Arc<dyn Register>, point: Name, conn: ConnId) -> Self {
        Ear {
            register,
            point,
            conn,
            requests: Requests::new(),
            answers: Answers::new(),
            asking: None,
            nth: 0,
        }
    }

    /// Hears bytes before they are handed on; false where a ceiling of the trial is hit.
    pub(super) fn heard(&mut self, way: Way, bytes: &[u8]) -> bool {
        if !self.register.bytes(bytes.len()) {
            return false;
        }
        match way {
            Way::In => self.asked(bytes),
            Way::Out => {
                self.answered(bytes);
                true
            }
        }
    }

    /// A direction has ended, in order or not.
    pub(super) fn ended(&mut self, way: Way, in_order: bool) {
        match way {
            Way::In => {
                let cut = self.requests.end();
                self.body_read(cut);
                if let Some(call) = self.answers.next() {
                    let at = self.register.clock().now();
                    self.register.note(Fact::PeerLeft { call, at });
                }
            }
            Way::Out if in_order => {
                let ended = self.answers.end();
                self.answer_ended(ended, true);
            }
            Way::Out => self.answers.be_blind(),
        }
    }

    /// The connection is over: what was not answered will not be.
    pub(super) fn over(&mut self) {
        let cut = self.requests.end();
        self.body_read(cut);
        let left: Vec<CallId> = self.answers.left().collect();
        for call in left {
            self.answer_ended(Some(call), false);
        }
    }

    fn asked(&mut self, bytes: &[u8]) -> bool {
        let at = self.register.clock().now();
        for heard in self.requests.hear(bytes, at) {
            match heard {
                Asked::Head(head) => {
                    self.nth += 1;
                    let Some(call) = self.register.call(&self.point, self.conn, self.nth, &head) else {
                        return false;
                    };
                    self.asking = Some(call);
                    let method = head.method;
                    self.answers.expect(Awaited { call, method });
                }
                Asked::Body(body) => self.body_read(Some(body)),
                Asked::Garbage(because) => self.garbage(because),
            }
        }
        true
    }

    fn answered(&mut self, bytes: &[u8]) {
        for heard in self.answers.hear(bytes) {
            match heard {
                Answered::Began(call, status) => self.register.note(Fact::AnswerBegan {
                    call,
                    at: self.register.clock().now(),
                    status: Some(status),
                    asked_wait_ms: None,
                    asked_until: None,
                    retry_after: None,
                }),
                Answered::Ended(call) => self.answer_ended(Some(call), true),
                Answered::Turned => self.requests.be_blind(),
                Answered::Garbage(because) => self.garbage(because),
            }
        }
    }

    fn body_read(&mut self, body: Option<Digest>) {
        if let Some((call, body)) = self.asking.zip(body) {
            self.asking = None;
            self.register.note(Fact::BodyRead { call, body });
        }
    }

    fn answer_ended(&self, call: Option<CallId>, complete: bool) {
        if let Some(call) = call {
            let at = self.register.clock().now();
            self.register.note(Fact::AnswerEnded {
                call,
                at,
                complete,
                cut: None,
            });
        }
    }

    fn garbage(&self, because: String) {
        self.register.note(Fact::Unreadable {
            conn: self.conn,
            point: self.point.clone(),
            at: self.register.clock().now(),
            because,
        });
    }
}
