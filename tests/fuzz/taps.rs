//! Bytes through a tap, changed.

use crate::change::{Corpus, fuzz};
use crate::sound::taps::{ANSWERS, REQUESTS, is_sound_between};

#[test]
fn a_tap_changes_nothing_whatever_passes() {
    let of = |texts: [&str; 3]| {
        Corpus::of(texts.map(|text| text.as_bytes().to_vec()).to_vec()).changed_at_random()
    };
    let cases = (of(REQUESTS), of(ANSWERS), 1..40usize);
    fuzz(cases, 1, |(request, answer, piece)| {
        is_sound_between(&request, &answer, piece)
    });
}
