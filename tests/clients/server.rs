//! Servers that fail once, and how often they were called.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

/// A server that answers as told so many times, and then with 200.
pub async fn failing(times: u64, answer: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(answer)
        .up_to_n_times(times)
        .mount(&server)
        .await;
    Mock::given(any())
        .respond_with(ResponseTemplate::new(200).set_body_string("hello"))
        .mount(&server)
        .await;
    server
}

/// How often the server was called.
pub async fn calls(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

/// A server on a bare socket that answers every call with those bytes and closes: its URL and its count.
pub fn closing(answer: &'static [u8]) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    std::thread::spawn(move || {
        for caller in listener.incoming() {
            let mut caller = caller.unwrap();
            // One read is enough for these short requests, and all of it is read, so that a close is no reset.
            if caller.read(&mut [0; 4096]).is_ok_and(|n| n > 0) {
                counted.fetch_add(1, Ordering::SeqCst);
                caller.write_all(answer).ok();
            }
        }
    });
    (url, count)
}

/// Five bytes are told, three are sent.
pub const TRUNCATED: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhel";
