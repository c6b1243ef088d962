//! How much text a YAML document holds once its aliases are written out.

use std::collections::BTreeMap;

use serde_yaml::granit_parser::Event;

/// Counts while events are read.
#[derive(Default)]
pub(super) struct Unfolded {
    bytes: usize,
    /// How much each anchor stands for, by its number; 0 is no anchor.
    anchors: BTreeMap<usize, usize>,
    /// The lists and maps that are open: their anchors, and how much there was before them.
    open: Vec<(usize, usize)>,
}

impl Unfolded {
    /// Counts an event; returns how much there is so far, in bytes.
    pub(super) fn add(&mut self, event: &Event<'_>) -> usize {
        match event {
            Event::Scalar(text, _, anchor, _) => {
                self.bytes = self.bytes.saturating_add(text.len());
                self.anchors.insert(*anchor, text.len());
            }
            Event::SequenceStart(_, anchor, _) | Event::MappingStart(_, anchor, _) => {
                self.open.push((*anchor, self.bytes));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((anchor, before)) = self.open.pop() {
                    self.anchors.insert(anchor, self.bytes - before);
                }
            }
            Event::Alias(anchor) => {
                let stands_for = self.anchors.get(anchor).copied().unwrap_or_default();
                self.bytes = self.bytes.saturating_add(stands_for);
            }
            _ => {}
        }
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use serde_yaml::granit_parser::Parser;

    use super::*;

    fn unfolded(yaml: &str) -> usize {
        let mut unfolded = Unfolded::default();
        let events = Parser::new_from_str(yaml).map(|event| event.unwrap().0);
        events.map(|event| unfolded.add(&event)).max().unwrap_or_default()
    }

    #[test]
    fn an_alias_counts_as_much_as_what_it_stands_for() {
        assert_eq!(unfolded("{a: bcd}"), 4);
        assert_eq!(unfolded("[&x abc, *x, *x]"), 9);
        assert_eq!(unfolded("[&x [ab, &y cd], *y, *x, ef]"), 4 + 2 + 4 + 2);
        assert_eq!(unfolded("[&x [&y [ab, ab], *y], *x]"), 16);
    }
}
