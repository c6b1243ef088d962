//! The client's own wait.

use std::time::Duration;

use crate::reference::backoff::Dice;
use crate::reference::given::{Backoff, Exponential, Jitter, Lcg, Rolls};

fn growing(jitter: Jitter, unit: Option<u64>) -> Backoff {
    Backoff::Exponential(Exponential {
        base: Duration::from_millis(100),
        factor: 2,
        cap: Duration::from_millis(700),
        jitter,
        unit: unit.map(Duration::from_millis),
    })
}

fn waits(backoff: &Backoff, roll: f64) -> Vec<u128> {
    let mut dice = Dice::new(Some(&Rolls::Fixed(vec![roll])));
    let mut before = Duration::ZERO;
    let mut next = |k| {
        before = backoff.wait(k, before, &mut dice);
        before.as_millis()
    };
    (1..=5).map(&mut next).collect()
}

#[test]
fn the_window_grows_up_to_its_cap() {
    assert_eq!(
        waits(&growing(Jitter::None, None), 0.0),
        [100, 200, 400, 700, 700]
    );
}

#[test]
fn jitter_is_drawn_as_its_name_says() {
    assert_eq!(waits(&growing(Jitter::Full, None), 0.25), [25, 50, 100, 175, 175]);
    assert_eq!(
        waits(&growing(Jitter::Equal, None), 0.5),
        [75, 150, 300, 525, 525]
    );
    assert_eq!(
        waits(&growing(Jitter::Decorrelated, None), 0.5),
        [200, 350, 400, 400, 400]
    );
}

#[test]
fn a_unit_rounds_up_and_is_the_least() {
    assert_eq!(
        waits(&growing(Jitter::Full, Some(60)), 0.25),
        [60, 60, 120, 180, 180]
    );
    assert_eq!(waits(&growing(Jitter::Full, Some(60)), 0.0), [60; 5]);
}

#[test]
fn no_number_of_retries_is_too_many() {
    let mut dice = Dice::new(None);
    let wait = growing(Jitter::None, None).wait(u32::MAX, Duration::ZERO, &mut dice);
    assert_eq!(wait, Duration::from_millis(700));
    let flat = Backoff::Fixed(Duration::from_millis(5));
    assert_eq!(
        flat.wait(u32::MAX, Duration::ZERO, &mut dice),
        Duration::from_millis(5)
    );
}

#[test]
fn the_stream_is_the_one_that_is_stated() {
    let mut dice = Dice::new(Some(&Rolls::Lcg(Lcg { first: 889, _step: 0 })));
    let mut r = 889_u64;
    for _ in 0..3 {
        r = (r * 1_664_525 + 1_013_904_223) % (1 << 32);
        assert_eq!(dice.roll(), r as f64 / (1_u64 << 32) as f64);
    }
}

#[test]
fn fixed_rolls_come_in_order_and_the_last_stays() {
    let mut dice = Dice::new(Some(&Rolls::Fixed(vec![0.75, 0.4])));
    let rolls: Vec<f64> = (0..4).map(|_| dice.roll()).collect();
    assert_eq!(rolls, [0.75, 0.4, 0.4, 0.4]);
}
