//! Raw requests, changed.

use proptest::prelude::*;

use crate::change::{Corpus, fuzz};
use crate::sound::requests::{REQUESTS, is_sound_at};

#[test]
fn whatever_a_request_is_made_of_its_connection_ends_and_is_accounted_for() {
    let corpus = Corpus::of(REQUESTS.map(|request| request.as_bytes().to_vec()).to_vec());
    let changed = corpus.changed_at_random();
    let cases = (any::<u8>(), prop::collection::vec(changed, 1..4), 1..40usize);
    fuzz(cases, 1, |(which, connections, piece)| {
        is_sound_at(which.into(), &connections, piece)
    });
}
