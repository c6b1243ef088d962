//! Stubs that others made, told to answer as the scripted dependency does, and to keep what they received.

use std::future::pending;
use std::sync::atomic::{AtomicBool, Ordering};

use httpmock::prelude::{HttpMockRequest, HttpMockResponse, MockServer as HttpmockServer};
use wiremock::matchers::{any, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::Server;
use super::thread::Thread;

/// Where operation `op` calls.
fn path_of(op: u32) -> String {
    format!("/op-{op}/report")
}

/// wiremock, which records all requests that it received.
pub struct Wiremock {
    _thread: Thread,
    authority: String,
}

impl Wiremock {
    /// Serves operations 1 to `operations`: each is answered 503 once, then 200.
    pub fn serve(operations: u32) -> Self {
        let mut rules = Vec::new();
        for op in 1..=operations {
            let unavailable = Mock::given(path(path_of(op))).respond_with(ResponseTemplate::new(503));
            rules.push(unavailable.up_to_n_times(1));
            rules.push(Mock::given(path(path_of(op))).respond_with(ResponseTemplate::new(200)));
        }
        Self::with(rules)
    }

    /// Serves by one rule: 200 to everything.
    pub fn serve_all_alike() -> Self {
        Self::with(vec![Mock::given(any()).respond_with(ResponseTemplate::new(200))])
    }

    fn with(rules: Vec<Mock>) -> Self {
        let (thread, authority) = Thread::start(|up| async move {
            let server = MockServer::start().await;
            for rule in rules {
                rule.mount(&server).await;
            }
            up.send(server.address().to_string()).expect("who waits");
            pending().await
        });
        Wiremock {
            _thread: thread,
            authority,
        }
    }
}

impl Server for Wiremock {
    fn authority(&self) -> &str {
        &self.authority
    }
}

/// httpmock, which records the last hundred requests: a server that it starts in a test cannot be told to keep more.
pub struct Httpmock {
    _server: HttpmockServer,
    authority: String,
}

impl Httpmock {
    /// Serves operations 1 to `operations`: each is answered 503 once, then 200.
    pub fn serve(operations: u32) -> Self {
        let server = HttpmockServer::start();
        for op in 1..=operations {
            let failed = AtomicBool::new(false);
            let answer = move |_: &HttpMockRequest| {
                let status = match failed.swap(true, Ordering::Relaxed) {
                    true => 200,
                    false => 503,
                };
                HttpMockResponse::builder().status(status).build()
            };
            server.mock(|when, then| {
                when.path(path_of(op));
                then.respond_with(answer);
            });
        }
        Httpmock {
            authority: server.address().to_string(),
            _server: server,
        }
    }
}

impl Server for Httpmock {
    fn authority(&self) -> &str {
        &self.authority
    }
}
