//! Lines of an adapter, changed.

use crate::change::{Corpus, fuzz};
use crate::sound::jsonl::{is_sound, seeds};

#[test]
fn whatever_an_adapter_says_its_trial_ends() {
    let cases = Corpus::of(seeds()).changed_at_random();
    // Each is a process.
    fuzz(cases, 10, |bytes| is_sound(&bytes));
}
