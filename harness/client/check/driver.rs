//! How a client is started, and what it can be asked.

use std::collections::BTreeSet;

use super::super::placeholder::{PLACEHOLDERS, derived, placeholders};
use super::super::{Argument, DriverPlan, StdoutIs, SuccessIs};
use super::{Check, raw};
use crate::promise::{BodyCan, Can, DeadlineCan, KeysCan};
use crate::source::{Placed, Span};

/// The most operations that a client may be handed at once.
const MOST_AT_ONCE: u32 = 10_000;

impl Check<'_> {
    /// The driver, and what can be asked of a client that declares nothing else.
    pub(super) fn driver(&self, raw: &raw::ClientFile) -> (DriverPlan, Derived) {
        match &raw.driver.value {
            raw::Driver::Exec(exec) => self.exec(exec),
            raw::Driver::Jsonl(jsonl) => self.jsonl(jsonl),
            raw::Driver::Service(service) => {
                let derived = Derived {
                    can: of_a_service(),
                    told_nothing: None,
                };
                let passes_trace = raw.marks.trace.as_ref().is_some_and(|t| t.value);
                (self.service(service, passes_trace), derived)
            }
        }
    }

    fn exec(&self, raw: &raw::Exec) -> (DriverPlan, Derived) {
        let command: Vec<Argument> = raw.command.value.iter().map(|a| self.argument(a)).collect();
        if let Some(Argument::Group(_)) = command.first() {
            self.problems.say(
                raw.command.value[0].span,
                "a command begins with a program",
                "a group of arguments",
            );
        }
        self.some_command(command.is_empty(), raw.command.span);
        let words: Vec<&str> = command
            .iter()
            .flat_map(texts)
            .flat_map(|t| placeholders(t))
            .collect();
        let derived = Derived {
            can: derived(&words),
            told_nothing: words.is_empty().then_some(raw.command.span),
        };
        let driver = DriverPlan::Exec {
            success: match raw.success {
                raw::Success::Answered => SuccessIs::Answered,
                raw::Success::ExitZero => SuccessIs::ExitZero,
            },
            stdout: match raw.stdout {
                raw::Stdout::Talk => StdoutIs::Talk,
                raw::Stdout::Body => StdoutIs::Body,
            },
            command,
        };
        (driver, derived)
    }

    fn argument(&self, raw: &Placed<raw::Argument>) -> Argument {
        let one = |text: &str| {
            self.known_placeholders(text, raw.span);
            text.to_owned()
        };
        match &raw.value {
            raw::Argument::Text(text) => Argument::One(one(text)),
            raw::Argument::AsWritten => Argument::One(one(self.problems.source().held(raw.span))),
            raw::Argument::Group(group) => {
                group
                    .iter()
                    .for_each(|a| self.known_placeholders(&a.value, a.span));
                Argument::Group(group.iter().map(|a| a.value.clone()).collect())
            }
        }
    }

    fn known_placeholders(&self, text: &str, span: Span) {
        // Each once, however often it stands there.
        let there: BTreeSet<&str> = placeholders(text).into_iter().collect();
        for word in there.into_iter().filter(|w| !PLACEHOLDERS.contains(w)) {
            let near = self.problems.nearest(word, PLACEHOLDERS);
            self.problems.add(
                self.problems
                    .at(
                        self.within(span, word),
                        format!("there is no placeholder {{{word}}}"),
                    )
                    .labelled("not a placeholder")
                    .instead(near)
                    .hint(format!("expected one of: {}", PLACEHOLDERS.join(", "))),
            );
        }
    }

    /// The place of `{word}`'s word in a span, or the span where escapes hide it.
    fn within(&self, span: Span, word: &str) -> Span {
        if self.problems.is_full() {
            return span;
        }
        let held = self.problems.source().held(span);
        held.find(&format!("{{{word}}}")).map_or(span, |at| Span {
            start: span.start + at + 1,
            end: span.start + at + 1 + word.len(),
        })
    }

    pub(super) fn some_command(&self, empty: bool, span: Span) {
        if empty {
            self.problems
                .say(span, "there is nothing to start", "a program and its arguments");
        }
    }

    fn jsonl(&self, raw: &raw::Jsonl) -> (DriverPlan, Derived) {
        self.some_command(raw.command.value.is_empty(), raw.command.span);
        for argument in &raw.command.value {
            let there: BTreeSet<&str> = placeholders(&argument.value).into_iter().collect();
            for word in there.into_iter().filter(|w| *w != "tmp") {
                let message = format!("{{{word}}} is not known when this client is started");
                let label = "it is handed its operations on its standard input";
                self.problems
                    .say(self.within(argument.span, word), message, label);
            }
        }
        let concurrency = raw.concurrency.as_ref().map_or(1, |c| c.value);
        if let Some(written) = &raw.concurrency
            && !(1..=MOST_AT_ONCE).contains(&concurrency)
        {
            let label = format!("from 1 to {MOST_AT_ONCE}");
            self.problems.say(
                written.span,
                format!("{concurrency} operations at once cannot be"),
                label,
            );
        }
        let driver = DriverPlan::Jsonl {
            command: raw.command.value.iter().map(|a| a.value.clone()).collect(),
            concurrency: concurrency.max(1),
        };
        (
            driver,
            Derived {
                can: Can::default(),
                told_nothing: None,
            },
        )
    }

    /// What a client can be asked: what it declares, and else what its driver tells.
    pub(super) fn can(&self, raw: &raw::ClientFile, derived: Derived) -> Can {
        let Some(can) = &raw.can else {
            if let Some(span) = derived.told_nothing {
                self.told_nothing(span);
            }
            return derived.can;
        };
        if let Some(targets) = can.targets.as_ref().filter(|t| t.value == 0) {
            self.problems
                .say(targets.span, "a client needs a target", "at least 1");
        }
        let methods = can.methods.as_ref();
        Can {
            methods: methods.map_or(derived.can.methods, |all| {
                all.iter().map(|m| self.method(m)).collect()
            }),
            body: can.body.unwrap_or(derived.can.body),
            keys: can.keys.unwrap_or(derived.can.keys),
            deadline: can.deadline.unwrap_or(derived.can.deadline),
            keeps_connections: can.keeps_connections.unwrap_or(derived.can.keeps_connections),
            targets: can.targets.as_ref().map_or(derived.can.targets, |t| t.value),
            headers: can.headers.unwrap_or(derived.can.headers),
            attempts_count: can.attempts_count.unwrap_or(derived.can.attempts_count),
            cancel: can.cancel.unwrap_or(derived.can.cancel),
            policy: can.policy.unwrap_or(derived.can.policy),
        }
    }

    fn told_nothing(&self, command: Span) {
        self.problems.add(
            self.problems
                .at(command, "this command has no placeholder")
                .labelled("it cannot be told where to send anything")
                .hint(
                    "write {url} where the URL belongs; a program that reads RETRIAL_URL from its environment \
                     says what it can under `can`",
                ),
        );
    }
}

/// What a driver tells of its client.
pub(super) struct Derived {
    can: Can,
    /// The command, if nothing of an operation is in it.
    told_nothing: Option<Span>,
}

/// What the harness itself can ask of an entry: it sends whatever it is told to.
fn of_a_service() -> Can {
    Can {
        methods: Vec::new(),
        body: BodyCan::Bytes,
        keys: KeysCan::Given,
        deadline: DeadlineCan::Passed,
        targets: u32::MAX,
        headers: true,
        cancel: true,
        ..Can::default()
    }
}

fn texts(argument: &Argument) -> &[String] {
    match argument {
        Argument::One(text) => std::slice::from_ref(text),
        Argument::Group(texts) => texts,
    }
}
