//! The control endpoint.

use crate::served::{NOTICE, Served, ask, ask_under, authority, control, free_port, json, status};

fn started(scenario: &str) -> (Served, u16, String) {
    let port = free_port();
    let mut served = Served::start(scenario, &["--control", &port.to_string()]);
    let authority = served.authority("notification");
    (served, port, authority)
}

#[test]
fn it_tells_what_was_counted() {
    let (_served, port, notification) = started(NOTICE);
    for _ in 0..3 {
        let _ = ask(&notification, "POST /send", "hello");
    }
    let counts = json(&control(port, "GET /", ""));
    let at = &counts["dependencies"];
    assert_eq!(counts["trial"], "notice");
    assert_eq!(
        (&at["notification"]["calls"], &at["notification"]["delivered"]),
        (&3.into(), &3.into())
    );
    assert_eq!(
        at["notification"]["statuses"],
        serde_json::json!({"200": 1, "503": 1})
    );
    assert_eq!(at["membership"]["calls"], 0);
}

#[test]
fn a_reset_begins_anew_at_the_same_address() {
    let (mut served, port, notification) = started(NOTICE);
    for expected in [503, 503] {
        assert_eq!(status(&ask(&notification, "POST /send", "a").unwrap()), expected);
        let counts = json(&control(port, "POST /reset", ""));
        assert_eq!(counts["dependencies"]["notification"]["calls"], 0);
        assert_eq!(authority(&counts, "notification"), notification);
        // The call before the reset is told before the reset is.
        assert_eq!(served.line()["call"]["call"], 1);
        assert_eq!(served.authority("notification"), notification);
    }
}

#[test]
fn another_scenario_keeps_the_addresses_that_both_have_and_gives_them_back_later() {
    let (_served, port, notification) = started(NOTICE);
    let other = json(&control(port, "POST /scenario/outage-endless", ""));
    let (inbox, membership) = (authority(&other, "inbox"), authority(&other, "membership"));
    assert_eq!(status(&ask(&membership, "GET /member", "").unwrap()), 200);
    assert!(ask(&inbox, "GET /", "").is_ok());
    // What is not served any more refuses, and its port is kept.
    let gone = ask(&notification, "POST /send", "a").map_err(|e| e.kind());
    assert_eq!(gone, Err(std::io::ErrorKind::ConnectionRefused));
    let back = json(&control(port, "POST /scenario", NOTICE));
    assert_eq!(back["trial"], "posted");
    assert_eq!(authority(&back, "notification"), notification);
    assert_eq!(authority(&back, "membership"), membership);
    assert_eq!(status(&ask(&notification, "POST /send", "a").unwrap()), 503);
}

/// A black hole fills the gate's queue; what is served there next must find it empty.
#[cfg(target_os = "linux")]
#[test]
fn a_gate_that_was_a_black_hole_is_an_open_one_again() {
    let hole = NOTICE.replace(
        "    script:\n",
        "    outages: [{from: 0s, be: black_hole}]\n    script:\n",
    );
    let (_served, port, notification) = started(&hole);
    let address = notification.parse().expect("host and port");
    let short = std::time::Duration::from_millis(300);
    let connected = std::net::TcpStream::connect_timeout(&address, short).map_err(|e| e.kind());
    assert_eq!(connected.err(), Some(std::io::ErrorKind::TimedOut));
    let counts = json(&control(port, "POST /scenario", NOTICE));
    assert_eq!(authority(&counts, "notification"), notification);
    assert_eq!(status(&ask(&notification, "POST /send", "a").unwrap()), 503);
}

#[test]
fn a_trial_of_many_is_named_by_its_id() {
    let (_served, port, _) = started(NOTICE);
    let many = control(port, "POST /scenario/retry-after", "");
    assert_eq!(status(&many), 400);
    assert!(many.contains("retry-after[503,Asia/Tokyo]"), "{many}");
    let one = control(port, "POST /scenario/retry-after%5B503,Asia/Tokyo%5D", "");
    assert_eq!(json(&one)["trial"], "retry-after[503,Asia/Tokyo]");
}

const VARIED: &str = "\
version: 1
title: Two statuses
vary: {statuses: [502, 503]}
dependencies: {notification: {script: [{times: 1, answer: {status: varied}}, {answer: {status: 200}}]}}
operations: [{request: {method: GET, to: [notification], path: /}}]
";

#[test]
fn a_trial_of_a_file_that_varies_is_named_with_the_file() {
    let (_served, port, notification) = started(NOTICE);
    let many = control(port, "POST /scenario", VARIED);
    assert_eq!(status(&many), 400);
    assert!(
        many.contains("name one with ?trial=: posted[502], posted[503]"),
        "{many}"
    );
    let one = control(port, "POST /scenario?trial=posted%5B502%5D", VARIED);
    assert_eq!(json(&one)["trial"], "posted[502]");
    assert_eq!(status(&ask(&notification, "GET /", "").unwrap()), 502);
    let none = control(port, "POST /scenario?trial=posted%5B504%5D", VARIED);
    assert_eq!(status(&none), 400);
    assert!(none.contains("no trial of it is called posted[504]"), "{none}");
}

#[test]
fn the_hint_on_a_file_that_varies_can_be_followed() {
    for arguments in [&["notice[503]", "--seed", "1"][..], &["notice[502]"]] {
        let mut served = Served::start(VARIED, arguments);
        assert_eq!(served.line()["serving"]["trial"], arguments[0]);
    }
}

#[test]
fn a_name_that_may_be_a_pages_is_turned_away() {
    let port = free_port();
    let arguments = ["--control", &port.to_string(), "--advertise", "build-7"];
    let mut served = Served::start(NOTICE, &arguments);
    // It is up when it says what it serves.
    served.line();
    let under = |host: &str| ask_under(&format!("127.0.0.1:{port}"), host, "GET /", "").unwrap();
    assert_eq!(status(&under("build-7:9000")), 200);
    assert_eq!(status(&under("localhost")), 200);
    assert_eq!(status(&under("rebound.example")), 421);
}

#[test]
fn what_it_cannot_do_it_says_and_changes_nothing() {
    let (_served, port, notification) = started(NOTICE);
    assert_eq!(status(&ask(&notification, "POST /send", "a").unwrap()), 503);
    let misspelt = control(port, "POST /scenario", "version: 1\ntitel: x\n");
    assert_eq!(status(&misspelt), 400);
    assert!(misspelt.contains("did you mean `title`?"), "{misspelt}");
    assert_eq!(status(&control(port, "POST /scenario/outage-endles", "")), 400);
    assert_eq!(status(&control(port, "GET /reset", "")), 405);
    assert_eq!(status(&control(port, "GET /favicon.ico", "")), 404);
    let page = control(
        port,
        "POST /reset HTTP/1.1\r\nOrigin: https://example.com\r\nX: /",
        "",
    );
    assert_eq!(status(&page), 403);
    let counts = json(&control(port, "GET /", ""));
    assert_eq!(counts["dependencies"]["notification"]["calls"], 1);
}
