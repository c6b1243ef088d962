//! What a profile of promises says, for `retrial explain`.

use super::explain::{law, wrapped};
use crate::promise::Profile;
use crate::spec;

/// The profile: what it promises, what of it no check can judge yet, and what it rests on.
pub(super) fn explained(profile: &Profile) -> String {
    let summary = wrapped(profile.summary);
    let mut text = format!("{}: a profile of promises\n\n{summary}", profile.name);
    text += "\nIn a client's file, own lines beside it override it:\n";
    text += &format!("  promises: {{profile: {}}}\n", profile.name);
    text += "\nWhat it promises:\n";
    match profile.promises {
        "{}\n" => text += "  nothing\n",
        promises => {
            text += &promises
                .lines()
                .map(|line| format!("  {line}\n"))
                .collect::<String>()
        }
    }
    if !profile.unjudged.is_empty() {
        text += "\nWhat it says and no check can judge yet:\n";
        text += &profile
            .unjudged
            .iter()
            .map(|sentence| item(sentence))
            .collect::<String>();
    }
    for citation in profile.cites.iter().filter_map(|key| spec::citation(key)) {
        text += &format!("\n{}", law(citation));
    }
    text
}

fn item(sentence: &str) -> String {
    let lines = wrapped(sentence);
    let mut lines = lines.lines();
    let first = lines.next().unwrap_or_default();
    let rest: String = lines.map(|line| format!("    {line}\n")).collect();
    format!("  - {first}\n{rest}")
}
