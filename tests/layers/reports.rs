//! Layers in every report.

use super::stack::{front, loan, run};

#[test]
fn every_report_tells_the_points_and_who_multiplied() {
    let ran = run(&[loan(3, 1), front(3)], "", "layers-persistent");
    let table: Vec<&str> = ran.text.lines().take(7).collect();
    insta::assert_snapshot!(table.join("\n"));
    let layers: Vec<&str> = ran.text.lines().filter(|l| l.contains("layers: ")).collect();
    insta::assert_snapshot!("sentences", layers.join("\n"));
    for property in [
        r#"name="layers.front.calls" value="1""#,
        r#"name="layers.loan.over_above" value="3.00""#,
        r#"name="layers.notification.calls" value="9""#,
    ] {
        assert!(ran.junit.contains(property), "{property} in {}", ran.junit);
    }
    assert!(
        ran.markdown.contains("| loan | 3 | 1 | 3.00 |"),
        "{}",
        ran.markdown
    );
    let trial = ran.trial();
    assert_eq!(
        trial["layers"]["loan"],
        serde_json::json!({"place": 2, "role": "service", "calls": 3, "acknowledged": 0, "multiplier": 3.0})
    );
}

#[test]
fn saved_evidence_of_layers_is_judged_alike() {
    let ran = run(&[loan(1, 1), front(3)], "", "layers-transient");
    let evidence = ran.folder.path().join("evidence");
    let file = std::fs::read_dir(&evidence)
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let again = assert_cmd::Command::new(env!("CARGO_BIN_EXE_retrial"))
        .args(["judge", "--report", "json=-"])
        .arg(file)
        .output()
        .unwrap();
    let again: serde_json::Value = serde_json::from_slice(&again.stdout).unwrap();
    for part in ["findings", "layers", "segments", "dependencies", "verdict"] {
        assert_eq!(again["trials"][0][part], ran.trial()[part], "{part}");
    }
}
