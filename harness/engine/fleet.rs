//! The clients of one trial: as many as its largest group asks for, each with a session of its own.

use std::future::{Future, poll_fn};
use std::path::PathBuf;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use crate::drive::{Brief, Session, StartError};
use crate::scenario::{Planned, Trial};
use crate::term::ProcessId;

/// Clients that run.
pub(super) struct Fleet<S> {
    sessions: Vec<S>,
}

impl<S: Session> Fleet<S> {
    /// Starts clients together, one for each brief. `None`: one of them could not be started, and those that could were
    /// ended; the driver recorded it.
    pub(super) async fn start<F>(starts: Vec<F>) -> Option<Self>
    where
        F: Future<Output = Result<S, StartError>>,
    {
        let started = together(starts).await;
        let wanted = started.len();
        let sessions: Vec<S> = started.into_iter().flatten().collect();
        let fleet = Fleet { sessions };
        if fleet.sessions.len() < wanted {
            fleet.finish(Duration::ZERO).await;
            return None;
        }
        Some(fleet)
    }

    /// The session of the client to which an operation falls.
    pub(super) fn session(&self, planned: &Planned<'_>) -> Option<&S> {
        let client = planned.group.client_of(planned.id);
        self.sessions.get(client as usize - 1)
    }

    /// Ends all of them.
    pub(super) async fn finish(self, grace: Duration) {
        together(self.sessions.into_iter().map(|s| s.finish(grace)).collect()).await;
    }
}

/// The instance of the client that an operation is handed to.
pub(super) fn process_of(planned: &Planned<'_>, starts_per_operation: bool) -> ProcessId {
    match starts_per_operation {
        true => ProcessId(planned.id.0),
        false => ProcessId(planned.group.client_of(planned.id)),
    }
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
            let given = trial.given.as_ref().map(|given| given.for_client(client));
            // A policy is plain data: it always serialises.
            brief.hello.given = given.and_then(|given| serde_json::to_value(given).ok());
            Ok(brief)
        })
        .collect()
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
