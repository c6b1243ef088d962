//! What is not right, trial by trial: the sentence, the line that asked, the calls that show it.

use super::super::model::{
    Known, ReportedFinding, SuiteReport, TrialReport, grade_word, level_words, verdict_word,
};
use super::super::plain::{cut, plain};
use super::super::{fleet, layers};
use super::calls;
use super::colour::Colour;
use crate::judge::{Finding, Grade, Verdict};

/// Every trial that has something to say. Trials that ended for one and the same reason are told once.
pub(super) fn details(report: &SuiteReport, colour: Colour) -> String {
    let telling: Vec<_> = report.trials.iter().filter(|t| has_something_to_say(t)).collect();
    let mut written = Vec::new();
    for (i, one) in telling.iter().enumerate() {
        if telling[..i].iter().any(|earlier| tell_the_same(earlier, one)) {
            continue;
        }
        let same = telling[i + 1..].iter().filter(|later| tell_the_same(one, later));
        let same: Vec<_> = same.map(|t| plain(&t.trial)).collect();
        written.push(trial(one, colour) + &the_same(&same));
    }
    written.join("\n")
}

/// Whether two trials have nothing to say but one reason: a client that is not there is not there in all of them.
fn tell_the_same(one: &TrialReport, other: &TrialReport) -> bool {
    let only_reason = |t: &TrialReport| t.because.is_some() && t.findings.is_empty() && t.remarks.is_empty();
    only_reason(one) && only_reason(other) && (one.verdict, &one.because) == (other.verdict, &other.because)
}

fn the_same(trials: &[String]) -> String {
    match trials.len() {
        0 => String::new(),
        n => format!("  the same in {n} more: {}\n", trials.join(", ")),
    }
}

fn has_something_to_say(trial: &TrialReport) -> bool {
    let worth_saying = trial.findings.iter().any(|f| f.finding.grade != Grade::Pass);
    trial.verdict != Verdict::Skipped
        && (worth_saying
            || !trial.counts.layers.is_empty()
            || fleet::sentence(&trial.counts).is_some()
            || trial.because.is_some()
            || !trial.remarks.is_empty())
}

fn trial(trial: &TrialReport, colour: Colour) -> String {
    let verdict = colour.verdict(trial.verdict, verdict_word(trial.verdict));
    let mut lines = vec![format!(
        "{verdict} {}: {}",
        plain(&trial.trial),
        plain(&trial.title)
    )];
    lines.extend(trial.because.iter().map(|b| format!("  {}", plain(b))));
    lines.extend(trial.known.as_ref().map(|k| format!("  {}", known(k))));
    for reported in &trial.findings {
        lines.extend(finding(trial, reported, colour));
    }
    let layers = layers::sentences(&trial.counts);
    lines.extend(layers.iter().map(|s| format!("  layers: {}", plain(s))));
    let fleet = fleet::sentence(&trial.counts);
    lines.extend(fleet.iter().map(|s| format!("  fleet: {s}")));
    lines.extend(trial.remarks.iter().map(|r| format!("  {}", plain(r))));
    // What is only noted is not worth repeating.
    if trial.verdict != Verdict::Noted {
        lines.extend(
            trial
                .evidence_file
                .iter()
                .map(|file| format!("  evidence: {}", plain(file))),
        );
        lines.push(format!(
            "  {}",
            colour.faint(&format!("repeat: {}", plain(&trial.repeat)))
        ));
    }
    lines.join("\n") + "\n"
}

fn finding(trial: &TrialReport, reported: &ReportedFinding, colour: Colour) -> Vec<String> {
    match reported.finding.grade {
        Grade::Pass => Vec::new(),
        Grade::Note => vec![note(reported, colour)],
        Grade::Warn | Grade::Fail => accusation(trial, reported, colour),
    }
}

/// A note is worth a sentence and its place; its calls are in the evidence.
fn note(reported: &ReportedFinding, colour: Colour) -> String {
    let place = reported.asked.as_ref();
    let place = place.map(|asked| format!(" [{}]", plain(&asked.place)));
    let sentence = sentence(&reported.finding, colour);
    format!("  {sentence}{}", place.unwrap_or_default())
}

fn accusation(trial: &TrialReport, reported: &ReportedFinding, colour: Colour) -> Vec<String> {
    let finding = &reported.finding;
    let mut lines = vec![format!("  {}", sentence(finding, colour))];
    lines.extend(reported.known.as_ref().map(|k| format!("    {}", known(k))));
    if let Some(asked) = &reported.asked {
        let (place, line) = (plain(&asked.place), plain(&asked.line));
        lines.push(format!("    {place}  {}", cut(&line, 120)));
    }
    let table = calls::lines(&trial.evidence, finding);
    lines.extend(table.iter().map(|line| format!("    {line}")));
    lines
}

fn sentence(finding: &Finding, colour: Colour) -> String {
    let grade = colour.grade(finding.grade, grade_word(finding.grade));
    let (check, because) = (plain(&finding.check), plain(&finding.because));
    format!("{grade} {check} ({}): {because}", level_words(finding.level))
}

fn known(known: &Known) -> String {
    let see = known
        .see
        .as_ref()
        .map_or_else(String::new, |see| format!(" ({see})"));
    plain(&format!("known: {}{see}", known.because))
}
