//! JSON reports, changed.

use crate::change::{Corpus, fuzz};
use crate::sound::reports::{is_sound, seeds};

#[test]
fn a_report_is_joined_or_refused_with_a_sentence() {
    let cases = Corpus::of(seeds()).changed_at_random();
    fuzz(cases, 1, |bytes| is_sound(&bytes));
}
