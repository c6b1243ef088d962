//! Calls beyond those that a trial is judged by: counted, so that memory does not grow with a client that never ends.

use super::{EffectOutcome, Fact};
use crate::term::{CallId, ConnId};

/// By how many calls a trial is judged at most, and by how many connections.
///
/// Folded, a call takes some 400 bytes. A trial of 100,000 operations reaches its ceiling of calls at about this number,
/// so that only a scenario that asks for more operations than that can come to lie beyond it.
pub const MOST_CALLS: u32 = 1_001_000;

/// What is known of the calls beyond [`MOST_CALLS`]. The evidence file has their facts too, one a line as any other's.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Beyond {
    /// How many came.
    pub calls: u64,
    /// How many connections more than that were cut at accept.
    pub accept_cuts: u64,
    /// How many of their effects were applied.
    pub delivered: u64,
}

impl Beyond {
    /// Whether nothing lies beyond.
    pub fn is_empty(self) -> bool {
        self.calls == 0 && self.accept_cuts == 0
    }

    /// Whether a fact is of a call or a connection beyond; it is counted then.
    #[inline(always)]
    pub(super) fn counts(&mut self, fact: &Fact) -> bool {
        let beyond = self.lies_beyond(fact);
        if beyond {
            match fact {
                Fact::Arrived(_) => self.calls += 1,
                Fact::Connected { cut: Some(_), .. } => self.accept_cuts += 1,
                Fact::EffectDone { effect, .. } => {
                    self.delivered += u64::from(*effect == EffectOutcome::Applied);
                }
                _ => {}
            }
        }
        beyond
    }

    /// The same of the head of this call.
    pub(super) fn counts_head(&mut self, call: CallId) -> bool {
        let beyond = is_call_beyond(call);
        self.calls += u64::from(beyond);
        beyond
    }

    #[inline(always)]
    fn lies_beyond(self, fact: &Fact) -> bool {
        match fact {
            Fact::Arrived(head) => is_call_beyond(head.call),
            Fact::BodyRead { call, .. }
            | Fact::Decided { call, .. }
            | Fact::EffectDone { call, .. }
            | Fact::AnswerBegan { call, .. }
            | Fact::AnswerEnded { call, .. }
            | Fact::PeerLeft { call, .. } => is_call_beyond(*call),
            Fact::Connected { conn, .. } | Fact::Unreadable { conn, .. } => is_connection_beyond(*conn),
            Fact::TrialBegan { .. }
            | Fact::PointServed { .. }
            | Fact::LayerServed { .. }
            | Fact::GateChanged { .. }
            | Fact::LeftOut { .. }
            | Fact::ClientReady { .. }
            | Fact::Asked { .. }
            | Fact::Cancelled { .. }
            | Fact::Reported { .. }
            | Fact::CouldNotRun { .. }
            | Fact::GaveNoResult { .. }
            | Fact::Talk { .. }
            | Fact::ClientBroke { .. }
            | Fact::ClientEnded { .. }
            | Fact::ClientRestarted { .. }
            | Fact::CeilingHit { .. }
            | Fact::Lagged { .. }
            | Fact::WatchEnded { .. }
            | Fact::Interrupted { .. } => false,
        }
    }
}

/// Whether a call lies beyond those that are kept: calls are numbered from 1 as they arrive.
pub fn is_call_beyond(call: CallId) -> bool {
    call.0 > MOST_CALLS
}

fn is_connection_beyond(conn: ConnId) -> bool {
    conn.0 > MOST_CALLS
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::{Evidence, Packed};
    use crate::term::{CutBy, Stamp};

    fn applied(call: u32) -> Fact {
        let (call, at, effect) = (CallId(call), Stamp::ZERO, EffectOutcome::Applied);
        Fact::EffectDone { call, at, effect }
    }

    fn cut(conn: u32) -> Fact {
        Fact::Connected {
            conn: ConnId(conn),
            point: "a".into(),
            at: Stamp::ZERO,
            cut: Some(CutBy::Rst),
            turn: None,
            op: None,
        }
    }

    #[test]
    fn the_last_call_that_is_kept_is_kept_and_the_next_is_counted() {
        let facts = [MOST_CALLS, MOST_CALLS + 1].map(|n| [applied(n), cut(n)]);
        let packed: Packed = facts.into_iter().flatten().collect();
        assert_eq!(packed.len(), 2);
        let beyond = Beyond {
            calls: 0,
            accept_cuts: 1,
            delivered: 1,
        };
        assert_eq!(packed.beyond(), beyond);
        let evidence = Evidence::of(&packed);
        assert_eq!((evidence.accept_cuts.len(), evidence.beyond), (1, beyond));
    }

    #[test]
    fn what_is_the_trials_own_is_always_kept() {
        let at = Stamp::ZERO;
        let mut beyond = Beyond::default();
        assert!(!beyond.counts(&Fact::WatchEnded { at }) && beyond.is_empty());
    }
}
