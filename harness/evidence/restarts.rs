//! Clients that were started anew: who stood in whose place, and since when.

use super::{Evidence, Fact};
use crate::term::{ProcessId, Stamp};

/// A client in the place of another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restarted {
    /// When, before it was started.
    pub at: Stamp,
    /// The one before it.
    pub process: ProcessId,
    /// The new one.
    pub successor: ProcessId,
}

impl Restarted {
    /// What a fact tells of one; `None` where it tells of something else.
    pub(super) fn told(fact: &Fact) -> Option<Self> {
        let Fact::ClientRestarted {
            at,
            process,
            successor,
        } = fact
        else {
            return None;
        };
        Some(Restarted {
            at: *at,
            process: *process,
            successor: *successor,
        })
    }
}

impl Evidence {
    /// From when on a process can have had anything in its memory: the trial's beginning, or its start in the place of
    /// another.
    pub fn begun(&self, process: ProcessId) -> Stamp {
        self.restart_of(process).map_or(Stamp::ZERO, |restart| restart.at)
    }

    /// How many processes stood in a process's place before it.
    pub fn generation(&self, process: ProcessId) -> usize {
        let before = |process: &ProcessId| Some(self.restart_of(*process)?.process);
        // A chain cannot be longer than there are restarts, also where the evidence was tampered with.
        let chain = std::iter::successors(before(&process), before);
        chain.take(self.restarts.len()).count()
    }

    fn restart_of(&self, process: ProcessId) -> Option<&Restarted> {
        self.restarts.iter().find(|restart| restart.successor == process)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
