//! Facts as they happen, counted by dependency, and told call by call.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Serialize;
use tokio::sync::mpsc::UnboundedSender;

use super::call::{CallRecord, CallWas, EffectWas};
use super::stand::Summary;
use crate::evidence::{EffectOutcome, Fact, GateState, Recorder};
use crate::term::{CallId, CutBy, Name, Stamp};

/// Calls that are over and whose effect is still due, at most: an effect that never comes is forgotten in the end.
const MOST_DUE: usize = 10_000;

/// What was counted at a dependency since the start or the last reset.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct PointCounts {
    /// Requests that arrived.
    pub calls: u64,
    /// Effects applied.
    pub delivered: u64,
    /// Effects begun and not committed.
    pub begun: u64,
    /// Calls recognised by their key, and not applied again.
    pub recognised: u64,
    /// Connections cut at accept, which carry no call.
    pub accept_cuts: u64,
    /// Connections on which something came that is not HTTP.
    pub unreadable: u64,
    /// Answers begun, by status.
    pub statuses: BTreeMap<u16, u64>,
}

/// What happened, for whoever watches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum News {
    /// It is served from now on: the start, a reset, or another scenario.
    Serving(Summary),
    /// A call is over; at a reset and at the end also those that are not.
    Call(Box<CallRecord>),
    /// A connection was cut at accept.
    AcceptCut {
        /// Where.
        dependency: String,
        /// When, in microseconds.
        at_us: Stamp,
        /// How.
        by: CutBy,
    },
    /// A gate opened or closed.
    Gate {
        /// Whose.
        dependency: String,
        /// When, in microseconds.
        at_us: Stamp,
        /// To what.
        gate: GateState,
    },
}

/// What was counted so far.
#[derive(Clone)]
pub(super) struct Ledger(Arc<Mutex<Book>>);

struct Book {
    points: BTreeMap<Name, PointCounts>,
    open: BTreeMap<CallId, Box<CallRecord>>,
    /// Where the effects of calls that are over are still due.
    due: BTreeMap<CallId, Name>,
    news: Option<UnboundedSender<News>>,
}

impl Ledger {
    /// A ledger in which every count is zero.
    pub(super) fn new(points: impl Iterator<Item = Name>, news: Option<UnboundedSender<News>>) -> Self {
        Ledger(Arc::new(Mutex::new(Book {
            points: points.map(|name| (name, PointCounts::default())).collect(),
            open: BTreeMap::new(),
            due: BTreeMap::new(),
            news,
        })))
    }

    /// A recorder that keeps nothing but this ledger.
    pub(super) fn recorder(&self) -> Recorder {
        let ledger = self.clone();
        Recorder::forgetful(Box::new(move |fact| ledger.lock().see(fact)))
    }

    /// The counts of a dependency.
    pub(super) fn counts(&self, point: &str) -> PointCounts {
        self.lock().points.get(point).cloned().unwrap_or_default()
    }

    /// Tells the calls that are not over, and nothing after them.
    pub(super) fn close(&self) {
        let mut book = self.lock();
        for call in std::mem::take(&mut book.open).into_values() {
            book.tell(News::Call(call));
        }
        book.news = None;
    }

    fn lock(&self) -> MutexGuard<'_, Book> {
        // Counts are never left half-changed.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    fn see(&mut self, fact: &Fact) {
        match fact {
            Fact::Arrived(head) => {
                self.at(&head.point).calls += 1;
                self.open.insert(head.call, Box::new(CallRecord::of(head)));
            }
            Fact::Decided {
                call, turn, effect, ..
            } => self.amend(*call, |c| {
                (c.turn, c.effect) = (Some(*turn), EffectWas::ordered(*effect));
            }),
            Fact::EffectDone { call, effect, .. } => self.effect(*call, *effect),
            Fact::AnswerBegan { call, at, status, .. } => self.answer(*call, *at, *status),
            Fact::AnswerEnded {
                call, complete, cut, ..
            } => {
                let ended = if *complete {
                    CallWas::Complete
                } else {
                    CallWas::Incomplete
                };
                self.amend(*call, |c| (c.ended, c.cut) = (ended, *cut));
                self.over(*call);
            }
            Fact::Connected {
                point,
                at,
                cut: Some(by),
                ..
            } => {
                self.at(point).accept_cuts += 1;
                let dependency = point.to_string();
                self.tell(News::AcceptCut {
                    dependency,
                    at_us: *at,
                    by: *by,
                });
            }
            Fact::Unreadable { point, .. } => self.at(point).unreadable += 1,
            Fact::GateChanged { point, at, gate } => self.tell(News::Gate {
                dependency: point.to_string(),
                at_us: *at,
                gate: *gate,
            }),
            // Nothing of these is counted here: most are of clients, and there is none.
            Fact::Connected { cut: None, .. }
            | Fact::TrialBegan { .. }
            | Fact::PointServed { .. }
            | Fact::LayerServed { .. }
            | Fact::LeftOut { .. }
            | Fact::ClientReady { .. }
            | Fact::Asked { .. }
            | Fact::Cancelled { .. }
            | Fact::BodyRead { .. }
            | Fact::PeerLeft { .. }
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
            | Fact::Interrupted { .. } => {}
        }
    }

    fn at(&mut self, point: &Name) -> &mut PointCounts {
        self.points.entry(point.clone()).or_default()
    }

    fn amend(&mut self, call: CallId, change: impl FnOnce(&mut CallRecord)) {
        if let Some(open) = self.open.get_mut(&call) {
            change(open);
        }
    }

    fn effect(&mut self, call: CallId, effect: EffectOutcome) {
        let late = self.due.remove(&call);
        let open = self.open.get_mut(&call);
        let Some(point) = late.or_else(|| {
            let open = open?;
            open.effect = effect.into();
            Some(Name::from(open.dependency.as_str()))
        }) else {
            return;
        };
        let counts = self.at(&point);
        match effect {
            EffectOutcome::Applied => counts.delivered += 1,
            EffectOutcome::Begun => counts.begun += 1,
            EffectOutcome::Recognised => counts.recognised += 1,
        }
    }

    fn answer(&mut self, call: CallId, at: Stamp, status: Option<u16>) {
        let Some(open) = self.open.get_mut(&call) else {
            return;
        };
        (open.status, open.answered_us) = (status, Some(at));
        let point = Name::from(open.dependency.as_str());
        if let Some(status) = status {
            *self.at(&point).statuses.entry(status).or_default() += 1;
        }
    }

    fn over(&mut self, call: CallId) {
        let Some(record) = self.open.remove(&call) else {
            return;
        };
        if record.effect == EffectWas::Due {
            self.due.insert(call, Name::from(record.dependency.as_str()));
            if self.due.len() > MOST_DUE {
                self.due.pop_first();
            }
        }
        self.tell(News::Call(record));
    }

    fn tell(&self, news: News) {
        if let Some(watcher) = &self.news {
            // A watcher that has left needs no news.
            let _ = watcher.send(news);
        }
    }
}
