//! Groups of operations.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use super::super::raw;
use super::super::{KeyPlan, OperationGroup, RequestBody, RequestPlan, Start};
use super::Check;
use crate::source::Placed;
use crate::term::{Name, OperationId};

/// The most operations that one trial may have.
const MOST_OPERATIONS: u32 = 1_000_000;

/// The most clients that one trial may have: each may be a process.
const MOST_CLIENTS: u32 = 100;

/// The longest request body, in bytes: a client is handed it in one piece.
const LONGEST_BODY: u64 = 64 * 1024 * 1024;

/// Request headers that a client writes itself.
const CLIENTS_OWN: [(&str, &str); 4] = [
    ("host", "the client writes it from the URL"),
    ("content-length", "the client writes it from the body"),
    ("transfer-encoding", "the client decides how it sends the body"),
    ("connection", "the client decides whether it keeps the connection"),
];

impl Check<'_> {
    /// Every group, numbered in the order of the file.
    pub(super) fn operations(&self) -> Vec<OperationGroup> {
        let mut next = 1_u32;
        let mut groups = Vec::new();
        for raw in &self.raw.operations.value {
            let clients = self.clients(&raw.value);
            let count = self.count(raw, clients, next - 1);
            groups.push(self.group(raw, OperationId(next), (count, clients)));
            next += count;
        }
        self.restarts(&mut groups);
        groups
    }

    /// Fills in how many clients each group starts anew, once it is known how many there are.
    fn restarts(&self, groups: &mut [OperationGroup]) {
        let clients = groups.iter().map(|group| group.clients).max().unwrap_or(1);
        for (nth, (group, raw)) in groups.iter_mut().zip(&self.raw.operations.value).enumerate() {
            let Some(restart) = &raw.value.restart else {
                continue;
            };
            group.restarts = match restart.value {
                raw::Restart::All => clients,
                raw::Restart::First(n) => n,
            };
            if nth == 0 {
                let message = "nothing comes before the first group, so its clients are new anyway";
                self.problems.say(restart.span, message, "leave this out");
            } else if group.restarts == 0 {
                self.problems
                    .say(restart.span, "none is started anew", "at least 1, or `all`");
            } else if group.restarts > clients {
                let message = format!("the trial has {clients} of them");
                self.problems.say(restart.span, message, "too many clients");
            }
        }
    }

    /// Among how many clients a group is dealt; one where what is written cannot be.
    fn clients(&self, raw: &raw::OperationGroup) -> u32 {
        let Some(clients) = &raw.clients else { return 1 };
        if clients.value == 0 {
            self.problems
                .say(clients.span, "without a client nothing is done", "at least 1");
        } else if clients.value > MOST_CLIENTS {
            let message = format!("a trial has at most {MOST_CLIENTS} clients");
            self.problems.say(clients.span, message, "too many");
        } else {
            return clients.value;
        }
        1
    }

    /// How many operations a group has, those of all its clients together; one each where what is written cannot be.
    fn count(&self, raw: &Placed<raw::OperationGroup>, clients: u32, before: u32) -> u32 {
        let (each, span) = raw
            .value
            .count
            .as_ref()
            .map_or((1, raw.span), |c| (c.value, c.span));
        if each == 0 {
            self.problems
                .say(span, "a group without operations asks for nothing", "at least 1");
        } else if each.saturating_mul(clients) > MOST_OPERATIONS - before.min(MOST_OPERATIONS) {
            let message = format!("a trial has at most {MOST_OPERATIONS} operations");
            self.problems.say(span, message, "too many");
        } else {
            return each * clients;
        }
        clients
    }

    fn group(
        &self,
        raw: &Placed<raw::OperationGroup>,
        first: OperationId,
        (count, clients): (u32, u32),
    ) -> OperationGroup {
        let group = &raw.value;
        OperationGroup {
            first,
            count,
            start: self.start(&group.start),
            clients,
            restarts: 0,
            deadline: group.deadline.as_ref().map(|d| self.positive(d)),
            cancel_after: group
                .cancel
                .as_ref()
                .map(|c| self.problems.duration(&c.value.after)),
            request: self.request(&group.request),
            span: self.problems.source().snug(raw.span),
        }
    }

    fn start(&self, raw: &raw::Start) -> Start {
        match raw {
            raw::Start::InSequence => Start::InSequence,
            raw::Start::AtOnce => Start::AtOnce,
            raw::Start::At(at) => Start::At(self.problems.duration(at)),
            raw::Start::PerSecond(n) => {
                if n.value == 0 {
                    self.problems
                        .say(n.span, "at 0 a second none starts", "at least 1");
                }
                Start::PerSecond(n.value.max(1))
            }
        }
    }

    /// A duration longer than zero.
    pub(super) fn positive(&self, raw: &raw::Dur) -> Duration {
        self.problems.positive_duration(raw)
    }

    fn request(&self, raw: &raw::Request) -> RequestPlan {
        RequestPlan {
            method: self.method_or_varied(&raw.method),
            to: self.targets(&raw.to),
            path: self.path(&raw.path),
            key: raw.key.as_ref().map(|k| self.key(k)),
            body: raw.body.as_ref().and_then(|b| self.request_body(b)),
            headers: self.headers(&raw.headers, &CLIENTS_OWN),
            stream: raw.stream.as_ref().is_some_and(|s| s.value),
        }
    }

    /// A method, or what `varied` stands for.
    pub(super) fn method_or_varied(&self, raw: &Placed<String>) -> String {
        if raw.value != "varied" {
            return self.method(raw);
        }
        match self.varied(&self.uses.methods, self.choice.method, "methods", raw.span) {
            Some(method) => self.method(method),
            None => "GET".to_owned(),
        }
    }

    fn targets(&self, raw: &Placed<Vec<Placed<String>>>) -> Vec<Name> {
        if raw.value.is_empty() {
            self.problems
                .say(raw.span, "an operation needs a target", "none is named");
        }
        let mut targets: Vec<Name> = Vec::new();
        let mut seen = BTreeSet::new();
        for name in &raw.value {
            self.known_target(name);
            if !seen.insert(name.value.as_str()) {
                self.problems
                    .say(name.span, "this target is named twice", "the second time");
            }
            targets.push(Arc::from(name.value.as_str()));
        }
        targets
    }

    /// With layers, `entry` is the outermost of them; else a target is a dependency.
    fn known_target(&self, name: &Placed<String>) {
        let layers = self
            .raw
            .needs
            .iter()
            .any(|n| matches!(n.value, raw::Need::Layers(_)));
        if !(layers && name.value == "entry") {
            self.known_dependency(&name.value, name.span);
        }
    }

    fn key(&self, raw: &Placed<raw::Key>) -> KeyPlan {
        match &raw.value {
            raw::Key::Own => KeyPlan::Own,
            raw::Key::Shared(name) => {
                if name.trim().is_empty() {
                    self.problems
                        .say(raw.span, "a shared key needs a name", "the name is empty");
                }
                KeyPlan::Shared(name.clone())
            }
        }
    }

    fn request_body(&self, raw: &Placed<raw::Body>) -> Option<RequestBody> {
        let body = match &raw.value {
            raw::Body::Text(text) => RequestBody::Text(text.clone()),
            raw::Body::Zeros(n) => RequestBody::Zeros(*n),
            raw::Body::File(_) => return None,
            raw::Body::Ranges(_) => {
                self.problems
                    .say(raw.span, "a request's body has no ranges", "`text` or `zeros`");
                return None;
            }
        };
        if body.len() > LONGEST_BODY {
            self.problems
                .say(raw.span, "this body is too long for a request", "at most 64 MiB");
        }
        Some(body)
    }
}
