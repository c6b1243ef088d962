//! The figures over all operations, under the trials.

use super::super::figures::{counted, rows};
use super::super::model::SuiteReport;

/// A line for each figure, or nothing where nothing was asked.
pub(super) fn section(report: &SuiteReport) -> String {
    let figures = report.figures();
    let rows = rows(&figures);
    if rows.is_empty() {
        return String::new();
    }
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let lines = rows
        .iter()
        .map(|(name, value)| format!("  {name:width$}  {value}\n"));
    let operations = counted(figures.operations, "operation");
    format!("over all {operations}\n{}", lines.collect::<String>())
}
