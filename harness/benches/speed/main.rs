//! How fast a dependency is served and recorded, beside a bare hyper server and stubs that record too.
//! `cargo bench --bench speed`, or with a number of rounds after `--`; with `instructions` or `suite` after it, only those.
//!
//! A reading of one server alone moves with the machine. So two are up at once and asked in turn, and what counts is
//! the ratio of each round, its median and quartiles; the processor time of a server's own thread moves least of all.

#![allow(clippy::print_stdout, reason = "a benchmark tells what it measured")]

mod asking;
mod instructions;
mod rounds;
mod servers;
mod suite;

use std::thread;
use std::time::{Duration, Instant};

use asking::Asker;
use nix::time::ClockId;
use rounds::{Spread, TURN, in_turn, paired};
use servers::{Bare, Httpmock, SCRIPT, Scripted, Server, Wiremock};

/// Rounds, where the command line names no other number.
const ROUNDS: usize = 11;

/// How many operations have a rule of their own where stubs are compared.
const KEYS: u32 = 100;

fn main() {
    // Cargo hands over `--bench` too.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|word| word != "--bench")
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["serve", server] => instructions::serve(server),
        ["instructions"] => instructions::compare(),
        ["suite"] => suite::compare(),
        [] => all(ROUNDS),
        [rounds] => all(rounds
            .parse()
            .expect("`instructions`, `suite` or a number of rounds")),
        _ => panic!("`instructions`, `suite` or a number of rounds"),
    }
}

fn all(rounds: usize) {
    let rounds = rounds.max(3);
    first_answer();
    lateness();
    memory();
    against_hyper(rounds);
    against_stubs(rounds);
    many_keys(rounds);
    suite::compare();
}

/// From nothing to the first answer, with 100 ports open; the first time in this process, and then again and again.
fn first_answer() {
    let answered = |_| {
        let began = Instant::now();
        let server = Scripted::serve(100, SCRIPT, 1);
        Asker::connect(server.authority(), 1, 1).ask_once();
        began.elapsed().as_secs_f64() * 1e3
    };
    let took: Vec<f64> = (0..ROUNDS).map(answered).collect();
    let first = took[0];
    println!(
        "first answer with 100 ports open: {} ms (goal 10), the first time {first:.1}",
        Spread::of(took)
    );
}

/// How late an answer is that is to come after 10 ms, beside one that is to come at once; and what the machine itself lets a
/// thread that sleeps for so long be late by, which nobody can undercut.
fn lateness() {
    const SCRIPTED: Duration = Duration::from_millis(10);
    let at_once = latencies("[{answer: {status: 200}}]");
    let delayed = latencies("[{answer: {status: 200, after: 10ms}}]");
    let slept = sorted(|| {
        let began = Instant::now();
        thread::sleep(SCRIPTED);
        began.elapsed()
    });
    assert!(delayed[0] >= SCRIPTED, "early: {:?}", delayed[0]);
    let usual = at_once[at_once.len() / 2];
    let late = |took: Duration| took.saturating_sub(SCRIPTED).as_secs_f64() * 1e3;
    let (half, most) = (delayed.len() / 2, delayed.len() * 99 / 100);
    println!(
        "a delay of 10 ms: late by {:.2} ms p50 (goal 0.25), {:.2} ms p99 (goal 0.5), never early; a thread's sleep here by {:.2}, {:.2}",
        late(delayed[half].saturating_sub(usual)),
        late(delayed[most].saturating_sub(usual)),
        late(slept[half]),
        late(slept[most]),
    );
}

/// How long each of 300 answers took, sorted.
fn latencies(script: &str) -> Vec<Duration> {
    let server = Scripted::serve(1, script, 1);
    let mut asker = Asker::connect(server.authority(), 1, 1);
    sorted(|| asker.ask_once())
}

fn sorted(mut took: impl FnMut() -> Duration) -> Vec<Duration> {
    let mut took: Vec<Duration> = (0..300).map(|_| took()).collect();
    took.sort_unstable();
    took
}

/// What one recorded short GET costs in memory.
fn memory() {
    const CALLS: u64 = 100_000;
    let server = Scripted::serve(1, SCRIPT, 1);
    let mut asker = Asker::connect(server.authority(), 16, 1);
    asker.ask_for_count(1_000);
    let before = resident();
    asker.ask_for_count(CALLS);
    let grown = resident().saturating_sub(before);
    println!("memory of a recorded short GET: {} B (goal 160)", grown / CALLS);
}

/// Bytes of memory that this process has now, as Linux tells it; 0 elsewhere.
fn resident() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = statm.split(' ').nth(1).and_then(|n| n.parse::<u64>().ok());
    pages.unwrap_or_default() * 4096
}

/// Script and record, against a server that answers the same to everybody and keeps nothing.
fn against_hyper(rounds: usize) {
    let (ours, bare) = (Scripted::serve(1, SCRIPT, 1), Bare::serve());
    let mut one = Asker::connect(ours.authority(), 16, 1);
    let mut other = Asker::connect(bare.authority(), 16, 1);
    let mut cost = (Vec::new(), Vec::new());
    let ratios = paired(rounds, || {
        let before = (ours.spent(), bare.spent());
        let asked = in_turn(&mut one, &mut other);
        let us = |spent: Duration, before, calls: f64| (spent - before).as_secs_f64() * 1e6 / calls;
        let seconds = TURN.as_secs_f64();
        cost.0.push(us(ours.spent(), before.0, asked.0 * seconds));
        cost.1.push(us(bare.spent(), before.1, asked.1 * seconds));
        ours.forget();
        asked
    });
    println!("script and record / bare hyper: {ratios} (goal 0.85)");
    println!(
        "processor time of the server a call: {} us (goal 10), bare hyper {} us",
        Spread::of(cost.0),
        Spread::of(cost.1)
    );
}

/// Script and record, against stubs: the same rules, the same answers, and what was received is kept.
fn against_stubs(rounds: usize) {
    let (ratios, costs) = beside(rounds, || Wiremock::serve(KEYS));
    println!(
        "script and record / wiremock, {KEYS} keys, recording: {ratios} (goal 3); by processor time {costs}"
    );
    let (ratios, costs) = beside(rounds, || Httpmock::serve(KEYS));
    println!(
        "script and record / httpmock, {KEYS} keys, recording the last 100: {ratios} (goal 1.4); by processor time {costs}"
    );
    let (ours, stub) = (Scripted::serve(1, SCRIPT, 1), Wiremock::serve_all_alike());
    let mut one = Asker::connect(ours.authority(), 16, 1);
    let mut other = Asker::connect(stub.authority(), 16, 1);
    let ratios = paired(rounds, || {
        let asked = in_turn(&mut one, &mut other);
        ours.forget();
        asked
    });
    println!("script and record / wiremock with one rule for all, recording: {ratios} (not the same work)");
}

/// How many times the calls a second, and how many times the processor time of a call: whoever asks is one thread, and where
/// the machine is fast it is that which is waited for, and not the server.
fn beside<S: Server>(rounds: usize, stub: impl Fn() -> S) -> (Spread, Spread) {
    let mut costs = Vec::new();
    let ratios = paired(rounds, || {
        let (asked, (ours, stubs)) = against(stub());
        costs.push(stubs / ours);
        asked
    });
    (ratios, Spread::of(costs))
}

/// Calls a second of both, and the processor time of a call at both, in seconds. Both from their beginning: each operation is
/// answered 503, then 200, as all calls after that.
fn against(stub: impl Server) -> ((f64, f64), (f64, f64)) {
    let ours = Scripted::serve(1, SCRIPT, KEYS);
    let mut one = Asker::connect(ours.authority(), 16, KEYS);
    let mut other = Asker::connect(stub.authority(), 16, KEYS);
    let answers = one.statuses(2 * KEYS);
    assert!(answers[..KEYS as usize].iter().all(|status| *status == 503));
    assert!(answers[KEYS as usize..].iter().all(|status| *status == 200));
    assert_eq!(other.statuses(2 * KEYS), answers, "not the same work");
    let costs = (cost(&mut one), cost(&mut other));
    (in_turn(&mut one, &mut other), costs)
}

/// The processor time of a call at the server, in seconds: this process's but for the thread that asks.
fn cost(asker: &mut Asker) -> f64 {
    let spent = || {
        let [all, asking] = [
            ClockId::CLOCK_PROCESS_CPUTIME_ID,
            ClockId::CLOCK_THREAD_CPUTIME_ID,
        ];
        let [all, asking] = [all, asking].map(|clock| Duration::from(clock.now().expect("a clock")));
        (all - asking).as_secs_f64()
    };
    let (before, how_long) = (spent(), TURN / 4);
    let calls = asker.ask_for(how_long) * how_long.as_secs_f64();
    (spent() - before) / calls
}

/// One operation's history, against those of 10,000.
fn many_keys(rounds: usize) {
    let (many, single) = (Scripted::serve(1, SCRIPT, 10_000), Scripted::serve(1, SCRIPT, 1));
    let mut one = Asker::connect(many.authority(), 16, 10_000);
    let mut other = Asker::connect(single.authority(), 16, 1);
    let ratios = paired(rounds, || {
        let asked = in_turn(&mut one, &mut other);
        many.forget();
        single.forget();
        asked
    });
    println!("10,000 operations / one: {ratios} (goal 0.91)");
}
