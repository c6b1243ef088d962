//! The control endpoint.

use crate::served::{NOTICE, Served, ask, authority, control, free_port, json, status};

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
