//! Values of Retry-After.

use std::time::Duration;

use super::super::raw::{self, DateAt, Written};
use super::super::{DateForm, DateOffset, Pushback};
use super::Check;
use crate::source::{Placed, Span};

/// How far in the past a date may lie: all clocks count from 1970.
const LONGEST_PAST: Duration = Duration::from_secs(50 * 365 * 24 * 3600);

impl Check<'_> {
    /// The value of an answer's Retry-After.
    pub(super) fn pushback(&self, raw: &Placed<raw::Pushback>) -> Option<Pushback> {
        match &raw.value {
            raw::Pushback::Varied => {
                let chosen = self.choice.pushback;
                let chosen = self.varied(&self.uses.pushbacks, chosen, "pushbacks", raw.span)?;
                match chosen.value {
                    raw::Pushback::Varied => None,
                    _ => self.pushback(chosen),
                }
            }
            raw::Pushback::Wait(text) => Some(Pushback::Seconds(self.whole_seconds(text, raw.span))),
            raw::Pushback::Written(written) => Some(self.written(written)),
        }
    }

    fn whole_seconds(&self, text: &str, span: Span) -> u64 {
        let read = humantime::parse_duration(text);
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let problem = match read {
            Ok(wait) if wait.subsec_nanos() == 0 => return wait.as_secs(),
            Ok(_) => self
                .problems
                .at(span, "Retry-After speaks in whole seconds")
                .labelled("not whole seconds"),
            Err(_) => self
                .problems
                .at(span, format!("`{text}` is not a wait"))
                .labelled("such as 3s")
                .instead(digits.then(|| format!("{text}s"))),
        };
        let hint = format!("for these very characters in the header write {{raw: \"{text}\"}}");
        self.problems
            .add(if digits { problem } else { problem.hint(hint) });
        0
    }

    /// How long ago a date lies: long enough for its two digits to look like a year to come.
    fn past(&self, raw: &raw::Dur) -> Duration {
        let read = self.problems.unbounded_duration(raw);
        if read > LONGEST_PAST {
            self.problems
                .say(raw.span, "this is longer than 50 years", "at most 18250 days");
            return Duration::ZERO;
        }
        read
    }

    fn written(&self, written: &Written) -> Pushback {
        let (form, at) = match written {
            Written::Imf(at) => (DateForm::Imf, at),
            Written::Rfc850(at) => (DateForm::Rfc850, at),
            Written::Asctime(at) => (DateForm::Asctime, at),
            Written::Raw(text) => {
                self.header_value(text);
                return Pushback::Raw(text.value.clone());
            }
            Written::Twice(texts) => return self.twice(texts),
        };
        let offset = self.offset(at);
        Pushback::Date { form, offset }
    }

    /// Where a date lies, or how far a clock is off.
    pub(super) fn offset(&self, at: &DateAt) -> DateOffset {
        match at {
            DateAt::Ahead(d) => DateOffset::Ahead(self.problems.duration(d)),
            DateAt::Past(d) => DateOffset::Past(self.past(d)),
        }
    }

    fn twice(&self, texts: &Placed<Vec<Placed<String>>>) -> Pushback {
        if texts.value.len() < 2 {
            self.problems.say(
                texts.span,
                "`twice` writes the header more than once",
                "at least two values",
            );
        }
        texts.value.iter().for_each(|t| self.header_value(t));
        Pushback::Twice(texts.value.iter().map(|t| t.value.clone()).collect())
    }
}
