//! What the dependencies of one trial share: clock, recorder, numbering, ceilings, and which operations are running.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use compact_str::CompactString;
use hyper::HeaderMap;
use tokio::sync::{Notify, watch};

use super::anyway::Anyway;
use super::head;
use super::rare::Rare;
use crate::evidence::{Ceiling, Fact, Recorder};
use crate::term::{CallId, ConnId, OperationId, PerOperation, Stamp};
use crate::world::{Clock, is_out_of_files};

/// Ceilings of a trial that a runaway client cannot lift.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Calls in all.
    pub calls: u32,
    /// Connections in all.
    pub connections: u32,
    /// Bytes read from the client, in all.
    pub bytes: u64,
    /// The trial's time, from the client's being ready.
    pub time: Duration,
}

/// Operations that were handed over: those that have not ended, and all that ever were.
#[derive(Debug, Clone, Default)]
pub struct Running {
    outstanding: BTreeSet<OperationId>,
    ever: PerOperation<bool>,
    any: bool,
}

impl Running {
    /// Notes that an operation was handed over. To be called before it is, or its first call may come too soon.
    pub fn insert(&mut self, op: OperationId) -> bool {
        *self.ever.of(op) = true;
        self.any = true;
        self.outstanding.insert(op)
    }

    /// Notes that an operation has ended.
    pub fn remove(&mut self, op: &OperationId) -> bool {
        self.outstanding.remove(op)
    }

    /// Whether an operation was handed over and has not ended.
    pub fn contains(&self, op: &OperationId) -> bool {
        self.outstanding.contains(op)
    }

    /// How many have not ended.
    pub fn len(&self) -> usize {
        self.outstanding.len()
    }

    /// Whether all have ended.
    pub fn is_empty(&self) -> bool {
        self.outstanding.is_empty()
    }

    /// Whether an operation was ever handed over.
    pub fn was_asked(&self, op: OperationId) -> bool {
        self.ever.get(op).copied().unwrap_or(false)
    }

    /// Whether no operation was handed over yet.
    pub fn none_was_asked(&self) -> bool {
        !self.any
    }

    /// The only operation that has not ended, if it is only one.
    pub fn alone(&self) -> Option<OperationId> {
        match self.outstanding.len() {
            1 => self.outstanding.first().copied(),
            _ => None,
        }
    }
}

/// What the dependencies of one trial share.
pub struct Shared {
    /// The trial's clock.
    pub clock: Clock,
    /// Where to record.
    pub recorder: Recorder,
    /// The trial's seed.
    pub seed: u64,
    /// The trial's ceilings.
    pub limits: Limits,
    /// When the trial's time started, with the first operation handed over or the first call of a command: outages count
    /// from it; before it their time stands at zero.
    pub started: OnceLock<Stamp>,
    /// Operations that were handed over.
    pub running: Mutex<Running>,
    /// The idempotency keys that were handed over; `None` for a key that several operations share.
    pub keys: Mutex<BTreeMap<String, Option<OperationId>>>,
    /// The traces that were handed over, by their trace ids.
    pub traces: Mutex<BTreeMap<String, OperationId>>,
    /// Method and path of the operations whose address, with its marker, the client was handed itself.
    requests: Mutex<BTreeMap<OperationId, (String, String)>>,
    /// The header that tells operations apart, where the client passes one on.
    pub invocation: OnceLock<String>,
    /// The header in which the client sends keys, where it is one of its own.
    pub key_header: OnceLock<String>,
    /// Requests that come whether or not an operation is asked.
    pub anyway: Mutex<Anyway>,
    /// Whether every call of an operation carries a mark: one that carries none then belongs to none.
    pub all_marked: OnceLock<()>,
    /// Told when a ceiling is hit.
    pub ceiling_hit: Notify,
    /// Told when `started` is set: all that wait are to be told (`notify_waiters`).
    pub start: Notify,
    /// The names of the headers that were handed over, of the operations that have any.
    headers: Rare<BTreeMap<OperationId, Vec<CompactString>>>,
    next_call: Mutex<u32>,
    next_conn: Mutex<u32>,
    bytes: AtomicU64,
    out_of_files: AtomicBool,
    over: watch::Sender<bool>,
    /// The same, to be looked at with each call.
    is_over: AtomicBool,
}

impl Shared {
    /// A trial's shared state.
    pub fn new(clock: Clock, recorder: Recorder, seed: u64, limits: Limits) -> Self {
        Shared {
            clock,
            recorder,
            seed,
            limits,
            started: OnceLock::new(),
            running: Mutex::default(),
            keys: Mutex::default(),
            traces: Mutex::default(),
            requests: Mutex::default(),
            invocation: OnceLock::new(),
            key_header: OnceLock::new(),
            anyway: Mutex::default(),
            all_marked: OnceLock::new(),
            ceiling_hit: Notify::new(),
            start: Notify::new(),
            headers: Rare::default(),
            next_call: Mutex::new(1),
            next_conn: Mutex::new(1),
            bytes: AtomicU64::new(0),
            out_of_files: AtomicBool::new(false),
            over: watch::Sender::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    /// Sets `started` to this moment, if it is not set, and tells those who wait for it.
    pub fn start_now(&self) {
        let _ = self.started.set(self.clock.now());
        self.start.notify_waiters();
    }

    /// The header that carries keys: the client's own, or else the one that is configured, or else the draft's.
    pub(super) fn key_header<'a>(&'a self, configured: Option<&'a str>) -> &'a str {
        let own = self.key_header.get().map(String::as_str);
        own.or(configured).unwrap_or(head::KEY_HEADER)
    }

    /// Notes an idempotency key that an operation was handed; one that another has too tells nobody apart.
    pub fn note_key(&self, key: &str, op: OperationId) {
        let mut keys = lock(&self.keys);
        let owner = keys.entry(key.to_owned()).or_insert(Some(op));
        if *owner != Some(op) {
            *owner = None;
        }
    }

    /// Notes the headers that an operation was handed by its scenario.
    pub fn note_headers(&self, headers: &[(String, String)], op: OperationId) {
        if !headers.is_empty() {
            let names = headers.iter().map(|(name, _)| name.as_str().into());
            self.headers.note().insert(op, names.collect());
        }
    }

    /// The headers that an operation was handed and that are not among these.
    pub(super) fn lacking(&self, op: Option<OperationId>, there: &HeaderMap) -> Vec<CompactString> {
        let handed = self.headers.look();
        let Some(names) = handed.as_ref().and_then(|handed| handed.get(&op?)) else {
            return Vec::new();
        };
        let lacking = names.iter().filter(|name| !there.contains_key(name.as_str()));
        lacking.cloned().collect()
    }

    /// Notes the trace that an operation was handed.
    pub fn note_trace(&self, trace: &str, op: OperationId) {
        lock(&self.traces).insert(trace.to_owned(), op);
    }

    /// Notes what an operation asks for whose address the client was handed with a marker in it: a call without the marker is
    /// its own only if it asks for the same.
    pub fn note_request(&self, op: OperationId, method: &str, path: &str) {
        lock(&self.requests).insert(op, (method.to_owned(), without_query(path).to_owned()));
    }

    /// The only operation that is running, where a call by this method to this path can be its own.
    pub(super) fn alone_with(&self, method: &str, path: &str) -> Option<OperationId> {
        let op = self.alone()?;
        let requests = lock(&self.requests);
        let asks = requests.get(&op).is_none_or(|(m, p)| m == method && p == path);
        asks.then_some(op)
    }

    /// Notes what an operation will ask for, so that its request is not taken for one that comes anyway. The path may hold a
    /// query.
    pub fn own_request(&self, method: &str, path: &str) {
        lock(&self.anyway).own(method, without_query(path));
    }

    /// How long ago the first operation was handed over; zero before it was.
    pub(super) fn since_start(&self, now: Stamp) -> Duration {
        self.started
            .get()
            .map_or(Duration::ZERO, |started| now.since(*started))
    }

    /// The only operation that is running, where calls are known by that.
    pub(super) fn alone(&self) -> Option<OperationId> {
        let alone = lock(&self.running).alone();
        alone.filter(|_| self.all_marked.get().is_none())
    }

    /// Numbers a call and records its arrival in one step, so that calls are recorded in the order of their numbers.
    /// `None`, and nothing is recorded, where a ceiling is hit.
    pub(super) fn number_call<T>(&self, record: impl FnOnce(CallId) -> T) -> Option<T> {
        let mut next = lock(&self.next_call);
        if self.is_over() || !self.admits(*next <= self.limits.calls, Ceiling::Calls) {
            return None;
        }
        let recorded = record(CallId(*next));
        *next += 1;
        Some(recorded)
    }

    /// Numbers a connection as [`Shared::number_call`] numbers a call.
    pub(super) fn number_connection<T>(&self, record: impl FnOnce(ConnId) -> T) -> Option<T> {
        let mut next = lock(&self.next_conn);
        if self.is_over() || !self.admits(*next <= self.limits.connections, Ceiling::Connections) {
            return None;
        }
        let recorded = record(ConnId(*next));
        *next += 1;
        Some(recorded)
    }

    /// Counts bytes that were read from the client; false where a ceiling is hit.
    pub fn count_bytes(&self, n: usize) -> bool {
        let before = self.bytes.fetch_add(n as u64, Ordering::Relaxed);
        !self.is_over()
            && self.admits(
                before.saturating_add(n as u64) <= self.limits.bytes,
                Ceiling::Bytes,
            )
    }

    /// Notes that a connection could not be had or made. Where files had run out, it waited for the harness, and no client
    /// may be blamed for what came of that.
    pub fn note_failed(&self, error: &io::Error) {
        if is_out_of_files(error) {
            self.out_of_files.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the harness ran out of open files.
    pub fn ran_out_of_files(&self) -> bool {
        self.out_of_files.load(Ordering::Relaxed)
    }

    /// Whether a ceiling was hit: from then on everything is reset and nothing is recorded of it.
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Becomes true when a ceiling is hit.
    pub(super) fn over(&self) -> watch::Receiver<bool> {
        self.over.subscribe()
    }

    fn admits(&self, within: bool, ceiling: Ceiling) -> bool {
        if !within && !self.is_over.swap(true, Ordering::Relaxed) {
            self.over.send_replace(true);
            self.recorder.record(Fact::CeilingHit {
                at: self.clock.now(),
                ceiling,
            });
            // One permit is kept for an engine that does not wait at this moment.
            self.ceiling_hit.notify_one();
        }
        within
    }
}

fn without_query(path: &str) -> &str {
    path.split('?').next().unwrap_or_default()
}

/// A lock that a panic elsewhere cannot spoil: what it guards is never left half-changed.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
