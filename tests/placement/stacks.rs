//! The loan service's stacks as clients of their own: what each is known to do wrong, and nothing else.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::needed::is_here;
use crate::stage::loan;

/// The findings of a stack in the scenarios for layers, as `scenario: check`, passes and notes left out; and how the run ended.
fn findings(client: &str) -> (Vec<String>, Option<i32>) {
    let (report, ended) = run(client);
    let mut found = Vec::new();
    for trial in report["trials"].as_array().expect("trials") {
        for finding in trial["findings"].as_array().expect("findings") {
            if finding["verdict"] == "fail" || finding["verdict"] == "warn" {
                let word = |value: &Value| value.as_str().expect("a word").to_owned();
                found.push(format!(
                    "{}: {}",
                    word(&trial["scenario"]),
                    word(&finding["check"])
                ));
            }
        }
    }
    found.sort();
    found.dedup();
    (found, ended)
}

/// The report of a stack in the scenarios for layers, and how the run ended.
fn run(client: &str) -> (Value, Option<i32>) {
    let here = loan().parent().expect("it lies in a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let path = std::env::join_paths([here].into_iter().chain(std::env::split_paths(&others)));
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/loan")
        .join(client);
    let output = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(["run", "layers-*", "--report", "json=-", "--client"])
        .arg(file)
        .env("PATH", path.expect("no folder has a colon in its name"))
        .output()
        .expect("the program can be started");
    let report: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
    (report, output.status.code())
}

#[track_caller]
fn check(client: &str, expected: &[&str]) {
    let (found, ended) = findings(client);
    assert_eq!(found, expected);
    // Its file lists all of it.
    assert_eq!(ended, Some(0));
}

#[test]
fn a_wrapper_repeats_what_no_key_makes_safe_and_leaves_the_healthy_alone() {
    check(
        "wrapper.yaml",
        &[
            "layers-methods: unsafe.not_repeated",
            "layers-persistent: unsafe.not_repeated",
            "layers-transient: unsafe.not_repeated",
        ],
    );
}

#[test]
fn a_middle_layer_also_strains_the_healthy() {
    check(
        "middle.yaml",
        &[
            "layers-keyed: healthy.unstrained",
            "layers-methods: healthy.unstrained",
            "layers-methods: unsafe.not_repeated",
            "layers-owner: healthy.unstrained",
            "layers-persistent: healthy.unstrained",
            "layers-persistent: unsafe.not_repeated",
            "layers-transient: healthy.unstrained",
            "layers-transient: unsafe.not_repeated",
        ],
    );
}

#[test]
fn a_gateway_may_not_repeat_a_post_with_a_key_either() {
    check(
        "gateway.yaml",
        &[
            "layers-keyed: healthy.unstrained",
            "layers-keyed: unsafe.not_repeated",
            "layers-methods: healthy.unstrained",
            "layers-methods: unsafe.not_repeated",
            "layers-owner: healthy.unstrained",
            "layers-owner: unsafe.not_repeated",
            "layers-persistent: healthy.unstrained",
            "layers-persistent: unsafe.not_repeated",
            "layers-transient: healthy.unstrained",
            "layers-transient: unsafe.not_repeated",
        ],
    );
}

/// The twins of the proxy's rule: one trial with a POST and a GET, one gateway that repeats both, and one that repeats the GET.
#[test]
fn a_gateway_that_repeats_only_what_is_idempotent_does_nothing_wrong() {
    check("careful-gateway.yaml", &[]);
    for (client, at_the_service) in [("careful-gateway.yaml", 4), ("gateway.yaml", 6)] {
        let (report, _) = run(client);
        let trials = report["trials"].as_array().expect("trials");
        let of_methods = trials.iter().find(|t| t["scenario"] == "layers-methods");
        let trial = of_methods.expect("a trial");
        // The GET is repeated by both of them: three calls, and those of the POST.
        assert_eq!(trial["layers"]["loan"]["calls"], at_the_service, "{client}");
        assert!(trial["stop_reasons"]["ok"].as_u64() >= Some(1), "{client}");
        let findings = trial["findings"].as_array().expect("findings").iter();
        let of_the_rule = findings.filter(|f| f["check"] == "unsafe.not_repeated" && f["verdict"] == "fail");
        let blamed: Vec<&Value> = of_the_rule.map(|f| &f["operations"]).collect();
        match client {
            "gateway.yaml" => assert_eq!(blamed, [&serde_json::json!(["op-1"])]),
            _ => assert_eq!(blamed, [] as [&Value; 0]),
        }
    }
}

#[test]
fn nginx_by_its_default_does_nothing_wrong_that_the_wrapper_does_not() {
    if is_here("nginx") {
        check(
            "nginx.yaml",
            &[
                "layers-methods: unsafe.not_repeated",
                "layers-persistent: unsafe.not_repeated",
                "layers-transient: unsafe.not_repeated",
            ],
        );
    }
}

/// What the inner layers mend, the gateway never sees: only the failure that stays reaches it.
#[test]
fn gateways_that_repeat_a_post_multiply_what_stays_broken() {
    for (client, program) in [
        ("nginx-non-idempotent.yaml", "nginx"),
        ("haproxy.yaml", "haproxy"),
    ] {
        if is_here(program) {
            check(
                client,
                &[
                    "layers-methods: unsafe.not_repeated",
                    "layers-owner: expect.met",
                    "layers-owner: healthy.unstrained",
                    "layers-owner: unsafe.not_repeated",
                    "layers-persistent: healthy.unstrained",
                    "layers-persistent: unsafe.not_repeated",
                    "layers-transient: unsafe.not_repeated",
                ],
            );
        }
    }
}
