//! Version, title, citations, needs.

use std::collections::BTreeSet;

use super::super::{Need, raw};
use crate::source::{Placed, Problems};
use crate::spec;

/// The version of the grammar.
const VERSION: u64 = 1;

/// Checks what stands at the head of a file; `known_cites` says whether a citation's key exists.
pub(in crate::scenario) fn head(
    raw: &raw::Scenario,
    known_cites: &dyn Fn(&str) -> bool,
    problems: &Problems,
) {
    version(&raw.version, problems);
    if raw.title.value.trim().is_empty() {
        problems.say(
            raw.title.span,
            "the title is empty",
            "one sentence for the reports",
        );
    }
    for cite in raw.cites.iter().filter(|c| !known_cites(&c.value)) {
        let known = spec::ALL.iter().map(|citation| citation.key);
        problems.add(
            problems
                .at(cite.span, format!("there is no citation `{}`", cite.value))
                .labelled("not a key of the citations")
                .instead(problems.nearest(&cite.value, known)),
        );
    }
    tags(raw, problems);
    if raw.dependencies.value.is_empty() {
        problems.say(
            raw.dependencies.span,
            "a scenario needs a dependency",
            "none is declared",
        );
    }
    if raw.operations.value.is_empty() {
        problems.say(
            raw.operations.span,
            "a scenario needs an operation",
            "nothing is asked of the client",
        );
    }
}

/// Checks the version of a file.
pub(in crate::scenario) fn version(written: &Placed<u64>, problems: &Problems) {
    if written.value != VERSION {
        let message = format!("version {} is not known", written.value);
        let problem = problems.at(written.span, message);
        let problem = problem.labelled("this program reads version 1");
        problems.add(problem.instead(Some("1")));
    }
}

/// A tag is written on the command line: it holds what no shell changes, and stands there once.
fn tags(raw: &raw::Scenario, problems: &Problems) {
    let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let mut seen = BTreeSet::new();
    for tag in &raw.tags {
        if tag.value.is_empty() || !tag.value.chars().all(plain) {
            let message = format!("`{}` is not a tag", tag.value);
            problems.say(tag.span, message, "lower-case letters, digits and hyphens");
        }
        if !seen.insert(&tag.value) {
            problems.say(
                tag.span,
                format!("the tag `{}` stands here twice", tag.value),
                "once is enough",
            );
        }
    }
}

/// What the scenario needs of a client, each need once.
pub(super) fn needs(raw: &raw::Scenario) -> Vec<Need> {
    let (mut needs, mut seen) = (Vec::new(), BTreeSet::new());
    for written in &raw.needs {
        let need = match written.value {
            raw::Need::ConnectionReuse => Need::ConnectionReuse,
            raw::Need::Key => Need::Key,
            raw::Need::Body => Need::Body,
            raw::Need::Concurrency => Need::Concurrency,
            raw::Need::Deadline => Need::Deadline,
            raw::Need::Layers(n) => Need::Layers(n),
            raw::Need::SeveralTargets => Need::SeveralTargets,
            raw::Need::Refresh => Need::Refresh,
        };
        if seen.insert(need) {
            needs.push(need);
        }
    }
    needs
}
