//! One process of a service: started, awaited until it is ready, watched, and ended.

use std::path::Path;
use std::time::Duration;

use tokio::sync::{oneshot, watch};

use super::fill::Told;
use super::ready;
use crate::client::ProcessPlan;
use crate::drive::command::Program;
use crate::drive::mark::Mark;
use crate::drive::talk::Talk;
use crate::drive::tree::{Owned, Pipes, Tree, describe, end_of};
use crate::drive::{Bounds, Brief};
use crate::evidence::{ClientEnd, Fact};
use crate::term::Name;

/// What it takes to start one.
pub(super) struct Starting<'a> {
    pub(super) process: &'a ProcessPlan,
    pub(super) told: &'a Told,
    pub(super) folder: Option<&'a Path>,
    pub(super) brief: &'a Brief,
    pub(super) mark: &'a Mark,
    pub(super) talk: Talk,
    pub(super) bounds: Bounds,
}

impl Starting<'_> {
    /// Starts the process and waits until it is ready. `broke` becomes true when it ends by itself later.
    ///
    /// # Errors
    /// A sentence without a full stop, with what it said last.
    pub(super) async fn start(self, broke: watch::Sender<bool>) -> Result<Keeper, String> {
        let name = &self.process.name;
        let (mut tree, pipes) = self
            .spawn()
            .await
            .map_err(|because| format!("the layer `{name}` did not start: {because}"))?;
        let mut ears = Ears::new(pipes, &self.talk);
        let (clock, ready) = (self.brief.clock, &self.process.ready);
        let problem = tokio::select! {
            status = tree.wait() => Some(match status {
                Ok(status) => format!("ended with {} before it was ready", describe(&end_of(status))),
                Err(e) => format!("could not be waited for: {e}"),
            }),
            yes = ready::until_ready(ready, &self.told.listens, clock) => yes.err(),
        };
        if let Some(problem) = problem {
            tree.kill(clock).await;
            ears.drain(self.brief, self.bounds).await;
            return Err(format!("the layer `{name}` {problem}{}", self.talk.last_words()));
        }
        let (end, told_to_end) = oneshot::channel();
        let watched = broke.subscribe();
        let kept = Kept {
            name: name.clone(),
            tree,
            ears,
            talk: self.talk,
            brief: self.brief.clone(),
            bounds: self.bounds,
            broke,
        };
        Ok(Keeper {
            end,
            task: Owned(tokio::spawn(kept.run(told_to_end))),
            broke: watched,
        })
    }

    async fn spawn(&self) -> Result<(Tree, Pipes), String> {
        let (program, arguments) = self.process.command.split_first().ok_or("its command is empty")?;
        let written = self.told.write(&self.process.files).await;
        written.map_err(|e| format!("its files could not be written: {e}"))?;
        let program = Program::find(&self.told.fill(program), self.folder)?;
        let mut command = program.command(self.brief, self.mark);
        let own = &self.process.environment;
        command
            .args(arguments.iter().map(|a| self.told.fill(a)))
            .envs(self.told.environment())
            .envs(own.iter().map(|(name, value)| (name, self.told.fill(value))));
        Tree::spawn(&mut command).map_err(|e| format!("`{}`: {e}", program.written()))
    }
}

/// A running process, from outside.
pub(super) struct Keeper {
    end: oneshot::Sender<Duration>,
    task: Owned<()>,
    broke: watch::Receiver<bool>,
}

impl Keeper {
    /// Ready when any process of the service has ended by itself.
    pub(super) async fn any_broke(&self) {
        let mut broke = self.broke.clone();
        // The processes' tasks hold the sender; without them there is nothing left to break.
        if broke.wait_for(|broke| *broke).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Ends the process and its children.
    pub(super) async fn end(mut self, grace: Duration) {
        // A process that ended by itself needs no telling.
        let _ = self.end.send(grace);
        let _ = (&mut self.task.0).await;
    }
}

/// A running process, from inside its task.
struct Kept {
    name: Name,
    tree: Tree,
    ears: Ears,
    talk: Talk,
    brief: Brief,
    bounds: Bounds,
    broke: watch::Sender<bool>,
}

impl Kept {
    async fn run(mut self, mut told_to_end: oneshot::Receiver<Duration>) {
        tokio::select! {
            status = self.tree.wait() => {
                let how = match status {
                    Ok(status) => end_of(status),
                    Err(e) => ClientEnd::Killed { why: format!("its exit could not be waited for: {e}") },
                };
                self.ears.drain(&self.brief, self.bounds).await;
                self.broke(&format!("ended by itself with {}", describe(&how)));
                self.ended(how);
                self.broke.send_replace(true);
                self.tree.kill(self.brief.clock).await;
            }
            grace = &mut told_to_end => self.end(grace.unwrap_or_default()).await,
        }
    }

    /// Without grace the trial is over already, and nothing is held against it.
    async fn end(&mut self, grace: Duration) {
        let clock = self.brief.clock;
        if grace.is_zero() {
            self.tree.kill(clock).await;
        } else if !self.tree.end(clock, self.bounds).await {
            self.ears.drain(&self.brief, self.bounds).await;
            let within = humantime::format_duration(self.bounds.term_grace);
            self.broke(&format!("did not end within {within} of SIGTERM"));
        }
        self.ended(ClientEnd::Killed {
            why: format!("the trial of the layer `{}` was over", self.name),
        });
    }

    fn broke(&self, did: &str) {
        let because = format!("the layer `{}` {did}{}", self.name, self.talk.last_words());
        let at = self.brief.clock.now();
        self.brief.recorder.record(Fact::ClientBroke { at, because });
    }

    fn ended(&self, how: ClientEnd) {
        let at = self.brief.clock.now();
        self.brief.recorder.record(Fact::ClientEnded { at, how });
    }
}

/// What listens at a process's output.
struct Ears(Vec<Owned<()>>);

impl Ears {
    fn new(pipes: Pipes, talk: &Talk) -> Self {
        let out = pipes
            .stdout
            .map(|pipe| Owned(tokio::spawn(talk.clone().listen(pipe))));
        let err = pipes
            .stderr
            .map(|pipe| Owned(tokio::spawn(talk.clone().listen(pipe))));
        Ears(out.into_iter().chain(err).collect())
    }

    /// Waits a moment for what is still in the pipes; a grandchild may hold them open for ever.
    async fn drain(&mut self, brief: &Brief, bounds: Bounds) {
        for ear in &mut self.0 {
            if !ear.0.is_finished() {
                let _ = brief.clock.within(bounds.pipe_grace, &mut ear.0).await;
            }
        }
    }
}
