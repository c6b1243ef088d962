//! The floor: hyper alone.

use std::convert::Infallible;
use std::time::Duration;

use http_body_util::Empty;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, body::Bytes};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

use super::Server;
use super::thread::Thread;

/// hyper, answering 200 to everything.
pub struct Bare {
    thread: Thread,
    authority: String,
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

impl Server for Bare {
    fn authority(&self) -> &str {
        &self.authority
    }
}
