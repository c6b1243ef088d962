//! Gates in virtual time: black holes, flapping and ticks, to the millisecond.

use std::time::Duration;

use retrial::evidence::{Evidence, GateState};
use retrial::scenario::{Accept, Capacity, Down, Slows};
use retrial::source::Span;
use retrial::term::Stamp;

use crate::in_memory::Virtual;
use crate::script::{answer, answers, dependency, down};

const S: fn(u64) -> Duration = Duration::from_secs;

#[tokio::test(start_paused = true)]
async fn who_connects_to_a_black_hole_gets_through_at_its_very_end() {
    let stand = Virtual::of(down(Duration::ZERO, Some(S(3600)), Down::BlackHole)).await;
    stand.shared.start_now();
    let ends = stand.shared.started.get().unwrap().plus(S(3600));
    let (one, other) = tokio::join!(stand.ask(), stand.ask());
    assert_eq!((one.unwrap().0, other.unwrap().0), (200, 200));
    let evidence = Evidence::fold(&stand.finish().await);
    assert!(evidence.calls.iter().all(|c| c.at() == ends), "{evidence:#?}");
    let gates: Vec<_> = evidence.gates.iter().map(|g| (g.1, g.2)).collect();
    assert_eq!(
        gates,
        [(Stamp::ZERO, GateState::BlackHole), (ends, GateState::Open)]
    );
}

#[tokio::test(start_paused = true)]
async fn who_gives_up_in_a_black_hole_leaves_no_trace_and_its_end_refuses_nobody() {
    let stand = Virtual::of(down(Duration::ZERO, None, Down::BlackHole)).await;
    let asked = stand.shared.clock.within(S(60), stand.ask()).await;
    assert!(asked.is_err(), "{asked:?}");
    let evidence = Evidence::fold(&stand.finish().await);
    assert!(evidence.calls.is_empty() && evidence.gates.len() == 1);
}

#[tokio::test(start_paused = true)]
async fn a_gate_that_flaps_moves_at_its_edges_and_nowhere_else() {
    for (be, closed) in [
        (Down::Refused, GateState::Refusing),
        (Down::BlackHole, GateState::BlackHole),
    ] {
        let mut flapping = down(S(1), Some(S(3)), be);
        flapping.outages[0].every = Some(S(10));
        let stand = Virtual::of(flapping).await;
        stand.shared.start_now();
        stand.shared.clock.sleep_until(Stamp::from_ms(25_000)).await;
        let gates = Evidence::fold(&stand.finish().await).gates;
        let seen: Vec<_> = gates.iter().map(|g| (g.1.ms(), g.2)).collect();
        let open = GateState::Open;
        let expected = [1000, 11_000, 21_000].map(|at| [(at, closed), (at + 2000, open)]);
        assert_eq!(seen, expected.as_flattened());
    }
}

#[tokio::test(start_paused = true)]
async fn each_tick_takes_its_calls_anew() {
    let mut dependency = dependency(vec![answers(answer(200))]);
    dependency.capacity = Some(Capacity {
        accept: Accept::PerTick { calls: 2, tick: S(1) },
        overflow: Box::new(answer(429)),
        span: Span::default(),
    });
    let stand = Virtual::of(dependency).await;
    stand.shared.start_now();
    let mut statuses = vec![];
    for at_ms in [0, 1, 999, 1000, 1001, 1002, 5000] {
        stand.shared.clock.sleep_until(Stamp::from_ms(at_ms)).await;
        statuses.push(stand.ask().await.unwrap().0);
    }
    assert_eq!(statuses, [200, 200, 429, 200, 200, 429, 200]);
}

#[tokio::test(start_paused = true)]
async fn a_line_answers_one_call_after_another_and_sends_away_who_finds_no_place() {
    let mut dependency = dependency(vec![answers(answer(200))]);
    dependency.capacity = Some(Capacity {
        accept: Accept::Queue {
            each: Duration::from_millis(100),
            waiting: 1,
        },
        overflow: Box::new(answer(503)),
        span: Span::default(),
    });
    let stand = Virtual::of(dependency).await;
    stand.shared.start_now();
    let began = stand.shared.clock.now();
    let ask = async || {
        let status = stand.ask().await.unwrap().0;
        (status, stand.shared.clock.now().since(began).as_millis())
    };
    let (one, two, three) = tokio::join!(ask(), ask(), ask());
    let mut seen = [one, two, three];
    seen.sort_by_key(|(_, at)| *at);
    assert_eq!(seen, [(503, 0), (200, 100), (200, 200)]);
    // The line is empty again.
    assert_eq!(ask().await, (200, 300));
}

#[tokio::test(start_paused = true)]
async fn calls_in_flight_slow_those_that_come_after_them_and_a_client_that_left_is_still_one() {
    let ms = Duration::from_millis;
    let mut dependency = dependency(vec![answers(answer(200))]);
    dependency.turns[0].takes = ms(100);
    dependency.slows = Some(Slows {
        per_call_in_flight: ms(30),
    });
    let stand = Virtual::of(dependency).await;
    stand.shared.start_now();
    let clock = stand.shared.clock;
    let ask = async || {
        stand.ask().await.unwrap();
        clock.now().ms()
    };
    let (one, two, three) = tokio::join!(ask(), ask(), ask());
    let mut seen = [one, two, three];
    seen.sort_unstable();
    assert_eq!(seen, [100, 130, 160]);
    // It leaves after 50 ms of its 100: whoever comes then meets it, and who comes at 300 ms meets the other alone.
    assert!(clock.within(ms(50), stand.ask()).await.is_err());
    assert_eq!(clock.now().ms(), 210);
    let met = ask();
    let later = async {
        clock.sleep_until(Stamp::from_ms(300)).await;
        ask().await
    };
    assert_eq!(tokio::join!(met, later), (340, 430));
    let delays = Evidence::fold(&stand.finish().await).calls;
    let delays: Vec<u64> = delays.iter().map(|c| c.head.queued_us / 1000).collect();
    assert_eq!(delays, [0, 30, 60, 0, 30, 30]);
}
