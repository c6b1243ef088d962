//! What the documentation shows is true: its scenarios and client files load, its commands and ids exist.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use retrial::source::Source;

const PAGES: [&str; 7] = [
    "README.md",
    "CONTRIBUTING.md",
    "harness/ARCHITECTURE.md",
    "harness/SECURITY.md",
    "scenarios/README.md",
    "fixtures/clients/README.md",
    "fixtures/loan/README.md",
];

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The blocks of a page that are fenced with this word.
fn blocks<'a>(page: &'a str, word: &str) -> Vec<&'a str> {
    let fence = format!("```{word}\n");
    page.split(fence.as_str())
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect()
}

#[test]
fn every_whole_yaml_block_loads() {
    let mut loaded = 0;
    for name in PAGES {
        let text = page(name);
        for block in blocks(&text, "yaml")
            .into_iter()
            .filter(|b| b.starts_with("version: 1"))
        {
            let source = Arc::new(Source::new(name, block));
            let problems = if block.starts_with("version: 1\ngiven:") {
                retrial::scenario::load_policy(&source).err()
            } else if block.contains("\ndriver:") {
                retrial::client::load(source, None).err()
            } else {
                retrial::scenario::load(source, "shown").err()
            };
            if let Some(problems) = problems {
                panic!("{name}:\n{block}\n{}", retrial::source::render(&problems, false));
            }
            loaded += 1;
        }
    }
    assert!(loaded >= 3, "only {loaded} blocks were found");
}

#[test]
fn every_link_to_a_file_leads_somewhere() {
    for name in PAGES {
        let text = page(name);
        let folder = root().join(name).parent().map(Path::to_owned).unwrap_or_default();
        for rest in text.split("](").skip(1) {
            let target = rest.split([')', '#']).next().unwrap_or_default();
            if !target.contains("://") {
                assert!(folder.join(target).exists(), "{name} links to {target}");
            }
        }
    }
}

#[test]
fn the_readme_names_the_two_commands() {
    let readme = page("README.md");
    for command in ["$ cargo run --release -- run\n", "$ cargo test\n"] {
        assert!(readme.contains(command), "{command}");
    }
}

#[test]
fn every_id_that_the_documentation_explains_exists() {
    for name in PAGES {
        for rest in page(name).split("retrial explain ").skip(1) {
            let id: String = rest
                .chars()
                .take_while(|c| !c.is_whitespace() && *c != '`' && *c != ',')
                .collect();
            if id == "ID" {
                continue;
            }
            let output = Command::new(env!("CARGO_BIN_EXE_retrial"))
                .args(["explain", &id])
                .output();
            assert!(
                output.expect("the program starts").status.success(),
                "{name}: retrial explain {id}"
            );
        }
    }
}

/// A test that lacks its program says that it is skipped, and passes; where everything is installed, none may do so.
#[test]
fn the_whole_run_skips_no_test() {
    let run = page(".ci/run");
    assert!(run.contains("\nRETRIAL_TEST_ALL=1 cargo test\n"), "{run}");
    for program in ["curl", "python3", "node", "nginx", "haproxy"] {
        let looked_for = format!("command -v {program} >/dev/null || missing+=(");
        assert!(run.contains(&looked_for), "{program} is not installed: {run}");
    }
    for file in files_of("tests") {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let says = text.contains("format!(\"skipped: ") || text.contains("eprintln!(\"skipped");
        let rules = text.contains("RETRIAL_TEST_ALL") || !says;
        let this = file.ends_with("docs.rs");
        assert!(this || rules, "{} skips without the rule", file.display());
    }
}

/// Every Rust file below a folder of the project.
fn files_of(folder: &str) -> Vec<PathBuf> {
    let mut folders = vec![root().join(folder)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false => files.extend((path.extension() == Some("rs".as_ref())).then_some(path)),
            }
        }
    }
    files
}

/// A line without its columns' widths.
fn words(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Of the README's blocks of YAML, the first with these words, as a file in `folder`.
fn saved(folder: &Path, name: &str, words: &str) -> String {
    let readme = page("README.md");
    let found = blocks(&readme, "yaml").into_iter().find(|b| b.contains(words));
    let file = folder.join(name);
    fs::write(&file, found.unwrap_or_else(|| panic!("no block says {words}"))).expect("a file");
    file.display().to_string()
}

/// The program's output, and the README's block that shows a part of it, begun by these words: each of its lines, but for
/// dots, stands in the output.
fn shows(begins: &str, arguments: &[&str]) {
    let output = Command::new(env!("CARGO_BIN_EXE_retrial"))
        .current_dir(root())
        .args(arguments)
        .output();
    let output = String::from_utf8(output.expect("the program starts").stdout).expect("text");
    let printed: Vec<String> = output.lines().map(words).collect();
    let readme = page("README.md");
    let mut texts = blocks(&readme, "text").into_iter();
    let block = texts
        .find(|b| b.contains(begins))
        .unwrap_or_else(|| panic!("no block says {begins}"));
    for line in block.lines().map(words).filter(|l| !l.is_empty() && l != "...") {
        assert!(
            printed.contains(&line),
            "the README shows\n  {line}\nand the program prints\n{output}"
        );
    }
}

#[test]
fn the_tables_of_the_readme_are_what_the_program_prints() {
    let folder = tempfile::tempdir().expect("a folder");
    let outage = saved(folder.path(), "outage.yaml", "Everything fails, for a hundred");
    let tenth = saved(folder.path(), "tenth.yaml", "given: {budget:");
    let (unbounded, broken) = (
        "scenarios/golden/overload-unbounded.yaml",
        "scenarios/golden/overload-broken.yaml",
    );
    shows(
        "calls quota",
        &[
            "compare",
            "reference",
            "--given",
            &tenth,
            "-s",
            &outage,
            "--differences",
        ],
    );
    shows(
        "calls orders",
        &[
            "compare",
            "reference",
            "--given",
            &tenth,
            "-s",
            unbounded,
            "-s",
            broken,
            "--differences",
        ],
    );
    shows("load of orders in", &["run", "-s", unbounded]);
}
