//! Chance, drawn from the trial's seed: the same call of the same trial always has the same luck.

use rand_core::Rng;
use rand_pcg::Pcg32;

/// What makes a draw its own. The same lot always draws the same number.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lot<'a> {
    /// The trial's seed.
    pub seed: u64,
    /// The dependency's name.
    pub dependency: &'a str,
    /// The scope that the call is counted in.
    pub scope: u64,
    /// Which call of that scope it is, from 1.
    pub ordinal: u32,
    /// Which turn asks.
    pub turn: u32,
}

impl Lot<'_> {
    /// A number from 0 (included) to 1 (not included).
    pub fn draw(self) -> f64 {
        let call = (u64::from(self.ordinal) << 32) | u64::from(self.turn);
        let state = mix(mix(self.seed) ^ fnv1a(self.dependency.as_bytes()));
        let mut generator = Pcg32::new(mix(state ^ mix(self.scope)), mix(call));
        // 53 bits are what a double holds exactly.
        (generator.next_u64() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// FNV-1a: a hash whose value is fixed for ever, which the standard library's is not.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The finalizer of SplitMix64: neighbouring numbers come out unlike each other.
fn mix(n: u64) -> u64 {
    let n = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let n = (n ^ (n >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    n ^ (n >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lot(scope: u64, ordinal: u32) -> Lot<'static> {
        Lot {
            seed: 7,
            dependency: "quota",
            scope,
            ordinal,
            turn: 0,
        }
    }

    #[test]
    fn a_third_of_many_draws_is_below_a_third_along_each_axis() {
        let share = |draws: Vec<f64>| {
            let below = draws.iter().filter(|d| **d < 1.0 / 3.0).count();
            below * 1000 / draws.len()
        };
        let over_calls = share((0..6000).map(|n| lot(1, n).draw()).collect());
        let over_scopes = share((0..6000).map(|n| lot(n, 1).draw()).collect());
        assert!((310..357).contains(&over_calls), "{over_calls} per mille");
        assert!((310..357).contains(&over_scopes), "{over_scopes} per mille");
    }

    #[test]
    fn a_lot_draws_the_same_number_for_ever() {
        assert_eq!(lot(1, 1).draw(), lot(1, 1).draw());
        let others = [
            lot(2, 1),
            lot(1, 2),
            Lot { seed: 8, ..lot(1, 1) },
            Lot { turn: 1, ..lot(1, 1) },
        ];
        for other in others {
            assert_ne!(lot(1, 1).draw(), other.draw(), "{other:?}");
        }
    }
}
