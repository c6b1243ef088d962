//! Who is asked: a dependency that is scripted and recorded, a bare hyper server, a stub. Each on a thread of its own.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use http_body_util::Empty;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, body::Bytes};
use hyper_util::rt::TokioIo;
use nix::time::ClockId;
use retrial::evidence::Recorder;
use retrial::scenario::Dependency;
use retrial::source::Source;
use retrial::term::OperationId;
use retrial::upstream::{Limits, Shared, Upstream};
use retrial::world::{RealWorld, World};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// No ceiling.
const LIMITS: Limits = Limits {
    calls: u32::MAX,
    connections: u32::MAX,
    bytes: u64::MAX,
    time: Duration::MAX,
};

/// A server on a thread of its own, which tells the processor time that it has spent.
struct Thread(mpsc::UnboundedSender<oneshot::Sender<Duration>>);

impl Thread {
    /// Serves with what `serve` makes, and gives what it tells when it is up.
    fn start<T, Serving>(serve: impl FnOnce(Sender<T>) -> Serving + Send + 'static) -> (Self, T)
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
                tokio::join!(serve(up), telling)
            })
        });
        (Thread(ask), is_up.recv().expect("a server that is up"))
    }

    fn spent(&self) -> Duration {
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

/// A dependency, scripted and recorded.
pub struct Scripted {
    thread: Thread,
    recorder: Recorder,
    /// `host:port`.
    pub authority: String,
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
            // Lives with its thread.
            std::mem::forget(served);
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

fn dependency(script: &str) -> Arc<Dependency> {
    let yaml = format!(
        "version: 1\ntitle: Speed\ndependencies: {{quota: {{script: {script}}}}}\n\
         operations: [{{request: {{method: GET, to: [quota], path: /report}}}}]\n"
    );
    let source = Arc::new(Source::new("speed.yaml".to_owned(), &yaml));
    let mut trials = retrial::scenario::load(source, "speed").expect("a sound scenario");
    Arc::new(trials.remove(0).dependencies.remove(0))
}

/// hyper, answering 200 to everything.
pub struct Bare {
    thread: Thread,
    /// `host:port`.
    pub authority: String,
}

impl Bare {
    /// Serves.
    pub fn serve() -> Self {
        let (thread, authority) = Thread::start(|up| async move {
            let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
            let address = listener.local_addr().expect("an address");
            up.send(address.to_string()).expect("who waits");
            while let Ok((stream, _)) = listener.accept().await {
                stream.set_nodelay(true).expect("a TCP connection");
                let service =
                    service_fn(|_| async { Ok::<_, Infallible>(Response::new(Empty::<Bytes>::new())) });
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        Bare { thread, authority }
    }

    /// The processor time that it has spent.
    pub fn spent(&self) -> Duration {
        self.thread.spent()
    }
}

/// wiremock, recording and answering 200 to everything.
pub struct Stub {
    _thread: Thread,
    /// `host:port`.
    pub authority: String,
}

impl Stub {
    /// Serves.
    pub fn serve() -> Self {
        let (thread, authority) = Thread::start(|up| async move {
            let server = MockServer::start().await;
            let ok = Mock::given(any()).respond_with(ResponseTemplate::new(200));
            ok.mount(&server).await;
            up.send(server.address().to_string()).expect("who waits");
            // Lives with its thread.
            std::mem::forget(server);
        });
        Stub {
            _thread: thread,
            authority,
        }
    }
}
