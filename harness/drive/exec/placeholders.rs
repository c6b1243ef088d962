//! `{url}` and its kin: what a command is told of its operation, in arguments and in the environment.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use crate::client::protocol::{Hello, Order};
use crate::client::{Argument, PLACEHOLDERS};

/// The longest argument or variable that Linux takes, with its terminator (MAX_ARG_STRLEN).
const LONGEST: usize = 128 * 1024;

/// The values of an operation, by placeholder; one that is empty is not there.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Values(BTreeMap<&'static str, Vec<u8>>);

/// The body as bytes.
///
/// # Errors
/// It is not base64, which only a fault of ours could be: a clause.
pub(super) fn body_of(order: &Order) -> Result<Option<Vec<u8>>, String> {
    let decode = |text: &String| {
        BASE64_STANDARD
            .decode(text)
            .map_err(|e| format!("the body of {} is not base64: {e}", order.op))
    };
    order.body_base64.as_ref().map(decode).transpose()
}

impl Values {
    /// The values of `order`; `body_file` is where its body was written.
    pub(super) fn of(
        order: &Order,
        hello: &Hello,
        body: Option<&[u8]>,
        body_file: Option<&Path>,
        tmp: &Path,
    ) -> Self {
        let path = |path: &Path| path.as_os_str().as_encoded_bytes().to_vec();
        let text = |text: &str| text.as_bytes().to_vec();
        let attempts = hello
            .given
            .as_ref()
            .and_then(|given| given.get("attempts")?.as_u64());
        let number = |n: Option<u64>| n.map(|n| n.to_string().into_bytes()).unwrap_or_default();
        let mut values = BTreeMap::from([
            ("url", text(&order.url)),
            ("base_url", text(&order.base_url)),
            ("urls", text(&order.urls.join(" "))),
            ("method", text(&order.method)),
            ("body", body.unwrap_or_default().to_vec()),
            ("body_file", body_file.map(path).unwrap_or_default()),
            ("key", text(order.key.as_deref().unwrap_or_default())),
            ("deadline_ms", number(order.deadline_ms)),
            ("attempts", number(attempts)),
            ("op", text(&order.op.to_string())),
            ("tmp", path(tmp)),
        ]);
        values.retain(|_, value| !value.is_empty());
        Values(values)
    }

    /// The arguments with everything filled in.
    ///
    /// # Errors
    /// A value does not fit an argument: a clause.
    pub(super) fn arguments(&self, arguments: &[Argument]) -> Result<Vec<OsString>, String> {
        let mut filled = Vec::new();
        for argument in arguments {
            match argument {
                Argument::One(one) => filled.push(self.fill(one)?.0),
                Argument::Group(group) => {
                    let group: Vec<_> = group.iter().map(|one| self.fill(one)).collect::<Result<_, _>>()?;
                    if group.iter().all(|(_, whole)| *whole) {
                        filled.extend(group.into_iter().map(|(argument, _)| argument));
                    }
                }
            }
        }
        Ok(filled)
    }

    /// `RETRIAL_URL` and its kin. One that is too long for the environment, or holds a zero byte, is left unset: a
    /// large body is in its file.
    pub(super) fn environment(&self) -> impl Iterator<Item = (String, OsString)> + '_ {
        self.0
            .iter()
            .filter(|(name, value)| fits(name.len() + 16, value).is_ok())
            .map(|(name, value)| {
                let name = format!("RETRIAL_{}", name.to_ascii_uppercase());
                (name, OsString::from_vec(value.clone()))
            })
    }

    /// The text with its placeholders filled in once, and whether none of them was empty. Braces around other words
    /// stand for themselves.
    fn fill(&self, text: &str) -> Result<(OsString, bool), String> {
        let (mut filled, mut whole) = (Vec::new(), true);
        let mut rest = text;
        while let Some(open) = rest.find('{') {
            filled.extend_from_slice(&rest.as_bytes()[..open]);
            rest = &rest[open..];
            let name = rest[1..].split('}').next().unwrap_or_default();
            let closed = rest.as_bytes().get(name.len() + 1) == Some(&b'}');
            if closed && PLACEHOLDERS.contains(&name) {
                let value = self.0.get(name);
                whole &= value.is_some();
                filled.extend_from_slice(value.map_or(&[], Vec::as_slice));
                rest = &rest[name.len() + 2..];
            } else {
                filled.push(b'{');
                rest = &rest[1..];
            }
        }
        filled.extend_from_slice(rest.as_bytes());
        fits(0, &filled).map_err(|why| format!("{why}; `{{body_file}}` hands it over as a file"))?;
        Ok((OsString::from_vec(filled), whole))
    }
}

fn fits(name: usize, value: &[u8]) -> Result<(), String> {
    let len = name + value.len();
    if len >= LONGEST {
        return Err(format!(
            "an argument of {len} bytes is longer than the system takes"
        ));
    }
    match value.contains(&0) {
        true => Err("an argument cannot hold a zero byte".to_owned()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::OperationId;

    fn order() -> Order {
        Order {
            op: OperationId(1),
            method: "POST".into(),
            url: "http://h/op-1/send".into(),
            base_url: "http://h/op-1".into(),
            urls: vec!["http://h/op-1/send".into()],
            headers: Vec::new(),
            body_base64: None,
            stream: false,
            key: None,
            deadline_ms: Some(5000),
        }
    }

    fn hello(given: Option<serde_json::Value>) -> Hello {
        Hello {
            retrial: 1,
            trial: "t".into(),
            given,
            concurrency: 1,
            dependencies: BTreeMap::new(),
        }
    }

    fn filled(arguments: &[Argument], body: Option<&[u8]>) -> Result<Vec<String>, String> {
        let given = Some(serde_json::json!({"attempts": 3}));
        let values = Values::of(&order(), &hello(given), body, None, Path::new("/t"));
        let filled = values.arguments(arguments)?;
        Ok(filled.into_iter().map(|a| a.into_string().unwrap()).collect())
    }

    #[test]
    fn placeholders_are_filled_in_and_other_braces_are_left() {
        let one = Argument::One("{method} {url}?a={attempts} %{http_code} {\"x\":{op}} {".into());
        let expected = "POST http://h/op-1/send?a=3 %{http_code} {\"x\":op-1} {";
        assert_eq!(filled(&[one], None).unwrap(), [expected]);
    }

    #[test]
    fn a_value_is_not_searched_for_placeholders() {
        let one = Argument::One("{body}".into());
        assert_eq!(filled(&[one], Some(b"{url}")).unwrap(), ["{url}"]);
    }

    #[test]
    fn a_group_with_an_empty_placeholder_is_left_out() {
        let key = Argument::Group(vec!["-H".into(), "Idempotency-Key: {key}".into()]);
        let deadline = Argument::Group(vec!["--max-time".into(), "{deadline_ms}".into()]);
        assert_eq!(filled(&[key, deadline], None).unwrap(), ["--max-time", "5000"]);
    }

    #[test]
    fn a_body_that_no_argument_can_carry_is_refused_with_the_way_out() {
        let one = [Argument::One("{body}".into())];
        let long = filled(&one, Some(&[b'x'; LONGEST])).unwrap_err();
        assert!(long.ends_with("`{body_file}` hands it over as a file"), "{long}");
        let zero = filled(&one, Some(&[0])).unwrap_err();
        assert!(zero.starts_with("an argument cannot hold a zero byte"), "{zero}");
    }

    #[test]
    fn the_environment_leaves_out_what_is_empty_or_does_not_fit() {
        let values = Values::of(
            &order(),
            &hello(None),
            Some(&[b'x'; LONGEST]),
            None,
            Path::new("/t"),
        );
        let names: Vec<String> = values.environment().map(|(name, _)| name).collect();
        let expected = [
            "RETRIAL_BASE_URL",
            "RETRIAL_DEADLINE_MS",
            "RETRIAL_METHOD",
            "RETRIAL_OP",
            "RETRIAL_TMP",
            "RETRIAL_URL",
            "RETRIAL_URLS",
        ];
        assert_eq!(names, expected);
    }
}
