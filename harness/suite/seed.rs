//! Where the seed comes from when nobody names one.

use std::hash::{BuildHasher, Hasher, RandomState};

/// A seed nobody knows beforehand; small, because people copy it from reports.
pub fn fresh_seed() -> u64 {
    // The standard library seeds this from the system's randomness; no clock is asked.
    RandomState::new().build_hasher().finish() % 1_000_000
}
