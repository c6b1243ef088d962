//! Attempts for each operation where each call fails with a stated chance: measured over a hundred thousand operations
//! in all, within a stated interval.

use retrial::evidence::{Recorder, Tally};

use crate::golden;
use crate::playing::{Defect, play};

/// Half the width of the interval, in standard errors of the mean: a right client is outside of it once in 370 seeds,
/// and the seed is fixed.
const ERRORS: f64 = 3.0;

/// A row: the chance that a call fails, the most attempts, the attempts that are expected, the operations played.
struct Row {
    scenario: &'static str,
    chance: f64,
    attempts: u32,
    expected: f64,
    operations: u64,
}

/// The rows where failures are few play more operations: their calls are fewer.
const ROWS: [Row; 6] = [
    row("multiplier-0_1-3", 0.1, 3, 1.11, 30_000),
    row("multiplier-0_5-3", 0.5, 3, 1.75, 10_000),
    row("multiplier-0_9-5", 0.9, 5, 4.0951, 4_000),
    row("multiplier-0_2-3", 0.2, 3, 1.24, 25_000),
    row("multiplier-0_9-3", 0.9, 3, 2.71, 6_000),
    row("multiplier-0_2-2", 0.2, 2, 1.2, 25_000),
];

const fn row(scenario: &'static str, chance: f64, attempts: u32, expected: f64, operations: u64) -> Row {
    Row {
        scenario,
        chance,
        attempts,
        expected,
        operations,
    }
}

impl Row {
    /// How many attempts an operation makes with which probability: the last one is made whether or not it fails.
    fn probabilities(&self) -> impl Iterator<Item = (f64, f64)> {
        (1..=self.attempts).map(|k| {
            let reached = self.chance.powi(k as i32 - 1);
            let ends = if k == self.attempts {
                1.0
            } else {
                1.0 - self.chance
            };
            (f64::from(k), reached * ends)
        })
    }

    fn standard_error(&self) -> f64 {
        let variance = self.probabilities().map(|(k, p)| p * (k - self.expected).powi(2));
        (variance.sum::<f64>() / self.operations as f64).sqrt()
    }
}

fn tally(name: &str) -> Tally {
    let recorder = Recorder::tallying();
    play(&golden(name), 1, Defect::None, &recorder);
    let tally = recorder.tally().expect("a tally");
    assert!(tally.troubles.is_empty(), "{name}: {:?}", tally.troubles);
    tally
}

/// Plays some rows, and compares the mean of the attempts.
fn measure(rows: &[Row]) {
    for row in rows {
        let tally = tally(row.scenario);
        assert_eq!(tally.operations, row.operations, "{}", row.scenario);
        assert_eq!(
            tally.calls_per_operation.keys().max(),
            Some(&row.attempts),
            "{}",
            row.scenario
        );
        let mean = tally.attempts() as f64 / tally.operations as f64;
        let within = ERRORS * row.standard_error();
        assert!(
            (mean - row.expected).abs() <= within,
            "{}: {mean} is not {} within {within}",
            row.scenario,
            row.expected
        );
    }
}

#[test]
fn the_formula_gives_the_stated_figures_and_the_operations_are_many() {
    for row in &ROWS {
        let formula = (1.0 - row.chance.powi(row.attempts as i32)) / (1.0 - row.chance);
        let mean: f64 = row.probabilities().map(|(k, p)| k * p).sum();
        assert!((formula - row.expected).abs() < 1e-9, "{}", row.scenario);
        assert!((mean - row.expected).abs() < 1e-9, "{}", row.scenario);
    }
    assert!(ROWS.iter().map(|row| row.operations).sum::<u64>() >= 100_000);
}

// In two halves of about the same work, which run side by side.

#[test]
fn attempts_multiply_as_the_formula_says_where_calls_mostly_fail() {
    measure(&ROWS[..3]);
}

#[test]
fn attempts_multiply_as_the_formula_says_where_calls_fail_now_and_then() {
    measure(&ROWS[3..]);
}
