//! A policy as a client is handed it: on a line of JSON, where lengths of time are milliseconds.

use serde_json::{Map, Value};

use crate::promise::Given;

/// The policy in the words of a scenario, without what it does not say. What lasts is a number of milliseconds, and its key says
/// so: `attempt_timeout_ms`, `fixed_ms`, `window_ms`.
pub fn policy_line(given: &Given) -> Value {
    told(serde_json::to_value(given).unwrap_or_default())
}

fn told(value: Value) -> Value {
    match value {
        Value::Object(map) => Value::Object(map.into_iter().filter_map(entry).collect()),
        other => other,
    }
}

fn entry((key, value): (String, Value)) -> Option<(String, Value)> {
    let length = value.as_object().and_then(millis);
    match (length, value) {
        (Some(ms), _) => Some((format!("{key}_ms"), ms)),
        (None, Value::Null) => None,
        (None, value) => Some((key, told(value))),
    }
}

/// The length of time that an object is, in milliseconds: a whole number where it is one.
fn millis(object: &Map<String, Value>) -> Option<Value> {
    let secs = object.get("secs")?.as_u64()?;
    let nanos = object.get("nanos")?.as_u64()?;
    let (whole, rest) = (
        secs.checked_mul(1_000)?.checked_add(nanos / 1_000_000)?,
        nanos % 1_000_000,
    );
    Some(match rest {
        0 => whole.into(),
        rest => (whole as f64 + rest as f64 / 1e6).into(),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::promise::{Backoff, Breaker, Budget, Exponential, Jitter, WindowBudget};

    #[test]
    fn lengths_are_milliseconds_and_what_is_not_said_is_left_out() {
        let given = Given {
            attempts: Some(4),
            attempt_timeout: Some(Duration::from_millis(400)),
            statuses: Some(vec![503]),
            backoff: Some(Backoff::Fixed(Duration::from_micros(1_500))),
            breaker: Some(Breaker {
                failures: 3,
                open: Duration::from_secs(1),
            }),
            ..Given::default()
        };
        let line = policy_line(&given).to_string();
        let expected = r#"{"attempt_timeout_ms":400,"attempts":4,"backoff":{"fixed_ms":1.5},"breaker":{"failures":3,"open_ms":1000},"statuses":[503]}"#;
        assert_eq!(line, expected);
    }

    #[test]
    fn a_policy_without_a_length_of_time_keeps_its_words() {
        let given = Given {
            backoff: Some(Backoff::None),
            failures: Some(Vec::new()),
            ..Given::default()
        };
        assert_eq!(
            policy_line(&given).to_string(),
            r#"{"backoff":"none","failures":[]}"#
        );
    }

    #[test]
    fn budgets_and_growing_waits_say_their_lengths_too() {
        let given = Given {
            backoff: Some(Backoff::Exponential(Exponential {
                base: Duration::from_millis(100),
                factor: 2,
                cap: Duration::from_secs(2),
                jitter: Jitter::Full,
                unit: None,
            })),
            budget: Some(Budget::Window(WindowBudget {
                window: Duration::from_secs(10),
                ratio_per_mille: 200,
                at_least: 5,
                paid_by: crate::promise::Payer::Originals,
            })),
            ..Given::default()
        };
        let line = policy_line(&given).to_string();
        let expected = r#"{"backoff":{"exponential":{"base_ms":100,"cap_ms":2000,"factor":2,"jitter":"full"}},"budget":{"at_least":5,"ratio_per_mille":200,"window_ms":10000}}"#;
        assert_eq!(line, expected);
    }
}
