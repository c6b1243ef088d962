//! A dependency in memory that plays raw answers one after another, on a clock that tokio has paused.

use std::future::Future;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::time::{Instant, sleep};

use crate::reference::client::Client;
use crate::reference::connect::Connect;
use crate::reference::lines::{Order, Report};
use crate::reference::policy::Policy;
use crate::reference::wall::Wall;

/// 2026-01-01T00:00:00Z, in seconds since 1970.
pub const NEW_YEAR: u64 = 1_767_225_600;

/// One answer: how long it takes, its bytes, and whether the connection is closed after them.
#[derive(Clone)]
pub struct Step {
    after: Duration,
    bytes: String,
    close: bool,
}

/// An answer with that status and those further header lines, each ended by CRLF, `after_ms` after the request.
pub fn answer(after_ms: u64, status: u16, headers: &str) -> Step {
    Step {
        after: Duration::from_millis(after_ms),
        bytes: format!("HTTP/1.1 {status} X\r\n{headers}content-length: 2\r\n\r\nok"),
        close: false,
    }
}

/// Those bytes, and then the end of the connection.
pub fn raw(bytes: &str) -> Step {
    Step {
        after: Duration::ZERO,
        bytes: bytes.to_owned(),
        close: true,
    }
}

/// What a dependency saw: one request a line, and when it came.
#[derive(Clone)]
pub struct Stage {
    script: Arc<Vec<Step>>,
    seen: Arc<Mutex<Vec<(u64, String)>>>,
    opened: Arc<AtomicUsize>,
    began: Instant,
}

impl Stage {
    /// A dependency that plays the steps, the last for ever.
    pub fn new(script: Vec<Step>) -> Stage {
        Stage {
            script: Arc::new(script),
            seen: Arc::default(),
            opened: Arc::default(),
            began: Instant::now(),
        }
    }

    /// A client whose every connection leads here, and whose wall clock stands at [`NEW_YEAR`] now.
    pub fn client(&self, policy: Policy) -> Client<impl Connect> {
        let stage = self.clone();
        let connect = move |_authority: String| {
            let stage = stage.clone();
            async move {
                let (near, far) = duplex(64 * 1024);
                stage.opened.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(stage.serve(far));
                Ok::<_, io::Error>(near)
            }
        };
        let wall = Wall::standing_at(SystemTime::UNIX_EPOCH + Duration::from_secs(NEW_YEAR));
        Client::new(policy, connect, wall)
    }

    /// When the calls came, in milliseconds since the stage was set.
    pub fn dispatched(&self) -> Vec<u64> {
        self.seen.lock().unwrap().iter().map(|(at, _)| *at).collect()
    }

    /// How many connections were opened.
    pub fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    /// The requests, head and body.
    pub fn requests(&self) -> Vec<String> {
        self.seen
            .lock()
            .unwrap()
            .iter()
            .map(|(_, text)| text.clone())
            .collect()
    }

    /// Milliseconds since the stage was set.
    pub fn now(&self) -> u64 {
        self.began.elapsed().as_millis() as u64
    }

    async fn serve(self, mut stream: DuplexStream) {
        while let Some(request) = read_request(&mut stream).await {
            let step = self.next_step(request);
            sleep(step.after).await;
            stream.write_all(step.bytes.as_bytes()).await.ok();
            if step.close {
                return;
            }
        }
    }

    fn next_step(&self, request: String) -> Step {
        let mut seen = self.seen.lock().unwrap();
        seen.push((self.now(), request));
        self.script[(seen.len() - 1).min(self.script.len() - 1)].clone()
    }
}

async fn read_request(stream: &mut DuplexStream) -> Option<String> {
    let mut text = String::new();
    loop {
        let mut piece = [0; 1024];
        let n = stream.read(&mut piece).await.ok().filter(|n| *n > 0)?;
        text.push_str(&String::from_utf8_lossy(&piece[..n]));
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let length = head
            .lines()
            .find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.map_or(0, |digits| digits.parse().unwrap()) {
            return Some(text);
        }
    }
}

/// A GET.
pub fn get() -> Order {
    Order {
        op: "op-1".to_owned(),
        method: "GET".to_owned(),
        url: "http://stage:80/".to_owned(),
        ..Order::default()
    }
}

/// A POST with a body.
pub fn post() -> Order {
    Order {
        method: "POST".to_owned(),
        body_base64: Some("aGVsbG8=".to_owned()),
        ..get()
    }
}

/// Plays one operation: what it reported, and the stage it played on.
pub async fn play(policy: Policy, order: Order, script: Vec<Step>) -> (Report, Stage) {
    let stage = Stage::new(script);
    let report = stage.client(policy).operate(&order, never()).await;
    (report, stage)
}

/// Nobody calls the operation off.
pub fn never() -> impl Future<Output = ()> {
    std::future::pending()
}
