//! Brackets of YAML's flow style, as far as telling where one is open needs them.

/// Walks over a text's brackets, skipping quotes and comments.
struct Walk {
    open: Vec<usize>,
    quote: Option<char>,
    comment: bool,
    /// Whether a quote or a bracket would begin a token here; inside a plain word it is a character like any other.
    fresh: bool,
}

impl Walk {
    fn new() -> Self {
        Walk {
            open: Vec::new(),
            quote: None,
            comment: false,
            fresh: true,
        }
    }

    fn step(&mut self, at: usize, c: char) {
        if self.comment {
            self.comment = c != '\n';
        } else if let Some(quote) = self.quote {
            self.quote = (c != quote).then_some(quote);
        } else {
            self.token(at, c);
        }
    }

    fn token(&mut self, at: usize, c: char) {
        match c {
            '"' | '\'' if self.fresh => self.quote = Some(c),
            '{' | '[' if self.fresh => self.open.push(at),
            '}' | ']' => {
                self.open.pop();
            }
            '#' if self.fresh => self.comment = true,
            _ => {}
        }
        self.fresh = matches!(c, '\n' | '{' | '[' | ',' | ':' | '-') || (c.is_whitespace() && self.fresh);
    }
}

/// The length of a text's beginning that its first character, a bracket, encloses; `None` where it stays open to the end of
/// its line.
pub(super) fn closed(text: &str) -> Option<usize> {
    let mut walk = Walk::new();
    for (at, c) in text.char_indices().take_while(|(_, c)| *c != '\n') {
        walk.step(at, c);
        if walk.open.is_empty() {
            return Some(at + c.len_utf8());
        }
    }
    None
}

/// The innermost bracket that is open at a text's end.
pub(super) fn open(text: &str) -> Option<usize> {
    let mut walk = Walk::new();
    text.char_indices().for_each(|(at, c)| walk.step(at, c));
    walk.open.last().copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_innermost_open_bracket_is_found() {
        assert_eq!(open("a: {b: [1, 2]"), Some(3));
        assert_eq!(open("a: it's [ok\nb: {c: \"]}\", d: [  # ]\n"), Some(28));
        assert_eq!(open("a: {b: [1, 2]}"), None);
    }
}
