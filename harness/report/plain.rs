//! Text of strangers, made harmless.

use std::fmt::Write;

/// `text` on one line, with every character that could steer a terminal or hide other text written as `\u{..}`.
///
/// A client chooses its name, its errors, its paths and its keys; a scenario is somebody's file.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\u{{{:x}}}", c as u32);
        } else {
            out.push(c);
        }
    }
    out
}

/// Whether a character steers a terminal, reorders or hides text, or is none that XML 1.0 can hold.
pub(super) fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Line and paragraph separators, zero-width characters and the bidirectional controls (UAX #9).
            '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{61c}'
            // The byte order mark and the tag characters are invisible.
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}'
            // Noncharacters; XML 1.0 section 2.2 excludes these two.
            | '\u{fffe}' | '\u{ffff}')
}

/// `text` cut to `most` characters, with an ellipsis where something is missing.
pub(super) fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", &text[..end]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_steers_a_terminal_gets_through() {
        let hostile = "a\u{1b}[2Jb\u{9b}c\nd\u{202e}e\u{7}\u{ffff}\r";
        assert_eq!(
            plain(hostile),
            r"a\u{1b}[2Jb\u{9b}c\u{a}d\u{202e}e\u{7}\u{ffff}\u{d}"
        );
    }

    #[test]
    fn honest_text_of_any_script_stays_as_it_is() {
        assert_eq!(plain("Größe 大きさ §10.2.3 👍"), "Größe 大きさ §10.2.3 👍");
    }

    #[test]
    fn a_cut_text_says_so_and_never_splits_a_character() {
        assert_eq!(cut("größer", 3), "grö…");
        assert_eq!(cut("grö", 3), "grö");
    }
}
