//! Gateways that people run, with the configurations in `fixtures/gateways`: how often each hands a request on.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;

use crate::needed::is_here;
use crate::rows::{README, calls, row_behind};
use crate::stage::{Process, dependencies, request, url_of};

/// What each is asked.
const ASKED: [&str; 4] = ["GET /failing", "POST /failing", "GET /lost", "POST /lost"];

/// How often, and how long after each other, a gateway is asked whether it listens: half a minute in all.
const TRIES: u32 = 1500;
const BETWEEN: Duration = Duration::from_millis(20);

/// A gateway of somebody else's, running; its folder lives as long.
pub struct Stranger {
    _process: Process,
    _folder: TempDir,
    /// Where it listens.
    pub url: String,
}

impl Stranger {
    /// Starts the program that this configuration is for, `edit`ed, before the service at `below`, a URL.
    fn start(configuration: &str, edit: fn(String) -> String, below: &str) -> Self {
        let folder = TempDir::new().expect("a temporary folder can be made");
        let port = free_port();
        let template = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures/gateways")
            .join(configuration);
        let text = edit(fs::read_to_string(template).expect("it is there"))
            .replace("{port}", &port.to_string())
            .replace("{tmp}", &folder.path().to_string_lossy())
            .replace("{address:loan}", below.trim_start_matches("http://"));
        let file = folder.path().join(configuration);
        fs::write(&file, text).expect("a file can be written there");
        let file = file.to_string_lossy().into_owned();
        let arguments = match program(configuration) {
            "nginx" => vec![
                "-p".to_owned(),
                folder.path().to_string_lossy().into_owned(),
                "-c".to_owned(),
                file,
            ],
            _ => vec!["-db".to_owned(), "-q".to_owned(), "-f".to_owned(), file],
        };
        let process = Process::start(Path::new(program(configuration)), &arguments);
        wait_for(port, configuration);
        Stranger {
            _process: process,
            _folder: folder,
            url: format!("http://127.0.0.1:{port}"),
        }
    }
}

/// Waits until it listens.
fn wait_for(port: u16, configuration: &str) {
    for _ in 0..TRIES {
        if TcpStream::connect(("127.0.0.1", port)).is_ok() {
            return;
        }
        std::thread::sleep(BETWEEN);
    }
    panic!("{} does not listen with {configuration}", program(configuration));
}

fn program(configuration: &str) -> &'static str {
    match configuration.starts_with("nginx") {
        true => "nginx",
        false => "haproxy",
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
    listener.local_addr().expect("it is bound").port()
}

/// How often a gateway with this configuration handed on each of what it was asked.
fn handed_on(configuration: &str, edit: fn(String) -> String) -> [usize; 4] {
    let (served, urls) = dependencies("gateways/failing.yaml");
    let gateway = Stranger::start(configuration, edit, &url_of(&urls, "loan"));
    for asked in ASKED {
        assert!(request(&gateway.url, asked, None) >= 500);
    }
    let calls = calls(served);
    ASKED.map(|asked| {
        let (method, path) = asked.split_once(' ').expect("a method and a path");
        calls
            .iter()
            .filter(|c| c["method"] == method && c["path"] == path)
            .count()
    })
}

/// A configuration as it stands in its file.
fn as_it_is(text: String) -> String {
    text
}

#[track_caller]
fn check(configuration: &str, expected: [usize; 4]) {
    let counts = expected.map(|n| n.to_string()).join(" | ");
    let stands = |line: &&str| line.contains(configuration) && line.ends_with(&format!("| {counts} |"));
    assert!(
        README.lines().any(|line| stands(&line)),
        "the README shows something else than {counts}"
    );
    if is_here(program(configuration)) {
        assert_eq!(handed_on(configuration, as_it_is), expected, "{ASKED:?}");
    }
}

#[test]
fn nginx_repeats_a_get_and_keeps_from_repeating_a_post_that_was_sent() {
    check("nginx.conf", [3, 1, 3, 1]);
}

#[test]
fn nginx_with_non_idempotent_repeats_a_post_too() {
    check("nginx-non-idempotent.conf", [3, 3, 3, 3]);
}

#[test]
fn haproxy_with_retry_on_repeats_a_post_too() {
    check("haproxy.cfg", [3, 3, 3, 3]);
}

#[test]
fn haproxy_keeps_from_it_where_it_is_told_by_a_line_of_its_own() {
    check("haproxy-idempotent.cfg", [3, 1, 3, 1]);
}

#[test]
fn as_they_are_installed_neither_repeats_what_was_sent() {
    let alone: fn(String) -> String = |text| {
        let server = "        server {address:loan} max_fails=0;\n";
        let alone = text.replacen(server, "", 2).replace(" http_503", "");
        assert_eq!(alone.matches("server {address:loan}").count(), 1);
        alone
    };
    let silent: fn(String) -> String = |text| {
        let lines = text
            .lines()
            .filter(|line| !line.contains("retry-on ") && !line.contains(" retries "));
        lines.flat_map(|line| [line, "\n"]).collect()
    };
    for (configuration, edit) in [("nginx.conf", alone), ("haproxy.cfg", silent)] {
        if is_here(program(configuration)) {
            assert_eq!(handed_on(configuration, edit), [1, 1, 1, 1], "{configuration}");
        }
    }
}

/// The gateway of the tables, with nginx in its place.
#[test]
fn nginx_before_the_loan_service_multiplies_what_the_service_does() {
    if !is_here("nginx") {
        return;
    }
    let play = |configuration, scenario, middle, wrapper| {
        let stand = |below: &str| {
            let gateway = Stranger::start(configuration, as_it_is, below);
            let url = gateway.url.clone();
            (gateway, url)
        };
        let row = row_behind(scenario, (middle, wrapper), None, stand);
        (row.status, row.loan, row.membership, row.notification)
    };
    // A loan is a POST: with its default, nginx leaves it alone, and the service's own three attempts stay three.
    assert_eq!(play("nginx.conf", "loan/persistent.yaml", 1, 3), (503, 1, 1, 3));
    let loud = "nginx-non-idempotent.conf";
    assert_eq!(play(loud, "loan/persistent.yaml", 3, 3), (503, 3, 9, 27));
    assert_eq!(play(loud, "loan/transient.yaml", 1, 1), (200, 3, 3, 3));
}
