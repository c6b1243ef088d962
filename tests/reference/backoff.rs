//! The client's own wait, against figures worked out by hand and, where backon 1.6 has the same shape, against backon.
//!
//! Backon's jitter adds up to one whole wait to the wait. That is none of full, equal and decorrelated, so only what
//! is not drawn is compared.

use std::time::Duration;

use backon::{BackoffBuilder, ConstantBuilder, ExponentialBuilder};

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
fn growth_without_jitter_is_that_of_backon() {
    let ms = Duration::from_millis;
    let cases = [
        (100, 2, 700),
        (50, 3, 10_000),
        (1000, 2, 60_000),
        (900, 2, 900),
        (20, 1, 500),
    ];
    for (base, factor, cap) in cases {
        let ours = Backoff::Exponential(Exponential {
            base: ms(base),
            factor,
            cap: ms(cap),
            jitter: Jitter::None,
            unit: None,
        });
        let theirs = ExponentialBuilder::new()
            .with_min_delay(ms(base))
            .with_factor(factor as f32)
            .with_max_delay(ms(cap))
            .with_max_times(12);
        let ours = in_turn(&ours, 12);
        let theirs: Vec<Duration> = theirs.build().collect();
        assert_eq!(theirs.len(), ours.len());
        for (k, (ours, theirs)) in ours.into_iter().zip(theirs).enumerate() {
            // Backon multiplies in floats of 24 bits, which are a millionth wrong at most after twelve steps.
            let apart = ours.abs_diff(theirs);
            assert!(
                apart <= theirs / 1_000_000 * 2,
                "{base} {factor} {cap}, retry {k}: {ours:?}, {theirs:?}"
            );
        }
    }
}

#[test]
fn a_fixed_wait_is_that_of_backon() {
    let wait = Duration::from_millis(250);
    let theirs = ConstantBuilder::new().with_delay(wait).with_max_times(5);
    let theirs: Vec<Duration> = theirs.build().collect();
    assert_eq!(in_turn(&Backoff::Fixed(wait), 5), theirs);
}

/// The first waits of a backoff, where nothing is drawn.
fn in_turn(backoff: &Backoff, retries: u32) -> Vec<Duration> {
    let mut dice = Dice::new(None);
    let mut before = Duration::ZERO;
    let mut next = |k| {
        before = backoff.wait(k, before, &mut dice);
        before
    };
    (1..=retries).map(&mut next).collect()
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
