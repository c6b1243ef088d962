//! The borders of the house: the table in `harness/ARCHITECTURE.md` is the list of what a room may use.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

const CAP: usize = 400;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of the project").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// The rooms and what each may use, read from the table.
fn table() -> BTreeMap<String, Vec<String>> {
    let map = fs::read_to_string(root().join("harness/ARCHITECTURE.md")).expect("the map");
    let mut rooms = BTreeMap::new();
    for line in map.lines().filter(|l| l.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
        let room = cells[0].trim_matches('`').to_owned();
        let may = cells[cells.len() - 1]
            .split(',')
            .map(|s| s.trim().to_owned())
            .collect();
        rooms.insert(room, may);
    }
    rooms
}

/// Whether `room` may use `other`, by its row.
fn may_use(row: &[String], other: &str) -> bool {
    row.iter().any(|word| match word.as_str() {
        "all" => true,
        "all but cli" => other != "cli",
        word => word == other,
    })
}

/// The rooms that a text names by `crate::`, also in a braced list.
fn named(text: &str) -> Vec<String> {
    let word = |s: &str| -> String {
        s.trim_start()
            .chars()
            .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
            .collect()
    };
    let mut found = Vec::new();
    for (at, _) in text.match_indices("crate::") {
        let rest = &text[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => found.push(word(rest)),
            Some(list) => {
                let mut depth = 1;
                let mut item = String::new();
                for c in list.chars() {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    if depth == 0 || (depth == 1 && c == ',') {
                        found.push(word(&item));
                        item.clear();
                    } else {
                        item.push(c);
                    }
                    if depth == 0 {
                        break;
                    }
                }
            }
        }
    }
    found
}

fn for_each_room_file(mut see: impl FnMut(&str, &Path, &str)) {
    for room in table().keys() {
        for path in rust_files(&root().join("harness").join(room)) {
            let text = fs::read_to_string(&path).expect("a source file");
            see(room, &path, &text);
        }
    }
}

#[test]
fn the_table_names_every_room_and_no_other() {
    let mut folders: Vec<String> = fs::read_dir(root().join("harness"))
        .expect("the harness")
        .flatten()
        .filter(|e| e.path().is_dir() && e.file_name() != "benches")
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort();
    let rooms: Vec<String> = table().into_keys().collect();
    assert_eq!(rooms, folders);
}

#[test]
fn a_room_uses_only_the_rooms_in_its_row() {
    let table = table();
    let mut trespasses = Vec::new();
    for_each_room_file(|room, path, text| {
        for other in named(text) {
            if table.contains_key(&other) && other != room && !may_use(&table[room], &other) {
                trespasses.push(format!("{}: `{room}` may not use `{other}`", path.display()));
            }
        }
    });
    assert!(trespasses.is_empty(), "{}", trespasses.join("\n"));
}

#[test]
fn the_border_test_reads_braced_lists_too() {
    assert_eq!(
        named("use crate::{term::{Stamp, Name}, judge};\nuse crate::cli::x;"),
        ["term", "judge", "cli"]
    );
}

#[test]
fn only_the_world_has_a_clock() {
    let clocks = [
        "Instant",
        "SystemTime",
        "tokio::time",
        "std::thread::sleep",
        "thread::sleep",
    ];
    let mut found = Vec::new();
    for_each_room_file(|room, path, text| {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if room != "world" && clocks.iter().any(|c| code.contains(c)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    });
    assert!(found.is_empty(), "a clock outside `world`:\n{}", found.join("\n"));
}

#[test]
fn the_judge_and_the_report_do_nothing_but_compute() {
    let wet = [
        "async ",
        "tokio",
        "hyper",
        "std::fs",
        "std::net",
        "std::process",
        "std::env",
    ];
    let mut found = Vec::new();
    for_each_room_file(|room, path, text| {
        let pure = ["judge", "report", "script", "term", "spec", "promise"].contains(&room);
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if pure && wet.iter().any(|w| code.contains(w)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn only_the_cli_prints() {
    let prints = [
        "println!",
        "eprintln!",
        "print!(",
        "eprint!(",
        "stdout()",
        "stderr()",
    ];
    let mut found = Vec::new();
    for_each_room_file(|room, path, text| {
        for (number, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            if room != "cli" && prints.iter().any(|p| code.contains(p)) {
                found.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    });
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn every_file_says_what_it_answers_and_stays_small() {
    let mut found = Vec::new();
    for folder in ["harness", "fixtures", "tests"] {
        for path in rust_files(&root().join(folder)) {
            let text = fs::read_to_string(&path).expect("a source file");
            if !text.starts_with("//!") {
                found.push(format!("{}: does not begin with `//!`", path.display()));
            }
            let lines = text.lines().count();
            if lines > CAP {
                found.push(format!("{}: {lines} lines, more than {CAP}", path.display()));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_reference_client_shares_no_code_with_the_harness() {
    for path in rust_files(&root().join("fixtures/reference")) {
        let text = fs::read_to_string(&path).expect("a source file");
        for word in ["retrial::", "harness::"] {
            let code = text.lines().map(|l| l.split("//").next().unwrap_or_default());
            assert!(
                code.into_iter().all(|l| !l.contains(word)),
                "{} uses {word}",
                path.display()
            );
        }
    }
}
