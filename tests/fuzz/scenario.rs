//! Scenario files, changed.

use crate::change::{Corpus, fuzz};
use crate::sound::scenario::{is_sound, seeds};

#[test]
fn a_scenario_is_played_or_refused_with_a_sentence() {
    let cases = Corpus::of(seeds()).changed_at_random();
    fuzz(cases, 1, |bytes| is_sound(&bytes));
}
