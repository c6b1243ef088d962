//! A SHA-256: 32 bytes in memory, hexadecimal wherever it is written.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::Digest as _;

/// The SHA-256 of some bytes (FIPS 180-4). It is written in lower-case hexadecimal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sha256([u8; 32]);

/// Of nothing: most requests of a retry client have no body.
const EMPTY: Sha256 = Sha256([
    0xe3, 0xb0, 0xc4, 0x42, 0x98, 0xfc, 0x1c, 0x14, 0x9a, 0xfb, 0xf4, 0xc8, 0x99, 0x6f, 0xb9, 0x24, 0x27,
    0xae, 0x41, 0xe4, 0x64, 0x9b, 0x93, 0x4c, 0xa4, 0x95, 0x99, 0x1b, 0x78, 0x52, 0xb8, 0x55,
]);

impl Sha256 {
    /// Of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        match bytes {
            [] => EMPTY,
            bytes => Sha256(sha2::Sha256::digest(bytes).into()),
        }
    }

    /// It itself.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Of the bytes that a hasher has seen.
    pub fn finished(hasher: sha2::Sha256) -> Self {
        Sha256(hasher.finalize().into())
    }
}

impl From<[u8; 32]> for Sha256 {
    fn from(bytes: [u8; 32]) -> Self {
        Sha256(bytes)
    }
}

impl Default for Sha256 {
    fn default() -> Self {
        EMPTY
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        // In one go: two of these stand in the evidence of each call.
        let mut digits = String::with_capacity(2 * self.0.len());
        for byte in self.0 {
            digits.push(char::from(DIGITS[usize::from(byte >> 4)]));
            digits.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
        f.write_str(&digits)
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256 {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|d| u8::try_from(d).ok());
        let (mut bytes, digits) = ([0; 32], text.as_bytes());
        if digits.len() != 2 * bytes.len() {
            return Err(());
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = 16 * digit(pair[0]).ok_or(())? + digit(pair[1]).ok_or(())?;
        }
        Ok(Sha256(bytes))
    }
}

impl Serialize for Sha256 {
    /// As text; in bytes where nobody reads it: the most common one as none.
    fn serialize<S: Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        if s.is_human_readable() {
            return s.collect_str(self);
        }
        let known: &[u8] = if *self == EMPTY { &[] } else { &self.0 };
        s.serialize_bytes(known)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        if d.is_human_readable() {
            let text = Cow::<str>::deserialize(d)?;
            let wrong = || de::Error::custom(format!("`{text}` is not a SHA-256 in hexadecimal"));
            return text.parse().map_err(|()| wrong());
        }
        match <&[u8]>::deserialize(d)? {
            [] => Ok(EMPTY),
            bytes => bytes.try_into().map(Sha256).map_err(de::Error::custom),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_written_as_the_standard_spells_it_and_read_back() {
        // FIPS 180-4's example of one block.
        let spelled = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(Sha256::of(b"abc").to_string(), spelled);
        assert_eq!(spelled.parse(), Ok(Sha256::of(b"abc")));
        assert_eq!(Sha256::finished(sha2::Sha256::new()), Sha256::of(b""));
        for wrong in ["", "ba78", &spelled.replace('b', "g"), &format!("{spelled}00")] {
            assert_eq!(wrong.parse::<Sha256>(), Err(()));
        }
    }
}
