//! The table of the trials: one row a dependency.

use super::super::layers::multiplier;
use super::super::model::{SuiteReport, TrialReport, verdict_word};
use super::super::plain::plain;
use super::colour::Colour;
use super::table::{self, Align};
use crate::judge::{DependencyCounts, LayerCounts, Verdict};

const HEAD: [(&str, Align); 8] = [
    ("verdict", Align::Left),
    ("time", Align::Left),
    ("trial", Align::Left),
    ("dependency", Align::Left),
    ("calls", Align::Right),
    ("delivered", Align::Right),
    ("multiplier", Align::Right),
    ("stop reasons", Align::Left),
];

/// The table, or nothing where every trial was skipped.
pub(super) fn table(report: &SuiteReport, colour: Colour) -> String {
    let mut verdicts = vec![None];
    let mut rows = Vec::new();
    for trial in report.trials.iter().filter(|t| t.verdict != Verdict::Skipped) {
        let trial_rows = rows_of(trial);
        verdicts.push(Some(trial.verdict));
        verdicts.extend(std::iter::repeat_n(None, trial_rows.len() - 1));
        rows.extend(trial_rows);
    }
    if rows.is_empty() {
        return String::new();
    }
    let lines = table::lines(&HEAD, rows);
    let painted = lines
        .iter()
        .zip(verdicts)
        .map(|(line, verdict)| paint(line, verdict, colour));
    painted.collect::<String>()
}

/// The verdict stands first, so that it can be painted after the columns were measured.
fn paint(line: &str, verdict: Option<Verdict>, colour: Colour) -> String {
    let painted = verdict.and_then(|verdict| {
        let word = verdict_word(verdict);
        let rest = line.strip_prefix(word)?;
        Some(format!("{}{rest}\n", colour.verdict(verdict, word)))
    });
    painted.unwrap_or_else(|| format!("{line}\n"))
}

fn rows_of(trial: &TrialReport) -> Vec<Vec<String>> {
    let stops: Vec<_> = trial.stops().map(|(reason, n)| format!("{reason} {n}")).collect();
    let layers = trial.counts.layers.iter().map(layer_row);
    let dependencies = trial.counts.dependencies.iter();
    let dependencies = dependencies.map(|(name, counts)| dependency_row(name, counts));
    let mut rows: Vec<Vec<String>> = layers.chain(dependencies).collect();
    if rows.is_empty() {
        rows.push(vec![String::new(); HEAD.len()]);
    }
    rows[0][0] = verdict_word(trial.verdict).to_owned();
    rows[0][1] = trial.time.word().to_owned();
    rows[0][2] = plain(&trial.trial);
    rows[0][7] = stops.join(", ");
    rows
}

/// Nothing is delivered at a layer: it hands on, or asks others.
fn layer_row(counts: &LayerCounts) -> Vec<String> {
    let point = format!("{} ({})", plain(&counts.name), counts.role);
    let (calls, delivered) = (counts.calls.to_string(), "-".to_owned());
    point_row(point, calls, delivered, counts.multiplier_per_mille)
}

fn dependency_row(name: &str, counts: &DependencyCounts) -> Vec<String> {
    let delivered = counts.delivered.to_string();
    point_row(plain(name), calls(counts), delivered, counts.multiplier_per_mille)
}

/// A row of the table, as far as one point is concerned.
fn point_row(point: String, calls: String, delivered: String, per_mille: u64) -> Vec<String> {
    let none = String::new;
    let multiplier = multiplier(per_mille);
    vec![
        none(),
        none(),
        none(),
        point,
        calls,
        delivered,
        multiplier,
        none(),
    ]
}

fn calls(counts: &DependencyCounts) -> String {
    match counts.accept_cuts {
        0 => counts.calls.to_string(),
        // Connections cut at accept carry no call, and are attempts all the same.
        cut => format!("{}+{cut} cut", counts.calls),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_multiplier_is_rounded_to_hundredths() {
        assert_eq!(multiplier(3000), "3.00");
        assert_eq!(multiplier(1014), "1.01");
        assert_eq!(multiplier(1015), "1.02");
    }

    #[test]
    fn only_the_verdict_is_painted() {
        let line = paint("fail     lost-ack", Some(Verdict::Fail), Colour::Always);
        assert!(line.ends_with("     lost-ack\n"));
        assert!(line.starts_with('\u{1b}'));
    }
}
