//! All problems of a file at once.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::time::Duration;

use super::{Placed, Problem, Source, Span, nearest};

/// The longest duration that a file may ask for: sums of a few still fit every clock and every HTTP-date.
pub const LONGEST: Duration = Duration::from_secs(366 * 24 * 60 * 60);

/// The most problems of one file that are shown; nobody reads more at once, and each costs time to show.
const MOST: usize = 100;

/// Collects the problems of one file.
#[derive(Debug)]
pub struct Problems {
    source: Arc<Source>,
    found: RefCell<Vec<Problem>>,
    /// How many there were beyond [`MOST`].
    further: Cell<usize>,
}

impl Problems {
    /// None so far.
    pub fn new(source: &Arc<Source>) -> Self {
        Problems {
            source: source.clone(),
            found: RefCell::default(),
            further: Cell::default(),
        }
    }

    /// The file.
    pub fn source(&self) -> &Arc<Source> {
        &self.source
    }

    /// A problem at a place, to be completed and added.
    pub fn at(&self, span: Span, message: impl Into<String>) -> Problem {
        match self.is_full() {
            // Nobody will see where.
            true => Problem::whole(&self.source, message),
            false => Problem::at(&self.source, span, message),
        }
    }

    /// Whether there are as many as are shown. What only makes a further one clearer need not be found out then: a hostile
    /// file has a hundred thousand of them.
    pub fn is_full(&self) -> bool {
        self.found.borrow().len() == MOST
    }

    /// As [`nearest`], while there is room to show it.
    pub fn nearest<'a>(&self, word: &str, options: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
        match self.is_full() {
            true => None,
            false => nearest(word, options),
        }
    }

    /// How many there are so far.
    pub fn count(&self) -> usize {
        self.found.borrow().len() + self.further.get()
    }

    /// Adds a problem, once.
    pub fn add(&self, problem: Problem) {
        let mut found = self.found.borrow_mut();
        if found.len() == MOST {
            self.further.set(self.further.get() + 1);
        } else if !found.contains(&problem) {
            found.push(problem);
        }
    }

    /// Adds a problem that needs a label only.
    pub fn say(&self, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.add(self.at(span, message).labelled(label));
    }

    /// Reads a duration such as `250ms`, at most [`LONGEST`]; a problem and zero where it is none.
    pub fn duration(&self, written: &Placed<String>) -> Duration {
        let read = self.unbounded_duration(written);
        if read > LONGEST {
            self.say(written.span, "this is longer than a year", "at most 366 days");
            return Duration::ZERO;
        }
        read
    }

    /// As [`Problems::duration`], and longer than nothing.
    pub fn positive_duration(&self, written: &Placed<String>) -> Duration {
        let before = self.count();
        let read = self.duration(written);
        if read.is_zero() && self.count() == before {
            self.say(written.span, "this must be longer than zero", "no time at all");
        }
        read
    }

    /// As [`Problems::duration`], however long.
    pub fn unbounded_duration(&self, written: &Placed<String>) -> Duration {
        let text = written.value.trim();
        humantime::parse_duration(text).unwrap_or_else(|_| {
            let bare_number = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
            self.add(
                self.at(written.span, format!("`{text}` is not a duration"))
                    .labelled("a number and a unit, such as 250ms, 1.5s or 2m")
                    .instead(bare_number.then(|| format!("{text}s"))),
            );
            Duration::ZERO
        })
    }

    /// The value if there was no problem, or else the problems in the order of the file.
    ///
    /// # Errors
    ///
    /// Every problem that was added; never an empty list.
    pub fn none_or<T>(self, value: T) -> Result<T, Vec<Problem>> {
        let mut found = self.found.into_inner();
        found.sort_by_key(|p| p.span.map_or(0, |s| s.start));
        if self.further.get() > 0 {
            let message = format!("only the first {MOST} problems of this file are shown");
            found.push(Problem::whole(&self.source, message));
        }
        match found.is_empty() {
            true => Ok(value),
            false => Err(found),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_with_very_many_problems_shows_the_first_and_says_so() {
        let source = Arc::new(Source::new("f.yaml", "x\n".repeat(5000)));
        let problems = Problems::new(&source);
        for nth in 0..5000 {
            let span = Span {
                start: 2 * nth,
                end: 2 * nth + 1,
            };
            problems.say(span, "no", "this");
        }
        assert_eq!(problems.count(), 5000);
        let found = problems.none_or(()).unwrap_err();
        assert_eq!(found.len(), MOST + 1);
        assert_eq!(
            found[MOST].message,
            "only the first 100 problems of this file are shown"
        );
    }
}
