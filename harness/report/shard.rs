//! A part of a run: `2/3` is the second of three.

use std::fmt;
use std::str::FromStr;

/// Which part of a run this is. Every trial belongs to one part, by its id alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Shard {
    /// Which, from 1.
    index: u32,
    /// Of how many.
    of: u32,
}

impl Shard {
    /// Which part, from 1.
    pub fn index(self) -> u32 {
        self.index
    }

    /// Of how many.
    pub fn of(self) -> u32 {
        self.of
    }
}

/// The most parts of a run: each of them is named where it is missing.
const MOST: u32 = 10_000;

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("`{text}` is no part of a run; 2/3 is the second of three");
        let (index, of) = text.split_once('/').ok_or_else(wrong)?;
        let (index, of) = (
            index.parse().map_err(|_| wrong())?,
            of.parse().map_err(|_| wrong())?,
        );
        if index < 1 || index > of {
            return Err(wrong());
        }
        if of > MOST {
            return Err(format!("a run has at most {MOST} parts, and not {of}"));
        }
        Ok(Shard { index, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_written_part_of_all() {
        assert_eq!(
            "2/3".parse::<Shard>().map(|s| s.to_string()).as_deref(),
            Ok("2/3")
        );
        for wrong in ["", "2", "0/3", "4/3", "1/0", "a/3", "1/3/5", "-1/3"] {
            assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
        }
    }
}
