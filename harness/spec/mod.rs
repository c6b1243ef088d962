//! What does the law say? Citations with stable keys; the only place for the addresses of specifications.
//!
//! Checks, scenarios and `explain` refer to a citation by its key. What a text says is put in our own words.

mod other;
mod rfc;

use std::fmt;
use std::sync::LazyLock;

/// A place in a text that a check or a scenario rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Citation {
    /// The key by which it is referred to: `rfc9110-10.2.3`.
    pub key: &'static str,
    /// The text: `RFC 9110`.
    pub title: &'static str,
    /// The section's number, or its heading where sections are not numbered; may be empty.
    pub section: &'static str,
    /// Where it can be read.
    pub url: &'static str,
    /// What it says, in our own words.
    pub says: &'static str,
}

impl fmt::Display for Citation {
    /// `RFC 9110 §10.2.3`, or `the SRE book, Handling Overload`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbered = self.section.starts_with(|c: char| c.is_ascii_digit());
        match (self.section.is_empty(), numbered) {
            (true, _) => f.write_str(self.title),
            (false, true) => write!(f, "{} §{}", self.title, self.section),
            (false, false) => write!(f, "{}, {}", self.title, self.section),
        }
    }
}

/// Every citation: the RFCs in order of number and section, then the others.
pub static ALL: LazyLock<Vec<&'static Citation>> =
    LazyLock::new(|| rfc::ALL.iter().chain(other::ALL).collect());

/// The citation with this key.
pub fn citation(key: &str) -> Option<&'static Citation> {
    ALL.iter().copied().find(|c| c.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_is_found_by_its_key_and_reads_like_one() {
        assert_eq!(
            citation("rfc9110-10.2.3").unwrap().to_string(),
            "RFC 9110 §10.2.3"
        );
        assert_eq!(
            citation("sre-retry-budget").unwrap().to_string(),
            "the SRE book, Handling Overload"
        );
        assert!(citation("rfc9110-99").is_none());
    }

    #[test]
    fn keys_are_unique_and_every_entry_is_whole() {
        let mut keys: Vec<_> = ALL.iter().map(|c| c.key).collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        assert!(
            ALL.iter()
                .all(|c| c.url.starts_with("https://") && c.says.ends_with('.') && !c.title.is_empty())
        );
    }

    #[test]
    fn the_key_of_an_rfc_names_its_number_and_section() {
        for c in rfc::ALL {
            let number = c.title.trim_start_matches("RFC ");
            assert_eq!(c.key, format!("rfc{number}-{}", c.section));
            assert!(
                c.url.ends_with(&format!("rfc{number}#section-{}", c.section)),
                "{}",
                c.key
            );
        }
    }
}
