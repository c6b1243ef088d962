//! A raw client and a raw layer that speak their parts, and what each of them saw.

use std::io::ErrorKind;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use retrial::evidence::{Arrival, Attribution, Evidence, Fact, Recorder};
use retrial::tap::{Head, Register, Tap};
use retrial::term::{CallId, ConnId, Effect, LayerRole, Name, Role, Sha256, StampedBy};
use retrial::world::{Clock, RealWorld, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// For how long a step may take: nothing here takes a tenth of it.
const PATIENCE: Duration = Duration::from_secs(20);

/// What one side does.
#[derive(Clone, Debug)]
pub enum Step {
    /// Sends these bytes; what the other side does not take any more is passed over.
    Say(Vec<u8>),
    /// Reads until it has so many bytes in all, or the end.
    HearUntil(usize),
    /// Reads to the end.
    HearAll,
    /// Ends its direction (FIN) and goes on listening.
    Fin,
    /// Resets the connection.
    Rst,
    /// Lets the other side have what was said before.
    Pause,
}

/// How a side's reading ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Open,
    Fin,
    Rst,
}

/// What a side saw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Saw {
    pub bytes: Vec<u8>,
    pub end: End,
}

pub fn say(text: &str) -> Step {
    Step::Say(text.as_bytes().to_vec())
}

pub async fn play(mut socket: TcpStream, steps: Vec<Step>) -> Saw {
    socket.set_nodelay(true).unwrap();
    let mut saw = Saw {
        bytes: Vec::new(),
        end: End::Open,
    };
    // A kernel tells a reset once: who met it while writing reads what looks like an orderly end.
    let mut was_reset = false;
    for step in steps {
        match step {
            Step::Say(bytes) => {
                let said = socket.write_all(&bytes).await;
                was_reset |= said.is_err_and(|e| e.kind() == ErrorKind::ConnectionReset);
            }
            Step::HearUntil(n) => hear(&mut socket, &mut saw, n, was_reset).await,
            Step::HearAll => hear(&mut socket, &mut saw, usize::MAX, was_reset).await,
            Step::Fin => {
                let _ = socket.shutdown().await;
            }
            Step::Rst => {
                let _ = socket2::SockRef::from(&socket).set_linger(Some(Duration::ZERO));
                return saw;
            }
            Step::Pause => tokio::time::sleep(Duration::from_millis(60)).await,
        }
    }
    saw
}

async fn hear(socket: &mut TcpStream, saw: &mut Saw, until: usize, was_reset: bool) {
    let mut portion = vec![0; 64 * 1024];
    while saw.bytes.len() < until && saw.end == End::Open {
        let most = portion.len().min(until - saw.bytes.len());
        let read = tokio::time::timeout(PATIENCE, socket.read(&mut portion[..most]));
        match read.await.expect("the other side says something") {
            Ok(0) if was_reset => saw.end = End::Rst,
            Ok(0) => saw.end = End::Fin,
            Ok(n) => saw.bytes.extend_from_slice(&portion[..n]),
            Err(_) => saw.end = End::Rst,
        }
    }
}

/// Writes down what a tap hears, numbered as an engine numbers it.
pub struct Book {
    clock: Clock,
    recorder: Recorder,
    calls: AtomicU32,
    connections: AtomicU32,
}

impl Book {
    pub fn new() -> Arc<Self> {
        let recorder = Recorder::new();
        recorder.record(Fact::LayerServed {
            point: "layer".into(),
            role: LayerRole::Service,
            base: String::new(),
        });
        Arc::new(Book {
            clock: RealWorld.start_clock(),
            recorder,
            calls: AtomicU32::new(1),
            connections: AtomicU32::new(1),
        })
    }

    pub fn evidence(&self) -> Evidence {
        Evidence::fold(&self.recorder.facts())
    }
}

impl Register for Book {
    fn clock(&self) -> Clock {
        self.clock
    }

    fn connection(&self, _: &Name) -> Option<ConnId> {
        Some(ConnId(self.connections.fetch_add(1, Ordering::Relaxed)))
    }

    fn call(&self, point: &Name, conn: ConnId, nth_on_conn: u32, head: &Head) -> Option<CallId> {
        let call = CallId(self.calls.fetch_add(1, Ordering::Relaxed));
        self.recorder.record(Fact::Arrived(Box::new(Arrival {
            call,
            op: None,
            by: Attribution::Nothing,
            role: Role::Side,
            point: point.clone(),
            conn,
            nth_on_conn,
            protocol: head.protocol.into(),
            method: head.method.as_str().into(),
            path: head.path.as_str().into(),
            query: head.query.clone(),
            keys: Vec::new(),
            lacks: Vec::new(),
            head_sha256: Sha256::default(),
            at: head.at,
            stamped_by: StampedBy::Program,
            turn: None,
            outage: None,
            overflow: false,
            queued_us: 0,
            effect: Effect::None,
        })));
        Some(call)
    }

    fn bytes(&self, _: usize) -> bool {
        true
    }

    fn note(&self, fact: Fact) {
        self.recorder.record(fact);
    }

    fn failed(&self, error: &std::io::Error) {
        panic!("this machine has what a tap needs: {error}");
    }
}

/// What client and layer saw of one conversation.
pub type Both = (Saw, Saw);

async fn conversation(at: &str, listener: &TcpListener, client: Vec<Step>, layer: Vec<Step>) -> Both {
    let asking = async { play(TcpStream::connect(at).await.unwrap(), client).await };
    let answering = async { play(listener.accept().await.unwrap().0, layer).await };
    tokio::join!(asking, answering)
}

/// The conversation directly, through a tap, and what the tap heard.
pub async fn directly_and_tapped(client: Vec<Step>, layer: Vec<Step>) -> (Both, Both, Evidence) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let direct = conversation(&address, &listener, client.clone(), layer.clone()).await;
    let book = Book::new();
    let tap = Tap::serve(&RealWorld, "layer".into(), address, book.clone())
        .await
        .unwrap();
    let tapped = conversation(tap.authority(), &listener, client, layer).await;
    // The connection's task writes its last line when both sides are gone.
    for _ in 0..200 {
        let evidence = book.evidence();
        if evidence.passed.iter().all(|c| c.answer_ended.is_some()) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    tap.down().await;
    (direct, tapped, book.evidence())
}

/// Plays a conversation both ways, and fails where they differ. Returns what the client saw and what the tap heard.
pub async fn alike(client: Vec<Step>, layer: Vec<Step>) -> (Both, Evidence) {
    let (direct, tapped, evidence) = directly_and_tapped(client, layer).await;
    for (who, direct, tapped) in [("client", &direct.0, &tapped.0), ("layer", &direct.1, &tapped.1)] {
        assert_eq!(
            (direct.bytes.len(), direct.end),
            (tapped.bytes.len(), tapped.end),
            "what the {who} saw differs through the tap"
        );
        assert!(
            direct.bytes == tapped.bytes,
            "the bytes that the {who} saw differ"
        );
    }
    (tapped, evidence)
}
