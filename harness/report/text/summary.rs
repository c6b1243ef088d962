//! The last line: how many trials, and how they ended.

use super::super::model::{SuiteReport, VERDICTS, epoch, verdict_word};
use super::colour::Colour;

/// `12 trials: 10 pass, 1 warn, 1 fail`.
pub(super) fn line(report: &SuiteReport, colour: Colour) -> String {
    let parts: Vec<_> = VERDICTS
        .into_iter()
        .filter_map(|verdict| {
            let n = report.trials.iter().filter(|t| t.verdict == verdict).count();
            (n > 0).then(|| format!("{n} {}", colour.verdict(verdict, verdict_word(verdict))))
        })
        .collect();
    let trials = match report.trials.len() {
        0 => return "no trials\n".to_owned(),
        1 => "1 trial".to_owned(),
        n => format!("{n} trials"),
    };
    let interrupted = if report.interrupted { ", interrupted" } else { "" };
    let epoch = epoch(report).map_or_else(String::new, |sentence| format!(" ({sentence})"));
    format!("{trials}: {}{interrupted}{epoch}\n", parts.join(", "))
}
