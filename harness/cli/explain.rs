//! `retrial explain`.

use super::failure::Failure;
use super::meanings::meaning;
use super::nearest::hint;
use super::words::WORDS;
use super::{print, profile_text};
use crate::judge::checks::{self, Check, Levels};
use crate::promise;
use crate::scenario;
use crate::spec::{self, Citation};
use crate::suite::Exit;
use crate::term::StopReason;

/// The longest line of prose, in characters.
const WIDTH: usize = 96;

/// Explains whatever is called `id`.
pub(super) fn explain(id: &str, mutants: &str) -> Result<Exit, Failure> {
    let Some(text) = explanation(id).or_else(|| of_mutant(id, mutants)) else {
        let mutants = mutants.lines().filter_map(|line| line.split('\t').next());
        let hint = hint(id, every_id().chain(mutants), "retrial list");
        return Err(Failure::usage(&format!("nothing is called {id}"), Some(&hint)));
    };
    print::data(&text)
}

fn explanation(id: &str) -> Option<String> {
    let check = checks::ALL.iter().find(|check| check.id == id).map(of_check);
    let citation = || spec::citation(id).map(of_citation);
    let stop = || {
        StopReason::ALL
            .iter()
            .find(|reason| reason.word() == id)
            .map(|reason| of_stop(*reason))
    };
    let scenario = || {
        // A trial is explained by its scenario.
        let scenario = id.split('[').next().unwrap_or(id);
        let (name, text) = scenario::built_in().iter().find(|(name, _)| *name == scenario)?;
        Some(format!("{name}: a built-in scenario\n\n{text}"))
    };
    let word = || {
        let word = WORDS.iter().find(|w| w.word == id)?;
        Some(format!("{id}: a word of the reports\n\n{}", wrapped(word.means)))
    };
    // A profile may have the name of the text that it follows, which it then tells as well.
    let profile = || promise::profile(id).map(profile_text::explained);
    check
        .or_else(profile)
        .or_else(citation)
        .or_else(stop)
        .or_else(scenario)
        .or_else(word)
}

fn every_id<'a>() -> impl Iterator<Item = &'a str> {
    let checks = checks::ALL.iter().map(|check| check.id);
    let citations = spec::ALL.iter().map(|citation| citation.key);
    let stops = StopReason::ALL.iter().map(|reason| reason.word());
    let scenarios = scenario::built_in().iter().map(|(name, _)| *name);
    let profiles = promise::PROFILES.iter().map(|profile| profile.name);
    checks
        .chain(profiles)
        .chain(citations)
        .chain(stops)
        .chain(scenarios)
        .chain(WORDS.iter().map(|w| w.word))
}

/// A row of the reference client's table: name, check, sentence.
fn of_mutant(id: &str, table: &str) -> Option<String> {
    let mut cells = table
        .lines()
        .find_map(|line| line.split_once('\t').filter(|(name, _)| *name == id))?
        .1
        .split('\t');
    let (check, does) = (cells.next()?, cells.next()?);
    let text = format!(
        "The reference client with one deliberate defect: it {does}. {check} is meant to catch it: retrial run --mutant {id}"
    );
    Some(format!("{id}: a mutant\n\n{}", wrapped(&text)))
}

fn of_stop(reason: StopReason) -> String {
    format!("{reason}: a stop reason\n\n{}", wrapped(meaning(reason)))
}

fn of_citation(citation: &Citation) -> String {
    format!("{}: {}", citation.key, law(citation))
}

pub(super) fn law(citation: &Citation) -> String {
    let Citation {
        title,
        section,
        url,
        says,
        ..
    } = citation;
    let place = match section.starts_with(|c: char| c.is_ascii_digit()) {
        true => format!("{title} section {section}"),
        false => format!("{title} {section}"),
    };
    format!("{}\n{url}\n\n{}", place.trim_end(), wrapped(says))
}

fn of_check(check: &Check) -> String {
    let Levels {
        silent,
        promised,
        opted_out,
    } = check.levels;
    let mut text = format!(
        "{}: {}\n\n{}",
        check.id,
        check.summary,
        wrapped(check.requirement)
    );
    text += "\nWhat a deviation is worth where the client\n";
    for (state, worth) in [
        ("is silent", silent),
        ("promises it", promised),
        ("opted out", opted_out),
    ] {
        text += &format!("  {state:12} {worth}\n");
    }
    if !check.mutants.is_empty() {
        text += &format!("\nMutants that trip it: {}\n", check.mutants.join(", "));
    }
    for citation in check.cites.iter().filter_map(|key| spec::citation(key)) {
        text += &format!("\n{}", law(citation));
    }
    text
}

/// A paragraph in lines of at most [`WIDTH`] characters, with a newline at its end.
pub(super) fn wrapped(paragraph: &str) -> String {
    let mut text = String::new();
    let mut used = 0;
    for word in paragraph.split_whitespace() {
        let length = word.chars().count();
        if used > 0 && used + 1 + length > WIDTH {
            text.push('\n');
            used = 0;
        } else if used > 0 {
            text.push(' ');
            used += 1;
        }
        text += word;
        used += length;
    }
    text.push('\n');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_paragraph_is_wrapped_between_words() {
        let text = wrapped(&"word ".repeat(50));
        assert!(
            text.lines()
                .all(|line| line.len() <= WIDTH && !line.ends_with(' '))
        );
        assert_eq!(text.split_whitespace().count(), 50);
        assert_eq!(wrapped("short"), "short\n");
    }
}
