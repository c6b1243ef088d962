//! Facts as they are kept in memory: written one after another into one piece of it.
//!
//! A fact as a value, with its texts, takes some hundred bytes and several allocations; a call makes five of them. As bytes
//! a short GET takes about 130 in all. The facts that every call makes are written by hand (`hot`), all others by postcard.

mod bytes;
mod coded;
mod head;
mod hot;

use postcard::ser_flavors::Flavor;

use bytes::Reading;

use super::{Arrival, Beyond, Fact};

/// Facts in the order of appending, of as many calls as a trial is judged by: see [`Beyond`] for the others.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Packed {
    bytes: Vec<u8>,
    len: usize,
    beyond: Beyond,
}

impl Packed {
    /// Appends a fact, or counts it where it is of a call beyond those that are kept.
    pub fn push(&mut self, fact: &Fact) {
        if self.beyond.counts(fact) {
            return;
        }
        self.len += usize::from(hot::write(fact, &mut self.bytes) || self.push_other(fact));
    }

    /// Appends the head of a call, as [`Packed::push`] does.
    pub(super) fn push_head(&mut self, head: &Arrival) {
        if !self.beyond.counts_head(head) {
            hot::write_head(head, &mut self.bytes);
            self.len += 1;
        }
    }

    fn push_other(&mut self, fact: &Fact) -> bool {
        let before = self.bytes.len();
        self.bytes.push(hot::OTHER);
        let written = postcard::serialize_with_flavor(fact, Appending(&mut self.bytes)).is_ok();
        if !written {
            // Does not happen: no fact has a type that postcard does not write, as its tests see to.
            self.bytes.truncate(before);
        }
        written
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
        self.bytes.len()
    }

    /// What was counted and not kept.
    pub fn beyond(&self) -> Beyond {
        self.beyond
    }

    /// The facts, read one at a time.
    pub fn iter(&self) -> Unpacking<'_> {
        Unpacking(Reading(&self.bytes))
    }
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
pub struct Unpacking<'a>(Reading<'a>);

impl Iterator for Unpacking<'_> {
    type Item = Fact;

    fn next(&mut self) -> Option<Fact> {
        match self.0.array()? {
            [hot::OTHER] => {
                let (fact, rest) = postcard::take_from_bytes(self.0.0).ok()?;
                self.0 = Reading(rest);
                Some(fact)
            }
            [kind] => hot::read(kind, &mut self.0),
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
