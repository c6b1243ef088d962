//! Who keeps the control endpoint waiting.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use retrial::scenario;
use retrial::serve::{Addresses, Control, Find, Stand};
use retrial::source::Source;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Mutex;
use tokio::sync::mpsc::unbounded_channel;

use crate::served::NOTICE;

/// Everything that comes back, to the end of the connection, for what is sent and never gone on with.
async fn told(sent: &str) -> String {
    let loaded = scenario::load(Arc::new(Source::new("notice.yaml", NOTICE)), "notice");
    let trial = Arc::new(loaded.expect("a scenario").remove(0));
    let (news, _told) = unbounded_channel();
    let stand = Stand::open(Addresses::default(), trial.clone(), 1, news).await;
    let stand = Arc::new(Mutex::new(stand.expect("ports are free")));
    let find: Find = Arc::new(move |_| Ok(trial.clone()));
    let at = (Ipv4Addr::LOCALHOST, 0).into();
    let control = Control::open(at, None, stand, find).expect("a port is free");
    let control = control.with_slowest(Duration::from_millis(50));
    let url = control.url();
    let running = tokio::spawn(control.run());
    let authority = url.strip_prefix("http://").expect("it is plain HTTP");
    let mut socket = TcpStream::connect(authority).await.expect("it listens");
    socket.write_all(sent.as_bytes()).await.expect("it is open");
    let mut said = Vec::new();
    // It ends with the connection, in order or not.
    let _ = socket.read_to_end(&mut said).await;
    running.abort();
    String::from_utf8_lossy(&said).into_owned()
}

#[tokio::test]
async fn a_body_that_does_not_come_is_not_waited_for() {
    let said = told("POST /scenario HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nvers").await;
    assert!(said.starts_with("HTTP/1.1 408"), "{said}");
}

#[tokio::test]
async fn neither_is_the_end_of_a_head_or_another_request() {
    assert_eq!(told("GET / HTTP/1.1\r\nHost: loc").await, "");
    let said = told("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n").await;
    assert!(said.starts_with("HTTP/1.1 200"), "{said}");
}
