//! Where facts are appended as they happen.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::Fact;

/// An append-only stream of facts, shared by everything that observes one trial.
///
/// An observer, if there is one, sees each fact in the order of appending: the live display and the evidence file.
#[derive(Clone, Default)]
pub struct Recorder {
    inner: Arc<Mutex<Stream>>,
}

/// Sees each fact as it is appended. Must be quick: it runs under the recorder's lock.
pub type Observer = Box<dyn FnMut(&Fact) + Send>;

#[derive(Default)]
struct Stream {
    facts: Vec<Fact>,
    observer: Option<Observer>,
}

impl Recorder {
    /// A recorder without an observer.
    pub fn new() -> Self {
        Recorder::default()
    }

    /// A recorder whose facts are also shown to `observer`.
    pub fn observed(observer: Observer) -> Self {
        let stream = Stream {
            facts: Vec::new(),
            observer: Some(observer),
        };
        Recorder {
            inner: Arc::new(Mutex::new(stream)),
        }
    }

    /// Appends a fact.
    pub fn record(&self, fact: Fact) {
        let mut stream = self.lock();
        if let Some(observer) = stream.observer.as_mut() {
            observer(&fact);
        }
        stream.facts.push(fact);
    }

    /// A copy of the facts so far.
    pub fn facts(&self) -> Vec<Fact> {
        self.lock().facts.clone()
    }

    /// Takes the facts out, at the end of a trial.
    pub fn take(&self) -> Vec<Fact> {
        std::mem::take(&mut self.lock().facts)
    }

    fn lock(&self) -> MutexGuard<'_, Stream> {
        // A panic while the lock is held cannot leave a half-appended fact behind.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
