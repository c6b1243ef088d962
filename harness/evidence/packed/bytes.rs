//! Values as bytes: whole numbers at their full width, which takes no deciding, and texts behind their length.

use crate::term::Sha256;

/// Writes a text. Most are shorter than 128 bytes, and then their length is one byte.
pub(super) fn text(to: &mut Vec<u8>, text: &str) {
    count(to, text.len());
    to.extend_from_slice(text.as_bytes());
}

/// Writes how many of something follow: seven bits a byte, the lowest first, the highest bit of all but the last set.
pub(super) fn count(to: &mut Vec<u8>, mut n: usize) {
    while n >= 0x80 {
        // The cast keeps the lowest bits, which are meant.
        to.push(n as u8 | 0x80);
        n >>= 7;
    }
    to.push(n as u8);
}

/// Writes texts in order.
pub(super) fn texts<T: AsRef<str>>(to: &mut Vec<u8>, texts: &[T]) {
    count(to, texts.len());
    texts.iter().for_each(|t| text(to, t.as_ref()));
}

/// Bytes that are read from their beginning. Each reading is `None` where they are not what was written.
#[derive(Debug, Clone)]
pub(super) struct Reading<'a>(pub &'a [u8]);

impl<'a> Reading<'a> {
    /// So many bytes.
    pub(super) fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    /// What `read` reads, where it is there at all.
    pub(super) fn where_there<T>(
        &mut self,
        is_there: bool,
        read: impl FnOnce(&mut Self) -> Option<T>,
    ) -> Option<Option<T>> {
        match is_there {
            true => read(self).map(Some),
            false => Some(None),
        }
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn sha256(&mut self) -> Option<Sha256> {
        self.array().map(Sha256::from)
    }

    pub(super) fn count(&mut self) -> Option<usize> {
        let mut n = 0;
        for shift in (0..usize::BITS).step_by(7) {
            let [byte] = self.array()?;
            n |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(n);
            }
        }
        None
    }

    pub(super) fn text(&mut self) -> Option<&'a str> {
        let n = self.count()?;
        let (text, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        std::str::from_utf8(text).ok()
    }

    pub(super) fn texts<T: From<&'a str>>(&mut self) -> Option<Vec<T>> {
        (0..self.count()?).map(|_| self.text().map(T::from)).collect()
    }
}
