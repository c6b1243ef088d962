//! The properties of `tests/fuzz`, led by coverage: each target tries what its kind says of bytes that libFuzzer or a
//! change of `change.rs` made, and begins with the same seeds.

use std::path::Path;

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

#[allow(dead_code, reason = "the test uses all of it, the targets a part")]
#[path = "../change.rs"]
mod change;
#[allow(dead_code, reason = "the test uses it")]
#[path = "../../long/mod.rs"]
mod long;
#[allow(dead_code, reason = "the program uses all of it, the targets a part")]
#[path = "../../../fixtures/reference/mod.rs"]
mod reference;
#[path = "../sound/mod.rs"]
pub mod sound;
#[allow(dead_code, reason = "the virtual tests use all of it, the targets a part")]
#[path = "../../virtual_time/stand.rs"]
mod stand;
#[allow(dead_code, reason = "the tests of taps use all of it, the targets a part")]
#[path = "../../tap/stand.rs"]
mod tapped;
#[allow(dead_code, reason = "the hostile clients use all of it, the targets a part")]
#[path = "../../hostile/trial.rs"]
mod trial;
#[allow(dead_code, reason = "the program uses all of it, the targets a part")]
#[path = "../../../harness/virtual_reference.rs"]
mod virtual_reference;

pub use libfuzzer_sys;

use change::Corpus;

/// A target of that kind.
#[macro_export]
macro_rules! target {
    ($kind:ident) => {
        $crate::libfuzzer_sys::fuzz_target!(
            init: $crate::sow($crate::sound::$kind::seeds),
            |bytes: &[u8]| {
                if let Err(unsound) = $crate::sound::$kind::is_sound(bytes) {
                    panic!("{unsound}");
                }
            }
        );

        $crate::libfuzzer_sys::fuzz_mutator!(|bytes: &mut [u8], size: usize, most: usize, seed: u32| {
            $crate::mutated($crate::sound::$kind::seeds, bytes, size, most, seed)
        });
    };
}

/// Writes the seeds into the corpus, the first folder of the command line, where that is empty.
pub fn sow(seeds: fn() -> Vec<Vec<u8>>) {
    let Some(corpus) = std::env::args().skip(1).find(|word| Path::new(word).is_dir()) else {
        return;
    };
    let mut files = std::fs::read_dir(&corpus).expect("the corpus is a folder");
    if files.next().is_none() {
        for (n, seed) in seeds().iter().enumerate() {
            std::fs::write(Path::new(&corpus).join(format!("seed-{n}")), seed).expect("the corpus can be written");
        }
    }
}

/// Changes the bytes in place: half of the time as libFuzzer does, half as the test does. Returns the new size.
pub fn mutated(seeds: fn() -> Vec<Vec<u8>>, bytes: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    thread_local! {
        static WORDS: std::cell::OnceCell<Corpus> = const { std::cell::OnceCell::new() };
    }
    if seed % 2 == 0 {
        return libfuzzer_sys::fuzzer_mutate(bytes, size, most);
    }
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &u128::from(seed).wrapping_mul(GOLDEN).to_le_bytes());
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let Ok(changes) = change::changes().new_tree(&mut runner) else {
        return size;
    };
    let made = WORDS.with(|words| {
        let words = words.get_or_init(|| Corpus::of(seeds()));
        words.change_all(bytes[..size].to_vec(), &changes.current())
    });
    let size = made.len().min(most);
    bytes[..size].copy_from_slice(&made[..size]);
    size
}

/// Spreads neighbouring seeds.
const GOLDEN: u128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
