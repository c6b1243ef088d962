//! Clients that were started anew: who stood in whose place, and since when.

use super::Evidence;
use crate::term::{ProcessId, Stamp};

/// A client in the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restarted {
    /// When, before it was started.
    pub at: Stamp,
    /// The one before it.
    pub process: ProcessId,
    /// How many stood in its place before the new one.
    pub generation: usize,
}

impl Evidence {
    /// From when on a process can have had anything in its memory: the trial's beginning, or its start in the place of
    /// another.
    pub fn begun(&self, process: ProcessId) -> Stamp {
        self.restarts
            .get(&process)
            .map_or(Stamp::ZERO, |restart| restart.at)
    }

    /// How many processes stood in a process's place before it.
    pub fn generation(&self, process: ProcessId) -> usize {
        self.restarts
            .get(&process)
            .map_or(0, |restart| restart.generation)
    }

    /// Notes that a process is over and another stands in its place.
    pub(super) fn note_restart(&mut self, at: Stamp, process: ProcessId, successor: ProcessId) {
        // They are told in order: what stood before the one before is known.
        let generation = self.generation(process).saturating_add(1);
        let restarted = Restarted {
            at,
            process,
            generation,
        };
        self.restarts.insert(successor, restarted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::Fact;

    #[test]
    fn a_generation_is_as_old_as_the_chain_before_it_also_where_that_has_no_end() {
        let restart = |ms, process, successor| Fact::ClientRestarted {
            at: Stamp::from_ms(ms),
            process: ProcessId(process),
            successor: ProcessId(successor),
        };
        let evidence = Evidence::fold([restart(5, 1, 3), restart(9, 3, 4)]);
        let of = |process| {
            (
                evidence.generation(ProcessId(process)),
                evidence.begun(ProcessId(process)),
            )
        };
        assert_eq!(of(2), (0, Stamp::ZERO));
        assert_eq!(of(3), (1, Stamp::from_ms(5)));
        assert_eq!(of(4), (2, Stamp::from_ms(9)));
        let round = Evidence::fold([restart(5, 1, 2), restart(6, 2, 1)]);
        assert_eq!(round.generation(ProcessId(1)), 2);
    }
}
