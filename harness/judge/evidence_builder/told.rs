//! What else is told of the last call or the last report of a story.

use super::Story;
use crate::evidence::{Arrival, Digest, Fact, Outcome};
use crate::term::{CallId, Sha256};

impl Story {
    /// The last call carries this body, read to its end or not.
    pub fn sent(mut self, bytes: &[u8], complete: bool) -> Self {
        let body = Digest {
            len: bytes.len() as u64,
            sha256: Sha256::of(bytes),
            complete,
        };
        let call = CallId(self.calls);
        self.facts.push(Fact::BodyRead { call, body });
        self
    }

    /// The head of the last call was another.
    pub fn heading(mut self, change: impl FnOnce(&mut Arrival)) -> Self {
        let heads = self.facts.iter_mut().rev();
        let mut heads = heads.filter_map(|fact| match fact {
            Fact::Arrived(head) => Some(head),
            _ => None,
        });
        change(heads.next().unwrap());
        self
    }

    /// The last report told something else.
    pub fn telling(mut self, change: impl FnOnce(&mut Outcome)) -> Self {
        let reports = self.facts.iter_mut().rev();
        let mut reports = reports.filter_map(|fact| match fact {
            Fact::Reported { result, .. } => Some(result),
            _ => None,
        });
        change(reports.next().unwrap());
        self
    }
}
