//! What a layer is blamed for, and the conducts that look most like it.

use super::super::UNSAFE;
use crate::evidence::{Arrival, Attribution, Digest, Fact};
use crate::judge::Grade;
use crate::judge::evidence_builder::{Story, Written, answered};
use crate::term::{CallId, ConnId, Effect, LayerRole, OperationId, Role, Sha256, Stamp, StampedBy};

/// A story of a gateway `front` before a service `loan`, whose `quota` fails and delivers.
fn layered() -> Layered {
    let served = |point: &str, role| Fact::LayerServed {
        point: point.into(),
        role,
        base: String::new(),
    };
    let story = Story::of(vec![answered(503).applied()])
        .by("POST")
        .and(served("loan", LayerRole::Service))
        .and(served("front", LayerRole::Gateway));
    Layered { story, calls: 0 }
}

struct Layered {
    story: Story,
    calls: u32,
}

impl Layered {
    /// A call at a point, from and until so many milliseconds, answered so, with this body.
    fn call(mut self, point: &str, from_until: (u64, u64), status: u16, body: &str) -> Self {
        self.calls += 1;
        let call = CallId(self.calls);
        let arrival = Arrival {
            call,
            op: Some(OperationId(1)),
            by: Attribution::Trace,
            role: Role::Attempt,
            point: point.into(),
            conn: ConnId(self.calls),
            nth_on_conn: 1,
            protocol: "HTTP/1.1".into(),
            method: "POST".into(),
            path: "/".into(),
            query: None,
            keys: Vec::new(),
            lacks: Vec::new(),
            head_sha256: Sha256::default(),
            at: Stamp::from_ms(from_until.0),
            stamped_by: StampedBy::Program,
            turn: (point == "quota").then_some(0),
            outage: None,
            overflow: false,
            queued_us: 0,
            effect: Effect::None,
        };
        let ended = Stamp::from_ms(from_until.1);
        let read = Digest {
            len: body.len() as u64,
            sha256: Sha256::of(body.as_bytes()),
            complete: true,
        };
        let began = Fact::AnswerBegan {
            call,
            at: ended,
            status: Some(status),
            asked_wait_ms: None,
            asked_until: None,
            retry_after: None,
        };
        let over = Fact::AnswerEnded {
            call,
            at: ended,
            complete: true,
            cut: None,
        };
        self.story = self
            .story
            .and(Fact::Arrived(Box::new(arrival)))
            .and(Fact::BodyRead { call, body: read })
            .and(began)
            .and(over);
        self
    }

    fn worst(self) -> (Grade, String) {
        self.story.failed(1_000).worst(UNSAFE)
    }
}

#[test]
fn a_gateway_that_sends_a_post_again_fails_and_a_service_is_warned_of() {
    let gateway = layered()
        .call("front", (0, 100), 503, "a")
        .call("loan", (10, 20), 503, "a")
        .call("loan", (30, 40), 503, "a");
    let (grade, because) = gateway.worst();
    assert_eq!(grade, Grade::Fail);
    assert_eq!(
        because,
        "the gateway `front` sent the POST of op-1 again (call 3) after call 2 was answered 503, which no proxy may \
         do; its effect was applied at no call (RFC 9110 §9.2.2)"
    );
    let service = layered()
        .call("front", (0, 100), 503, "a")
        .call("loan", (10, 90), 503, "a")
        .call("quota", (20, 30), 503, "b")
        .call("quota", (40, 50), 503, "b");
    let (grade, because) = service.worst();
    assert_eq!(grade, Grade::Warn);
    assert!(
        because.starts_with("the service `loan` sent the POST of op-1 again (call 4)"),
        "{because}"
    );
}

#[test]
fn a_promise_to_repeat_excuses_a_service_and_no_gateway() {
    let gateway = layered()
        .call("front", (0, 100), 503, "a")
        .call("loan", (10, 20), 503, "a")
        .call("loan", (30, 40), 503, "a");
    let story = gateway
        .story
        .promising(|p| p.repeats_unsafe_on = vec![503])
        .failed(1_000);
    assert_eq!(story.worst(UNSAFE).0, Grade::Fail);
    let service = layered()
        .call("front", (0, 100), 503, "a")
        .call("loan", (10, 90), 503, "a")
        .call("quota", (20, 30), 503, "b")
        .call("quota", (40, 50), 503, "b");
    let story = service
        .story
        .promising(|p| p.repeats_unsafe_on = vec![503])
        .failed(1_000);
    assert_eq!(story.worst(UNSAFE).0, Grade::Note);
}

#[test]
fn a_caller_that_asks_twice_is_not_its_gateways_fault() {
    let twice = layered()
        .call("front", (0, 50), 503, "a")
        .call("loan", (10, 20), 503, "a")
        .call("front", (60, 100), 503, "a")
        .call("loan", (70, 80), 503, "a");
    assert_eq!(twice.worst().0, Grade::Pass);
}

#[test]
fn a_mirror_a_success_and_a_foreseen_repeat_are_no_retries() {
    let side_by_side = layered()
        .call("front", (0, 100), 503, "a")
        .call("loan", (10, 60), 503, "a")
        .call("loan", (11, 61), 503, "a");
    assert_eq!(side_by_side.worst().0, Grade::Pass);
    let quick = layered()
        .call("front", (0, 100), 503, "a")
        .call("loan", (10, 12), 503, "a")
        .call("loan", (11, 13), 503, "a");
    assert_eq!(quick.worst().0, Grade::Pass);
    for status in [200, 302, 401, 421, 425] {
        let answered = layered()
            .call("front", (0, 100), 200, "a")
            .call("loan", (10, 20), status, "a")
            .call("loan", (50, 60), 200, "a");
        assert_eq!(answered.worst().0, Grade::Pass, "{status}");
    }
}

#[test]
fn a_service_that_says_two_things_sends_nothing_again() {
    let two = layered()
        .call("front", (0, 100), 503, "a")
        .call("loan", (10, 90), 503, "a")
        .call("quota", (20, 30), 503, "to the lender")
        .call("quota", (40, 50), 503, "to the borrower");
    assert_eq!(two.worst().0, Grade::Pass);
}

#[test]
fn calls_that_two_calls_above_may_have_set_off_are_left_unjudged() {
    let crossing = layered()
        .call("front", (0, 100), 503, "a")
        .call("front", (5, 100), 503, "a")
        .call("loan", (10, 20), 503, "a")
        .call("loan", (50, 60), 503, "a");
    assert_eq!(crossing.worst().0, Grade::Pass);
}
