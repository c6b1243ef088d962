//! Facts as they are kept in memory: written one after another into pieces of it.
//!
//! A fact as a value, with its texts, takes some hundred bytes and several allocations; a call makes five of them. As bytes
//! a short GET takes about 130 in all. The facts that every call makes are written by hand (`hot`), all others by postcard.

mod bytes;
mod coded;
mod head;
mod hot;

use std::iter::{Chain, Once, once};
use std::mem;
use std::slice::Iter;

use postcard::ser_flavors::Flavor;

use bytes::Reading;

use super::{Beyond, Fact, Seen};

/// How many bytes a piece takes before the next one is begun. One piece for all would be copied again and again as it grows,
/// while everybody who has something to record waits.
const PIECE: usize = 64 * 1024;

/// What the last fact of a piece may take beyond that without growing it.
const BRIM: usize = 1024;

/// Facts in the order of appending, of as many calls as a trial is judged by: see [`Beyond`] for the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    /// Pieces that are full; no fact lies in two.
    full: Vec<Vec<u8>>,
    /// How many bytes those have.
    in_full: usize,
    last: Vec<u8>,
    len: usize,
    beyond: Beyond,
}

impl Packed {
    /// Appends a fact, or counts it where it is of a call beyond those that are kept.
    ///
    /// Where who calls this says which fact it is, inlining leaves nothing to be found out: this, and what it calls.
    #[inline(always)]
    pub fn push(&mut self, fact: &Fact) {
        if self.beyond.counts(fact) {
            return;
        }
        let last = self.room();
        let written = hot::write(fact, last) || push_other(fact, last);
        self.len += usize::from(written);
    }

    /// The piece to write to.
    fn room(&mut self) -> &mut Vec<u8> {
        if self.last.len() >= PIECE {
            let next = Vec::with_capacity(PIECE + BRIM);
            self.in_full += self.last.len();
            self.full.push(mem::replace(&mut self.last, next));
        }
        &mut self.last
    }

    /// Appends the head of a call, as [`Packed::push`] does.
    pub(super) fn push_head(&mut self, head: &Seen<'_>) {
        if !self.beyond.counts_head(head.call) {
            hot::write_head(head, self.room());
            self.len += 1;
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many bytes they take.
    pub fn bytes(&self) -> usize {
        self.in_full + self.last.len()
    }

    /// What was counted and not kept.
    pub fn beyond(&self) -> Beyond {
        self.beyond
    }

    /// The facts, read one at a time.
    pub fn iter(&self) -> Unpacking<'_> {
        Unpacking {
            reading: Reading(&[]),
            pieces: self.full.iter().chain(once(&self.last)),
        }
    }
}

fn push_other(fact: &Fact, to: &mut Vec<u8>) -> bool {
    let before = to.len();
    to.push(hot::OTHER);
    let written = postcard::serialize_with_flavor(fact, Appending(to)).is_ok();
    if !written {
        // Does not happen: no fact has a type that postcard does not write, as its tests see to.
        to.truncate(before);
    }
    written
}

impl FromIterator<Fact> for Packed {
    fn from_iter<I: IntoIterator<Item = Fact>>(facts: I) -> Self {
        let mut packed = Packed::default();
        facts.into_iter().for_each(|fact| packed.push(&fact));
        packed
    }
}

impl<'a> IntoIterator for &'a Packed {
    type Item = Fact;
    type IntoIter = Unpacking<'a>;

    fn into_iter(self) -> Unpacking<'a> {
        self.iter()
    }
}

/// Facts as they are read back, one at a time.
#[derive(Debug, Clone)]
pub struct Unpacking<'a> {
    reading: Reading<'a>,
    pieces: Chain<Iter<'a, Vec<u8>>, Once<&'a Vec<u8>>>,
}

impl Iterator for Unpacking<'_> {
    type Item = Fact;

    fn next(&mut self) -> Option<Fact> {
        while self.reading.0.is_empty() {
            self.reading = Reading(self.pieces.next()?);
        }
        match self.reading.array()? {
            [hot::OTHER] => {
                let (fact, rest) = postcard::take_from_bytes(self.reading.0).ok()?;
                self.reading = Reading(rest);
                Some(fact)
            }
            [kind] => hot::read(kind, &mut self.reading),
        }
    }
}

/// Where postcard writes to.
struct Appending<'a>(&'a mut Vec<u8>);

impl Flavor for Appending<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests;
