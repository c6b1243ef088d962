//! The clients of one trial: as many as its largest group asks for, each with a session of its own.

use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use super::Setup;
use crate::client::policy_line;
use crate::drive::{Brief, Session, StartError};
use crate::evidence::Fact;
use crate::scenario::{Planned, Trial};
use crate::term::{ProcessId, Stamp};
use crate::world::Clock;

/// Clients that run, each in its place.
pub(super) struct Fleet<S> {
    places: Mutex<Vec<Place<S>>>,
}

/// The place of one client.
struct Place<S> {
    /// `None` only while it is started anew, or where that failed.
    session: Option<Arc<S>>,
    /// Which process stands here: those of the start from 1 on, and then each that takes another's place.
    process: ProcessId,
    brief: Brief,
}

impl<S: Session> Fleet<S> {
    /// Starts clients together, one for each brief. `None`: one of them could not be started, and those that could were
    /// ended; the driver recorded it.
    pub(super) async fn start<F, R>(briefs: Vec<Brief>, start: F) -> Option<Self>
    where
        F: Fn(Brief) -> R,
        R: Future<Output = Result<S, StartError>>,
    {
        let started = together(briefs.iter().cloned().map(start).collect()).await;
        let wanted = started.len();
        let place = |(started, (brief, nth)): (Result<S, StartError>, (Brief, u32))| {
            Some(Place {
                session: Some(Arc::new(started.ok()?)),
                process: ProcessId(nth),
                brief,
            })
        };
        let numbered = briefs.into_iter().zip(1..);
        let places: Vec<Place<S>> = started.into_iter().zip(numbered).filter_map(place).collect();
        let complete = places.len() == wanted;
        let fleet = Fleet {
            places: Mutex::new(places),
        };
        if !complete {
            fleet.finish(Duration::ZERO).await;
            return None;
        }
        Some(fleet)
    }

    /// The session of the client to which an operation falls.
    pub(super) fn session(&self, planned: &Planned<'_>) -> Option<Arc<S>> {
        let places = self.lock();
        places.get(index(planned))?.session.clone()
    }

    /// The instance of the client that an operation is handed to.
    pub(super) fn process_of(&self, planned: &Planned<'_>, starts_per_operation: bool) -> ProcessId {
        match starts_per_operation {
            true => ProcessId(planned.id.0),
            false => self
                .lock()
                .get(index(planned))
                .map_or(ProcessId::FIRST, |p| p.process),
        }
    }

    /// Ends so many clients, from the first, that have nothing to do, and starts others in their places. `None`: one of
    /// them could not be started; the driver recorded it.
    pub(super) async fn restart<F, R>(
        &self,
        clients: u32,
        setup: &Setup,
        clock: Clock,
        start: F,
    ) -> Option<()>
    where
        F: Fn(Brief) -> R,
        R: Future<Output = Result<S, StartError>>,
    {
        let old = self.take(clients);
        end_all(old, setup.patience.leave).await;
        let briefs = self.replace(clients, setup, clock.now());
        let started = together(briefs.into_iter().map(start).collect()).await;
        let mut places = self.lock();
        for (place, started) in places.iter_mut().zip(started) {
            place.session = started.ok().map(Arc::new);
        }
        let there = places.iter().all(|place| place.session.is_some());
        there.then_some(())
    }

    /// Ends all of them.
    pub(super) async fn finish(self, grace: Duration) {
        let all = self.take(u32::MAX);
        end_all(all, grace).await;
    }

    /// The sessions of the first clients, out of their places.
    fn take(&self, clients: u32) -> Vec<S> {
        let mut places = self.lock();
        let first = places.iter_mut().take(clients as usize);
        let sessions = first.filter_map(|place| place.session.take());
        // Nobody asks them anything any more; otherwise the last owner's drop ends the client.
        sessions.filter_map(Arc::into_inner).collect()
    }

    /// Numbers those that come in the places of the first clients, and says what each is told.
    fn replace(&self, clients: u32, setup: &Setup, at: Stamp) -> Vec<Brief> {
        let mut places = self.lock();
        let mut last = places.iter().map(|place| place.process.0).max().unwrap_or(0);
        let mut briefs = Vec::new();
        for place in places.iter_mut().take(clients as usize) {
            last += 1;
            let process = std::mem::replace(&mut place.process, ProcessId(last));
            let successor = place.process;
            setup.recorder.record(Fact::ClientRestarted {
                at,
                process,
                successor,
            });
            place.brief.hello.given = given(&setup.trial, successor);
            briefs.push(place.brief.clone());
        }
        briefs
    }

    /// A panic while this is held cannot leave a half-changed place behind.
    fn lock(&self) -> MutexGuard<'_, Vec<Place<S>>> {
        self.places.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The place of the client to which an operation falls, from 0.
fn index(planned: &Planned<'_>) -> usize {
    planned.group.client_of(planned.id) as usize - 1
}

async fn end_all<S: Session>(sessions: Vec<S>, grace: Duration) {
    together(sessions.into_iter().map(|s| s.finish(grace)).collect()).await;
}

/// What each client of the trial is told: a folder and a stream of chance of its own.
///
/// # Errors
/// Its folder cannot be made.
pub(super) fn briefs(trial: &Trial, first: &Brief) -> std::io::Result<Vec<Brief>> {
    let clients = trial.clients();
    (1..=clients)
        .map(|client| {
            let mut brief = first.clone();
            if clients > 1 {
                brief.tmp = folder(first, client)?;
            }
            brief.hello.given = given(trial, ProcessId(client));
            Ok(brief)
        })
        .collect()
}

/// The policy as it is handed to one process, with a stream of chance that no other has.
fn given(trial: &Trial, process: ProcessId) -> Option<serde_json::Value> {
    let given = trial.given.as_ref()?.for_client(process.0);
    Some(policy_line(&given))
}

fn folder(first: &Brief, client: u32) -> std::io::Result<PathBuf> {
    let folder = first.tmp.join(format!("client-{client}"));
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

/// Runs all of them side by side, and gives what they give in their order.
async fn together<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut running: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut ended: Vec<Option<F::Output>> = running.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, end) in running.iter_mut().zip(&mut ended) {
            if end.is_none()
                && let Poll::Ready(output) = future.as_mut().poll(cx)
            {
                *end = Some(output);
            }
        }
        match ended.iter().all(Option::is_some) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        }
    })
    .await;
    ended.into_iter().flatten().collect()
}
