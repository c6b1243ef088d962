//! User-space instructions of one call, counted by callgrind: the figure that a busy machine does not move.
//! `cargo bench --bench speed -- instructions`; needs valgrind.
//!
//! Each server runs in a process of its own under callgrind and is asked on one kept connection, once rarely and once
//! often: what is told is the difference, so that starting up is not in it.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use crate::asking::Asker;
use crate::servers::{Bare, Httpmock, SCRIPT, Scripted, Server, Wiremock};

/// The calls of the two runs.
const CALLS: [u64; 2] = [2_000, 7_000];

/// How many operations call in turn.
const OPERATIONS: u32 = 100;

/// Tells the instructions of a call at each server, and their ratios to bare hyper's.
pub fn compare() {
    let bare = per_call("bare");
    println!("instructions of a call, bare hyper: {bare:.0}");
    for (server, goal) in [("scripted", " (goal 1.5)"), ("wiremock", ""), ("httpmock", "")] {
        let counted = per_call(server);
        println!(
            "instructions of a call, {server}: {counted:.0}, {:.2} of bare hyper's{goal}",
            counted / bare
        );
    }
}

/// Serves as the one of this name until standard input ends; writes where on standard output.
pub fn serve(server: &str) {
    let server: Box<dyn Server> = match server {
        "bare" => Box::new(Bare::serve()),
        "scripted" => Box::new(Scripted::serve(1, SCRIPT, OPERATIONS)),
        "wiremock" => Box::new(Wiremock::serve(OPERATIONS)),
        "httpmock" => Box::new(Httpmock::serve(OPERATIONS)),
        other => panic!("no server is called {other}"),
    };
    println!("{}", server.authority());
    // Until whoever asks has enough.
    let _ = std::io::stdin().read_to_end(&mut Vec::new());
}

fn per_call(server: &str) -> f64 {
    let [few, many] = CALLS.map(|calls| counted(server, calls));
    (many - few) as f64 / (CALLS[1] - CALLS[0]) as f64
}

/// The instructions of a server's whole life, with so many calls in it.
fn counted(server: &str, calls: u64) -> u64 {
    let mut valgrind = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe().expect("a program that runs"))
        .args(["serve", server])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("valgrind, installed");
    let mut authority = String::new();
    let told = valgrind.stdout.take().expect("a pipe");
    BufReader::new(told)
        .read_line(&mut authority)
        .expect("an address");
    Asker::connect(authority.trim(), 1, OPERATIONS).ask_for_count(calls);
    collected(valgrind)
}

/// Ends the server's input, and with it the server; reads the figure that callgrind leaves.
fn collected(valgrind: Child) -> u64 {
    let output = valgrind.wait_with_output().expect("a server that ends");
    let said = String::from_utf8_lossy(&output.stderr);
    let figure = said.lines().find_map(|line| line.split("Collected : ").nth(1));
    let figure = figure.unwrap_or_else(|| panic!("no figure of callgrind's: {said}"));
    figure.trim().parse().expect("a whole number")
}
