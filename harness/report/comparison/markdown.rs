//! The comparison as Markdown, for the summary of a job.

use super::{Comparison, Row, over_all, rows_of};
use crate::report::markdown::escaped;

/// One table; what differs is bold.
pub fn comparison_markdown(comparison: &Comparison) -> String {
    let names: Vec<_> = comparison.subjects.iter().map(|s| escaped(&s.name)).collect();
    let mut text = format!("## retrial: {}\n\n", names.join(" beside "));
    text += &format!(
        "| trial | | {} |\n| --- | --- |{}\n",
        names.join(" | "),
        " --- |".repeat(names.len())
    );
    for side in comparison.trials() {
        let trial = side.common().map_or("", |t| t.trial.as_str());
        text += &block(trial, &rows_of(&side));
    }
    let (n, _) = comparison.figures();
    text + &block(&over(n), &over_all(comparison))
}

/// What the figures are over.
pub(in crate::report) fn over(trials: usize) -> String {
    match trials {
        1 => "over 1 trial".to_owned(),
        n => format!("over {n} trials"),
    }
}

fn block(head: &str, rows: &[Row]) -> String {
    let lines = rows.iter().enumerate().map(|(i, row)| {
        let head = if i == 0 { escaped(head) } else { String::new() };
        let cells: Vec<_> = row
            .cells
            .iter()
            .map(|c| cell(c.as_deref(), row.differs()))
            .collect();
        format!("| {head} | {} | {} |\n", escaped(&row.name), cells.join(" | "))
    });
    lines.collect()
}

fn cell(text: Option<&str>, differs: bool) -> String {
    match (text, differs) {
        (None, _) => "-".to_owned(),
        (Some(text), false) => escaped(text),
        (Some(""), true) => String::new(),
        (Some(text), true) => format!("**{}**", escaped(text)),
    }
}
