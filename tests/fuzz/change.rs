//! Valid bytes, changed at random; and how often, for how long.

use std::fmt::Debug;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestCaseError, TestRunner};

/// No case may take longer. On a busy machine the slowest takes a second.
const BOUND: Duration = Duration::from_secs(60);

/// Numbers where something may end.
const NUMBERS: [&str; 14] = [
    "0",
    "-1",
    "1",
    "65536",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e308",
    "-0.0",
    "NaN",
    "0.5",
    "00",
    "99999999999999999999999999",
];

/// One change.
#[derive(Debug, Clone)]
pub enum Change {
    /// These bytes over what stands there.
    Write(Index, Vec<u8>),
    /// These bytes in between.
    Insert(Index, Vec<u8>),
    /// So many bytes away.
    Remove(Index, usize),
    /// So many bytes once more.
    Repeat(Index, usize),
    /// A word in place of another: of any of the valid ones.
    Word(Index, Index),
    /// A line in place of another, likewise.
    Line(Index, Index),
    /// A number in place of another.
    Number(Index, &'static str),
    /// The end here.
    End(Index),
}

/// A few changes.
pub fn changes() -> impl Strategy<Value = Vec<Change>> + use<> {
    let index = any::<Index>;
    let bytes = || prop::collection::vec(any::<u8>(), 1..6);
    let change = prop_oneof![
        2 => (index(), bytes()).prop_map(|(at, b)| Change::Write(at, b)),
        2 => (index(), bytes()).prop_map(|(at, b)| Change::Insert(at, b)),
        2 => (index(), 1..40usize).prop_map(|(at, n)| Change::Remove(at, n)),
        2 => (index(), 1..200usize).prop_map(|(at, n)| Change::Repeat(at, n)),
        6 => (index(), index()).prop_map(|(at, with)| Change::Word(at, with)),
        4 => (index(), index()).prop_map(|(at, with)| Change::Line(at, with)),
        4 => (index(), prop::sample::select(&NUMBERS[..])).prop_map(|(at, n)| Change::Number(at, n)),
        1 => index().prop_map(Change::End),
    ];
    prop::collection::vec(change, 0..6)
}

/// Valid bytes of one kind, and the parts that they are made of.
pub struct Corpus {
    whole: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
    lines: Vec<Vec<u8>>,
}

impl Corpus {
    /// Of these.
    pub fn of(whole: Vec<Vec<u8>>) -> Corpus {
        let parts = |cut: fn(&[u8]) -> Vec<(usize, usize)>| {
            let all = whole
                .iter()
                .flat_map(|w| cut(w).into_iter().map(|(a, b)| w[a..b].to_vec()));
            let mut all: Vec<_> = all.collect();
            all.sort();
            all.dedup();
            all
        };
        Corpus {
            words: parts(words),
            lines: parts(lines),
            whole,
        }
    }

    /// Any of them, with a few changes.
    pub fn changed_at_random(self) -> impl Strategy<Value = Vec<u8>> + use<> {
        (any::<Index>(), changes()).prop_map(move |(which, changes)| self.changed(which, &changes))
    }

    /// One of them, changed.
    fn changed(&self, which: Index, changes: &[Change]) -> Vec<u8> {
        self.change_all(which.get(&self.whole).clone(), changes)
    }

    /// These bytes, changed.
    pub fn change_all(&self, bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
        changes
            .iter()
            .fold(bytes, |bytes, change| self.change(bytes, change))
    }

    fn change(&self, mut bytes: Vec<u8>, change: &Change) -> Vec<u8> {
        let at = |index: &Index| index.index(bytes.len() + 1);
        let (range, with): ((usize, usize), Vec<u8>) = match change {
            Change::Write(index, with) => ((at(index), at(index) + with.len()), with.clone()),
            Change::Insert(index, with) => ((at(index), at(index)), with.clone()),
            Change::Remove(index, n) => ((at(index), at(index) + n), Vec::new()),
            Change::Repeat(index, n) => {
                let from = at(index);
                ((from, from), bytes[from..bytes.len().min(from + n)].to_vec())
            }
            Change::Word(index, with) => (one_of(index, words(&bytes)), with.get(&self.words).clone()),
            Change::Line(index, with) => (one_of(index, lines(&bytes)), with.get(&self.lines).clone()),
            Change::Number(index, with) => (one_of(index, numbers(&bytes)), with.as_bytes().to_vec()),
            Change::End(index) => ((at(index), bytes.len()), Vec::new()),
        };
        let end = range.1.min(bytes.len());
        bytes.splice(range.0.min(end)..end, with);
        bytes
    }
}

fn one_of(index: &Index, parts: Vec<(usize, usize)>) -> (usize, usize) {
    match parts.is_empty() {
        true => (0, 0),
        false => *index.get(&parts),
    }
}

/// Where runs of bytes lie that hold.
fn runs(bytes: &[u8], holds: fn(u8) -> bool) -> Vec<(usize, usize)> {
    let (mut found, mut began) = (Vec::new(), None);
    for (i, byte) in bytes.iter().enumerate() {
        match (holds(*byte), began) {
            (true, None) => began = Some(i),
            (false, Some(from)) => {
                found.push((from, i));
                began = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    found.extend(began.map(|from| (from, bytes.len())));
    found
}

fn words(bytes: &[u8]) -> Vec<(usize, usize)> {
    runs(bytes, |b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn numbers(bytes: &[u8]) -> Vec<(usize, usize)> {
    runs(bytes, |b| b.is_ascii_digit())
}

fn lines(bytes: &[u8]) -> Vec<(usize, usize)> {
    runs(bytes, |b| b != b'\n')
}

/// Tries what `is_sound` says of changed bytes, many times, each within bounds of time; one in `share` of the cases
/// that were asked for, where each case takes long. Its long form goes on for twenty minutes.
pub fn fuzz<T, S>(strategy: S, share: u32, is_sound: fn(T) -> Result<(), String>)
where
    T: Debug + Send + 'static,
    S: Strategy<Value = T>,
{
    let asked = std::env::var("RETRIAL_FUZZ_CASES")
        .ok()
        .and_then(|n| n.parse().ok());
    let config = Config {
        cases: (asked.unwrap_or(200u32) / share).max(10),
        failure_persistence: None,
        max_shrink_iters: 500,
        ..Config::default()
    };
    let long = crate::long::minutes(20).map(|goes_on| Instant::now() + goes_on);
    loop {
        let tried = TestRunner::new(config.clone()).run(&strategy, |case| bounded(case, is_sound));
        if let Err(e) = tried {
            panic!("{e}");
        }
        if long.is_none_or(|end| Instant::now() >= end) {
            return;
        }
    }
}

/// A thread of its own, so that a case that never ends is seen; it is left behind then.
pub fn bounded<T: Send + 'static>(
    case: T,
    is_sound: fn(T) -> Result<(), String>,
) -> Result<(), TestCaseError> {
    let (tell, told) = mpsc::channel();
    let thread = std::thread::spawn(move || {
        // Nobody listens any more where it took too long.
        let _ = tell.send(is_sound(case));
    });
    match told.recv_timeout(BOUND) {
        Ok(sound) => sound.map_err(TestCaseError::fail),
        Err(mpsc::RecvTimeoutError::Timeout) => Err(TestCaseError::fail("it does not end")),
        Err(mpsc::RecvTimeoutError::Disconnected) => {
            let panic = thread.join().err();
            let said = panic.as_ref().and_then(|p| p.downcast_ref::<String>()).cloned();
            Err(TestCaseError::fail(format!(
                "it panicked: {}",
                said.unwrap_or_default()
            )))
        }
    }
}
