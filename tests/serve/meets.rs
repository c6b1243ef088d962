//! What a system meets at dependencies that are served alone.

use std::io::ErrorKind;

use crate::served::{NOTICE, Served, ask, free_port, status};

#[test]
fn calls_without_a_marker_take_turn_after_turn_on_whatever_connection() {
    let port = free_port();
    let mut served = Served::start(NOTICE, &["--port", &format!("notification={port}")]);
    let authority = served.authority("notification");
    assert_eq!(authority, format!("127.0.0.1:{port}"));
    let first = ask(&authority, "POST /send", "hello").unwrap();
    assert_eq!(status(&first), 503);
    assert!(
        first.to_ascii_lowercase().contains("\r\nretry-after: 2\r\n"),
        "{first}"
    );
    let second = ask(&authority, "POST /send", "hello").map_err(|e| e.kind());
    assert_eq!(second, Err(ErrorKind::ConnectionReset));
    for _ in 0..2 {
        let answer = ask(&authority, "POST /send", "hello").unwrap();
        assert!(answer.ends_with("\r\n\r\nsent"), "{answer}");
    }
}

#[test]
fn each_call_is_a_line_with_its_effect_and_its_answer() {
    let mut served = Served::start(NOTICE, &[]);
    let authority = served.authority("notification");
    let _ = ask(&authority, "POST /send?to=a", "hello");
    let _ = ask(&authority, "POST /send", "hello");
    let mut lines = [served.line(), served.line()];
    for line in &mut lines {
        for time in ["arrived_us", "answered_us"] {
            let at = &mut line["call"][time];
            assert!(at.is_u64() || at.is_null(), "{at}");
            *at = "..".into();
        }
    }
    insta::assert_snapshot!(lines.map(|line| line.to_string()).join("\n"), @r#"
    {"call":{"answered_us":"..","arrived_us":"..","call":1,"dependency":"notification","effect":"applied","ended":"complete","method":"POST","path":"/send","query":"to=a","status":503,"turn":0}}
    {"call":{"answered_us":"..","arrived_us":"..","call":2,"cut":["before_answer","rst"],"dependency":"notification","effect":"applied","ended":"incomplete","method":"POST","path":"/send","status":null,"turn":1}}
    "#);
}

#[test]
fn it_listens_where_it_is_told_and_tells_the_host_that_it_is_told() {
    // Who listens on every address, or on this one, cannot have this port.
    let elsewhere = std::net::TcpListener::bind("127.0.0.1:0").expect("a port is free");
    let port = elsewhere.local_addr().expect("it is bound").port();
    let chosen = format!("membership={port}");
    let arguments = [
        "--bind",
        "127.0.0.2",
        "--advertise",
        "build-7.example",
        "--port",
        &chosen,
    ];
    let mut served = Served::start(NOTICE, &arguments);
    assert_eq!(served.authority("membership"), format!("build-7.example:{port}"));
    let answer = ask(&format!("127.0.0.2:{port}"), "GET /member", "");
    assert_eq!(status(&answer.unwrap()), 200);
}

#[test]
fn the_time_of_an_outage_starts_with_the_serving() {
    let refused = NOTICE.replace(
        "    script:\n",
        "    outages: [{from: 0s, until: 300ms, be: refused}]\n    script:\n",
    );
    let mut served = Served::start(&refused, &[]);
    let authority = served.authority("notification");
    // Nobody can make a first call at a gate that refuses: it must open by itself.
    let answer = loop {
        match ask(&authority, "POST /send", "hello") {
            Ok(answer) => break answer,
            Err(e) => assert_eq!(e.kind(), ErrorKind::ConnectionRefused),
        }
    };
    assert_eq!(status(&answer), 503);
}
