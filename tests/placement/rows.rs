//! A row of the tables: so many attempts at each place, and what was counted.

use std::thread;

use serde_json::Value;

use crate::stage::{Process, dependencies, layer, request, url_of};

/// The page that shows what these tests find.
pub const README: &str = include_str!("../../fixtures/loan/README.md");

/// How many attempts each place makes, the first included.
#[derive(Debug, Clone, Copy)]
pub struct Placement {
    pub gateway: u32,
    pub middle: u32,
    pub wrapper: u32,
}

/// What was counted.
#[derive(Debug)]
pub struct Row {
    pub at: Placement,
    pub status: u32,
    pub loan: u32,
    pub membership: u32,
    pub notification: u32,
    pub delivered: u32,
}

/// Plays every placement, each with processes of its own, all at the same time.
pub fn side_by_side(scenario: &str, placements: &[Placement], key: Option<&str>) -> Vec<Row> {
    thread::scope(|scope| {
        let rows: Vec<_> = placements
            .iter()
            .map(|at| scope.spawn(|| row(scenario, *at, key)))
            .collect();
        rows.into_iter()
            .map(|row| row.join().expect("a row was played"))
            .collect()
    })
}

fn row(scenario: &str, at: Placement, key: Option<&str>) -> Row {
    let stand = |below: &str| gateway("gateway", below, at.gateway);
    let row = row_behind(scenario, (at.middle, at.wrapper), key, stand);
    Row { at, ..row }
}

/// A row behind any gateway: `stand` puts it before the service, and says where it listens.
pub fn row_behind<G>(
    scenario: &str,
    (middle, wrapper): (u32, u32),
    key: Option<&str>,
    stand: impl FnOnce(&str) -> (G, String),
) -> Row {
    let (served, urls) = dependencies(scenario);
    let (membership, notification) = (url_of(&urls, "membership"), url_of(&urls, "notification"));
    let (middles, wrappers) = (middle.to_string(), wrapper.to_string());
    let (service, below) = layer(&[
        "service",
        "--middle",
        &middles,
        "--wrapper",
        &wrappers,
        "--membership",
        &membership,
        "--notification",
        &notification,
    ]);
    let (_gateway, entry) = stand(&below);
    let status = request(&entry, "POST /loan", key);
    let calls = calls(served);
    let count = |of: &dyn Fn(&Value) -> bool| counted(calls.iter().filter(|call| of(call)).count());
    let at = Placement {
        gateway: 1,
        middle,
        wrapper,
    };
    Row {
        at,
        status,
        loan: counted(service.end().iter().filter(|line| *line == "POST /loan").count()),
        membership: count(&|call| call["dependency"] == "membership"),
        notification: count(&|call| call["dependency"] == "notification"),
        delivered: count(&|call| call["dependency"] == "notification" && call["effect"] == "applied"),
    }
}

fn gateway(name: &str, below: &str, attempts: u32) -> (Process, String) {
    layer(&[name, "--upstream", below, "--attempts", &attempts.to_string()])
}

/// One request to a chain of so many layers, each with so many attempts, over a dependency that fails for good: the
/// calls at the bottom.
pub fn chain(layers: u32, attempts: u32) -> u32 {
    let (served, urls) = dependencies("loan/persistent.yaml");
    let mut below = url_of(&urls, "notification");
    let mut processes = Vec::new();
    for _ in 0..layers {
        let (process, url) = gateway("relay", &below, attempts);
        processes.push(process);
        below = url;
    }
    assert_eq!(request(&below, "POST /send", None), 503);
    counted(calls(served).len())
}

/// The calls that the dependencies saw.
pub fn calls(served: Process) -> Vec<Value> {
    let lines = served.end();
    let lines = lines
        .iter()
        .map(|line| serde_json::from_str::<Value>(line).expect("a line of JSON"));
    lines.filter_map(|line| line.get("call").cloned()).collect()
}

fn counted(n: usize) -> u32 {
    u32::try_from(n).expect("some hundreds of calls")
}

/// The rows as lines of Markdown, which stand in the fixture's README as they are here.
pub fn table(rows: &[Row], cells: impl Fn(&Row) -> Vec<u32>) -> String {
    let line = |row: &Row| {
        let cells: Vec<_> = cells(row).iter().map(ToString::to_string).collect();
        format!("| {} |", cells.join(" | "))
    };
    let table = rows.iter().map(line).collect::<Vec<_>>().join("\n");
    assert!(
        README.contains(&table),
        "the README shows something else:\n{table}"
    );
    table
}
