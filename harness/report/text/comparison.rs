//! The comparison for people at a terminal: one table, and a star where the columns differ.

use super::super::comparison::{Comparison, Row, over, over_all, rows_of};
use super::super::plain::plain;
use super::table::{self, Align};

/// The comparison as text, with a newline at its end; `only_differences` leaves out the rows that are alike.
pub fn comparison_text(comparison: &Comparison, only_differences: bool) -> String {
    let names: Vec<_> = comparison.subjects.iter().map(|s| plain(&s.name)).collect();
    let mut head = vec![("", Align::Left), ("trial", Align::Left), ("", Align::Left)];
    head.extend(names.iter().map(|name| (name.as_str(), Align::Left)));
    let mut rows = Vec::new();
    let (mut differing, mut all) = (0, 0);
    for side in comparison.trials() {
        let of_trial = rows_of(&side);
        all += 1;
        differing += usize::from(of_trial.iter().any(Row::differs));
        let trial = side.common().map_or_else(String::new, |t| plain(&t.trial));
        rows.extend(block(&trial, of_trial, only_differences));
    }
    let (n, _) = comparison.figures();
    rows.extend(block(&over(n), over_all(comparison), only_differences));
    let table = match rows.is_empty() {
        true => String::new(),
        false => table::lines(&head, rows).join("\n") + "\n\n",
    };
    format!("{}\n{table}{}\n", self::head(comparison), summary(differing, all))
}

fn head(comparison: &Comparison) -> String {
    let Some(first) = comparison.reports.first() else {
        return String::new();
    };
    let seed = first
        .seed
        .map_or_else(String::new, |seed| format!(", seed {seed}"));
    format!("retrial {}{seed}\n", first.harness)
}

fn summary(differing: usize, all: usize) -> String {
    let noun = if all == 1 { "trial" } else { "trials" };
    match differing {
        0 => format!("{all} {noun}: nothing differs"),
        n => format!("{all} {noun}: {n} with differences (*)"),
    }
}

/// The rows of one trial; its name stands on the first.
fn block(name: &str, rows: Vec<Row>, only_differences: bool) -> Vec<Vec<String>> {
    let shown = rows.into_iter().filter(|row| row.differs() || !only_differences);
    let line = |(i, row): (usize, Row)| {
        let mark = if row.differs() { "*" } else { "" };
        let name = if i == 0 { name } else { "" };
        let mut line = vec![mark.to_owned(), name.to_owned(), plain(&row.name)];
        line.extend(
            row.cells
                .iter()
                .map(|c| c.as_deref().map_or("-".to_owned(), plain)),
        );
        line
    };
    shown.enumerate().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Verdict;
    use crate::report::{Subject, SuiteReport, comparison_json, comparison_markdown, example};

    fn named(name: &str) -> Subject {
        Subject {
            name: name.to_owned(),
            policy: None,
        }
    }

    fn beside(other: SuiteReport) -> Comparison {
        Comparison {
            subjects: vec![named("a"), named("b")],
            reports: vec![example::report(), other],
        }
    }

    #[test]
    fn what_differs_is_starred_and_the_rest_stands_beside_it() {
        let mut other = example::report();
        other.trials[0].verdict = Verdict::Pass;
        other.trials[0].findings.clear();
        other.trials[0].figures.retries = 0;
        insta::assert_snapshot!(comparison_text(&beside(other), false), @r"
        retrial 0.1.0, seed 7

           trial                                  a                                                  b
        *  lost-ack      verdict                  fail                                               pass
        *                findings                 fail pushback.honoured                             none
                         operations               1                                                  1
                         calls notification       2                                                  2
                         delivered notification   1                                                  1
                         multiplier notification  2.00                                               2.00
                         stop reasons             ok 1                                               ok 1
           over 1 trial  first-attempt success    0.0 % (0 of 1)                                     0.0 % (0 of 1)
                         success after retry      100.0 % (1 of 1)                                   100.0 % (1 of 1)
                         operations by calls      2 calls 1                                          2 calls 1
        *                retry traffic            1 call, 100.0 % on top of 1 first call             0 calls, 0.0 % on top of 2 first calls
                         retries after            503 1                                              503 1
                         latency added            0.011 s in all, at most 0.011 s for one operation  0.011 s in all, at most 0.011 s for one operation
                         prevented by deadline    0 attempts                                         0 attempts
                         key conflicts            0                                                  0
                         oldest pending           0.023 s                                            0.023 s

        1 trial: 1 with differences (*)
        ");
    }

    #[test]
    fn who_did_not_play_is_held_against_nobody() {
        let mut other = example::report();
        other.trials[0].verdict = Verdict::Skipped;
        other.trials[0].counts = crate::judge::TrialCounts::default();
        let comparison = beside(other);
        assert_eq!(comparison.figures().0, 0);
        let text = comparison_text(&comparison, true);
        let starred: Vec<_> = text.lines().filter(|line| line.starts_with('*')).collect();
        assert!(
            matches!(&starred[..], [verdict] if verdict.contains("skipped")),
            "{text}"
        );
    }

    #[test]
    fn those_that_are_alike_differ_in_nothing() {
        let text = comparison_text(&beside(example::report()), true);
        assert_eq!(text, "retrial 0.1.0, seed 7\n\n1 trial: nothing differs\n");
    }

    #[test]
    fn no_text_of_a_stranger_reaches_a_reader_raw() {
        let hostile = "\u{1b}[2J\u{202e}| <b> `c`";
        let mut other = example::report();
        other.trials[0].trial = hostile.to_owned();
        let mut first = other.clone();
        first.client = hostile.to_owned();
        let comparison = Comparison {
            subjects: vec![named(hostile), named("b")],
            reports: vec![first, other],
        };
        let text = comparison_text(&comparison, false);
        let json = comparison_json(&comparison).expect("it can be written");
        let markdown = comparison_markdown(&comparison);
        let steers = |c: char| c != '\n' && super::super::super::plain::steers(c);
        for report in [&text, &json, &markdown] {
            assert!(!report.chars().any(steers), "{report:?}");
        }
        assert!(!markdown.contains("<b>") && !markdown.contains('`'), "{markdown}");
    }
}
