//! Outages, clients that leave, clients that send what is not HTTP, and ceilings.

use std::io::{self, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use retrial::evidence::{Attribution, Ceiling, Evidence, Fact, GateState};
use retrial::scenario::{Answer, AnswerBody, Cut, Down, Pushback, Turn};
use retrial::term::{CutBy, Effect, Place, Role};
use retrial::upstream::{Limits, Shared, Upstream};
use retrial::world::{RealWorld, World};

use crate::script::{answer, answers, cuts, dependency, down, pushes_back, text, times, turn};
use crate::stand::{End, GET, LIMITS, POST, SILENCE, Stand, read_all, read_head, read_until_silent};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn refused(stand: &Stand) -> bool {
    match TcpStream::connect(&stand.address) {
        Ok(_) => false,
        Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => true,
        Err(e) => panic!("{e}"),
    }
}

#[test]
fn a_refused_dependency_comes_back_on_the_same_port_counted_from_the_start() {
    let stand = Stand::of(down(Duration::ZERO, Some(MS(150)), Down::Refused));
    std::thread::sleep(MS(200));
    assert!(refused(&stand), "its time has not begun");
    stand.shared.start_now();
    assert!(refused(&stand));
    stand.await_fact("the gate opens", |f| {
        matches!(
            f,
            Fact::GateChanged {
                gate: GateState::Open,
                ..
            }
        )
    });
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
    let started = *stand.shared.started.get().unwrap();
    let evidence = stand.finish();
    let gates: Vec<GateState> = evidence.gates.iter().map(|g| g.2).collect();
    assert_eq!(gates, [GateState::Refusing, GateState::Open]);
    assert!(evidence.gates[1].1.since(started) >= MS(150));
    assert_eq!(evidence.calls[0].head.turn, Some(0), "a refusal uses no turn");
}

#[test]
fn a_repeated_outage_comes_and_goes() {
    let mut repeated = down(MS(0), Some(MS(40)), Down::Refused);
    repeated.outages[0].every = Some(MS(80));
    let stand = Stand::of(repeated);
    stand.shared.start_now();
    let closings = |e: &Evidence| e.gates.iter().filter(|g| g.2 == GateState::Refusing).count();
    stand.await_fact("a second round's end", {
        let opened = std::cell::Cell::new(0);
        let recorder = stand.shared.recorder.clone();
        move |_| {
            let facts = recorder.facts();
            opened.set(
                facts
                    .iter()
                    .filter(|f| {
                        matches!(
                            f,
                            Fact::GateChanged {
                                gate: GateState::Open,
                                ..
                            }
                        )
                    })
                    .count(),
            );
            opened.get() >= 2
        }
    });
    assert!(closings(&stand.finish()) >= 2);
}

#[test]
fn a_kept_connection_does_not_outlive_its_dependency() {
    let stand = Stand::of(down(MS(100), None, Down::Refused));
    let mut stream = stand.ask(GET);
    read_head(&mut stream);
    stand.shared.start_now();
    assert_eq!(read_all(&mut stream), (vec![], End::Fin));
    stand.await_fact("the gate closes", |f| {
        matches!(
            f,
            Fact::GateChanged {
                gate: GateState::Refusing,
                ..
            }
        )
    });
    std::thread::sleep(MS(5));
    assert!(refused(&stand));
}

#[test]
fn in_a_hanging_outage_a_request_is_read_and_never_answered() {
    let stand = Stand::of(down(Duration::ZERO, None, Down::Hang));
    assert_eq!(read_until_silent(&mut stand.ask(POST)), (vec![], End::Open));
    let call = stand.only_call();
    assert_eq!(
        (call.head.outage, call.head.turn, call.head.effect),
        (Some(0), None, Effect::None)
    );
    assert_eq!(call.cut, Some((Place::BeforeAnswer, CutBy::Hang)));
    assert!(call.body.unwrap().complete);
}

#[test]
fn an_outage_may_answer_and_uses_no_turn() {
    let mut dependency = down(Duration::ZERO, Some(MS(100)), Down::Answer(Box::new(answer(503))));
    dependency.turns.insert(0, times(1, answers(answer(204))));
    let stand = Stand::of(dependency);
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 503"));
    stand.shared.start_now();
    std::thread::sleep(MS(110));
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 204"));
    let falls: Vec<_> = stand
        .finish()
        .calls
        .iter()
        .map(|c| (c.head.outage, c.head.turn))
        .collect();
    assert_eq!(falls, [(Some(0), None), (None, Some(0))]);
}

#[test]
fn the_effect_is_had_though_the_client_left_before_it_was_due() {
    let mut turn = answers(pushes_back(Pushback::Seconds(3)));
    (turn.takes, turn.effect) = (MS(150), Effect::Applied);
    let stand = Stand::of(dependency(vec![turn]));
    let stream = stand.ask(POST);
    stand.await_fact("the request is read", |f| matches!(f, Fact::BodyRead { .. }));
    drop(stream);
    stand.await_fact("the client left", |f| matches!(f, Fact::PeerLeft { .. }));
    let call = stand.only_call();
    let effect = call
        .effect
        .expect("the end of a dependency waits for its effects");
    assert!(
        call.delivered() && call.peer_left.unwrap() < effect.0,
        "{call:#?}"
    );
    assert_eq!(call.asked_wait_ms, None, "nobody was there to be asked");
}

#[test]
fn a_client_that_leaves_in_the_middle_of_its_request_is_seen_to() {
    let stand = Stand::of(dependency(vec![answers(answer(200))]));
    drop(stand.ask(&POST[..POST.len() - 3]));
    stand.await_fact("the end", |f| matches!(f, Fact::AnswerEnded { .. }));
    let call = stand.only_call();
    let body = call.body.unwrap();
    assert_eq!((body.len, body.complete), (7, false));
    assert!(call.peer_left.is_some() && !call.complete && call.answer_began.is_none());
}

#[test]
fn a_client_that_leaves_in_the_middle_of_a_large_answer_did_not_get_it_whole() {
    let zeros = Answer {
        body: AnswerBody::Zeros(64 << 20),
        ..answer(200)
    };
    let stand = Stand::of(dependency(vec![answers(zeros)]));
    let mut stream = stand.ask(GET);
    read_head(&mut stream);
    drop(stream);
    stand.await_fact("the end", |f| matches!(f, Fact::AnswerEnded { .. }));
    let call = stand.only_call();
    assert!(
        call.peer_left.is_some() && !call.complete && call.cut.is_none(),
        "{call:#?}"
    );
}

#[test]
fn a_client_that_only_closes_its_sending_side_is_answered() {
    let stand = Stand::of(dependency(vec![answers(Answer {
        after: MS(50),
        ..text("hello")
    })]));
    let mut stream = stand.ask(GET);
    stream.shutdown(Shutdown::Write).unwrap();
    let (read, end) = read_all(&mut stream);
    assert!(read.ends_with(b"hello") && end == End::Fin);
    assert!(stand.only_call().complete);
}

#[test]
fn what_is_not_http_is_recorded_and_the_connection_closed() {
    let nonsense: [&[u8]; 4] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x00\x00\x00 garbage \xff\r\n\r\n",
        b"GET / HTTP/9.7\r\n\r\n",
    ];
    for bytes in nonsense {
        let stand = Stand::of(dependency(vec![answers(answer(200))]));
        let mut stream = stand.connect();
        stream.write_all(bytes).unwrap();
        stand.await_fact("unreadable", |f| matches!(f, Fact::Unreadable { .. }));
        assert_eq!(read_all(&mut stream).1, End::Fin, "{bytes:?}");
        let evidence = stand.finish();
        assert_eq!((evidence.unreadable.len(), evidence.calls.len()), (1, 0));
    }
}

#[test]
fn a_body_that_is_not_framed_as_http_is_unreadable_and_nobody_left() {
    let stand = Stand::of(dependency(vec![answers(answer(200))]));
    let chunked = "POST /op-1/send HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut stream = stand.ask(&format!("{chunked}zz\r\nhello"));
    stand.await_fact("unreadable", |f| matches!(f, Fact::Unreadable { .. }));
    assert_eq!(read_all(&mut stream).1, End::Fin);
    let call = stand.only_call();
    assert!(call.peer_left.is_none() && !call.complete && !call.body.unwrap().complete);
}

#[test]
fn a_head_without_end_is_given_up() {
    let stand = Stand::of(dependency(vec![answers(answer(200))]));
    let mut stream = stand.ask("GET /op-1/send HTTP/1.1\r\nx: ");
    let _ = stream.write_all(&vec![b'a'; 1 << 20]);
    stand.await_fact("unreadable", |f| matches!(f, Fact::Unreadable { .. }));
    assert_eq!(stand.finish().calls.len(), 0);
}

#[test]
fn half_a_head_is_unreadable_and_a_connection_never_used_is_not() {
    let stand = Stand::of(dependency(vec![answers(answer(200))]));
    drop(stand.connect());
    drop(stand.ask("GET /op-1/se"));
    stand.await_fact("unreadable", |f| matches!(f, Fact::Unreadable { .. }));
    assert_eq!(stand.finish().unreadable.len(), 1);
}

#[test]
fn pipelined_requests_are_each_a_call_and_a_cut_waits_for_the_answers_before_it() {
    let cut = Some(Cut {
        at: Place::BeforeAnswer,
        by: CutBy::Fin,
    });
    let large = Answer {
        body: AnswerBody::Zeros(16 << 20),
        ..answer(200)
    };
    let stand = Stand::of(dependency(vec![
        times(1, answers(text("hello"))),
        times(1, answers(large)),
        Turn { cut, ..turn() },
    ]));
    let mut stream = stand.ask(&GET.repeat(3));
    // What does not fit into the kernel's buffers is still on its way when the third call is decided.
    std::thread::sleep(SILENCE);
    let (read, end) = read_all(&mut stream);
    assert!(
        read.len() > 16 << 20 && read.ends_with(&[0; 1024]),
        "{} bytes",
        read.len()
    );
    assert_eq!(end, End::Fin);
    let calls = stand.finish().calls;
    assert_eq!(
        calls.iter().map(|c| c.complete).collect::<Vec<_>>(),
        [true, true, false]
    );
}

#[test]
fn a_call_of_no_operation_is_a_side_call_and_uses_up_no_turn() {
    let stand = Stand::of(dependency(vec![
        times(1, answers(answer(503))),
        answers(answer(200)),
    ]));
    let side = GET.replace("/op-1/", "/op-5/");
    for expected in ["503", "200"] {
        assert!(read_head(&mut stand.ask(&side)).contains(expected));
    }
    assert!(read_head(&mut stand.ask(GET)).contains("503"));
    let heads: Vec<_> = stand.finish().calls.into_iter().map(|c| c.head).collect();
    assert_eq!(
        (heads[0].op, heads[0].by, heads[0].role),
        (None, Attribution::Nothing, Role::Side)
    );
    assert_eq!(heads[0].path, "/op-5/send");
}

fn limits(change: impl Fn(&mut Limits)) -> Limits {
    let mut limits = LIMITS;
    change(&mut limits);
    limits
}

/// Uses connections until nothing more is given, and tells what was observed.
fn flood(stand: Stand) -> Evidence {
    for _ in 0..20 {
        let Ok(mut stream) = TcpStream::connect(&stand.address) else {
            break;
        };
        let _ = stream.write_all(POST.as_bytes());
        let _ = io::copy(&mut stream, &mut io::sink());
    }
    assert!(TcpStream::connect(&stand.address).is_err(), "a flood is refused");
    stand.finish()
}

#[test]
fn a_ceiling_is_recorded_once_and_then_nothing_more_is() {
    let closing = || {
        dependency(vec![answers(Answer {
            keep_alive: Some(false),
            ..answer(200)
        })])
    };
    let calls = flood(Stand::limited(closing(), limits(|l| l.calls = 3)));
    assert_eq!((calls.calls.len(), calls.ceilings.len()), (3, 1));
    assert_eq!(calls.ceilings[0].1, Ceiling::Calls);
    let connections = flood(Stand::limited(closing(), limits(|l| l.connections = 3)));
    assert_eq!(
        (connections.calls.len(), connections.ceilings[0].1),
        (3, Ceiling::Connections)
    );
    let bytes = flood(Stand::limited(
        closing(),
        limits(|l| l.bytes = 3 * POST.len() as u64 + 1),
    ));
    assert_eq!((bytes.calls.len(), bytes.ceilings[0].1), (3, Ceiling::Bytes));
}

#[test]
fn the_end_of_a_dependency_closes_what_hangs() {
    let stand = Stand::of(dependency(vec![cuts(
        answer(200),
        Place::BeforeAnswer,
        CutBy::Hang,
    )]));
    let mut stream = stand.ask(GET);
    stand.await_fact("the hang", |f| matches!(f, Fact::AnswerEnded { .. }));
    stand.finish();
    assert_eq!(read_all(&mut stream), (vec![], End::Fin));
}

#[test]
fn what_is_not_played_yet_is_refused_with_a_sentence() {
    let cut = Some(Cut {
        at: Place::Headers(0),
        by: CutBy::Fin,
    });
    let raw = Some(b"HTTP/1.1 200 OK\r\n\r\n".to_vec());
    let dependency = dependency(vec![Turn { raw, cut, ..turn() }]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let refused = runtime.block_on(async {
        let recorder = retrial::evidence::Recorder::new();
        let shared = Shared::new(RealWorld.start_clock(), recorder, 7, LIMITS);
        Upstream::serve(&RealWorld, dependency.into(), shared.into())
            .await
            .err()
    });
    let because = refused.map(|e| (e.kind(), e.to_string()));
    let sentence =
        "dependency `quota`: turn 1: `raw` bytes are sent whole: a cut within them is not played yet"
            .to_owned();
    assert_eq!(because, Some((io::ErrorKind::InvalidInput, sentence)));
}
