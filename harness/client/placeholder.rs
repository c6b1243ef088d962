//! Placeholders in commands, and what a command with them can be asked.

use crate::promise::{BodyCan, Can, DeadlineCan, KeysCan};

/// The placeholders of version 1, without their braces.
pub const PLACEHOLDERS: [&str; 11] = [
    "url",
    "base_url",
    "urls",
    "method",
    "body",
    "body_file",
    "key",
    "deadline_ms",
    "attempts",
    "tmp",
    "op",
];

/// The words in braces in an argument, known or not.
///
/// Braces around anything but lower-case letters and `_` are none, nor are those behind `%` or `$`: they belong to the
/// command's own language, such as curl's `%{http_code}`.
pub fn placeholders(argument: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = argument;
    while let Some(open) = rest.find('{') {
        let foreign = rest[..open].ends_with(['%', '$']);
        let inside = &rest[open + 1..];
        let word = &inside[..inside
            .find(|c: char| !(c.is_ascii_lowercase() || c == '_'))
            .unwrap_or(0)];
        let closed = inside[word.len()..].starts_with('}');
        let known = PLACEHOLDERS.contains(&word);
        if closed && !word.is_empty() && (known || !foreign) {
            found.push(word);
        }
        rest = inside;
    }
    found
}

/// What a command can be asked whose arguments hold these placeholders.
pub(super) fn derived(words: &[&str]) -> Can {
    let has = |word: &str| words.contains(&word);
    let least = Can::default();
    Can {
        methods: if has("method") { Vec::new() } else { least.methods },
        body: match has("body") || has("body_file") {
            true => BodyCan::Bytes,
            false => BodyCan::None,
        },
        keys: if has("key") { KeysCan::Given } else { KeysCan::None },
        deadline: match has("deadline_ms") {
            true => DeadlineCan::Passed,
            false => DeadlineCan::None,
        },
        targets: if has("urls") { u32::MAX } else { 1 },
        ..Can::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_languages_braces_are_no_placeholders() {
        assert_eq!(placeholders("{url}?a={key}"), ["url", "key"]);
        assert_eq!(
            placeholders("%{http_code} ${HOME} {\"a\":{}} {} { url } {{"),
            Vec::<&str>::new()
        );
        assert_eq!(placeholders("{{url}} {uri}"), ["url", "uri"]);
    }
}
