//! What is measured: a dependency that is scripted and recorded.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use retrial::evidence::Recorder;
use retrial::scenario::Dependency;
use retrial::source::Source;
use retrial::term::OperationId;
use retrial::upstream::{Limits, Shared, Upstream};
use retrial::world::{RealWorld, World};

use super::Server;
use super::thread::Thread;

/// The script of a dependency with a history for each operation.
pub const SCRIPT: &str = "[{times: 1, answer: {status: 503}}, {answer: {status: 200}}]";

/// No ceiling.
const LIMITS: Limits = Limits {
    calls: u32::MAX,
    connections: u32::MAX,
    bytes: u64::MAX,
    time: Duration::MAX,
};

/// A dependency, scripted and recorded.
pub struct Scripted {
    thread: Thread,
    recorder: Recorder,
    authority: String,
}

impl Scripted {
    /// Serves this script on so many ports, for operations 1 to `operations`; the last port is told.
    pub fn serve(ports: usize, script: &str, operations: u32) -> Self {
        let (dependency, recorder) = (dependency(script), Recorder::new());
        let kept = recorder.clone();
        let (thread, authority) = Thread::start(move |up| async move {
            let shared = Arc::new(Shared::new(RealWorld.start_clock(), kept, 7, LIMITS));
            for op in 1..=operations {
                shared.running.lock().expect("no panic").insert(OperationId(op));
            }
            let mut served = Vec::new();
            for _ in 0..ports {
                let upstream = Upstream::serve(&RealWorld, dependency.clone(), shared.clone()).await;
                served.push(upstream.expect("a port"));
            }
            let last = served.last().expect("at least one port");
            up.send(last.authority().to_owned()).expect("who waits");
            pending().await
        });
        Scripted {
            thread,
            recorder,
            authority,
        }
    }

    /// The processor time that it has spent.
    pub fn spent(&self) -> Duration {
        self.thread.spent()
    }

    /// Drops what was recorded.
    pub fn forget(&self) {
        self.recorder.take();
    }
}

impl Server for Scripted {
    fn authority(&self) -> &str {
        &self.authority
    }
}

fn dependency(script: &str) -> Arc<Dependency> {
    let yaml = format!(
        "version: 1\ntitle: Speed\ndependencies: {{quota: {{script: {script}}}}}\n\
         operations: [{{request: {{method: GET, to: [quota], path: /report}}}}]\n"
    );
    let source = Arc::new(Source::new("speed.yaml".to_owned(), &yaml));
    let mut trials = retrial::scenario::load(source, "speed").expect("a sound scenario");
    Arc::new(trials.remove(0).dependencies.remove(0))
}
