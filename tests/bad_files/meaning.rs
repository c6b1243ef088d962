//! What is of the right shape and means nothing.

use std::sync::Arc;

use retrial::scenario::load_citing;
use retrial::source::Source;

use super::{GOOD, one, sentences, shown, with};

#[test]
fn an_unknown_dependency() {
    insta::assert_snapshot!(shown(&with("[orders]", "[ordres]")), @r#"
        error: there is no dependency `ordres`
         --> orders.yaml:9:34
          |
        4 |   orders:
          |   ------ declared here
        ...
        9 |   - {request: {method: GET, to: [ordres], path: /orders}}
          |                                  ^^^^^^ not declared under `dependencies`
          |
        help: did you mean `orders`?
          |
        9 -   - {request: {method: GET, to: [ordres], path: /orders}}
        9 +   - {request: {method: GET, to: [orders], path: /orders}}
          |
    "#);
}

#[test]
fn a_script_that_ends() {
    insta::assert_snapshot!(shown(&with("{effect", "{times: 2, effect")), @r#"
        error: what after this turn?
         --> orders.yaml:7:17
          |
        7 |       - {times: 2, effect: applied, answer: {status: 200}}
          |                 ^ some calls do not fall to it
          |
          = help: the last turn has neither `times` nor `when`: every further call falls to it
    "#);
}

#[test]
fn a_turn_that_is_never_reached() {
    insta::assert_snapshot!(shown(&with("times: 1, ", "")), @r#"
        error: every call falls to this turn
         --> orders.yaml:6:9
          |
        6 |       - {answer: {status: 503, retry_after: 3s}}
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ neither `times` nor `when`
        7 |       - {effect: applied, answer: {status: 200}}
          |         ---------------------------------------- never reached
          |
          = help: say how often: `times: 1`
    "#);
}

#[test]
fn an_effect_of_a_request_that_was_never_read() {
    let yaml = with(
        "answer: {status: 503, retry_after: 3s}",
        "effect: applied, cut: {at: accept, by: rst}",
    );
    insta::assert_snapshot!(shown(&yaml), @r#"
        error: nothing was read that could have an effect
         --> orders.yaml:6:28
          |
        6 |       - {times: 1, effect: applied, cut: {at: accept, by: rst}}
          |                            ^^^^^^^            ------ cut before that
          |                            |
          |                            the whole request comes first
          |
          = help: cut at `before_answer`, or leave `effect` out
    "#);
}

#[test]
fn every_problem_is_shown_at_once_in_the_order_of_the_file() {
    let yaml = with("503, retry_after: 3s", "99, retry_after: 3").replace("GET", "get");
    insta::assert_snapshot!(shown(&format!("{yaml}expect: {{stop: {{deadlin: 1}}}}\n")), @r#"
        error: 99 is not a status
         --> orders.yaml:6:37
          |
        6 |       - {times: 1, answer: {status: 99, retry_after: 3}}
          |                                     ^^ from 100 to 999
          |
          = help: to send a malformed status line, write it as `raw`

        error: `3` is not a wait
         --> orders.yaml:6:54
          |
        6 |       - {times: 1, answer: {status: 99, retry_after: 3}}
          |                                                      ^ such as 3s
          |
        help: did you mean `3s`?
          |
        6 |       - {times: 1, answer: {status: 99, retry_after: 3s}}
          |                                                       +

        error: `get` is not a method
         --> orders.yaml:9:24
          |
        9 |   - {request: {method: get, to: [orders], path: /orders}}
          |                        ^^^ methods are written in upper case
          |
        help: did you mean `GET`?
          |
        9 -   - {request: {method: get, to: [orders], path: /orders}}
        9 +   - {request: {method: GET, to: [orders], path: /orders}}
          |

        error: unknown stop reason `deadlin`
          --> orders.yaml:10:17
           |
        10 | expect: {stop: {deadlin: 1}}
           |                 ^^^^^^^ not a reason to stop
           |
           = help: expected one of: ok, terminal, unsafe, attempt_cap, attempt_timeout, deadline, pushback, retry_budget, circuit_open, cancelled, unreported
        help: did you mean `deadline`?
           |
        10 | expect: {stop: {deadline: 1}}
           |                        +
    "#);
}

#[test]
fn operations() {
    one(
        "- {request",
        "- {count: 0, request",
        "a group without operations asks for nothing",
    );
    one(
        "- {request",
        "- {count: 1000001, request",
        "a trial has at most 1000000 operations",
    );
    one(
        "- {request",
        "- {count: 20000, clients: 60, request",
        "a trial has at most 1000000 operations",
    );
    one(
        "- {request",
        "- {clients: 0, request",
        "without a client nothing is done",
    );
    one(
        "- {request",
        "- {clients: 101, request",
        "a trial has at most 100 clients",
    );
    one(
        "- {request",
        "- {restart: all, request",
        "nothing comes before the first group, so its clients are new anyway",
    );
    for (restart, sentence) in [
        ("{first: 0}", "none is started anew"),
        ("{first: 2}", "the trial has 1 of them"),
    ] {
        let second = format!(
            "- {{request: {{method: GET, to: [orders], path: /}}}}\n  - {{restart: {restart}, request"
        );
        one("- {request", &second, sentence);
    }
    one(
        "- {request",
        "- {deadline: 0s, request",
        "this must be longer than zero",
    );
    one(
        "- {request",
        "- {start: {per_second: 0}, request",
        "at 0 a second none starts",
    );
    one("[orders]", "[]", "an operation needs a target");
    one("[orders]", "[orders, orders]", "this target is named twice");
    one("GET", "G T", "`G T` is not a method");
    one(
        "path: /orders",
        "path: /or ders",
        "this path cannot stand in a URL",
    );
    one(
        "path: /orders",
        "path: /o, headers: {Host: x}",
        "the header `Host` is not written by hand",
    );
    one(
        "path: /orders",
        "path: /o, key: {shared: ''}",
        "a shared key needs a name",
    );
    one(
        "- {request: {method: GET, to: [orders], path: /orders}}",
        "[]",
        "a scenario needs an operation",
    );
    assert_eq!(shown(&with("path: /orders", "path: '/orders?a=b%20c'")), "");
}

#[test]
fn outages() {
    let outage = |outage: &str, sentence: &str| {
        one(
            "script:",
            &format!("outages: [{{{outage}}}]\n    script:"),
            sentence,
        );
    };
    outage(
        "from: 3s, until: 3s, be: refused",
        "this outage ends before it begins",
    );
    outage(
        "from: 0s, every: 3s, be: hang",
        "an outage without `until` never comes again",
    );
    let again = "this outage comes again before it ends";
    outage(
        "from: 1s, until: 5s, every: 4s, be: {answer: {status: 503}}",
        again,
    );
    let often = "this outage comes more than 1000000 times while one operation is waited for";
    outage("from: 0s, until: 1ms, every: 2ms, be: refused", often);
    let seldom = with(
        "script:",
        "outages: [{from: 0s, until: 5s, every: 6s, be: hang}]\n    script:",
    );
    assert_eq!(shown(&seldom), "");
    let year = seldom.replace("{request:", "{deadline: 366d, request:");
    assert_eq!(sentences(&year), [often]);
}

#[test]
fn capacity() {
    let capacity = |accept: &str, sentence: &str| {
        let capacity = format!("capacity: {{accept: {{{accept}}}, overflow: {{status: 429}}}}\n    script:");
        one("script:", &capacity, sentence);
    };
    let never = "with a capacity of 0 no turn is ever reached";
    capacity("at_once: 0", never);
    capacity("per_tick: {calls: 0, tick: 1s}", never);
    capacity("per_tick: {calls: 1, tick: 0s}", "this must be longer than zero");
    capacity("queue: {each: 0s, waiting: 4}", "this must be longer than zero");
    capacity(
        "queue: {each: 1s, waiting: 4000}",
        "the last in this line waits for too long",
    );
}

#[test]
fn heads() {
    one("version: 1", "version: 2", "version 2 is not known");
    one(
        "title: The first answer asks for a wait",
        "title: ''",
        "the title is empty",
    );
    one(
        "  orders:\n",
        "  stock: {}\n  or ders: {}\n  orders:\n",
        "`or ders` cannot name a dependency",
    );
    let cited = Arc::new(Source::new(
        "f",
        with("title", "cites: [rfc9110-10.2.3, rfc9110-99]\ntitle"),
    ));
    let found = load_citing(cited, "f", &|key| key == "rfc9110-10.2.3").unwrap_err();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].message, "there is no citation `rfc9110-99`");
    let near = Arc::new(Source::new("f", with("title", "cites: [rfc9110-10.2]\ntitle")));
    let found = load_citing(near, "f", &|_| false).unwrap_err();
    assert_eq!(found[0].replacement.as_deref(), Some("rfc9110-10.2.3"));
}

#[test]
fn what_is_varied() {
    let vary = |lists: &str, sentence: &str| one("title", &format!("vary: {{{lists}}}\ntitle"), sentence);
    vary("statuses: [429]", "this is varied, and nothing says where");
    vary("zones: []", "an empty list makes no trial");
    vary("zones: [UTC, UTC]", "two trials would have the same name");
    vary("zones: [../etc]", "`../etc` is not the name of a time zone");
    one("503", "varied", "`varied` stands here, and nothing is varied");
    let many: Vec<String> = (0..501).map(|n| format!("Z{n}")).collect();
    vary(
        &format!("zones: [{}]", many.join(", ")),
        "this makes more than 500 trials",
    );
}

#[test]
fn expectations() {
    let expect = |expect: &str, sentence: &str| {
        let yaml = format!("{GOOD}expect: {{{expect}}}\n");
        assert_eq!(sentences(&yaml), [sentence], "after `{expect}`");
    };
    expect("stop: {okay: 1}", "unknown stop reason `okay`");
    expect(
        "dependencies: {order: {calls: 1}}",
        "there is no dependency `order`",
    );
    expect("dependencies: {orders: {}}", "nothing is expected here");
    expect("dependencies: {orders: {calls: {}}}", "this bound says nothing");
    expect(
        "dependencies: {orders: {calls: -1}}",
        "a count cannot be negative",
    );
    expect(
        "dependencies: {orders: {calls: {policy: retries}}}",
        "a policy has no number `retries`",
    );
    expect(
        "given: {dependencies: {orders: {calls: 1}}}",
        "no policy is handed over in this scenario",
    );
    let handed = format!("{GOOD}given: {{attempts: 2}}\nexpect: {{given: {{}}}}\n");
    assert_eq!(sentences(&handed), ["nothing is expected here"]);
    expect("layers: {proxy: {calls: 1}}", "`proxy` is not a layer");
    expect("layers: {service-1: {calls: 1}}", "`service-1` is not a layer");
    expect("layers: {service-2: {}}", "nothing is expected here");
    expect(
        "layers: {gateway: {calls: 1, delivered: 1}}",
        "this is counted at a dependency, not at a layer",
    );
    expect(
        "dependencies: {orders: {calls: {policy: attempts, at_least: 1}}}",
        "`policy` stands alone",
    );
    let ticks = |ticks: &str, sentence| expect(&format!("ticks: {{{ticks}}}"), sentence);
    ticks("orders: {every: 1s}", "nothing is expected here");
    ticks(
        "order: {every: 1s, peak_calls: 1}",
        "there is no dependency `order`",
    );
    ticks(
        "orders: {every: 0s, peak_calls: 1}",
        "this must be longer than zero",
    );
    ticks(
        "orders: {every: 1s, peak_retries: {policy: attempts}}",
        "no client promises what comes in one tick",
    );
}

#[test]
fn what_is_not_played_yet_is_refused_once_per_feature() {
    let yaml = "\
version: 1
title: Everything that is to come
needs: [refresh]
dependencies:
  a:
    capacity: {accept: {per_tick: {calls: 4, tick: 1s}}, overflow: {status: 429}}
    outages: [{from: 0s, until: 1s, be: black_hole}]
    script:
      - {times: 1, answer: {status: 200, body: {file: a.bin}}}
      - {answer: {status: 200, body: {ranges: {zeros: 100}}}}
  b: {capacity: {accept: {at_once: 2}, overflow: {status: 503}}}
operations:
  - {clients: 2, cancel: {after: 1s}, request: {method: PUT, to: [a], path: /, body: {zeros: 9}}}
  - {clients: 3, request: {method: GET, to: [b], path: /}}
";
    let features = sentences(yaml).join("\n");
    insta::assert_snapshot!(features.replace(" is part of the language and is not played yet", ""), @r#"
        `needs: refresh`
        `body: file`
        `body: ranges`
    "#);
}
