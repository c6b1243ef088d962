//! Colour, where it is wanted.

use anstyle::{AnsiColor, Style};

use crate::judge::{Grade, Verdict};

/// Whether a text carries colour. The words say the same without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Plain text.
    Never,
    /// With ANSI escapes.
    Always,
}

impl Colour {
    /// A verdict's word, in the verdict's colour, padded to `width` characters.
    pub(super) fn verdict(self, verdict: Verdict, word: &str) -> String {
        self.paint(verdict_style(verdict), word)
    }

    /// A grade's word, in the grade's colour.
    pub(super) fn grade(self, grade: Grade, word: &str) -> String {
        let style = match grade {
            Grade::Pass => AnsiColor::Green.on_default(),
            Grade::Note => AnsiColor::Cyan.on_default(),
            Grade::Warn => AnsiColor::Yellow.on_default(),
            Grade::Fail => AnsiColor::Red.on_default().bold(),
        };
        self.paint(style, word)
    }

    /// Something that stands back.
    pub(super) fn faint(self, text: &str) -> String {
        self.paint(Style::new().dimmed(), text)
    }

    fn paint(self, style: Style, text: &str) -> String {
        match self {
            Colour::Never => text.to_owned(),
            Colour::Always => format!("{style}{text}{style:#}"),
        }
    }
}

fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Pass | Verdict::Noted => AnsiColor::Green.on_default(),
        Verdict::Warn | Verdict::ExpectedFail => AnsiColor::Yellow.on_default(),
        Verdict::Skipped => Style::new().dimmed(),
        Verdict::Inconclusive => AnsiColor::Magenta.on_default().bold(),
        Verdict::Fail | Verdict::UnexpectedPass | Verdict::HarnessError => AnsiColor::Red.on_default().bold(),
    }
}
