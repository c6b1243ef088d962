//! A dependency served in the real world, and a raw socket before it.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use retrial::evidence::{Call, Evidence, Fact, Recorder};
use retrial::scenario::Dependency;
use retrial::term::OperationId;
use retrial::upstream::{Limits, Shared, Upstream};
use retrial::world::{RealWorld, World};
use tokio::runtime::{Builder, Runtime};

/// How long a test waits for what must come. Only a failing test waits so long.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long nothing may come, where nothing is to come.
pub const SILENCE: Duration = Duration::from_millis(80);

/// Ceilings that no test meets by accident.
pub const LIMITS: Limits = Limits {
    calls: 10_000,
    connections: 10_000,
    bytes: 1 << 30,
    time: Duration::from_secs(60),
};

/// A served dependency, with operation 1 handed over.
pub struct Stand {
    runtime: Runtime,
    upstream: Option<Upstream>,
    pub shared: Arc<Shared>,
    pub address: String,
}

impl Stand {
    /// Serves this.
    pub fn of(dependency: Dependency) -> Self {
        Stand::limited(dependency, LIMITS)
    }

    /// Serves this under these ceilings.
    pub fn limited(dependency: Dependency, limits: Limits) -> Self {
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let (shared, upstream) = runtime.block_on(async {
            let clock = RealWorld.start_clock();
            let shared = Arc::new(Shared::new(clock, Recorder::new(), 7, limits));
            shared.running.lock().unwrap().insert(OperationId(1));
            let served = Upstream::serve(&RealWorld, Arc::new(dependency), shared.clone()).await;
            (shared, served.unwrap())
        });
        let address = upstream.authority().to_owned();
        Stand {
            runtime,
            upstream: Some(upstream),
            shared,
            address,
        }
    }

    /// A connection to it.
    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream
    }

    /// Sends a request of operation 1 on a connection of its own.
    pub fn ask(&self, request: &str) -> TcpStream {
        let mut stream = self.connect();
        stream.write_all(request.as_bytes()).unwrap();
        stream
    }

    /// Ends the dependency and gives what was observed.
    pub fn finish(mut self) -> Evidence {
        if let Some(upstream) = self.upstream.take() {
            self.runtime.block_on(upstream.down());
        }
        Evidence::fold(&self.shared.recorder.facts())
    }

    /// Ends the dependency and gives its only call.
    pub fn only_call(self) -> Call {
        let mut calls = self.finish().calls;
        assert_eq!(calls.len(), 1, "{calls:#?}");
        calls.remove(0)
    }

    /// Waits until a fact like this was recorded.
    pub fn await_fact(&self, what: &str, is: impl Fn(&Fact) -> bool) {
        let until = std::time::Instant::now() + PATIENCE;
        while !self.shared.recorder.facts().iter().any(|fact| is(&fact)) {
            assert!(std::time::Instant::now() < until, "no fact in time: {what}");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// How a connection ended, as its client sees it.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    Fin,
    Rst,
    /// Nothing came for a while, and it is still open.
    Open,
}

/// Everything that comes on a connection, and how it ends; what is open is looked at for a short while.
pub fn read_all(stream: &mut TcpStream) -> (Vec<u8>, End) {
    let mut read = Vec::new();
    let mut room = [0; 16 * 1024];
    loop {
        match stream.read(&mut room) {
            Ok(0) => return (read, End::Fin),
            Ok(n) => read.extend_from_slice(&room[..n]),
            Err(e) if e.kind() == io::ErrorKind::ConnectionReset => return (read, End::Rst),
            Err(e) if e.kind() == io::ErrorKind::WouldBlock => return (read, End::Open),
            Err(e) => panic!("{e}"),
        }
    }
}

/// As [`read_all`], for a connection that is to stay open.
pub fn read_until_silent(stream: &mut TcpStream) -> (Vec<u8>, End) {
    stream.set_read_timeout(Some(SILENCE)).unwrap();
    read_all(stream)
}

/// One answer's head: up to the empty line, in text.
pub fn read_head(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    String::from_utf8(head).unwrap()
}

/// The value of a header in a head.
pub fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let mut lines = head.lines().filter_map(|l| l.split_once(": "));
    lines.find(|(n, _)| n.eq_ignore_ascii_case(name)).map(|(_, v)| v)
}

/// A GET of operation 1.
pub const GET: &str = "GET /op-1/send HTTP/1.1\r\nhost: x\r\n\r\n";
/// A POST of operation 1 with ten bytes.
pub const POST: &str = "POST /op-1/send HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\n0123456789";
