//! The figures over all operations in words, for every report that people read.

use crate::judge::Figures;

/// What each figure is called, and what it is. Empty where no operation was asked.
pub(super) fn rows(figures: &Figures) -> Vec<(&'static str, String)> {
    if figures.operations == 0 {
        return Vec::new();
    }
    let all = figures.operations;
    let part = |n: u64| format!("{} ({n} of {all})", percent(n, all));
    vec![
        ("first-attempt success", part(figures.succeeded_at_first)),
        ("success after retry", part(figures.succeeded_after_retry)),
        ("operations by calls", distribution(figures)),
        ("retry traffic", traffic(figures)),
        ("retries after", list(figures.retries_after.iter())),
        ("latency added", latency(figures)),
        (
            "prevented by deadline",
            counted(figures.prevented_by_deadline, "attempt"),
        ),
        ("key conflicts", figures.key_conflicts.to_string()),
        ("oldest pending", seconds(figures.oldest_pending_ms)),
    ]
}

fn distribution(figures: &Figures) -> String {
    let of = figures
        .attempts
        .iter()
        .map(|(calls, n)| format!("{} {n}", counted(*calls, "call")));
    of.collect::<Vec<_>>().join(", ")
}

fn traffic(figures: &Figures) -> String {
    let originals = figures.calls - figures.retries.min(figures.calls);
    format!(
        "{}, {} on top of {originals} first {}",
        counted(figures.retries, "call"),
        percent(figures.retries, originals),
        if originals == 1 { "call" } else { "calls" },
    )
}

fn latency(figures: &Figures) -> String {
    let (all, worst) = (figures.added_latency_ms, figures.worst_added_latency_ms);
    format!(
        "{} in all, at most {} for one operation",
        seconds(all),
        seconds(worst)
    )
}

fn list<'a>(counts: impl Iterator<Item = (&'a String, &'a u64)>) -> String {
    let counted: Vec<_> = counts.map(|(what, n)| format!("{what} {n}")).collect();
    if counted.is_empty() {
        "none".to_owned()
    } else {
        counted.join(", ")
    }
}

/// `1 call`, `2 calls`.
pub(super) fn counted(n: u64, what: &str) -> String {
    let s = if n == 1 { "" } else { "s" };
    format!("{n} {what}{s}")
}

/// To a tenth of a per cent, rounded down: nothing reads as 100 % that is not.
fn percent(n: u64, of: u64) -> String {
    let per_mille = (n * 1000).checked_div(of).unwrap_or(0);
    format!("{}.{} %", per_mille / 10, per_mille % 10)
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03} s", ms / 1000, ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example;

    #[test]
    fn every_figure_has_a_row() {
        let rows = rows(&example::trial().figures);
        let text: String = rows
            .iter()
            .map(|(name, value)| format!("{name}: {value}\n"))
            .collect();
        insta::assert_snapshot!(text, @r"
        first-attempt success: 0.0 % (0 of 1)
        success after retry: 100.0 % (1 of 1)
        operations by calls: 2 calls 1
        retry traffic: 1 call, 100.0 % on top of 1 first call
        retries after: 503 1
        latency added: 0.011 s in all, at most 0.011 s for one operation
        prevented by deadline: 0 attempts
        key conflicts: 0
        oldest pending: 0.023 s
        ");
    }

    #[test]
    fn nearly_all_is_not_all() {
        assert_eq!(percent(9999, 10_000), "99.9 %");
        assert_eq!(percent(3, 0), "0.0 %");
    }

    #[test]
    fn nothing_asked_has_no_figures() {
        assert_eq!(rows(&Figures::default()), []);
    }
}
