//! The rule of turns and the order of gates.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::scenario::{Bound, Down, HeaderIs, Outage, When};
use crate::script::{AtHead, refusal};
use crate::term::{Effect, OperationId};

fn turn(times: Option<u32>, when: When) -> Turn {
    Turn {
        times,
        when: (when != When::default()).then_some(when),
        takes: Duration::ZERO,
        effect: Effect::None,
        answer: None,
        cut: Some(crate::scenario::Cut {
            at: Place::BeforeAnswer,
            by: CutBy::Fin,
        }),
        raw: None,
        span: Default::default(),
    }
}

fn takes(times: u32) -> Turn {
    turn(Some(times), When::default())
}

fn last() -> Turn {
    turn(None, When::default())
}

fn when(when: When) -> Turn {
    turn(None, when)
}

fn accept_cut(mut turn: Turn) -> Turn {
    turn.cut = Some(crate::scenario::Cut {
        at: Place::Accept,
        by: CutBy::Rst,
    });
    turn
}

fn dependency(per: Scope, turns: Vec<Turn>) -> Dependency {
    Dependency {
        name: "quota".into(),
        per,
        outages: vec![],
        capacity: None,
        slows: None,
        keys: None,
        turns,
        healthy: false,
        span: Default::default(),
    }
}

fn script(per: Scope, turns: Vec<Turn>) -> Script {
    let dependency = dependency(per, turns);
    assert_eq!(refusal(&dependency), None);
    Script::new(Arc::new(dependency), 7)
}

fn asking(op: Option<u32>) -> Asking<'static> {
    Asking {
        op: op.map(OperationId),
        conn: ConnId(1),
        nth_on_conn: 1,
        at: Stamp::ZERO,
        since_start: Duration::ZERO,
        method: "GET",
        path: "/send",
        header: &|_| vec![],
    }
}

/// What a call gets at a dependency without keys, where its head decides all.
fn decide(script: &mut Script, call: &Asking<'_>) -> Decision {
    match script.decide_at_head(call) {
        AtHead::Decided(decision) => decision,
        AtHead::AwaitsBody(_) => panic!("no key decides here"),
    }
}

fn falls(script: &mut Script, call: &Asking<'_>) -> u32 {
    match decide(script, call).falls {
        Falls::Turn(turn) => turn,
        Falls::Overflow => panic!("overflow"),
        Falls::Outage(outage) => panic!("outage {outage}"),
    }
}

fn falls_of(script: &mut Script, ops: &[u32]) -> Vec<u32> {
    ops.iter().map(|op| falls(script, &asking(Some(*op)))).collect()
}

#[test]
fn each_operation_meets_the_script_from_its_start() {
    let mut script = script(Scope::Operation, vec![takes(2), takes(1), last()]);
    assert_eq!(
        falls_of(&mut script, &[1, 2, 1, 1, 2, 1, 2, 2]),
        [0, 0, 0, 1, 0, 2, 1, 2]
    );
}

#[test]
fn all_calls_of_a_dependency_share_its_count() {
    let mut script = script(Scope::Dependency, vec![takes(2), last()]);
    assert_eq!(falls_of(&mut script, &[1, 2, 3]), [0, 0, 1]);
}

#[test]
fn each_connection_meets_the_script_from_its_start() {
    let mut script = script(Scope::Connection, vec![takes(1), last()]);
    let on = |conn| Asking {
        conn: ConnId(conn),
        ..asking(Some(1))
    };
    let taken: Vec<u32> = [1, 1, 2].map(|conn| falls(&mut script, &on(conn))).to_vec();
    assert_eq!(taken, [0, 1, 0]);
}

#[test]
fn a_side_call_uses_up_nothing_of_the_others_in_any_scope() {
    for per in [Scope::Operation, Scope::Dependency, Scope::Connection] {
        let mut script = script(per, vec![takes(1), last()]);
        assert_eq!(falls(&mut script, &asking(None)), 0);
        assert_eq!(falls(&mut script, &asking(Some(1))), 0);
        assert_eq!(falls(&mut script, &asking(None)), 1);
    }
}

#[test]
fn a_turn_is_passed_over_where_one_of_its_conditions_fails() {
    let wanted = When {
        method: Some("POST".into()),
        path: Some("/send".into()),
        headers: vec![
            ("x-a".into(), HeaderIs::Exactly("1".into())),
            ("x-b".into(), HeaderIs::Present),
            ("x-c".into(), HeaderIs::Absent),
        ],
        attempt: Some(Bound::Exactly(1)),
        on_connection: Some(Bound::Exactly(2)),
        ..When::default()
    };
    let script = || script(Scope::Operation, vec![when(wanted.clone()), last()]);
    let header: &dyn Fn(&str) -> Vec<String> = &|name| match name {
        "x-a" => vec!["0".into(), "1".into()],
        "x-b" => vec![String::new()],
        _ => vec![],
    };
    let right = || Asking {
        method: "POST",
        nth_on_conn: 2,
        header,
        ..asking(Some(1))
    };
    assert_eq!(falls(&mut script(), &right()), 0);
    let wrong = [
        Asking {
            method: "GET",
            ..right()
        },
        Asking {
            path: "/other",
            ..right()
        },
        Asking {
            nth_on_conn: 1,
            ..right()
        },
        Asking {
            header: &|name| vec![name.to_owned()],
            ..right()
        },
        Asking {
            header: &|_| vec![],
            ..right()
        },
    ];
    for call in &wrong {
        assert_eq!(falls(&mut script(), call), 1);
    }
    let mut second = script();
    assert_eq!(
        [falls(&mut second, &right()), falls(&mut second, &right())],
        [0, 1],
        "its second attempt"
    );
}

#[test]
fn a_turn_that_was_passed_over_is_not_used() {
    let path = When {
        path: Some("/other".into()),
        ..When::default()
    };
    let mut script = script(Scope::Operation, vec![turn(Some(1), path), last()]);
    assert_eq!(falls(&mut script, &asking(Some(1))), 1);
    let other = Asking {
        path: "/other",
        ..asking(Some(1))
    };
    assert_eq!([falls(&mut script, &other), falls(&mut script, &other)], [0, 1]);
}

#[test]
fn a_call_is_early_until_the_wait_its_own_operation_was_last_asked_for_is_over() {
    let early = When {
        early: Some(true),
        ..When::default()
    };
    let mut script = script(Scope::Operation, vec![when(early), last()]);
    script.asked(OperationId(1), Stamp::from_ms(100), Duration::from_secs(3));
    let at = |op, ms| Asking {
        at: Stamp::from_ms(ms),
        ..asking(Some(op))
    };
    assert_eq!(falls(&mut script, &at(1, 3094)), 0);
    assert_eq!(falls(&mut script, &at(1, 3095)), 1, "within the tolerance");
    assert_eq!(falls(&mut script, &at(2, 200)), 1, "another operation");
    script.asked(OperationId(1), Stamp::from_ms(3200), Duration::ZERO);
    assert_eq!(falls(&mut script, &at(1, 3200)), 1);
    script.asked(OperationId(1), Stamp::from_ms(3300), Duration::MAX);
    assert_eq!(falls(&mut script, &at(1, u64::MAX / 2000)), 0);
}

#[test]
fn an_outage_goes_before_the_turns_uses_none_and_counts_as_an_attempt() {
    let second = When {
        attempt: Some(Bound::Exactly(2)),
        ..When::default()
    };
    let mut dependency = dependency(Scope::Operation, vec![when(second), takes(1), last()]);
    let outage = |be| Outage {
        from: Duration::ZERO,
        until: Some(Duration::from_secs(1)),
        every: None,
        be,
        span: Default::default(),
    };
    dependency.outages = vec![outage(Down::Hang), outage(Down::Refused)];
    let mut script = Script::new(Arc::new(dependency), 7);
    let met = decide(&mut script, &asking(Some(1)));
    assert_eq!(
        (met.falls, met.attempt),
        (Falls::Outage(1), 1),
        "the connection is the outer gate"
    );
    let later = Asking {
        since_start: Duration::from_secs(1),
        ..asking(Some(1))
    };
    let taken: Vec<u32> = (0..3).map(|_| falls(&mut script, &later)).collect();
    assert_eq!(taken, [0, 1, 2]);
}

#[test]
fn a_connection_is_cut_at_accept_when_that_is_its_operations_next_turn() {
    let op = Some(OperationId(1));
    let mut script = script(Scope::Operation, vec![takes(1), accept_cut(takes(2)), last()]);
    let cut = Some(AcceptCut {
        by: CutBy::Rst,
        turn: 1,
    });
    assert_eq!(
        script.accept(op, Stamp::ZERO),
        None,
        "its first turn is an answer"
    );
    assert_eq!(falls(&mut script, &asking(Some(1))), 0);
    let cuts: Vec<_> = (0..3).map(|_| script.accept(op, Stamp::ZERO)).collect();
    assert_eq!(cuts, [cut, cut, None]);
    assert_eq!(
        falls_of(&mut script, &[1, 2, 2]),
        [2, 0, 2],
        "counted over the whole dependency"
    );
}

#[test]
fn where_several_operations_run_the_counts_of_all_decide_at_accept() {
    let mut script = script(Scope::Operation, vec![takes(2), accept_cut(takes(1)), last()]);
    assert_eq!(script.accept(None, Stamp::ZERO), None);
    falls_of(&mut script, &[1, 2]);
    assert!(script.accept(None, Stamp::ZERO).is_some());
    assert_eq!(script.accept(None, Stamp::ZERO), None);
}

#[test]
fn at_accept_a_turn_that_needs_the_request_is_passed_over() {
    let path = When {
        path: Some("/a".into()),
        ..When::default()
    };
    let mut script = script(
        Scope::Operation,
        vec![when(path.clone()), accept_cut(takes(1)), last()],
    );
    assert_eq!(
        script.accept(Some(OperationId(1)), Stamp::ZERO).map(|c| c.turn),
        Some(1)
    );
    let impossible = dependency(Scope::Operation, vec![accept_cut(when(path)), last()]);
    let because = "dependency `quota`: turn 1: a connection is cut at accept before its request is known";
    assert_eq!(refusal(&impossible).as_deref(), Some(because));
}

#[test]
fn chance_depends_on_the_seed_and_not_on_the_order_of_operations() {
    let half = When {
        chance: Some(0.5),
        ..When::default()
    };
    let lucky = |seed, ops: &[u32]| {
        let dependency = dependency(Scope::Operation, vec![when(half.clone()), last()]);
        let mut script = Script::new(Arc::new(dependency), seed);
        let mut drawn: Vec<(u32, u32)> = ops.iter().copied().zip(falls_of(&mut script, ops)).collect();
        drawn.sort_unstable();
        drawn
    };
    let ops: Vec<u32> = (1..=64).collect();
    let backwards: Vec<u32> = ops.iter().rev().copied().collect();
    assert_eq!(lucky(7, &ops), lucky(7, &backwards));
    assert_ne!(lucky(7, &ops), lucky(8, &ops));
    let taken = lucky(7, &ops).iter().filter(|(_, turn)| *turn == 0).count();
    assert!((16..=48).contains(&taken), "{taken} of 64");
}

proptest! {
    #[test]
    fn without_conditions_the_script_is_played_in_order_whatever_the_operations_interleave(
        lengths in prop::collection::vec(1_u32..4, 0..4),
        ops in prop::collection::vec(1_u32..4, 0..40),
    ) {
        let mut turns: Vec<Turn> = lengths.iter().map(|n| takes(*n)).collect();
        turns.push(last());
        let end = u32::try_from(lengths.len()).unwrap();
        let order: Vec<u32> = (0..).zip(&lengths).flat_map(|(i, n)| vec![i; *n as usize]).collect();
        let mut script = script(Scope::Operation, turns);
        let mut met = BTreeMap::<u32, usize>::new();
        for op in ops {
            let nth = met.entry(op).or_default();
            let decision = decide(&mut script, &asking(Some(op)));
            prop_assert_eq!(decision.falls, Falls::Turn(order.get(*nth).copied().unwrap_or(end)));
            *nth += 1;
            prop_assert_eq!(decision.attempt as usize, *nth);
        }
    }

    #[test]
    fn no_turn_takes_more_calls_than_its_times_in_a_scope(
        conditions in prop::collection::vec((prop::option::of(1_u64..4), 1_u32..3), 1..5),
        calls in 1_usize..30,
    ) {
        let mut turns: Vec<Turn> = conditions.iter().map(|(attempt, times)| {
            let attempt = attempt.map(|n| Bound::Between { at_least: Some(n), at_most: None });
            turn(Some(*times), When { attempt, ..When::default() })
        }).collect();
        turns.push(last());
        let mut script = script(Scope::Operation, turns);
        let mut taken = vec![0; conditions.len() + 1];
        for _ in 0..calls {
            taken[falls(&mut script, &asking(Some(1))) as usize] += 1;
        }
        for ((_, times), taken) in conditions.iter().zip(&taken) {
            prop_assert!(taken <= times);
        }
        prop_assert_eq!(taken.iter().sum::<u32>() as usize, calls);
    }
}
