//! Files that are as long as a file may be, in one way each, or as deep: read or refused soon, and in bounded memory.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use nix::time::ClockId;
use retrial::client;
use retrial::scenario::{Trial, load, remarks};
use retrial::source::{Problem, Source, render};

use super::{problems, with};

/// Far more than a linear reading takes in a test's build, and far less than a quadratic one: half a minute and up.
const AT_ONCE: Duration = Duration::from_secs(8);

/// The same where a whole MiB is read, and every value of it checked: 3 s. What is quadratic takes minutes.
const SOON: Duration = Duration::from_secs(20);

/// The processor time of this thread, which other processes on the machine do not move.
fn spent() -> Duration {
    let spent = ClockId::CLOCK_THREAD_CPUTIME_ID.now();
    spent.expect("a clock of this thread").into()
}

/// What comes of it, within so much processor time.
fn within<T>(bound: Duration, what: impl FnOnce() -> T) -> T {
    let before = spent();
    let made = what();
    let took = spent().saturating_sub(before);
    assert!(took < bound, "took {took:?}");
    made
}

fn soon<T>(what: impl FnOnce() -> T) -> T {
    within(SOON, what)
}

fn read(yaml: String) -> Result<Vec<Trial>, Vec<Problem>> {
    assert!(yaml.len() <= 1024 * 1024, "{} bytes", yaml.len());
    soon(|| load(Arc::new(Source::new("large.yaml", yaml)), "large"))
}

/// The first of its problems, all of which are shown soon.
fn first(found: Result<Vec<Trial>, Vec<Problem>>) -> String {
    let problems = found.expect_err("it is refused");
    assert!(soon(|| render(&problems, false)).len() > 20);
    problems[0].message.clone()
}

/// `n` pieces, one after another.
fn each(n: usize, piece: impl Fn(usize) -> String) -> String {
    (0..n).fold(String::new(), |mut all, nth| {
        // A string takes whatever is written.
        let _ = write!(all, "{}", piece(nth));
        all
    })
}

#[test]
fn many_names_that_are_not_there() {
    let names = each(30_000, |n| format!("dependency-{n},"));
    let others = each(20_000, |n| format!("  other-{n}: {{}}\n"));
    let yaml = with("to: [orders]", &format!("to: [{names}]"))
        .replace("operations:", &format!("{others}operations:"));
    assert_eq!(first(read(yaml)), "there is no dependency `dependency-0`");
}

#[test]
fn names_that_are_half_a_file_long() {
    let name = "a".repeat(500_000);
    let yaml = with("to: [orders]", &format!("to: [{name}]"));
    let message = format!("there is no dependency `{name}`");
    assert_eq!(first(read(yaml.clone())), message);
    // A key of that length is written like so.
    let both = yaml.replace("  orders:\n", &format!("  ? b{name}\n  :\n"));
    assert!(read(both).is_err());
}

#[test]
fn many_tags_and_needs() {
    let tags = each(60_000, |n| format!("t{n}, "));
    let needs = each(40_000, |n| {
        format!("layers: {n}, ")
            .replacen("layers", "{layers", 1)
            .replacen(", ", "}, ", 1)
    });
    let yaml = with("title:", &format!("tags: [{tags}]\ntitle:"));
    assert_eq!(read(yaml).unwrap()[0].tags.len(), 60_000);
    let yaml = with("title:", &format!("needs: [{needs}]\ntitle:"));
    assert_eq!(read(yaml).unwrap()[0].needs.len(), 40_000);
}

#[test]
fn many_turns_on_one_line() {
    let turns = each(10_000, |n| {
        format!("{{times: 1, when: {{path: /{n}}}, cut: {{at: accept, by: fin}}}},")
    });
    let yaml =
        with("    script:\n", "").replace("      - {times: 1, answer: {status: 503, retry_after: 3s}}\n", "");
    let last = "      - {effect: applied, answer: {status: 200}}\n";
    assert!(yaml.contains(last));
    let yaml = yaml.replace(
        last,
        &format!("    script: [{turns} {{answer: {{status: 200}}}}]\n"),
    );
    assert_eq!(first(read(yaml)), "at `accept` nothing is known of any call");
}

#[test]
fn many_turns_for_paths_that_nobody_takes() {
    let turns = each(9_000, |n| {
        format!("      - {{when: {{path: /where/{n}}}, answer: {{status: 503}}}}\n")
    });
    let groups = each(5_000, |n| {
        format!("  - {{request: {{method: GET, to: [orders], path: /there/{n}}}}}\n")
    });
    let yaml = with("    script:\n", &format!("    script:\n{turns}")) + &groups;
    let trials = read(yaml).unwrap();
    assert_eq!(soon(|| remarks(&trials[0])).len(), 20);
}

#[test]
fn many_trials_of_a_long_file() {
    let statuses = each(500, |n| format!("{},", n + 400));
    let vary = format!("vary: {{statuses: [{statuses}]}}\ndependencies:");
    let varied = with("dependencies:", &vary).replace("status: 503", "status: varied");
    assert_eq!(read(varied.clone()).unwrap().len(), 500);
    let long = format!("{varied}# {}\n", "x".repeat(500_000));
    assert_eq!(first(read(long)), "this makes too many trials of so long a file");
}

#[test]
fn a_long_text_that_stands_in_many_places() {
    let text = "x".repeat(300_000);
    let twice = with("status: 503", &format!("status: 503, body: {{text: &x {text}}}"));
    let at_most = "      - {times: 1, answer: {status: 503, body: {text: *x}}}\n";
    let of = |n| {
        twice.replace(
            "      - {effect",
            &format!("{}      - {{effect", at_most.repeat(n)),
        )
    };
    assert_eq!(read(of(2)).unwrap()[0].dependencies[0].turns.len(), 4);
    assert_eq!(first(read(of(3))), "this file unfolds into more than is read");
}

#[test]
fn many_groups_that_do_not_say_how_many() {
    let groups = each(10_001, |n| {
        format!("  - {{clients: 100, request: {{method: GET, to: [orders], path: /{n}}}}}\n")
    });
    assert_eq!(
        first(read(with("dependencies", "dependencies") + &groups)),
        "a trial has at most 1000000 operations"
    );
}

/// The first problem of a client's file.
fn of_a_client(yaml: &str) -> String {
    assert!(yaml.len() <= 1024 * 1024, "{} bytes", yaml.len());
    let source = Arc::new(Source::new("client.yaml", yaml));
    let problems = soon(|| client::load(source, None)).expect_err("it is refused");
    soon(|| render(&problems, false));
    problems[0].message.clone()
}

#[test]
fn many_processes_files_and_placeholders() {
    let service = |more: &str, processes: &str| {
        format!("version: 1\nname: c\ndriver: {{service: {{{more}processes: [{processes}]}}}}\n")
    };
    let processes = each(10_000, |n| {
        format!("{{name: p{n}, role: service, command: [x]}},")
    });
    assert_eq!(
        of_a_client(&service("", &processes)),
        "a client is made of at most 100 processes"
    );
    let files = each(101, |n| format!("f{n}: client.rs,"));
    let one = format!("{{name: p, role: service, command: [x], files: {{{files}}}}}");
    assert_eq!(
        of_a_client(&service("", &one)),
        "a client's processes are given at most 100 files"
    );
    let calls = each(30_000, |n| format!("c-{n},"));
    let slots = "{url:nobody} ".repeat(30_000);
    let one = format!("{{name: p, role: service, command: [x, '{slots}']}}");
    assert_eq!(
        of_a_client(&service(&format!("calls: [{calls}], "), &one)),
        "{url:nobody} leads nowhere"
    );
    let words = each(60_000, |n| format!("{{a{}}}", "b".repeat(n % 9)));
    let exec = format!("version: 1\nname: c\ndriver: {{exec: {{command: [x, '{words}']}}}}\n");
    assert_eq!(of_a_client(&exec), "there is no placeholder {a}");
}

/// The line and the sentence of the one problem with a hostile file, which is found at once.
fn hostile(yaml: &str) -> (usize, String) {
    let found = within(AT_ONCE, || problems(yaml));
    let [problem] = &found[..] else {
        panic!("one problem, not {found:?}")
    };
    let span = problem.span.expect("a place");
    (problem.source.line(span), problem.message.clone())
}

#[test]
fn deep_nesting_is_refused_at_once() {
    let deep = (1, "this is nested too deeply".to_owned());
    assert_eq!(hostile(&"[".repeat(200_000)), deep);
    assert_eq!(hostile(&"{a: ".repeat(50_000)), deep);
    assert_eq!(hostile(&"- ".repeat(100_000)), deep);
    let maps: String = (0..1000).map(|n| " ".repeat(n) + "k:\n").collect();
    assert_eq!(hostile(&maps).1, deep.1);
}

#[test]
fn an_alias_bomb_is_refused_at_once() {
    let ladder: String = ('b'..='j')
        .zip('a'..)
        .map(|(next, last)| format!("{next}: &{next} [{}]\n", vec![format!("*{last}"); 9].join(",")))
        .collect();
    let ladder = format!("a: &a [x, x, x, x, x, x, x, x, x]\n{ladder}");
    assert_eq!(hostile(&ladder).1, "this file unfolds into more than is read");
}

#[test]
fn aliases_that_unfold_without_end_are_refused() {
    let wide: Vec<String> = (0..200).map(|n| format!("x{n}: y")).collect();
    let first = format!(
        "&w {{answer: {{status: 503, headers: {{{}}}}}, times: 1}}",
        wide.join(", ")
    );
    let many = "      - *w\n".repeat(900);
    let yaml = with(
        "      - {effect",
        &format!("      - {first}\n{many}      - {{effect"),
    );
    assert_eq!(hostile(&yaml).1, "this file unfolds into more than is read");
}
