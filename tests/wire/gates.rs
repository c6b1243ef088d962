//! Gates in time and in number: black holes, and dependencies that take only so much.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Barrier;
use std::time::Duration;

use retrial::evidence::{Evidence, Fact, GateState};
use retrial::scenario::{Accept, Answer, Capacity, Dependency, Down, Pushback, Slows, Turn};
use retrial::source::Span;
use retrial::term::{CutBy, Effect, Place};

use crate::script::{answer, answers, cuts, dependency, down, pushes_back, times};
use crate::stand::{End, GET, SILENCE, Stand, read_head, read_until_silent};

const MS: fn(u64) -> Duration = Duration::from_millis;

fn takes(accept: Accept, overflow: Answer, dependency: Dependency) -> Dependency {
    let capacity = Capacity {
        accept,
        overflow: Box::new(overflow),
        span: Span::default(),
    };
    Dependency {
        capacity: Some(capacity),
        ..dependency
    }
}

fn falls(evidence: &Evidence) -> Vec<(Option<u32>, Option<u32>, bool)> {
    let heads = evidence.calls.iter().map(|c| &c.head);
    heads.map(|h| (h.turn, h.outage, h.overflow)).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn in_a_black_hole_no_connection_completes_and_after_it_the_same_port_accepts() {
    let stand = Stand::of(down(Duration::ZERO, Some(MS(400)), Down::BlackHole));
    let address: SocketAddr = stand.address.parse().unwrap();
    for _ in 0..6 {
        let late = TcpStream::connect_timeout(&address, MS(30)).map_err(|e| e.kind());
        assert_eq!(late.err(), Some(std::io::ErrorKind::TimedOut));
    }
    stand.shared.start_now();
    // It is asked in the hole, and gets through when the kernel asks again after it.
    let mut patient = TcpStream::connect(address).unwrap();
    let connected = stand.shared.clock.now();
    patient.write_all(GET.as_bytes()).unwrap();
    assert!(read_head(&mut patient).starts_with("HTTP/1.1 200"));
    let started = *stand.shared.started.get().unwrap();
    assert!(connected.since(started) >= MS(400));
    for _ in 0..20 {
        assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
    }
    let connections = |f: &Fact| matches!(f, Fact::Connected { .. });
    let connected = stand.shared.recorder.facts().iter().filter(connections).count();
    assert_eq!(
        connected, 21,
        "the harness's own connections are not its client's"
    );
    let evidence = stand.finish();
    let gates: Vec<GateState> = evidence.gates.iter().map(|g| g.2).collect();
    assert_eq!(gates, [GateState::BlackHole, GateState::Open]);
    assert_eq!(falls(&evidence), [(Some(0), None, false); 21]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_connection_that_was_there_before_a_black_hole_is_read_and_not_answered() {
    let stand = Stand::of(down(MS(100), None, Down::BlackHole));
    let mut kept = stand.ask(GET);
    read_head(&mut kept);
    stand.shared.start_now();
    stand.await_fact("the hole", |f| matches!(f, Fact::GateChanged { .. }));
    kept.write_all(GET.as_bytes()).unwrap();
    assert_eq!(read_until_silent(&mut kept), (vec![], End::Open));
    let evidence = stand.finish();
    assert_eq!(falls(&evidence), [(Some(0), None, false), (None, Some(0), false)]);
    assert_eq!(evidence.calls[1].cut, Some((Place::BeforeAnswer, CutBy::Hang)));
}

#[cfg(target_os = "linux")]
#[test]
fn refusals_and_black_holes_follow_each_other_on_one_port() {
    let mut changing = down(Duration::ZERO, Some(MS(150)), Down::Refused);
    let mut hole = changing.outages[0].clone();
    (hole.from, hole.until, hole.be) = (MS(150), Some(MS(300)), Down::BlackHole);
    changing.outages.push(hole);
    let stand = Stand::of(changing);
    stand.shared.start_now();
    let is = |gate| move |f: &Fact| matches!(f, Fact::GateChanged { gate: g, .. } if *g == gate);
    stand.await_fact("the hole", is(GateState::BlackHole));
    stand.await_fact("the end", is(GateState::Open));
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
    let gates: Vec<GateState> = stand.finish().gates.iter().map(|g| g.2).collect();
    assert_eq!(
        gates,
        [GateState::Refusing, GateState::BlackHole, GateState::Open]
    );
}

/// Twelve calls that arrive together: how many were answered with each of these statuses.
fn at_once(stand: &Stand, statuses: [&str; 2]) -> [usize; 2] {
    let barrier = Barrier::new(12);
    let one = || {
        let mut stream = stand.connect();
        barrier.wait();
        stream.write_all(GET.as_bytes()).unwrap();
        read_head(&mut stream)
    };
    let heads: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..12).map(|_| scope.spawn(one)).collect();
        threads.into_iter().map(|t| t.join().unwrap()).collect()
    });
    statuses.map(|status| heads.iter().filter(|h| h.contains(status)).count())
}

#[test]
fn of_twelve_calls_at_once_exactly_as_many_get_in_as_there_are_places_and_a_turn_is_used_by_none_else() {
    let busy = Answer {
        after: MS(300),
        ..answer(200)
    };
    let turns = vec![times(4, answers(busy)), answers(answer(204))];
    let overflow = pushes_back(Pushback::Seconds(1));
    let accept = Accept::AtOnce { calls: 4 };
    let stand = Stand::of(takes(accept, overflow, dependency(turns)));
    assert_eq!(at_once(&stand, ["HTTP/1.1 200", "HTTP/1.1 503"]), [4, 8]);
    // The places are free again, and the turn's four were used by those who got in.
    for _ in 0..5 {
        assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 204"));
    }
    let evidence = stand.finish();
    let over: Vec<_> = evidence.calls.iter().filter(|c| c.head.overflow).collect();
    assert_eq!(over.len(), 8);
    assert!(
        over.iter()
            .all(|c| c.status == Some(503) && c.asked_wait_ms == Some(1000) && c.head.turn.is_none())
    );
}

#[test]
fn a_tick_takes_exactly_its_calls_from_a_crowd() {
    let accept = Accept::PerTick {
        calls: 5,
        tick: Duration::from_secs(3600),
    };
    let stand = Stand::of(takes(accept, answer(429), dependency(vec![answers(answer(200))])));
    stand.shared.start_now();
    assert_eq!(at_once(&stand, ["HTTP/1.1 200", "HTTP/1.1 429"]), [5, 7]);
    stand.finish();
}

#[test]
fn whoever_calls_again_when_it_has_its_answer_finds_the_only_place_free() {
    let accept = Accept::AtOnce { calls: 1 };
    let closing = Answer {
        keep_alive: Some(false),
        ..answer(200)
    };
    for turn in [
        answers(closing),
        cuts(answer(200), Place::AfterAnswer, CutBy::Fin),
    ] {
        let stand = Stand::of(takes(accept, answer(429), dependency(vec![turn])));
        for _ in 0..200 {
            assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
        }
        stand.finish();
    }
}

#[test]
fn a_call_that_hangs_keeps_its_place_until_its_client_leaves() {
    let hangs = cuts(answer(200), Place::BeforeAnswer, CutBy::Hang);
    let turns = vec![times(1, hangs), answers(answer(200))];
    let accept = Accept::AtOnce { calls: 1 };
    let stand = Stand::of(takes(accept, answer(429), dependency(turns)));
    let mut hanging = stand.ask(GET);
    stand.await_fact("the hang", |f| matches!(f, Fact::AnswerEnded { .. }));
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 429"));
    hanging.set_read_timeout(Some(SILENCE)).unwrap();
    assert!(hanging.read(&mut [0; 8]).is_err(), "nothing comes");
    drop(hanging);
    stand.await_fact("it left", |f| matches!(f, Fact::PeerLeft { .. }));
    let mut tries = 0..1000;
    assert!(
        tries.any(|_| read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200")),
        "the place is never free"
    );
    stand.finish();
}

#[test]
fn an_outage_goes_before_the_capacity_and_takes_none_of_it() {
    let accept = Accept::PerTick {
        calls: 1,
        tick: Duration::from_secs(3600),
    };
    let out = down(Duration::ZERO, Some(MS(100)), Down::Answer(Box::new(answer(503))));
    let stand = Stand::of(takes(accept, answer(429), out));
    for _ in 0..3 {
        assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 503"));
    }
    stand.shared.start_now();
    stand.shared.clock.now();
    std::thread::sleep(MS(110));
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 429"));
    let falls = falls(&stand.finish());
    assert_eq!(
        falls[2..],
        [(None, Some(0), false), (Some(0), None, false), (None, None, true)]
    );
}

/// A dependency whose turn works for so long, which every call in flight delays by so much more.
fn slows(takes: Duration, per_call_in_flight: Duration) -> Dependency {
    let turn = Turn {
        takes,
        ..answers(answer(200))
    };
    Dependency {
        slows: Some(Slows { per_call_in_flight }),
        ..dependency(vec![turn])
    }
}

#[test]
fn each_call_in_flight_delays_the_one_that_comes_next() {
    let stand = Stand::of(slows(MS(500), MS(40)));
    assert_eq!(at_once(&stand, ["HTTP/1.1 200", "HTTP/1.1 503"]), [12, 0]);
    // Nothing is in flight any more.
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
    let evidence = stand.finish();
    let delays: Vec<u64> = evidence.calls.iter().map(|c| c.head.queued_us).collect();
    let expected: Vec<u64> = (0..12).map(|n| n * 40_000).chain([0]).collect();
    assert_eq!(delays, expected);
    for call in &evidence.calls {
        let answered = call.answer_began.unwrap().since(call.at());
        assert!(
            answered >= MS(500) + Duration::from_micros(call.head.queued_us) - MS(1),
            "{call:?}"
        );
    }
}

#[test]
fn who_leaves_is_worked_on_for_nobody_and_slows_the_next_all_the_same() {
    let mut dependency = slows(Duration::from_secs(20), Duration::from_secs(10));
    dependency.turns[0].effect = Effect::None;
    let stand = Stand::of(dependency);
    for n in 1..=3 {
        drop(stand.ask(GET));
        let left = |f: &Fact| matches!(f, Fact::PeerLeft { call, .. } if call.0 == n);
        stand.await_fact("it left", left);
    }
    let delays: Vec<u64> = stand.finish().calls.iter().map(|c| c.head.queued_us).collect();
    assert_eq!(delays, [0, 10_000_000, 20_000_000]);
}
