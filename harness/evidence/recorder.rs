//! Where facts are appended as they happen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::{Fact, Packed, Seen, Tally};
use crate::term::{OperationId, PerOperation, Stamp};

/// An append-only stream of facts, shared by everything that observes one trial.
///
/// An observer, if there is one, sees each fact in the order of appending: the live display and the evidence file.
#[derive(Clone, Default)]
pub struct Recorder {
    inner: Arc<Mutex<Stream>>,
}

/// Sees each fact as it is appended. Must be quick: it runs under the recorder's lock.
pub type Observer = Box<dyn FnMut(&Fact) + Send>;

/// What is kept of the facts.
enum Kept {
    /// All of them.
    Facts(Packed),
    /// Their counts.
    Tally(Box<Tally>),
    /// None of them.
    Nothing,
}

impl Default for Kept {
    fn default() -> Self {
        Kept::Facts(Packed::default())
    }
}

#[derive(Default)]
struct Stream {
    kept: Kept,
    observer: Option<Observer>,
    last_arrival: Option<Stamp>,
    first_arrivals: PerOperation<Option<Stamp>>,
}

impl Stream {
    fn keep(&mut self, fact: Fact) {
        match &mut self.kept {
            Kept::Facts(facts) => facts.push(&fact),
            Kept::Nothing => {}
            Kept::Tally(tally) => {
                // Nobody asks any more when the first call of an operation came that has ended.
                if let Some(op) = tally.add(&fact) {
                    *self.first_arrivals.of(op) = None;
                }
            }
        }
    }

    fn append(&mut self, fact: Fact) {
        if let Some(observer) = self.observer.as_mut() {
            observer(&fact);
        }
        match &fact {
            Fact::Arrived(arrival) => self.note_arrival(arrival.op, arrival.at),
            Fact::Connected {
                cut: Some(_), op, at, ..
            } => self.note_arrival(*op, *at),
            _ => {}
        }
        self.keep(fact);
    }

    fn note_arrival(&mut self, op: Option<OperationId>, at: Stamp) {
        self.last_arrival = self.last_arrival.max(Some(at));
        if let Some(op) = op {
            self.first_arrivals.of(op).get_or_insert(at);
        }
    }
}

impl Recorder {
    /// A recorder without an observer.
    pub fn new() -> Self {
        Recorder::default()
    }

    /// A recorder whose facts are also shown to `observer`.
    pub fn observed(observer: Observer) -> Self {
        let stream = Stream {
            observer: Some(observer),
            ..Stream::default()
        };
        Recorder {
            inner: Arc::new(Mutex::new(stream)),
        }
    }

    /// A recorder that keeps counts only, for trials whose facts would not fit into memory: see [`Tally`] for what that
    /// drops.
    pub fn tallying() -> Self {
        let stream = Stream {
            kept: Kept::Tally(Box::default()),
            ..Stream::default()
        };
        Recorder {
            inner: Arc::new(Mutex::new(stream)),
        }
    }

    /// A recorder that shows its facts and keeps none: for what is served for days.
    pub fn forgetful(observer: Observer) -> Self {
        let stream = Stream {
            kept: Kept::Nothing,
            observer: Some(observer),
            ..Stream::default()
        };
        Recorder {
            inner: Arc::new(Mutex::new(stream)),
        }
    }

    /// Appends a fact.
    pub fn record(&self, fact: Fact) {
        self.lock().append(fact);
    }

    /// Appends a fact that every call makes and that is no arrival. Inlined, so that nobody has to find out again which it is.
    #[inline(always)]
    pub fn record_of_call(&self, fact: Fact) {
        let mut stream = self.lock();
        match &mut *stream {
            Stream {
                kept: Kept::Facts(facts),
                observer: None,
                ..
            } => facts.push(&fact),
            _ => stream.append(fact),
        }
    }

    /// Appends that a head arrived. It is written as it is where nobody has to be shown a fact.
    pub fn record_arrival(&self, head: &Seen<'_>) {
        let mut stream = self.lock();
        let Stream { kept, observer, .. } = &mut *stream;
        match (kept, observer) {
            (Kept::Facts(facts), None) => {
                facts.push_head(head);
                stream.note_arrival(head.op, head.at);
            }
            _ => stream.append(Fact::Arrived(Box::new(head.kept()))),
        }
    }

    /// When the latest call arrived so far, or connection that was cut at accept, of any operation or none.
    pub fn last_arrival(&self) -> Option<Stamp> {
        self.lock().last_arrival
    }

    /// When the first call of this operation arrived, or connection that was cut at accept.
    pub fn first_arrival(&self, op: OperationId) -> Option<Stamp> {
        self.lock().first_arrivals.get(op).copied().flatten()
    }

    /// A copy of the facts so far; none where only counts are kept.
    pub fn facts(&self) -> Packed {
        match &self.lock().kept {
            Kept::Facts(facts) => facts.clone(),
            Kept::Tally(_) | Kept::Nothing => Packed::default(),
        }
    }

    /// Takes the facts out, at the end of a trial; none where only counts are kept.
    pub fn take(&self) -> Packed {
        match &mut self.lock().kept {
            Kept::Facts(facts) => std::mem::take(facts),
            Kept::Tally(_) | Kept::Nothing => Packed::default(),
        }
    }

    /// The counts so far; `None` where facts are kept.
    pub fn tally(&self) -> Option<Tally> {
        match &self.lock().kept {
            Kept::Facts(_) | Kept::Nothing => None,
            Kept::Tally(tally) => Some((**tally).clone()),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Stream> {
        // A panic while the lock is held cannot leave a half-appended fact behind.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::{ConnId, CutBy};

    fn cut_at_accept(op: Option<OperationId>, ms: u64) -> Fact {
        Fact::Connected {
            conn: ConnId(1),
            point: "a".into(),
            at: Stamp::from_ms(ms),
            cut: Some(CutBy::Rst),
            turn: Some(0),
            op,
        }
    }

    #[test]
    fn what_is_only_shown_is_not_kept() {
        let shown = Arc::new(Mutex::new(0));
        let counter = shown.clone();
        let recorder = Recorder::forgetful(Box::new(move |_| *counter.lock().unwrap() += 1));
        recorder.record(cut_at_accept(None, 5));
        assert_eq!((*shown.lock().unwrap(), recorder.facts().len()), (1, 0));
    }

    #[test]
    fn the_first_arrival_of_an_operation_and_the_last_of_any_are_known() {
        let recorder = Recorder::new();
        let op = OperationId(1);
        assert_eq!(
            (recorder.first_arrival(op), recorder.last_arrival()),
            (None, None)
        );
        recorder.record(cut_at_accept(Some(op), 5));
        recorder.record(cut_at_accept(Some(op), 7));
        recorder.record(cut_at_accept(None, 9));
        assert_eq!(recorder.first_arrival(op), Some(Stamp::from_ms(5)));
        assert_eq!(recorder.last_arrival(), Some(Stamp::from_ms(9)));
    }
}
