//! Clients' files.

use std::sync::Arc;

use retrial::client::load;
use retrial::source::{Source, render};

/// Files of every shape.
pub fn seeds() -> Vec<Vec<u8>> {
    [
        include_str!("../../../fixtures/clients/curl/client.yaml"),
        include_str!("../../../fixtures/clients/python/requests/client.yaml"),
        include_str!("../../../fixtures/reference/client.yaml"),
        include_str!("../client.yaml"),
        include_str!("../service.yaml"),
    ]
    .map(|file| file.as_bytes().to_vec())
    .to_vec()
}

/// It is read, or refused with a sentence.
pub fn is_sound(bytes: &[u8]) -> Result<(), String> {
    let yaml = String::from_utf8_lossy(bytes).into_owned();
    match load(Arc::new(Source::new("client.yaml", yaml)), None) {
        Ok(_) => Ok(()),
        Err(problems) if problems.is_empty() => Err("refused without a sentence".to_owned()),
        Err(problems) => match render(&problems, false).trim().is_empty() {
            true => Err("refused with an empty sentence".to_owned()),
            false => Ok(()),
        },
    }
}
