//! Bytes that nobody meant: valid files, lines and requests, changed at random. Nothing panics, everything ends, and what
//! `check` accepts is played or refused with a sentence.
//!
//! `RETRIAL_FUZZ_CASES` sets how many cases each test tries, `RETRIAL_LONG` has each try for twenty minutes. `guided/` leads
//! the same changes by coverage. CONTRIBUTING.md tells how.

mod change;
mod client;
mod evidence;
mod jsonl;
mod kept;
mod reports;
mod requests;
mod scenario;
mod sound;
mod taps;

#[path = "../long/mod.rs"]
mod long;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;
#[allow(dead_code, reason = "the virtual tests use all of it, this test a part")]
#[path = "../virtual_time/stand.rs"]
mod stand;
#[allow(dead_code, reason = "the tests of taps use all of it, this test a part")]
#[path = "../tap/stand.rs"]
mod tapped;
#[allow(dead_code, reason = "the hostile clients use all of it, this test a part")]
#[path = "../hostile/trial.rs"]
mod trial;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../harness/virtual_reference.rs"]
mod virtual_reference;
