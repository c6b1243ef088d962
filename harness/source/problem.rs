//! What is wrong with a file: place, cause and a hint.

use std::sync::Arc;

use super::{Source, Span};

/// One thing that is wrong with a file: place, cause and a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file.
    pub source: Arc<Source>,
    /// Where; `None` where the file as a whole is meant (missing, empty, binary).
    pub span: Option<Span>,
    /// What is wrong, in a lower-case sentence without a full stop.
    pub message: String,
    /// What stands at the place, in a few words.
    pub label: String,
    /// Another place that belongs to it, with its label.
    pub also: Option<(Span, String)>,
    /// What to write instead of what the span holds.
    pub replacement: Option<String>,
    /// A hint.
    pub help: Option<String>,
}

impl Problem {
    /// A problem with the file as a whole.
    pub fn whole(source: &Arc<Source>, message: impl Into<String>) -> Self {
        Problem {
            source: source.clone(),
            span: None,
            message: message.into(),
            label: String::new(),
            also: None,
            replacement: None,
            help: None,
        }
    }

    /// A problem at a place; the span is drawn in to what is written there.
    pub fn at(source: &Arc<Source>, span: Span, message: impl Into<String>) -> Self {
        Problem {
            span: Some(source.snug(span)),
            ..Problem::whole(source, message)
        }
    }

    /// Says in a few words what stands at the place.
    pub fn labelled(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a hint.
    pub fn hint(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at another place that belongs to it.
    pub fn beside(mut self, span: Span, label: impl Into<String>) -> Self {
        self.also = Some((self.source.snug(span), label.into()));
        self
    }

    /// Offers what to write instead, if anything comes to mind.
    pub fn instead(mut self, replacement: Option<impl Into<String>>) -> Self {
        self.replacement = replacement.map(Into::into);
        self
    }
}
