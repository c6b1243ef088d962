//! Words as a shell takes them.

/// `word` so that a POSIX shell takes it as one word: trial ids hold brackets, which a shell would expand.
pub fn shell_word(word: &str) -> String {
    let harmless = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(harmless) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_words_that_a_shell_would_change_are_quoted() {
        assert_eq!(shell_word("dates"), "dates");
        assert_eq!(shell_word("dates[503,Asia/Tokyo]"), "'dates[503,Asia/Tokyo]'");
        assert_eq!(shell_word("{url}"), "'{url}'");
        assert_eq!(shell_word("it's"), r"'it'\''s'");
        assert_eq!(shell_word(""), "''");
    }
}
