//! Paired rounds, and how their figures spread.

use std::fmt;
use std::time::Duration;

use crate::asking::Asker;

/// How long each server is asked in a round.
pub const TURN: Duration = Duration::from_millis(500);

/// Plays rounds, the first of which only warms up, and gives the ratios of what `round` gives.
pub fn paired(rounds: usize, mut round: impl FnMut() -> (f64, f64)) -> Spread {
    round();
    let ratio = |(one, other): (f64, f64)| one / other;
    Spread::of((0..rounds).map(|_| ratio(round())).collect())
}

/// Asks both for a turn, in short spells one after another: what disturbs the machine then disturbs both.
pub fn in_turn(one: &mut Asker, other: &mut Asker) -> (f64, f64) {
    const SPELLS: u32 = 5;
    let (mut a, mut b) = (0.0, 0.0);
    for _ in 0..SPELLS {
        a += one.ask_for(TURN / SPELLS);
        b += other.ask_for(TURN / SPELLS);
    }
    (a / f64::from(SPELLS), b / f64::from(SPELLS))
}

/// The median of some figures, and their quartiles.
pub struct Spread([f64; 3]);

impl Spread {
    /// Of these figures.
    pub fn of(mut figures: Vec<f64>) -> Self {
        figures.sort_unstable_by(f64::total_cmp);
        let at = |quarter: usize| figures[(figures.len() - 1) * quarter / 4];
        Spread([at(1), at(2), at(3)])
    }
}

impl fmt::Display for Spread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [low, median, high] = self.0;
        write!(f, "{median:.2} ({low:.2}-{high:.2})")
    }
}
