//! Names and values of headers, methods, paths.

use std::collections::BTreeMap;

use http::{HeaderName, HeaderValue};

use super::Check;
use crate::source::{Entries, Placed, Span};

impl Check<'_> {
    /// Headers in the order of the file; `taken` names those that another key decides, and which.
    pub(super) fn headers(
        &self,
        raw: &Entries<Placed<String>>,
        taken: &[(&str, &str)],
    ) -> Vec<(String, String)> {
        let mut seen: BTreeMap<String, Span> = BTreeMap::new();
        for (name, value) in raw.iter() {
            self.header_name(name, &mut seen);
            self.header_value(value);
            if let Some((_, by)) = taken.iter().find(|(t, _)| name.value.eq_ignore_ascii_case(t)) {
                let message = format!("the header `{}` is not written by hand", name.value);
                self.problems.say(name.span, message, *by);
            }
        }
        raw.iter()
            .map(|(name, value)| (name.value.clone(), value.value.clone()))
            .collect()
    }

    /// A header's name in lower case; a problem where it is none, or was seen.
    pub(super) fn header_name(&self, name: &Placed<String>, seen: &mut BTreeMap<String, Span>) -> String {
        let lower = name.value.to_ascii_lowercase();
        if HeaderName::from_bytes(name.value.as_bytes()).is_err() {
            let message = format!("`{}` is not the name of a header", name.value);
            self.problems
                .say(name.span, message, "letters, digits and hyphens");
        }
        if let Some(first) = seen.insert(lower.clone(), name.span) {
            self.problems.add(
                self.problems
                    .at(name.span, format!("the header `{}` is written twice", name.value))
                    .labelled("the second time; names do not tell upper and lower case apart")
                    .beside(first, "the first time"),
            );
        }
        lower
    }

    /// Reports what cannot be the value of a header.
    pub(super) fn header_value(&self, value: &Placed<String>) {
        if HeaderValue::from_str(&value.value).is_err() {
            let message = "this cannot be the value of a header";
            self.problems
                .say(value.span, message, "visible ASCII characters and spaces only");
        }
    }

    /// A method in upper case; a problem where it is none.
    pub(super) fn method(&self, method: &Placed<String>) -> String {
        let text = &method.value;
        let upper = text.to_ascii_uppercase();
        if http::Method::from_bytes(text.as_bytes()).is_err() || upper == "CONNECT" {
            self.problems.say(
                method.span,
                format!("`{text}` is not a method"),
                "such as GET or POST",
            );
        } else if *text != upper {
            self.problems.add(
                self.problems
                    .at(method.span, format!("`{text}` is not a method"))
                    .labelled("methods are written in upper case")
                    .instead(Some(&upper)),
            );
        }
        upper
    }

    /// A path, with a query or without; a problem where it is none.
    pub(super) fn path(&self, path: &Placed<String>) -> String {
        let text = &path.value;
        if !text.starts_with('/') {
            self.problems.add(
                self.problems
                    .at(path.span, "a path begins with a slash")
                    .labelled("not a path")
                    .instead(Some(format!("/{text}"))),
            );
        } else if !text
            .bytes()
            .all(|b| b.is_ascii_graphic() && !b"#\"<>\\^`{|}".contains(&b))
        {
            let label = "percent-encode spaces and special characters";
            self.problems
                .say(path.span, "this path cannot stand in a URL", label);
        }
        text.clone()
    }
}
