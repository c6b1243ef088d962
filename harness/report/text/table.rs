//! A table without lines.

use comfy_table::{CellAlignment, ContentArrangement, Table};

/// How a column's cells are aligned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// At its left edge.
    Left,
    /// At its right edge.
    Right,
}

/// The lines of a table; columns are two spaces apart. Cells must be plain text.
pub fn lines(head: &[(&str, Align)], rows: Vec<Vec<String>>) -> Vec<String> {
    let mut table = Table::new();
    table
        .load_style(comfy_table::presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(head.iter().map(|(name, _)| *name))
        .add_rows(rows);
    for (column, (_, align)) in table.column_iter_mut().zip(head) {
        column.set_padding((0, 2));
        column.set_cell_alignment(match align {
            Align::Left => CellAlignment::Left,
            Align::Right => CellAlignment::Right,
        });
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}
