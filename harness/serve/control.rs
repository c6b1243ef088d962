//! The control endpoint: counts, reset, another scenario, over HTTP.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ORIGIN};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use percent_encoding::percent_decode_str;
use tokio::sync::Mutex;

use super::addresses::sentence;
use super::hosts::Hosts;
use super::stand::Stand;
use crate::scenario::Trial;
use crate::world::{Clock, Gate, PortGate, RealWorld, World};

/// The longest scenario that is read.
const MOST_BYTES: usize = 1024 * 1024;

/// How long to wait before the system is asked again for a connection that it would not give.
const AGAIN: Duration = Duration::from_millis(10);

/// For how long the body of a request is waited for, and at most twice as long for the whole of it: nobody holds a
/// connection open for nothing.
const SLOWEST: Duration = Duration::from_secs(15);

/// What there is, for whoever asks for something else.
const THERE_IS: &str = "there is GET / (the counts), POST /reset, POST /scenario (a scenario file is the body; \
                        ?trial=ID names one of several that it makes) and POST /scenario/NAME\n";

/// The scenario that is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// A scenario or trial by name.
    Named(String),
    /// A scenario file's text, and which of its trials, where it makes several.
    Text {
        /// The file.
        yaml: String,
        /// The id of the trial.
        trial: Option<String>,
    },
}

/// Finds the trial that is asked for, or says as text why there is none.
pub type Find = Arc<dyn Fn(&Wanted) -> Result<Arc<Trial>, String> + Send + Sync>;

/// The control endpoint of a stand.
pub struct Control {
    gate: PortGate,
    desk: Arc<Desk>,
}

#[derive(Clone)]
struct Desk {
    stand: Arc<Mutex<Stand>>,
    find: Find,
    hosts: Hosts,
    slowest: Duration,
    clock: Clock,
}

type Answer = Response<Full<Bytes>>;

impl Control {
    /// Listens at this address; port 0 is a free one. It answers to addresses, to `localhost`, and to the host under which
    /// the stand is made known.
    ///
    /// # Errors
    /// The address cannot be had: a sentence.
    pub fn open(
        at: SocketAddr,
        advertise: Option<&str>,
        stand: Arc<Mutex<Stand>>,
        find: Find,
    ) -> io::Result<Self> {
        let opened = RealWorld.listen_at(at).and_then(|mut gate| {
            gate.open()?;
            Ok(gate)
        });
        let gate =
            opened.map_err(|e| sentence(&e, &format!("the control endpoint cannot listen on {at}")))?;
        let desk = Arc::new(Desk {
            stand,
            find,
            hosts: Hosts::known_as(advertise),
            slowest: SLOWEST,
            clock: RealWorld.start_clock(),
        });
        Ok(Control { gate, desk })
    }

    /// The same, with another time for which the body of a request is waited for; otherwise 15 s.
    #[must_use]
    pub fn with_slowest(self, slowest: Duration) -> Self {
        let desk = Desk {
            slowest,
            ..Desk::clone(&self.desk)
        };
        Control {
            desk: Arc::new(desk),
            ..self
        }
    }

    /// Its URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.gate.authority())
    }

    /// Answers requests until dropped.
    pub async fn run(mut self) {
        loop {
            let Ok(socket) = self.gate.accept().await else {
                // Such as too many open files: it passes.
                self.desk.clock.sleep(AGAIN).await;
                continue;
            };
            let desk = self.desk.clone();
            tokio::spawn(async move {
                let (clock, longest) = (desk.clock, desk.slowest * 2);
                let service = service_fn(move |request| {
                    let desk = desk.clone();
                    async move { Ok::<_, Infallible>(desk.answer(request).await) }
                });
                let served = http1::Builder::new()
                    .keep_alive(false)
                    .serve_connection(TokioIo::new(socket), service);
                // Whoever leaves half-way gets no answer, and neither does who never comes to the end of a head.
                let _ = clock.within(longest, served).await;
            });
        }
    }
}

impl Desk {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        // A page in somebody's browser must not reset what a test counts.
        if request.headers().contains_key(ORIGIN) {
            return text(StatusCode::FORBIDDEN, "not for pages in a browser\n".to_owned());
        }
        // Nor one whose name was made to lead here after it was loaded: to its browser this is its own origin.
        if !self.hosts.are_of(&request) {
            return text(StatusCode::MISDIRECTED_REQUEST, Hosts::REFUSED.to_owned());
        }
        let path = request.uri().path().to_owned();
        let named = path.strip_prefix("/scenario/");
        match (request.method(), path.as_str(), named) {
            (&Method::GET, "/", _) => self.counts().await,
            (&Method::POST, "/reset", _) => self.reset().await,
            (&Method::POST, "/scenario", _) => {
                let trial = trial(request.uri().query());
                match self.body(request).await {
                    Ok(yaml) => self.switch(Wanted::Text { yaml, trial }).await,
                    Err(refused) => refused,
                }
            }
            (&Method::POST, _, Some(name)) => self.switch(Wanted::Named(decoded(name))).await,
            (_, "/" | "/reset" | "/scenario", _) | (_, _, Some(_)) => {
                text(StatusCode::METHOD_NOT_ALLOWED, THERE_IS.to_owned())
            }
            _ => text(StatusCode::NOT_FOUND, THERE_IS.to_owned()),
        }
    }

    async fn counts(&self) -> Answer {
        json(&*self.stand.lock().await)
    }

    async fn reset(&self) -> Answer {
        let mut stand = self.stand.lock().await;
        match stand.reset().await {
            Ok(()) => json(&stand),
            Err(e) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{e}\n")),
        }
    }

    /// The body of a request, if it is one of a scenario and comes in time.
    async fn body(&self, request: Request<Incoming>) -> Result<String, Answer> {
        let read = Limited::new(request.into_body(), MOST_BYTES).collect();
        let Ok(read) = self.clock.within(self.slowest, read).await else {
            let why = format!("the body did not come within {} s\n", self.slowest.as_secs());
            return Err(text(StatusCode::REQUEST_TIMEOUT, why));
        };
        let Ok(whole) = read else {
            let why = format!("a scenario of at most {MOST_BYTES} bytes is expected\n");
            return Err(text(StatusCode::PAYLOAD_TOO_LARGE, why));
        };
        String::from_utf8(whole.to_bytes().to_vec())
            .map_err(|_| text(StatusCode::BAD_REQUEST, "a scenario is UTF-8 text\n".to_owned()))
    }

    async fn switch(&self, wanted: Wanted) -> Answer {
        let trial = match (self.find)(&wanted) {
            Ok(trial) => trial,
            Err(why) => return text(StatusCode::BAD_REQUEST, why),
        };
        let mut stand = self.stand.lock().await;
        match stand.switch(trial).await {
            Ok(()) => json(&stand),
            Err(e) => text(StatusCode::CONFLICT, format!("{e}\n")),
        }
    }
}

/// The trial that a query names: `trial=ID`.
fn trial(query: Option<&str>) -> Option<String> {
    let named = query?.split('&').find_map(|pair| pair.strip_prefix("trial="));
    named.map(decoded)
}

fn json(stand: &Stand) -> Answer {
    match serde_json::to_vec(&stand.summary()) {
        Ok(mut bytes) => {
            bytes.push(b'\n');
            answer(StatusCode::OK, "application/json", bytes.into())
        }
        Err(e) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{e}\n")),
    }
}

fn text(status: StatusCode, text: String) -> Answer {
    answer(status, "text/plain; charset=utf-8", text.into())
}

fn answer(status: StatusCode, kind: &'static str, body: Bytes) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    let kind = http::HeaderValue::from_static(kind);
    answer.headers_mut().insert(CONTENT_TYPE, kind);
    answer
}

/// A path's `%5B` and its like, decoded: the ids of trials hold brackets.
fn decoded(path: &str) -> String {
    percent_decode_str(path).decode_utf8_lossy().into_owned()
}
