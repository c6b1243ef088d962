//! Scenarios put together in Rust.
//!
//! A draft becomes the text that an author would have written, a line for each turn and each operation, and is read like
//! any other file: what is wrong with it is said in the same words, and a finding shows the line that asked.

use std::fmt::Write;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::scenario::{Scenario, ScenarioError};
use crate::term::{CutBy, Place};

/// A scenario in the making.
#[derive(Debug, Clone)]
pub struct ScenarioDraft {
    title: String,
    dependencies: Vec<(String, Vec<TurnDraft>)>,
    operations: Vec<OperationDraft>,
}

/// A turn in the making: how a dependency treats the calls that fall to it.
#[derive(Debug, Clone, Default)]
pub struct TurnDraft(Map<String, Value>);

/// A group of operations in the making: what the client is asked for.
#[derive(Debug, Clone)]
pub struct OperationDraft {
    group: Map<String, Value>,
    request: Map<String, Value>,
}

impl ScenarioDraft {
    /// A scenario with this title, one sentence.
    pub fn titled(title: &str) -> Self {
        ScenarioDraft {
            title: title.to_owned(),
            dependencies: Vec::new(),
            operations: Vec::new(),
        }
    }

    /// A dependency with a script; the last turn takes every further call.
    #[must_use]
    pub fn dependency(mut self, name: &str, script: impl IntoIterator<Item = TurnDraft>) -> Self {
        self.dependencies
            .push((name.to_owned(), script.into_iter().collect()));
        self
    }

    /// A dependency that answers every call at once, and counts.
    #[must_use]
    pub fn healthy(self, name: &str) -> Self {
        self.dependency(name, [])
    }

    /// What the client is asked for next.
    #[must_use]
    pub fn operation(mut self, operation: OperationDraft) -> Self {
        self.operations.push(operation);
        self
    }

    /// The scenario.
    ///
    /// # Errors
    /// It is none that can be played; every problem is told with its line of [`ScenarioDraft::yaml`].
    pub fn build(&self) -> Result<Scenario, ScenarioError> {
        Scenario::from_yaml(&self.yaml())
    }

    /// The scenario as a file holds it.
    pub fn yaml(&self) -> String {
        let mut text = format!("version: 1\ntitle: {}\ndependencies:\n", json!(self.title));
        for (name, script) in &self.dependencies {
            let name = json!(name);
            // Writing to a String cannot fail.
            let _ = match script.is_empty() {
                true => writeln!(text, "  {name}: {{}}"),
                false => writeln!(text, "  {name}:\n    script:"),
            };
            for turn in script {
                let _ = writeln!(text, "      - {}", Value::Object(turn.0.clone()));
            }
        }
        text += "operations:\n";
        for operation in &self.operations {
            let _ = writeln!(text, "  - {}", operation.value());
        }
        text
    }
}

impl TurnDraft {
    /// A turn that answers with this status.
    pub fn answer(status: u16) -> Self {
        TurnDraft::default().answering("status", status)
    }

    /// A turn that cuts the exchange there, so.
    pub fn cut(at: Place, by: CutBy) -> Self {
        TurnDraft::default().and_cut(at, by)
    }

    /// Takes so many calls of each operation, and leaves the others to the turns after it.
    #[must_use]
    pub fn times(self, times: u32) -> Self {
        self.with("times", times)
    }

    /// Takes calls to this path alone.
    #[must_use]
    pub fn at_path(self, path: &str) -> Self {
        self.with("when", json!({ "path": path }))
    }

    /// Applies the side effect, before the answer.
    #[must_use]
    pub fn applied(self) -> Self {
        self.with("effect", "applied")
    }

    /// Asks for a wait, in Retry-After, in whole seconds.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        self.answering("retry_after", duration(wait))
    }

    /// Keeps the client waiting for the answer.
    #[must_use]
    pub fn after(self, wait: Duration) -> Self {
        self.answering("after", duration(wait))
    }

    /// Cuts the exchange there, so, whatever it answers.
    #[must_use]
    pub fn and_cut(self, at: Place, by: CutBy) -> Self {
        let at = match at {
            Place::Idle(wait) => json!({ "idle": duration(wait) }),
            other => json!(other),
        };
        self.with("cut", json!({ "at": at, "by": by }))
    }

    /// Any other key of a turn, as the language names it. What cannot be written as JSON is left out.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Serialize) -> Self {
        put(&mut self.0, key, value);
        self
    }

    /// Any other key of its answer, as the language names it. What cannot be written as JSON is left out.
    #[must_use]
    pub fn answering(mut self, key: &str, value: impl Serialize) -> Self {
        let answer = self.0.entry("answer").or_insert_with(|| json!({}));
        if let Some(answer) = answer.as_object_mut() {
            put(answer, key, value);
        }
        self
    }
}

impl OperationDraft {
    /// One request to a dependency.
    pub fn new(method: &str, dependency: &str, path: &str) -> Self {
        let mut request = Map::new();
        put(&mut request, "method", method);
        put(&mut request, "to", [dependency]);
        put(&mut request, "path", path);
        OperationDraft {
            group: Map::new(),
            request,
        }
    }

    /// How long its caller waits.
    #[must_use]
    pub fn deadline(self, deadline: Duration) -> Self {
        self.with("deadline", duration(deadline))
    }

    /// So many of it.
    #[must_use]
    pub fn count(self, count: u32) -> Self {
        self.with("count", count)
    }

    /// All at once, in place of one after another.
    #[must_use]
    pub fn at_once(self) -> Self {
        self.with("start", "at_once")
    }

    /// With an idempotency key of its own.
    #[must_use]
    pub fn keyed(self) -> Self {
        self.requesting("key", "own")
    }

    /// With this body.
    #[must_use]
    pub fn body(self, text: &str) -> Self {
        self.requesting("body", json!({ "text": text }))
    }

    /// Any other key of an operation, as the language names it. What cannot be written as JSON is left out.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl Serialize) -> Self {
        put(&mut self.group, key, value);
        self
    }

    /// Any other key of its request, as the language names it. What cannot be written as JSON is left out.
    #[must_use]
    pub fn requesting(mut self, key: &str, value: impl Serialize) -> Self {
        put(&mut self.request, key, value);
        self
    }

    fn value(&self) -> Value {
        let mut group = self.group.clone();
        put(&mut group, "request", &self.request);
        Value::Object(group)
    }
}

fn put(map: &mut Map<String, Value>, key: &str, value: impl Serialize) {
    if let Ok(value) = serde_json::to_value(value) {
        map.insert(key.to_owned(), value);
    }
}

/// As the language writes it: to the microsecond.
fn duration(time: Duration) -> String {
    match time.subsec_micros() % 1000 {
        0 => format!("{}ms", time.as_millis()),
        _ => format!("{}us", time.as_micros()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draft() -> ScenarioDraft {
        ScenarioDraft::titled("The acknowledgment is lost: \"once\"")
            .dependency(
                "notification",
                [
                    TurnDraft::cut(Place::BeforeAnswer, CutBy::Rst).times(1).applied(),
                    TurnDraft::answer(200)
                        .times(1)
                        .answering("body", json!({ "zeros": 9 }))
                        .and_cut(Place::Body(3), CutBy::Fin),
                    TurnDraft::answer(429)
                        .times(1)
                        .retry_after(Duration::from_secs(3)),
                    TurnDraft::answer(200).applied().after(Duration::from_millis(5)),
                ],
            )
            .healthy("membership")
            .operation(
                OperationDraft::new("POST", "notification", "/send")
                    .keyed()
                    .body("to=you")
                    .deadline(Duration::from_secs(20)),
            )
            .operation(
                OperationDraft::new("GET", "membership", "/member")
                    .count(3)
                    .at_once(),
            )
    }

    #[test]
    fn a_draft_is_written_as_an_author_would() {
        insta::assert_snapshot!(draft().yaml(), @r#"
        version: 1
        title: "The acknowledgment is lost: \"once\""
        dependencies:
          "notification":
            script:
              - {"cut":{"at":"before_answer","by":"rst"},"effect":"applied","times":1}
              - {"answer":{"body":{"zeros":9},"status":200},"cut":{"at":{"body":3},"by":"fin"},"times":1}
              - {"answer":{"retry_after":"3000ms","status":429},"times":1}
              - {"answer":{"after":"5ms","status":200},"effect":"applied"}
          "membership": {}
        operations:
          - {"deadline":"20000ms","request":{"body":{"text":"to=you"},"key":"own","method":"POST","path":"/send","to":["notification"]}}
          - {"count":3,"request":{"method":"GET","path":"/member","to":["membership"]},"start":"at_once"}
        "#);
    }

    #[test]
    fn a_draft_is_read_like_a_file() {
        let scenario = draft().build().expect("it is sound");
        let trial = &scenario.trials[0];
        assert_eq!(trial.planned().count(), 4);
        assert_eq!(trial.dependencies[0].turns.len(), 4);
        assert!(trial.dependencies[1].healthy);
    }

    #[test]
    fn every_place_can_be_cut() {
        let before = [
            Place::Accept,
            Place::RequestHead,
            Place::RequestBody(1),
            Place::BeforeAnswer,
        ];
        let idle = Place::Idle(Duration::from_millis(20));
        let within = [
            Place::StatusLine(4),
            Place::Headers(2),
            Place::Body(0),
            Place::AfterAnswer,
            idle,
        ];
        let body = json!({ "zeros": 9 });
        let unanswered = before.map(|at| (at, TurnDraft::cut(at, CutBy::Fin)));
        let answered = within.map(|at| {
            let answer = TurnDraft::answer(200).answering("body", &body);
            (at, answer.and_cut(at, CutBy::Fin))
        });
        for (place, cut) in unanswered.into_iter().chain(answered) {
            let draft = ScenarioDraft::titled("t")
                .dependency("d", [cut.times(1), TurnDraft::answer(200)])
                .operation(OperationDraft::new("PUT", "d", "/").body("ab"));
            let built = draft.build().unwrap_or_else(|e| panic!("{place}: {e}"));
            let turn = &built.trials[0].dependencies[0].turns[0];
            assert_eq!(turn.cut.map(|cut| cut.at), Some(place));
        }
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let draft = ScenarioDraft::titled("t")
            .dependency("quota", [TurnDraft::answer(503).times(1)])
            .operation(OperationDraft::new("GET", "quote", "/"));
        let error = draft.build().err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("quote") && error.contains("quota"), "{error}");
    }
}
