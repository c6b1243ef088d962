//! What few connections, operations or dependencies ever have, and is asked of each call.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use super::shared::lock;

/// Something that mostly never happens: whether it ever did is known without taking the lock.
#[derive(Default)]
pub(super) struct Rare<T> {
    happened: AtomicBool,
    what: Mutex<T>,
}

impl<T> Rare<T> {
    /// What it is, where it ever happened.
    #[inline]
    pub(super) fn look(&self) -> Option<MutexGuard<'_, T>> {
        let happened = self.happened.load(Ordering::Acquire);
        happened.then(|| self.lock())
    }

    /// What it is, to note in it what happens rarely.
    pub(super) fn note(&self) -> MutexGuard<'_, T> {
        let what = self.lock();
        self.happened.store(true, Ordering::Release);
        what
    }

    /// What it is, to look at or change what is usual.
    #[inline]
    pub(super) fn lock(&self) -> MutexGuard<'_, T> {
        lock(&self.what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_seen_from_when_it_happens_and_what_is_usual_does_not_count() {
        let rare = Rare::<u32>::default();
        *rare.lock() += 1;
        assert!(rare.look().is_none());
        *rare.note() += 1;
        assert_eq!(rare.look().map(|what| *what), Some(2));
    }
}
