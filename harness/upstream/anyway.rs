//! Requests that come whether or not an operation is asked: the health checks of gateways and services.

use std::collections::BTreeSet;

use crate::term::Name;

/// So many kinds are remembered; a client that makes more before it is asked anything has no health checks in mind.
const MOST: usize = 100;

/// The kinds that came before any operation was handed over.
#[derive(Debug, Default)]
pub struct Anyway {
    /// Where, by which method and on which path.
    came: BTreeSet<(Name, String, String)>,
    /// What operations ask for: a request for the same may be theirs.
    own: BTreeSet<(String, String)>,
}

impl Anyway {
    /// Notes what an operation asks for.
    pub(super) fn own(&mut self, method: &str, path: &str) {
        self.own.insert((method.to_owned(), path.to_owned()));
    }

    /// Notes a request that came before any operation.
    pub(super) fn came(&mut self, point: &Name, method: &str, path: &str) {
        if self.came.len() < MOST {
            self.came
                .insert((point.clone(), method.to_owned(), path.to_owned()));
        }
    }

    /// Whether a request of this kind comes anyway.
    pub(super) fn is_known(&self, point: &Name, method: &str, path: &str) -> bool {
        if self.came.is_empty() {
            return false;
        }
        let (method, path) = (method.to_owned(), path.to_owned());
        let own = self.own.contains(&(method.clone(), path.clone()));
        !own && self.came.contains(&(point.clone(), method, path))
    }
}
