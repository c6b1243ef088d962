//! What is packed is read back as it was.

use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::coded::Coded;
use super::*;
use crate::evidence::{Arrival, Attribution, Digest, EffectOutcome};
use crate::term::{CallId, ConnId, Effect, OperationId, Role, Sha256, Stamp, StampedBy};

/// One of every kind, as the evidence file has them.
const KINDS: &str = r#"
{"trial_began":{"unix_us":1767225600000000}}
{"point_served":{"point":"quota","base":"http://127.0.0.1:4001"}}
{"layer_served":{"point":"gateway","role":"gateway","base":"http://127.0.0.1:4002"}}
{"gate_changed":{"point":"quota","at":7,"gate":"black_hole"}}
{"left_out":{"op":"op-2","because":"the client can only GET","at":2}}
{"client_ready":{"name":"c\u0000\u2028","version":null,"at":3}}
{"asked":{"op":"op-1","at":4,"deadline_ms":9000,"key":"k","process":3}}
{"cancelled":{"op":"op-1","at":5}}
{"connected":{"conn":1,"point":"quota","at":6,"cut":"rst","turn":0,"op":"op-1"}}
{"arrived":{"call":1,"op":"op-1","by":"url","role":"attempt","point":"quota","conn":2,"nth_on_conn":1,"protocol":"HTTP/1.1","method":"GET","path":"/a/path/that/is/longer/than/any/inline/text","query":"a=b","keys":["k",""],"lacks":["authorization"],"head_sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","at":7200000000,"turn":0,"outage":null,"overflow":true,"queued_us":12,"effect":"applied"}}
{"body_read":{"call":1,"body":{"len":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","complete":true}}}
{"decided":{"call":1,"at":8,"turn":2,"effect":"none","key":"in_flight","replays":1}}
{"effect_done":{"call":1,"at":8,"effect":"applied"}}
{"answer_began":{"call":1,"at":9,"status":503,"asked_wait_ms":1000,"asked_until":10,"retry_after":"1"}}
{"answer_ended":{"call":1,"at":10,"complete":false,"cut":[{"body":3},"rst"]}}
{"peer_left":{"call":1,"at":11}}
{"unreadable":{"conn":1,"point":"quota","at":12,"because":"\u001b[31m"}}
{"reported":{"op":"op-1","at":13,"result":{"claim":"ok","status":200,"attempts":2,"stop":"ok","body_sha256":null,"error":"e"}}}
{"could_not_run":{"op":"op-1","at":14,"because":"b"}}
{"gave_no_result":{"op":"op-1","at":15}}
{"talk":{"at":16,"line":"l"}}
{"client_broke":{"at":17,"because":"b"}}
{"client_ended":{"at":18,"how":{"killed":{"why":"w"}}}}
{"client_restarted":{"at":19,"process":1,"successor":2}}
{"ceiling_hit":{"at":19,"ceiling":"calls"}}
{"lagged":{"worst_us":20}}
{"watch_ended":{"at":21}}
{"interrupted":{"at":22}}
"#;

fn facts() -> Vec<Fact> {
    read(KINDS)
}

fn read(lines: &str) -> Vec<Fact> {
    let read = |line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"));
    lines.trim().lines().map(read).collect()
}

/// How many kinds there are: who adds one is led here by the compiler, and then to the lines above.
fn kind(fact: &Fact) -> usize {
    match fact {
        Fact::TrialBegan { .. } => 0,
        Fact::PointServed { .. } => 1,
        Fact::LayerServed { .. } => 2,
        Fact::GateChanged { .. } => 3,
        Fact::LeftOut { .. } => 4,
        Fact::ClientReady { .. } => 5,
        Fact::Asked { .. } => 6,
        Fact::Cancelled { .. } => 7,
        Fact::Connected { .. } => 8,
        Fact::Arrived(_) => 9,
        Fact::BodyRead { .. } => 10,
        Fact::Decided { .. } => 11,
        Fact::EffectDone { .. } => 12,
        Fact::AnswerBegan { .. } => 13,
        Fact::AnswerEnded { .. } => 14,
        Fact::PeerLeft { .. } => 15,
        Fact::Unreadable { .. } => 16,
        Fact::Reported { .. } => 17,
        Fact::CouldNotRun { .. } => 18,
        Fact::GaveNoResult { .. } => 19,
        Fact::Talk { .. } => 20,
        Fact::ClientBroke { .. } => 21,
        Fact::ClientEnded { .. } => 22,
        Fact::ClientRestarted { .. } => 23,
        Fact::CeilingHit { .. } => 24,
        Fact::Lagged { .. } => 25,
        Fact::WatchEnded { .. } => 26,
        Fact::Interrupted { .. } => 27,
    }
}

#[test]
fn every_kind_of_fact_is_kept_as_it_was() {
    let (facts, mut packed) = (facts(), Packed::default());
    facts.iter().for_each(|fact| packed.push(fact));
    let kinds: Vec<usize> = facts.iter().map(kind).collect();
    assert_eq!(kinds, (0..28).collect::<Vec<_>>());
    assert_eq!(packed.len(), facts.len());
    assert_eq!(packed.iter().collect::<Vec<_>>(), facts);
}

/// What a short GET makes, as the evidence file has it.
const SHORT: &str = r#"
{"arrived":{"call":1,"op":"op-1","by":"url","role":"attempt","point":"quota","conn":2,"nth_on_conn":1,"protocol":"HTTP/1.1","method":"GET","path":"/report","query":null,"keys":[],"head_sha256":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","at":7200000000,"turn":0,"outage":null,"effect":"none"}}
{"body_read":{"call":1,"body":{"len":0,"sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","complete":true}}}
{"answer_began":{"call":1,"at":7200000009,"status":503,"asked_wait_ms":null,"asked_until":null,"retry_after":null}}
{"answer_ended":{"call":1,"at":7200000010,"complete":true,"cut":null}}
"#;

#[test]
fn a_short_call_takes_little() {
    let packed: Packed = read(SHORT).into_iter().collect();
    assert!(packed.bytes() <= 136, "{}", packed.bytes());
}

/// Any of the kinds that are written by their place.
fn coded<T: Coded + std::fmt::Debug>() -> impl Strategy<Value = T> {
    proptest::sample::select(T::ALL)
}

/// Texts about as long as a length of one byte can tell, and short ones.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![".{0,6}", "[a-z\u{e9}]{120,140}"]
}

fn stamp() -> impl Strategy<Value = Stamp> {
    any::<u64>().prop_map(Stamp::from_us)
}

fn sha256() -> impl Strategy<Value = Sha256> {
    prop_oneof![Just(Sha256::default()), any::<[u8; 32]>().prop_map(Sha256::from)]
}

fn digest() -> impl Strategy<Value = Digest> {
    (prop_oneof![Just(0), any::<u64>()], sha256(), any::<bool>()).prop_map(|(len, sha256, complete)| Digest {
        len,
        sha256,
        complete,
    })
}

prop_compose! {
    fn head()(
        (call, conn, nth_on_conn, op) in (any::<u32>(), any::<u32>(), any::<u32>(), of(any::<u32>())),
        (by, role, stamped_by, effect) in (coded(), coded(), coded(), coded()),
        (point, method, path, query) in (text(), text(), text(), of(text())),
        protocol in prop_oneof![Just("HTTP/1.1".to_owned()), text()],
        (keys, lacks) in (vec(text(), 0..3), vec(text(), 0..3)),
        (head_sha256, at) in (sha256(), stamp()),
        (turn, outage) in (of(any::<u32>()), of(any::<u32>())),
        (overflow, queued_us) in (any::<bool>(), prop_oneof![Just(0), any::<u64>()]),
    ) -> Arrival {
        Arrival {
            call: CallId(call), op: op.map(OperationId), by, role, point: point.into(), conn: ConnId(conn), nth_on_conn,
            protocol: protocol.into(), method: method.into(), path: path.into(), query, keys,
            lacks: lacks.into_iter().map(Into::into).collect(), head_sha256, at, stamped_by, turn, outage, overflow,
            queued_us, effect,
        }
    }
}

/// Any of the facts that are written by hand.
fn hot() -> impl Strategy<Value = Fact> {
    let call = || any::<u32>().prop_map(|n| CallId(n % 1_000));
    let arrived = head().prop_map(|head| {
        let call = CallId(head.call.0 % 1_000);
        Fact::Arrived(Box::new(Arrival { call, ..head }))
    });
    let body_read = (call(), digest()).prop_map(|(call, body)| Fact::BodyRead { call, body });
    let done =
        (call(), stamp(), coded()).prop_map(|(call, at, effect)| Fact::EffectDone { call, at, effect });
    let began = (
        call(),
        stamp(),
        of(any::<u16>()),
        of(any::<u64>()),
        of(stamp()),
        of(text()),
    );
    let began =
        began.prop_map(
            |(call, at, status, asked_wait_ms, asked_until, retry_after)| Fact::AnswerBegan {
                call,
                at,
                status,
                asked_wait_ms,
                asked_until,
                retry_after,
            },
        );
    let ended = (call(), stamp(), any::<bool>()).prop_map(|(call, at, complete)| Fact::AnswerEnded {
        call,
        at,
        complete,
        cut: None,
    });
    prop_oneof![arrived, body_read, done, began, ended]
}

/// Any fact: by hand or by postcard.
fn any_fact() -> impl Strategy<Value = Fact> {
    prop_oneof![3 => hot(), 1 => proptest::sample::select(facts())]
}

proptest! {
    #[test]
    fn facts_are_read_back_as_they_were_in_any_order(facts in vec(any_fact(), 0..12)) {
        let packed: Packed = facts.iter().cloned().collect();
        prop_assert_eq!(packed.len(), facts.len());
        prop_assert_eq!(packed.iter().collect::<Vec<_>>(), facts);
    }

    #[test]
    fn the_facts_of_every_call_are_written_by_hand(fact in hot()) {
        let packed: Packed = [fact].into_iter().collect();
        prop_assert_ne!(packed.last[0], hot::OTHER);
    }

    #[test]
    fn what_breaks_off_is_read_as_far_as_it_goes(fact in hot(), cut in any::<prop::sample::Index>()) {
        let mut packed: Packed = [fact].into_iter().collect();
        packed.last.truncate(cut.index(packed.last.len()));
        prop_assert_eq!(packed.iter().next(), None);
    }
}

#[test]
fn facts_of_many_pieces_are_read_back_in_order() {
    let long = |n: usize| Fact::Talk {
        at: Stamp::from_us(n as u64),
        line: "l".repeat(n * 37 % 3000),
    };
    let facts: Vec<Fact> = (0..400).map(long).chain(facts()).collect();
    let packed: Packed = facts.iter().cloned().collect();
    assert!(packed.full.len() > 3, "{}", packed.full.len());
    assert_eq!(packed.iter().collect::<Vec<_>>(), facts);
    let all: usize = packed.full.iter().map(Vec::len).sum();
    assert_eq!(packed.bytes(), all + packed.last.len());
}

#[test]
fn each_kind_is_read_by_the_place_it_is_written_as() {
    fn check<T: Coded + PartialEq + std::fmt::Debug>() {
        for (place, kind) in (0..).zip(T::ALL) {
            assert_eq!((kind.code(), T::of(place)), (place, Some(*kind)));
        }
    }
    check::<Attribution>();
    check::<Role>();
    check::<Effect>();
    check::<StampedBy>();
    check::<EffectOutcome>();
}
