//! What repetition and snapshots brought to light.

use super::super::model::{SuiteReport, flaky as flaky_sentence};
use super::super::news::{SnapshotIs, SnapshotNews};
use super::super::plain::plain;
use super::colour::Colour;
use crate::judge::Grade;

/// Trials that did not always end alike, a line for each.
pub(super) fn flaky(report: &SuiteReport, colour: Colour) -> String {
    let mark = colour.grade(Grade::Warn, "flaky");
    let sentences = report.trials.iter().filter_map(flaky_sentence);
    sentences.map(|s| format!("{mark} {}\n", plain(&s))).collect()
}

/// The snapshots that do not simply match: what is to say, then the files, then how they differ.
pub(super) fn snapshots(report: &SuiteReport, colour: Colour) -> String {
    let mut text = String::new();
    for is in SnapshotIs::ALL {
        let news: Vec<_> = report.snapshots.iter().filter(|news| news.is == is).collect();
        if news.is_empty() {
            continue;
        }
        let grade = if is.fails() { Grade::Fail } else { Grade::Note };
        let word = colour.grade(grade, is.word());
        text += &format!("snapshots {word}: {}\n", is.advice());
        text += &news.into_iter().map(lines).collect::<String>();
    }
    text
}

fn lines(news: &SnapshotNews) -> String {
    let mut text = format!("  {}\n", plain(&news.file));
    for line in &news.detail {
        text += &format!("    {}\n", plain(line));
    }
    text
}
