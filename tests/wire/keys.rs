//! The key store seen from outside: what is applied, recognised, refused, replayed, and when it is forgotten.

use std::sync::Arc;
use std::time::Duration;

use retrial::evidence::{Call, EffectOutcome, Evidence, Fact};
use retrial::scenario::{Dependency, load};
use retrial::source::Source;
use retrial::term::{CutBy, KeyState, Place};

use crate::stand::{End, Stand, read_all, read_head};

/// A dependency with these turns that looks for keys in this header.
fn keyed(header: &str, keep: &str, turns: &[&str]) -> Dependency {
    let yaml = format!(
        "version: 1\ntitle: t\ndependencies:\n  quota:\n    keys: {{header: {header}, keep: {keep}}}\n    script:\n      - {}\n\
         operations: [{{request: {{method: POST, to: [quota], path: /send, body: {{text: x}}}}}}]\n",
        turns.join("\n      - ")
    );
    let loaded = load(Arc::new(Source::new("keys.yaml", yaml)), "keys");
    loaded.expect("a good scenario").remove(0).dependencies.remove(0)
}

fn stand(turns: &[&str]) -> Stand {
    Stand::of(keyed("Idempotency-Key", "24h", turns))
}

/// A POST of operation 1 with these header lines and this body, on a connection that ends with it.
fn post(lines: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST /op-1/send HTTP/1.1\r\nhost: x\r\nconnection: close\r\n{lines}content-length: {length}\r\n\r\n{body}"
    )
}

const K: &str = "idempotency-key: k\r\n";

/// The whole answer to a request, its date made of X.
fn answer(stand: &Stand, request: &str) -> String {
    let (read, end) = read_all(&mut stand.ask(request));
    assert_eq!(end, End::Fin);
    let text = String::from_utf8(read).unwrap();
    let dateless = |line: &str| match line.starts_with("date: ") {
        true => "date: X\r\n".to_owned(),
        false => line.to_owned(),
    };
    text.split_inclusive("\r\n").map(dateless).collect()
}

fn status(answer: &str) -> &str {
    &answer[9..12]
}

/// What became of each call: what was known of its key, and its effect.
fn told(evidence: &Evidence) -> Vec<(Option<KeyState>, Option<EffectOutcome>)> {
    let effect = |c: &Call| c.effect.map(|(_, effect)| effect);
    evidence.calls.iter().map(|c| (c.key, effect(c))).collect()
}

const APPLIED: Option<EffectOutcome> = Some(EffectOutcome::Applied);
const RECOGNISED: Option<EffectOutcome> = Some(EffectOutcome::Recognised);

#[test]
fn the_effect_is_applied_once_and_the_stored_answer_is_the_first_ones_byte_for_byte() {
    let stand = stand(&[
        "{when: {key: done}, effect: applied, answer: {stored: true}}",
        "{effect: applied, answer: {status: 201, headers: {x-order: '7'}, body: {text: 'made'}}}",
    ]);
    let first = answer(&stand, &post(K, "a=1"));
    assert!(
        first.starts_with("HTTP/1.1 201 Created\r\n") && first.ends_with("\r\n\r\nmade"),
        "{first}"
    );
    assert_eq!(answer(&stand, &post(K, "a=1")), first);
    assert_eq!(answer(&stand, &post(K, "a=1")), first);
    let evidence = stand.finish();
    let (new, done) = ((Some(KeyState::New), APPLIED), (Some(KeyState::Done), RECOGNISED));
    assert_eq!(told(&evidence), [new, done, done]);
    let turns: Vec<_> = evidence
        .calls
        .iter()
        .map(|c| (c.head.turn, c.replays.map(|c| c.0)))
        .collect();
    assert_eq!(turns, [(Some(1), None), (Some(0), Some(1)), (Some(0), Some(1))]);
    assert_eq!(evidence.calls.iter().filter(|c| c.delivered()).count(), 1);
}

#[test]
fn a_lost_answer_is_not_stored_and_a_success_without_a_body_stands_for_it() {
    for by in [CutBy::Fin, CutBy::Rst] {
        let word = if by == CutBy::Fin { "fin" } else { "rst" };
        let stand = stand(&[
            &format!("{{times: 1, effect: applied, cut: {{at: before_answer, by: {word}}}}}"),
            "{effect: applied, answer: {stored: true}}",
        ]);
        let end = if by == CutBy::Fin { End::Fin } else { End::Rst };
        assert_eq!(read_all(&mut stand.ask(&post(K, "a=1"))), (vec![], end));
        let stored = answer(&stand, &post(K, "a=1"));
        assert!(
            stored.starts_with("HTTP/1.1 200 OK\r\n") && stored.ends_with("\r\n\r\n"),
            "{stored}"
        );
        let evidence = stand.finish();
        assert_eq!(evidence.calls[0].cut, Some((Place::BeforeAnswer, by)));
        assert_eq!(told(&evidence)[1], (Some(KeyState::Done), RECOGNISED));
        assert_eq!(evidence.calls[1].replays, None);
    }
}

#[test]
fn a_second_caller_is_told_409_while_the_first_is_at_work_also_when_the_first_has_left() {
    let stand = stand(&[
        "{when: {key: in_flight}, effect: applied, answer: {status: 409}}",
        "{when: {key: done}, effect: applied, answer: {stored: true}}",
        "{takes: 300ms, effect: applied, answer: {status: 201}}",
    ]);
    let first = stand.ask(&post(K, "a=1"));
    stand.await_fact("the first is decided", |f| matches!(f, Fact::Decided { .. }));
    drop(first);
    assert_eq!(status(&answer(&stand, &post(K, "a=1"))), "409");
    stand.await_fact("the effect is applied", |f| {
        matches!(
            f,
            Fact::EffectDone {
                effect: EffectOutcome::Applied,
                ..
            }
        )
    });
    assert_eq!(status(&answer(&stand, &post(K, "a=1"))), "201");
    let evidence = stand.finish();
    let (new, busy) = (
        (Some(KeyState::New), APPLIED),
        (Some(KeyState::InFlight), RECOGNISED),
    );
    assert_eq!(told(&evidence), [new, busy, (Some(KeyState::Done), RECOGNISED)]);
}

#[test]
fn other_content_is_told_422_and_a_call_without_a_key_400() {
    let stand = stand(&[
        "{when: {key: missing}, answer: {status: 400}}",
        "{when: {key: other_content}, effect: applied, answer: {status: 422}}",
        "{effect: applied, answer: {status: 201}}",
    ]);
    assert_eq!(status(&answer(&stand, &post("", "a=1"))), "400");
    assert_eq!(status(&answer(&stand, &post(K, "a=1"))), "201");
    assert_eq!(status(&answer(&stand, &post(K, "a=2"))), "422");
    let other_path = post(K, "a=1").replace("/send", "/other");
    assert_eq!(status(&answer(&stand, &other_path)), "422");
    let evidence = stand.finish();
    let other = (Some(KeyState::OtherContent), RECOGNISED);
    assert_eq!(
        told(&evidence),
        [
            (Some(KeyState::Missing), None),
            (Some(KeyState::New), APPLIED),
            other,
            other
        ]
    );
}

#[test]
fn a_key_is_forgotten_after_its_time_and_then_the_effect_happens_again() {
    let stand = Stand::of(keyed(
        "Idempotency-Key",
        "150ms",
        &["{effect: applied, answer: {status: 201}}"],
    ));
    answer(&stand, &post(K, "a=1"));
    std::thread::sleep(Duration::from_millis(150));
    answer(&stand, &post(K, "a=1"));
    let new = (Some(KeyState::New), APPLIED);
    assert_eq!(told(&stand.finish()), [new, new]);
}

#[test]
fn what_only_began_is_started_again_and_applied_once() {
    let stand = stand(&[
        "{times: 1, effect: begun, answer: {status: 503}}",
        "{effect: applied, answer: {stored: true}}",
    ]);
    let statuses = [(); 3].map(|()| status(&answer(&stand, &post(K, "a=1"))).to_owned());
    assert_eq!(statuses, ["503", "200", "200"]);
    let begun = (Some(KeyState::New), Some(EffectOutcome::Begun));
    let applied = (Some(KeyState::New), APPLIED);
    assert_eq!(
        told(&stand.finish()),
        [begun, applied, (Some(KeyState::Done), RECOGNISED)]
    );
}

#[test]
fn several_keys_in_one_request_are_one_other_key_and_each_is_recorded() {
    let stand = stand(&[
        "{when: {key: done}, answer: {status: 200}}",
        "{effect: applied, answer: {status: 201}}",
    ]);
    let twice = format!("{K}{K}");
    let statuses = [K, &twice, &twice].map(|lines| status(&answer(&stand, &post(lines, "a=1"))).to_owned());
    assert_eq!(statuses, ["201", "201", "200"]);
    let keys: Vec<_> = stand.finish().calls.into_iter().map(|c| c.head.keys).collect();
    assert_eq!(keys, [vec!["k"], vec!["k", "k"], vec!["k", "k"]]);
}

#[test]
fn a_dependency_looks_for_keys_in_the_header_that_it_is_told() {
    let stand = Stand::of(keyed(
        "X-Request-Key",
        "24h",
        &["{effect: applied, answer: {status: 201}}"],
    ));
    answer(&stand, &post(K, "a=1"));
    answer(&stand, &post("x-request-KEY: r\r\n", "a=1"));
    let evidence = stand.finish();
    assert_eq!(
        told(&evidence),
        [(Some(KeyState::Missing), APPLIED), (Some(KeyState::New), APPLIED)]
    );
    assert_eq!(
        (&evidence.calls[0].head.keys[..], &evidence.calls[1].head.keys[..]),
        (&[][..], &["r".to_owned()][..])
    );
}

#[test]
fn a_request_that_breaks_off_is_recorded_and_falls_to_no_turn() {
    use std::io::Write;
    let stand = stand(&[
        "{times: 1, answer: {status: 503}}",
        "{effect: applied, answer: {status: 201}}",
    ]);
    let mut stream = stand.connect();
    let whole = post(K, "0123456789");
    stream.write_all(&whole.as_bytes()[..whole.len() - 4]).unwrap();
    stand.await_fact("its head", |f| matches!(f, Fact::Arrived(_)));
    drop(stream);
    stand.await_fact("its body", |f| matches!(f, Fact::BodyRead { .. }));
    assert_eq!(status(&answer(&stand, &post(K, "0123456789"))), "503");
    let evidence = stand.finish();
    assert_eq!(
        (evidence.calls[0].head.turn, evidence.calls[1].head.turn),
        (None, Some(0))
    );
    assert!(evidence.calls[0].body.as_ref().is_some_and(|body| !body.complete));
}

#[test]
fn a_cut_within_the_request_is_played_although_the_key_is_not_known_yet() {
    let stand = stand(&[
        "{times: 1, cut: {at: request_head, by: fin}}",
        "{effect: applied, answer: {status: 201}}",
    ]);
    let mut stream = stand.ask(&format!(
        "POST /op-1/send HTTP/1.1\r\nhost: x\r\n{K}content-length: 10\r\n\r\n"
    ));
    assert_eq!(read_all(&mut stream), (vec![], End::Fin));
    assert_eq!(status(&answer(&stand, &post(K, "a=1"))), "201");
    assert_eq!(
        told(&stand.finish()),
        [(None, None), (Some(KeyState::New), APPLIED)]
    );
}

#[test]
fn two_requests_on_one_connection_are_told_apart_by_their_keys() {
    use std::io::Write;
    let stand = stand(&[
        "{when: {key: done}, answer: {stored: true}}",
        "{effect: applied, answer: {status: 201}}",
    ]);
    let kept = post(K, "a=1").replace("connection: close\r\n", "");
    let mut stream = stand.ask(&kept);
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 201"));
    stream
        .write_all(kept.replace(": k", ": other").as_bytes())
        .unwrap();
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 201"));
    stream.write_all(kept.as_bytes()).unwrap();
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 201"));
    let states: Vec<_> = stand.finish().calls.iter().map(|c| c.key).collect();
    assert_eq!(states, [KeyState::New, KeyState::New, KeyState::Done].map(Some));
}
