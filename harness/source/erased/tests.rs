//! What is read through the tables is what is read without them.

use std::collections::BTreeMap;
use std::fmt::Debug;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::source::{Placed, boxed, from_json};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "they are told whole")]
struct Order {
    name: String,
    count: u8,
    #[serde(default)]
    share: Option<f64>,
    #[serde(default)]
    ways: Vec<Way>,
    #[serde(default)]
    marks: BTreeMap<String, i32>,
    #[serde(default)]
    pair: Option<(bool, char)>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(dead_code, reason = "they are told whole")]
enum Way {
    Straight,
    After(Nested),
    Both(u16, u16),
    Named { left: i64, right: Option<String> },
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "it is told whole")]
struct Nested(u64);

#[derive(Debug, Deserialize)]
struct WithPlaces {
    name: Placed<String>,
    ways: Placed<Vec<Placed<Way>>>,
}

/// Right and wrong in each way that serde has a word for; YAML's flow style, which is nearly JSON.
const ORDERS: &[&str] = &[
    r#"{"name": "a", "count": 1}"#,
    r#"{"name": "a", "count": 255, "share": 0.5, "marks": {"x": -1}, "pair": [true, "z"]}"#,
    r#"{"name": "a", "count": 1, "ways": ["straight", {"after": 3}, {"both": [1, 2]}]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"named": {"left": -1, "right": null}}]}"#,
    r#"{"name": "a", "count": 1, "share": null, "pair": null}"#,
    r#"{"count": 1}"#,
    r#"{"name": "a", "count": 256}"#,
    r#"{"name": "a", "count": -1}"#,
    r#"{"name": "a", "count": 1.5}"#,
    r#"{"name": "a", "count": "one"}"#,
    r#"{"name": "a", "count": null}"#,
    r#"{"name": ["a"], "count": 1}"#,
    r#"{"name": {"a": 1}, "count": 1}"#,
    r#"{"name": "a", "count": 1, "counts": 2}"#,
    r#"{"name": "a", "name": "b", "count": 1}"#,
    r#"{"name": "a", "count": 1, "share": "much"}"#,
    r#"{"name": "a", "count": 1, "ways": "straight"}"#,
    r#"{"name": "a", "count": 1, "ways": {"straight": 1}}"#,
    r#"{"name": "a", "count": 1, "ways": ["crooked"]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"crooked": 1}]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"straight": 1}]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"after": "x"}]}"#,
    r#"{"name": "a", "count": 1, "ways": ["after"]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"both": [1]}]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"both": [1, 2, 3]}]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"named": {"right": "x"}}]}"#,
    r#"{"name": "a", "count": 1, "ways": [{"after": 1, "both": [1, 2]}]}"#,
    r#"{"name": "a", "count": 1, "ways": [3]}"#,
    r#"{"name": "a", "count": 1, "marks": {"x": "y"}}"#,
    r#"{"name": "a", "count": 1, "pair": [true]}"#,
    r#"{"name": "a", "count": 1, "pair": [true, "zz"]}"#,
    r#"{"name": "a", "count": 1, "pair": [1, "z"]}"#,
    r#""text""#,
    "3",
    "null",
    r#"{"name": "a", "count": 1} more"#,
    r#"{"name": "a", "#,
];

fn same<T: Debug, E: Debug>(text: &str, direct: Result<T, E>, here: Result<T, E>) {
    assert_eq!(format!("{here:?}"), format!("{direct:?}"), "{text}");
}

fn yaml<T: DeserializeOwned>(text: &str) -> Result<T, serde_yaml::Error> {
    serde_yaml::from_str_with_options(text, serde_yaml::Options::default())
}

#[test]
fn json_is_read_as_without_the_tables_and_so_are_its_errors_with_their_places() {
    for text in ORDERS {
        let direct = serde_json::from_str::<Order>(text);
        same(text, direct, from_json(text.as_bytes()));
    }
}

#[test]
fn yaml_is_read_as_without_the_tables_and_so_are_its_errors_with_their_places() {
    for text in ORDERS {
        let here = boxed::document::<Order>(text, serde_yaml::Options::default());
        same(text, yaml(text), here);
        let broken_over_lines = text.replace(", ", ",\n  ");
        let here = boxed::document::<Order>(&broken_over_lines, serde_yaml::Options::default());
        same(&broken_over_lines, yaml(&broken_over_lines), here);
    }
}

#[test]
fn a_place_within_a_place_is_each_its_own() {
    let text = "name: &n a\nways: [straight, {after: 3}]\n";
    let read: WithPlaces = boxed::document(text, serde_yaml::Options::default()).expect("it is right");
    assert_eq!(&text[read.name.span.start..read.name.span.end], "a");
    let ways: Vec<usize> = read.ways.value.iter().map(|way| way.span.start).collect();
    assert_eq!(
        ways,
        [
            text.find("straight").expect("it is there"),
            text.find("{after").expect("it is there")
        ]
    );
    assert_eq!(read.ways.span.start, text.find('[').expect("it is there"));
}

#[test]
fn a_list_is_no_structure() {
    let said = from_json::<Order>(br#"["a", 1]"#).expect_err("a list");
    assert!(
        said.to_string()
            .starts_with("invalid type: sequence, expected struct Order"),
        "{said}"
    );
}
