//! Clients' files.

use std::sync::Arc;

use proptest::prelude::*;
use proptest::sample::Index;
use retrial::client::load;
use retrial::source::{Source, render};

use crate::change::{Corpus, changes, fuzz};

const FILES: [&str; 5] = [
    include_str!("../../fixtures/clients/curl/client.yaml"),
    include_str!("../../fixtures/clients/python/requests/client.yaml"),
    include_str!("../../fixtures/reference/client.yaml"),
    include_str!("client.yaml"),
    include_str!("service.yaml"),
];

#[test]
fn a_clients_file_is_read_or_refused_with_a_sentence() {
    let corpus = Corpus::of(FILES.iter().map(|file| file.as_bytes().to_vec()).collect());
    let cases = (any::<Index>(), changes());
    let cases = cases.prop_map(move |(which, changes)| corpus.changed(which, &changes));
    fuzz(
        cases.prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        1,
        is_sound,
    );
}

/// The property.
pub fn is_sound(yaml: String) -> Result<(), String> {
    match load(Arc::new(Source::new("client.yaml", yaml)), None) {
        Ok(_) => Ok(()),
        Err(problems) if problems.is_empty() => Err("refused without a sentence".to_owned()),
        Err(problems) => match render(&problems, false).trim().is_empty() {
            true => Err("refused with an empty sentence".to_owned()),
            false => Ok(()),
        },
    }
}
