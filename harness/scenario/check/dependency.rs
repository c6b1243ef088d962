//! Dependencies.

use std::sync::Arc;
use std::time::Duration;

use super::super::raw;
use super::super::{Dependency, OperationGroup, Scope};
use super::script::healthy;
use super::{Check, Sent, sent};
use crate::source::Placed;
use crate::term::Name;

/// How long an operation without a deadline is waited for in virtual time.
const WAITED_FOR: Duration = Duration::from_secs(3600);

impl Check<'_> {
    /// Every dependency, in the order of the file.
    pub(super) fn dependencies(&self, operations: &[OperationGroup]) -> Vec<Dependency> {
        let waited_for = operations
            .iter()
            .map(|group| group.deadline.unwrap_or(WAITED_FOR));
        let lasts = waited_for.max().unwrap_or_default();
        let sent = sent(operations);
        let sent = |name: &Placed<String>| sent.get(name.value.as_str()).copied().unwrap_or_default();
        let declared = self.raw.dependencies.value.iter();
        declared
            .map(|(name, raw)| self.dependency(name, raw, sent(name), lasts))
            .collect()
    }

    fn dependency(
        &self,
        name: &Placed<String>,
        raw: &raw::Dependency,
        sent: Sent,
        lasts: Duration,
    ) -> Dependency {
        self.is_a_name(name);
        self.keyed(raw);
        let shared: Name = Arc::from(name.value.as_str());
        Dependency {
            name: shared,
            per: match raw.per {
                raw::Per::Operation => Scope::Operation,
                raw::Per::Dependency => Scope::Dependency,
                raw::Per::Connection => Scope::Connection,
            },
            outages: raw.outages.iter().map(|o| self.outage(o, lasts)).collect(),
            capacity: raw.capacity.as_ref().map(|c| self.capacity(c)),
            slows: raw.slows.as_ref().map(|s| self.slows(s)),
            keys: raw.keys.as_ref().map(|k| self.keys(&k.value)),
            turns: match &raw.script {
                Some(script) => self.script(script, sent),
                None => vec![healthy(name.span)],
            },
            healthy: raw.script.is_none()
                && raw.outages.is_empty()
                && raw.capacity.is_none()
                && raw.slows.is_none(),
            span: name.span,
        }
    }

    /// A dependency's name becomes part of environment variables, file names and reports.
    fn is_a_name(&self, name: &Placed<String>) {
        let text = &name.value;
        let fits = text.len() <= 64
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-'));
        if !fits {
            let label = "a letter, then letters, digits, `-` and `_`";
            self.problems
                .say(name.span, format!("`{text}` cannot name a dependency"), label);
        }
    }
}
