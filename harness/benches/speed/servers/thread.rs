//! A server on a thread of its own, which tells the processor time that it has spent.

use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use nix::time::ClockId;
use tokio::sync::{mpsc, oneshot};

/// A server's thread. It ends when this is dropped.
pub struct Thread(mpsc::UnboundedSender<oneshot::Sender<Duration>>);

impl Thread {
    /// Serves with what `serve` makes, which never ends by itself, and gives what it tells when it is up.
    pub fn start<T, Serving>(serve: impl FnOnce(Sender<T>) -> Serving + Send + 'static) -> (Self, T)
    where
        T: Send + 'static,
        Serving: Future<Output = ()>,
    {
        let ((up, is_up), (ask, mut asked)) = (channel(), mpsc::unbounded_channel());
        thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime").block_on(async {
                let telling = async {
                    while let Some(told) = asked.recv().await {
                        let told: oneshot::Sender<Duration> = told;
                        let _ = told.send(spent());
                    }
                };
                tokio::select! {
                    () = serve(up) => {}
                    () = telling => {}
                }
            })
        });
        (Thread(ask), is_up.recv().expect("a server that is up"))
    }

    /// The processor time that the thread has spent.
    pub fn spent(&self) -> Duration {
        let (tell, told) = oneshot::channel();
        self.0.send(tell).expect("a server that runs");
        told.blocking_recv().expect("a server that runs")
    }
}

/// The processor time of this thread.
fn spent() -> Duration {
    let spent = ClockId::CLOCK_THREAD_CPUTIME_ID.now();
    spent.expect("a clock of this thread").into()
}
