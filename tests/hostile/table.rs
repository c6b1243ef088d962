//! Every way of misbehaving, through the whole program: bounded time and memory, the right exit status, a whole report in
//! every format, nothing left running, and nothing of the client's text interpreted.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::needed::is_here;
use crate::program::{Ran, program};

/// How many programs run side by side: most of them wait most of the time.
const SIDE_BY_SIDE: usize = 6;

/// What the program may hold in memory at most. Its ceilings let a client send 64 MiB, which is not kept.
const MEMORY_KIB: u64 = 160 * 1024;

/// No way may take longer. The longest lawful wait is for a hello, one minute.
const SECONDS: u64 = 100;

/// How a client misbehaves, the exit status, the trial's verdict, and what some finding or sentence of the report says.
struct Kind(&'static str, i32, &'static str, &'static str);

const SCENARIO: &str = "\
version: 1
title: A hostile client
dependencies:
  upstream:
    script:
      - {times: 1, answer: {status: 503}}
      - {effect: applied, answer: {status: 200, body: {zeros: 100000}}}
operations:
  - {count: 2, start: at_once, deadline: 4s, request: {method: GET, to: [upstream], path: /thing}}
";

const KINDS: &[Kind] = &[
    Kind("right", 0, "pass", ""),
    Kind(
        "exits-0-before-hello",
        3,
        "harness_error",
        "left with exit status 0 before its hello",
    ),
    Kind(
        "exits-7-before-hello",
        3,
        "harness_error",
        "left with exit status 7 before its hello",
    ),
    Kind(
        "hangs-after-hello",
        3,
        "harness_error",
        "the client made no call and gave no result",
    ),
    Kind("hangs-after-its-calls", 1, "fail", "deadline.kept"),
    Kind(
        "drops-an-operation",
        1,
        "inconclusive",
        "neither called nor said anything of op-",
    ),
    Kind("ignores-the-end-of-input", 0, "pass", ""),
    Kind("leaves-a-child-in-its-group", 0, "pass", ""),
    Kind("leaves-a-child-in-another-session", 0, "pass", ""),
    Kind("leaves-a-child-without-environment", 0, "pass", ""),
    Kind("leaves-100-children", 0, "pass", ""),
    Kind("floods-an-operation", 1, "fail", "client.bounded"),
    Kind("opens-2000-connections", 3, "fail", "client.bounded"),
    Kind("never-reads-an-answer", 0, "noted", "attempts.capped"),
    Kind(
        "drips-its-request",
        3,
        "harness_error",
        "the client made no call and gave no result",
    ),
    Kind(
        "sends-half-a-request",
        1,
        "inconclusive",
        "first fault was not reached",
    ),
    Kind("sends-a-body-of-1-gb", 1, "fail", "client.bounded"),
    Kind("promises-a-body-and-leaves", 0, "pass", ""),
    Kind(
        "sends-100000-headers",
        1,
        "inconclusive",
        "first fault was not reached",
    ),
    Kind("sends-bad-http", 1, "inconclusive", "first fault was not reached"),
    Kind("sends-two-lengths", 0, "pass", ""),
    Kind("sends-a-chunk-of-2-to-the-64", 0, "pass", ""),
    Kind(
        "sends-an-h2-preface",
        1,
        "inconclusive",
        "first fault was not reached",
    ),
    Kind(
        "sends-a-tls-hello",
        1,
        "inconclusive",
        "first fault was not reached",
    ),
    Kind(
        "writes-a-line-of-100-mb",
        3,
        "harness_error",
        "wrote a line of more than 1 MiB",
    ),
    Kind("talks-binary", 0, "pass", ""),
    Kind("shouts-on-standard-error", 0, "pass", ""),
    Kind("answers-invalid-utf-8", 3, "harness_error", "is no result"),
    Kind(
        "answers-for-an-unknown-operation",
        3,
        "harness_error",
        "op-77, which it was not asked",
    ),
    Kind(
        "answers-for-no-operation-there-can-be",
        3,
        "harness_error",
        "is no result",
    ),
    Kind("answers-twice", 3, "harness_error", "a second result for op-1"),
    Kind("answers-with-100000-brackets", 3, "harness_error", "is no result"),
    Kind(
        "answers-with-numbers-out-of-bounds",
        3,
        "harness_error",
        "is no result",
    ),
    Kind("answers-with-one-key-twice", 3, "harness_error", "is no result"),
    Kind("says-hello-twice", 3, "harness_error", "is no result"),
    Kind("answers-out-of-order", 0, "pass", ""),
    Kind("answers-late", 1, "fail", "deadline.kept"),
    Kind(
        "hostile-texts",
        1,
        "fail",
        "no whole success answer was given to its 1 call",
    ),
    Kind(
        "could-not-run-with-hostile-text",
        4,
        "skipped",
        "no operation can be asked of the client",
    ),
    Kind(
        "closes-its-output-and-lives-on",
        3,
        "harness_error",
        "closed its standard output",
    ),
    Kind(
        "closes-its-input-and-lives-on",
        1,
        "inconclusive",
        "neither called nor said anything of op-",
    ),
    Kind("eats-memory", 0, "pass", ""),
    Kind("changes-its-folder-and-removes-its-own", 0, "pass", ""),
    Kind("kills-its-own-group", 3, "harness_error", "signal 9 (SIGKILL)"),
    Kind("terminates-the-parents-group", 130, "inconclusive", ""),
    Kind("calls-for-others", 0, "pass", ""),
    Kind(
        "stops-itself",
        3,
        "harness_error",
        "the client made no call and gave no result",
    ),
    Kind("dies-by-SIGHUP", 3, "harness_error", "signal 1 (SIGHUP)"),
    Kind("dies-by-SIGINT", 3, "harness_error", "signal 2 (SIGINT)"),
    Kind("dies-by-SIGQUIT", 3, "harness_error", "signal 3 (SIGQUIT)"),
    Kind("dies-by-SIGILL", 3, "harness_error", "signal 4 (SIGILL)"),
    Kind("dies-by-SIGABRT", 3, "harness_error", "signal 6 (SIGABRT)"),
    Kind("dies-by-SIGBUS", 3, "harness_error", "signal 7 (SIGBUS)"),
    Kind("dies-by-SIGFPE", 3, "harness_error", "signal 8 (SIGFPE)"),
    Kind("dies-by-SIGKILL", 3, "harness_error", "signal 9 (SIGKILL)"),
    Kind("dies-by-SIGUSR1", 3, "harness_error", "signal 10 (SIGUSR1)"),
    Kind("dies-by-SIGSEGV", 3, "harness_error", "signal 11 (SIGSEGV)"),
    Kind("dies-by-SIGPIPE", 3, "harness_error", "signal 13 (SIGPIPE)"),
    Kind("dies-by-SIGALRM", 3, "harness_error", "signal 14 (SIGALRM)"),
    Kind("dies-by-SIGTERM", 3, "harness_error", "signal 15 (SIGTERM)"),
];

/// It takes the whole minute that a hello is waited for: part of the long form.
const SLOW: &[Kind] = &[Kind(
    "hangs-before-hello",
    3,
    "harness_error",
    "did not say hello",
)];

#[test]
fn whatever_a_client_does_its_run_is_bounded_and_reported_whole() {
    if !is_here("python3") || !is_here("setsid") {
        return;
    }
    let long = crate::long::minutes(1).is_some();
    let kinds: Vec<_> = KINDS.iter().chain(if long { SLOW } else { &[] }).collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..SIDE_BY_SIDE {
            scope.spawn(|| {
                while let Some(kind) = kinds.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let found = wrong_with(kind, &run(kind.0));
                    wrong.lock().expect("no other thread panicked").extend(found);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread panicked");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn run(way: &str) -> Ran {
    let client = format!(
        "version: 1\nname: hostile\ndriver: {{jsonl: {{command: [python3, hostile.py, {way}], concurrency: 2}}}}\n\
         can: {{deadline: passed}}\npromises: {{deadline: true}}\n"
    );
    let files = [
        ("hostile.yaml", SCENARIO),
        ("client.yaml", &client),
        ("hostile.py", include_str!("hostile.py")),
    ];
    let run = "run -s hostile.yaml --client client.yaml --seed 1";
    let reports = "-r json=r.json -r junit=r.xml -r markdown=r.md -r evidence=e";
    let arguments = format!("{run} {reports}");
    program(&files, &arguments.split(' ').collect::<Vec<_>>())
}

/// Everything that is not as it should be.
fn wrong_with(Kind(way, code, verdict, says): &Kind, ran: &Ran) -> Vec<String> {
    let json: serde_json::Value = serde_json::from_str(&ran.read("r.json")).unwrap_or_default();
    let trial = &json["trials"][0];
    // A machine that is so busy that the harness was late lets nobody be blamed, hostile clients neither.
    let late = trial["because"]
        .as_str()
        .is_some_and(|b| b.contains("late, so counts and lateness"));
    let (code, verdict, says) = if late {
        (&1, &"inconclusive", &"late")
    } else {
        (code, verdict, says)
    };
    let found = [
        (
            ran.code != Some(*code),
            format!("exit status {:?}, not {code}", ran.code),
        ),
        (
            json["exit"] != *code,
            format!("the report has the exit status {}", json["exit"]),
        ),
        (
            trial["verdict"] != *verdict,
            format!("{}, not {verdict}", trial["verdict"]),
        ),
        (
            !trial.to_string().contains(says),
            format!("nothing says {says:?}"),
        ),
        (ran.took.as_secs() > SECONDS, format!("took {:?}", ran.took)),
        (ran.peak_kib > MEMORY_KIB, format!("held {} KiB", ran.peak_kib)),
        (!ran.left.is_empty(), format!("left running: {:?}", ran.left)),
        (
            !ran.temporary.is_empty(),
            format!("left files: {:?}", ran.temporary),
        ),
    ];
    let sentences = found
        .into_iter()
        .filter_map(|(is_wrong, what)| is_wrong.then_some(what));
    let sentences: Vec<_> = sentences.chain(interpreted(ran)).chain(unreadable(ran)).collect();
    if sentences.is_empty() {
        return sentences;
    }
    let told = format!(
        "{} {} {}",
        trial["because"],
        trial["findings"],
        ran.read("stderr")
    );
    let told: String = told.chars().take(1500).collect();
    vec![format!("{way}: {}\n    {told}", sentences.join("; "))]
}

/// Where text of the client would steer whoever reads it.
fn interpreted(ran: &Ran) -> Vec<String> {
    let steers = |c: char| (c.is_control() && c != '\n') || "\u{202e}\u{2028}".contains(c);
    let files = ["stdout", "stderr", "r.json", "r.xml", "r.md"];
    let steered = files.iter().filter(|name| ran.read(name).contains(steers));
    let tags = ["r.xml", "r.md"].into_iter().filter(|name| {
        let text = ran.read(name);
        text.contains("<script") || text.contains("<img") || text.lines().any(|line| line == "## owned")
    });
    let told = |name| format!("{name} holds text that is interpreted");
    steered.copied().chain(tags).map(told).collect()
}

/// Reports that are not whole, and evidence that cannot be read back.
fn unreadable(ran: &Ran) -> Vec<String> {
    let mut wrong = Vec::new();
    if !ran.read("r.xml").trim_end().ends_with("</testsuites>") {
        wrong.push("the JUnit report is not whole".to_owned());
    }
    if !ran.read("stdout").contains("1 trial") {
        wrong.push("the text has no summary".to_owned());
    }
    let evidence = ran.folder.path().join("e/hostile.jsonl");
    match retrial::record::read(&evidence) {
        Ok(recorded) if recorded.broke_off => wrong.push("the evidence broke off".to_owned()),
        Ok(_) => {}
        Err(e) => wrong.push(format!("the evidence: {e}")),
    }
    wrong
}
