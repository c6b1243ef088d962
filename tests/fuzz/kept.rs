//! What was found once stays tried: the inputs in `kept`, by kind.

use std::path::Path;

use crate::change::bounded;
use crate::sound::{client, evidence, jsonl, reports, requests, scenario, taps};

type IsSound = fn(Vec<u8>) -> Result<(), String>;

const KINDS: [(&str, IsSound); 7] = [
    ("client", |bytes| client::is_sound(&bytes)),
    ("evidence", |bytes| evidence::is_sound(&bytes)),
    ("jsonl", |bytes| jsonl::is_sound(&bytes)),
    ("reports", |bytes| reports::is_sound(&bytes)),
    ("requests", |bytes| requests::is_sound(&bytes)),
    ("scenario", |bytes| scenario::is_sound(&bytes)),
    ("taps", |bytes| taps::is_sound(&bytes)),
];

#[test]
fn requests_and_conversations_are_sound_as_they_are() {
    // The others' seeds are among those that are changed, and some are changed by nothing.
    let unsound = |seeds: Vec<Vec<u8>>, is_sound: fn(&[u8]) -> Result<(), String>| {
        seeds.iter().find_map(|seed| is_sound(seed).err())
    };
    assert_eq!(unsound(requests::seeds(), requests::is_sound), None);
    assert_eq!(unsound(taps::seeds(), taps::is_sound), None);
}

#[test]
fn what_was_found_once_is_sound() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fuzz/kept");
    let mut unsound = Vec::new();
    for (kind, is_sound) in KINDS {
        // Nothing was found of a kind without a folder.
        for file in std::fs::read_dir(kept.join(kind)).into_iter().flatten() {
            let path = file.expect("a folder that can be read").path();
            let bytes = std::fs::read(&path).expect("a file that can be read");
            if let Err(e) = bounded(bytes, is_sound) {
                unsound.push(format!("{}: {e}", path.display()));
            }
        }
    }
    assert!(unsound.is_empty(), "{}", unsound.join("\n"));
}
