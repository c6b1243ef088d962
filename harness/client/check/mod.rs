//! From a client's file to the model: every problem of meaning collected on the way.

mod driver;
mod expected;
mod promises;
mod service;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::raw::{self, ClientFile};
use super::{Client, Requirement};
use crate::source::{Placed, Problems};

/// The version of the format.
const VERSION: u64 = 1;

/// The reading of one client's file.
pub(super) struct Check<'a> {
    /// Where problems go.
    pub problems: &'a Problems,
    /// Whether a check with this id exists.
    pub known_checks: Option<&'a [&'a str]>,
    /// The folder that paths in the file are seen from; `None` is the current one.
    pub folder: Option<&'a Path>,
}

impl Check<'_> {
    /// The client.
    pub fn client(&self, raw: &ClientFile) -> Client {
        self.version(&raw.version);
        self.not_empty(&raw.name, "a client needs a name");
        let (driver, derived) = self.driver(raw);
        self.trace_is_a_services(raw);
        let requires = raw.requires.iter().map(|r| self.requirement(r)).collect();
        let promises = self.promises(&raw.promises);
        let expected = raw.expected.iter().filter_map(|e| self.expected(e)).collect();
        let invocation_header = raw.marks.invocation.as_ref().map(|h| self.header(h));
        let key_header = raw.marks.key.as_ref().map(|h| self.header(h));
        Client {
            name: raw.name.value.trim().to_owned(),
            driver,
            requires,
            can: self.can(raw, derived),
            promises,
            invocation_header,
            key_header,
            expected,
            folder: self.folder.map(PathBuf::from),
            source: Arc::clone(self.problems.source()),
        }
    }

    fn trace_is_a_services(&self, raw: &ClientFile) {
        if let (Some(trace), false) = (
            &raw.marks.trace,
            matches!(raw.driver.value, raw::Driver::Service(_)),
        ) {
            let message = "only a service is sent a `traceparent` that it may pass on";
            self.problems
                .say(trace.span, message, "other clients are told apart by their URLs");
        }
    }

    fn version(&self, version: &Placed<u64>) {
        if version.value != VERSION {
            self.problems.add(
                self.problems
                    .at(version.span, format!("version {} is not known", version.value))
                    .labelled("this program reads version 1")
                    .instead(Some("1")),
            );
        }
    }

    /// Reports a text that says nothing.
    fn not_empty(&self, text: &Placed<String>, message: &str) {
        if text.value.trim().is_empty() {
            self.problems.say(text.span, message, "nothing is written here");
        }
    }

    /// Reports a check's id that does not exist.
    fn known_check(&self, id: &Placed<String>) {
        let Some(known) = self
            .known_checks
            .filter(|known| !known.contains(&id.value.as_str()))
        else {
            return;
        };
        let near = self.problems.nearest(&id.value, known.iter().copied());
        let problem = self
            .problems
            .at(id.span, format!("there is no check `{}`", id.value))
            .labelled("not the id of a check")
            .instead(near);
        self.problems.add(match near {
            Some(_) => problem,
            None => problem.hint("`retrial list --checks` lists them"),
        });
    }

    /// A header's name in lower case.
    fn header(&self, name: &Placed<String>) -> String {
        if http::HeaderName::from_bytes(name.value.as_bytes()).is_err() {
            let message = format!("`{}` is not the name of a header", name.value);
            self.problems
                .say(name.span, message, "letters, digits and hyphens");
        }
        name.value.to_ascii_lowercase()
    }

    /// A method in upper case.
    fn method(&self, method: &Placed<String>) -> String {
        let upper = method.value.to_ascii_uppercase();
        if http::Method::from_bytes(method.value.as_bytes()).is_err() || upper != method.value {
            self.problems.add(
                self.problems
                    .at(method.span, format!("`{}` is not a method", method.value))
                    .labelled("such as GET or POST")
                    .instead((upper != method.value).then_some(&upper)),
            );
        }
        upper
    }

    /// A status.
    fn status(&self, status: &Placed<u16>) -> u16 {
        if !(100..=999).contains(&status.value) {
            self.problems.say(
                status.span,
                format!("{} is not a status", status.value),
                "from 100 to 999",
            );
        }
        status.value
    }

    /// `python3>=3.9` or `curl`.
    fn requirement(&self, raw: &Placed<String>) -> Requirement {
        let (command, version) = match raw.value.split_once(">=") {
            Some((command, version)) => (command.trim(), Some(version.trim())),
            None => (raw.value.trim(), None),
        };
        let numbers = version.map(|v| v.split('.').map(str::parse).collect::<Result<Vec<u32>, _>>());
        let named =
            !command.is_empty() && !command.contains(|c: char| c.is_whitespace() || "<>=".contains(c));
        if !named || matches!(numbers, Some(Err(_))) {
            let message = format!("`{}` is not a requirement", raw.value);
            self.problems
                .say(raw.span, message, "a command such as curl, or python3>=3.9");
        }
        Requirement {
            command: command.to_owned(),
            at_least: numbers.and_then(Result::ok),
            span: raw.span,
        }
    }
}
