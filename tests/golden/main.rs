//! The golden figures, exact to the digit: each row is a scenario of `scenarios/golden`, played in virtual time.

mod binding;
mod cases;
mod chance;
mod figures;
mod overload;
#[path = "../virtual_time/playing.rs"]
mod playing;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;
mod studies;
#[allow(dead_code, reason = "the program uses all of it, this test a part")]
#[path = "../../harness/virtual_reference.rs"]
mod virtual_reference;

use std::path::PathBuf;
use std::sync::Arc;

use retrial::scenario::Trial;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("scenarios/golden")
}

/// The trial of the built-in scenario with this name.
fn built_in(name: &str) -> Arc<Trial> {
    let all = retrial::scenario::built_in().iter();
    let found = all.into_iter().find(|(known, _)| *known == name);
    let (_, yaml) = found.unwrap_or_else(|| panic!("there is no {name}"));
    playing::trial(name, yaml)
}

/// The trial of the golden scenario with this name.
fn golden(name: &str) -> Arc<Trial> {
    let file = folder().join(format!("{name}.yaml"));
    let yaml = std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    playing::trial(name, &yaml)
}

/// The names of all golden scenarios, in order.
fn names() -> Vec<String> {
    let files = std::fs::read_dir(folder()).expect("the folder");
    let name = |file: std::fs::DirEntry| {
        let name = file.file_name().into_string().expect("a name");
        name.strip_suffix(".yaml").expect("a scenario").to_owned()
    };
    let mut names: Vec<String> = files.flatten().map(name).collect();
    names.sort();
    names
}
