//! `retrial explain`.

use super::failure::Failure;
use super::meanings::meaning;
use super::nearest::hint;
use super::print;
use crate::judge::checks::{self, Check};
use crate::scenario;
use crate::spec::{self, Citation};
use crate::suite::Exit;
use crate::term::StopReason;

/// Explains whatever is called `id`.
pub(super) fn explain(id: &str) -> Result<Exit, Failure> {
    let Some(text) = explanation(id) else {
        let hint = hint(id, every_id(), "retrial list");
        return Err(Failure::usage(&format!("nothing is called {id}"), Some(&hint)));
    };
    print::data(&text)
}

fn explanation(id: &str) -> Option<String> {
    let check = checks::ALL
        .iter()
        .find(|check| check.id == id)
        .map(|check| of_check(check));
    let citation = || spec::citation(id).map(of_citation);
    let stop = || {
        StopReason::ALL
            .iter()
            .find(|reason| reason.word() == id)
            .map(|reason| of_stop(*reason))
    };
    let scenario = || {
        let (name, text) = scenario::built_in().iter().find(|(name, _)| *name == id)?;
        Some(format!("{name}: a built-in scenario\n\n{text}"))
    };
    check.or_else(citation).or_else(stop).or_else(scenario)
}

fn every_id() -> impl Iterator<Item = &'static str> {
    let checks = checks::ALL.iter().map(|check| check.id);
    let citations = spec::ALL.iter().map(|citation| citation.key);
    let stops = StopReason::ALL.iter().map(|reason| reason.word());
    let scenarios = scenario::built_in().iter().map(|(name, _)| *name);
    checks.chain(citations).chain(stops).chain(scenarios)
}

fn of_stop(reason: StopReason) -> String {
    format!("{reason}: a stop reason\n\n{}\n", meaning(reason))
}

fn of_citation(citation: &'static Citation) -> String {
    let Citation {
        key,
        title,
        section,
        url,
        says,
    } = citation;
    format!("{key}: {title}, {section}\n{url}\n\n{says}\n")
}

fn of_check(check: &Check) -> String {
    let Check {
        id,
        summary,
        requirement,
        ..
    } = check;
    let mut text = format!("{id}: {summary}\n\n{requirement}\n");
    let cites: Vec<_> = check.cites.iter().filter_map(|key| spec::citation(key)).collect();
    for citation in cites {
        text += &format!(
            "\n{}, {}\n{}\n{}\n",
            citation.title, citation.section, citation.url, citation.says
        );
    }
    text
}
