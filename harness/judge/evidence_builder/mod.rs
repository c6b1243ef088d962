//! Hand-made cases for tests: a scenario from structs, and the facts that playing it would have left.

mod keys;
mod told;
mod turns;

use std::sync::Arc;
use std::time::Duration;

use super::checks::{self, CheckResult};
use super::{Case, Finding, Grade, Judgement, judge};
use crate::evidence::{Arrival, Attribution, EffectOutcome, Evidence, Fact, Outcome};
use crate::promise::{Can, Promises};
use crate::scenario::{
    Cut, Dependency, Expect, KeyPlan, OperationGroup, RequestBody, RequestPlan, Scope, Start, Trial, Turn,
};
use crate::source::{Source, Span};
use crate::term::{
    CallId, Claim, ConnId, CutBy, Effect, OperationId, Place, ProcessId, Role, Sha256, Stamp, StampedBy,
    StopReason,
};

pub use turns::{Written, answered};

/// How long a dependency of these stories works on a call that takes no time.
pub const AT_ONCE_MS: u64 = 1;

/// A trial, promises, and facts that are told one after another.
#[derive(Debug, Clone)]
pub struct Story {
    pub trial: Trial,
    pub promises: Promises,
    pub can: Can,
    pub facts: Vec<Fact>,
    pub deadline_passed: bool,
    calls: u32,
}

impl Story {
    /// One dependency `quota` with these turns, and one GET to it.
    pub fn of(turns: Vec<Turn>) -> Self {
        let trial = Trial {
            id: "story".to_owned(),
            scenario: "story".to_owned(),
            title: String::new(),
            cites: Vec::new(),
            tags: Vec::new(),
            needs: Vec::new(),
            zone: None,
            given: None,
            dependencies: Vec::new(),
            operations: Vec::new(),
            watch: None,
            expect: Expect::default(),
            source: Arc::new(Source::new("story.yaml", "")),
        };
        let promises = Promises::default();
        let facts = vec![Fact::TrialBegan {
            unix_us: 1_750_000_000_000_000,
        }];
        let story = Story {
            trial,
            promises,
            can: Can::default(),
            facts,
            deadline_passed: true,
            calls: 0,
        };
        story.dependency("quota", turns).operation("GET", "/", "quota")
    }

    /// One more dependency; without turns it is healthy.
    pub fn dependency(mut self, name: &str, mut turns: Vec<Turn>) -> Self {
        let base = self.trial.dependencies.len() * 100;
        let healthy = turns.is_empty();
        if healthy {
            turns.push(answered(200).applied());
        }
        for (i, turn) in turns.iter_mut().enumerate() {
            turn.span = Span {
                start: base + 10 * (i + 1),
                end: base + 10 * (i + 1) + 5,
            };
        }
        self.trial.dependencies.push(Dependency {
            name: name.into(),
            per: Scope::Operation,
            outages: Vec::new(),
            capacity: None,
            slows: None,
            keys: None,
            turns,
            healthy,
            span: Span {
                start: base,
                end: base + 5,
            },
        });
        self
    }

    /// One more operation.
    pub fn operation(mut self, method: &str, path: &str, to: &str) -> Self {
        let first = OperationId(self.trial.operations.len() as u32 + 1);
        self.trial.operations.push(OperationGroup {
            first,
            count: 1,
            start: Start::InSequence,
            clients: 1,
            restarts: 0,
            deadline: None,
            cancel_after: None,
            request: RequestPlan {
                method: method.into(),
                to: vec![to.into()],
                path: path.into(),
                key: None,
                body: None,
                headers: Vec::new(),
                stream: false,
            },
            span: Span::default(),
        });
        self
    }

    /// The last operation has another method.
    pub fn by(mut self, method: &str) -> Self {
        self.trial.operations.last_mut().unwrap().request.method = method.to_owned();
        self
    }

    /// The last operation carries its own key.
    pub fn keyed(mut self) -> Self {
        self.trial.operations.last_mut().unwrap().request.key = Some(KeyPlan::Own);
        self
    }

    /// The last operation carries this text.
    pub fn with_body(mut self, text: &str) -> Self {
        self.trial.operations.last_mut().unwrap().request.body = Some(RequestBody::Text(text.to_owned()));
        self
    }

    /// Every operation has this deadline.
    pub fn deadline_ms(mut self, ms: u64) -> Self {
        for group in &mut self.trial.operations {
            group.deadline = Some(Duration::from_millis(ms));
        }
        self
    }

    /// The client promises this.
    pub fn promising(mut self, promise: impl FnOnce(&mut Promises)) -> Self {
        promise(&mut self.promises);
        self
    }

    /// A call of op-1 falls to a turn of its first target, and is played out.
    pub fn call(self, turn: usize, at_ms: u64) -> Self {
        self.call_of(1, turn, at_ms)
    }

    /// A call of an operation falls to a turn of its first target, and is played out.
    pub fn call_of(self, op: u32, turn: usize, at_ms: u64) -> Self {
        let to = self.trial.operation(OperationId(op)).unwrap().request().to[0].clone();
        self.call_at(op, &to, turn, at_ms)
    }

    /// A call of an operation falls to a turn of this dependency, and is played out.
    pub fn call_at(mut self, op: u32, to: &str, turn: usize, at_ms: u64) -> Self {
        let played = self.trial.dependency(to).unwrap().turns[turn].clone();
        let call = self.arrive(op, to, turn, at_ms);
        let done = at_ms + AT_ONCE_MS + played.takes.as_millis() as u64;
        if played.effect == Effect::Applied {
            let effect = EffectOutcome::Applied;
            self.facts.push(Fact::EffectDone {
                call,
                at: Stamp::from_ms(done),
                effect,
            });
        }
        let before_head = matches!(
            played.cut.map(|c| c.at),
            Some(Place::RequestHead | Place::RequestBody(_) | Place::BeforeAnswer)
        );
        let answer = played.answer.clone().filter(|_| !before_head);
        if let Some(answer) = answer {
            let began = turns::began(call, Stamp::from_ms(done), &answer);
            self.facts.push(began);
        }
        let after = matches!(
            played.cut.map(|c| c.at),
            Some(Place::AfterAnswer | Place::Idle(_))
        );
        if !matches!(played.cut, Some(Cut { by: CutBy::Hang, .. })) || after {
            let cut = played.cut.map(|c| (c.at, c.by));
            let complete = played.answer.is_some() && (cut.is_none() || after);
            self.facts.push(Fact::AnswerEnded {
                call,
                at: Stamp::from_ms(done),
                complete,
                cut,
            });
        }
        self
    }

    /// A call that arrives; what follows is told by the test.
    pub fn arrive(&mut self, op: u32, to: &str, turn: usize, at_ms: u64) -> CallId {
        self.calls += 1;
        let request = self.trial.operation(OperationId(op)).unwrap().request().clone();
        self.facts.push(Fact::Arrived(Box::new(Arrival {
            call: CallId(self.calls),
            op: Some(OperationId(op)),
            by: Attribution::Url,
            role: Role::Attempt,
            point: to.into(),
            conn: ConnId(self.calls),
            nth_on_conn: 1,
            protocol: "HTTP/1.1".into(),
            method: request.method.into(),
            path: request.path.into(),
            query: None,
            keys: request.key.map(|_| format!("key-{op}")).into_iter().collect(),
            lacks: Vec::new(),
            head_sha256: Sha256::default(),
            at: Stamp::from_ms(at_ms),
            stamped_by: StampedBy::Program,
            turn: Some(turn as u32),
            outage: None,
            overflow: false,
            queued_us: 0,
            effect: Effect::None,
        })));
        CallId(self.calls)
    }

    /// The client leaves the last call.
    pub fn left(mut self, at_ms: u64) -> Self {
        self.facts.push(Fact::PeerLeft {
            call: CallId(self.calls),
            at: Stamp::from_ms(at_ms),
        });
        self
    }

    /// One more fact.
    pub fn and(mut self, fact: Fact) -> Self {
        self.facts.push(fact);
        self
    }

    /// The caller of an operation gives it up.
    pub fn cancelled(self, op: u32, at_ms: u64) -> Self {
        self.and(Fact::Cancelled {
            op: OperationId(op),
            at: Stamp::from_ms(at_ms),
        })
    }

    /// op-1 is reported.
    pub fn reported(self, at_ms: u64, claim: Claim, stop: StopReason) -> Self {
        self.reported_of(1, at_ms, claim, stop)
    }

    /// An operation is reported.
    pub fn reported_of(mut self, op: u32, at_ms: u64, claim: Claim, stop: StopReason) -> Self {
        let result = Outcome {
            claim,
            status: None,
            attempts: None,
            stop,
            body_sha256: None,
            error: None,
        };
        self.facts.push(Fact::Reported {
            op: OperationId(op),
            at: Stamp::from_ms(at_ms),
            result,
        });
        self
    }

    /// op-1 is reported as a success.
    pub fn ok(self, at_ms: u64) -> Self {
        self.reported(at_ms, Claim::Ok, StopReason::Ok)
    }

    /// op-1 is reported as failed, without a reason.
    pub fn failed(self, at_ms: u64) -> Self {
        self.reported(at_ms, Claim::Failed, StopReason::Unreported)
    }

    /// An operation is given up on.
    pub fn gave_no_result(self, op: u32, at_ms: u64) -> Self {
        self.and(Fact::GaveNoResult {
            op: OperationId(op),
            at: Stamp::from_ms(at_ms),
        })
    }

    /// The harness was late.
    pub fn late_by_ms(self, ms: u64) -> Self {
        self.and(Fact::Lagged { worst_us: ms * 1000 })
    }

    /// The evidence: every operation was asked at the start unless the facts say otherwise.
    pub fn evidence(&self) -> Evidence {
        let told: Vec<OperationId> = self
            .facts
            .iter()
            .filter_map(|f| match f {
                Fact::Asked { op, .. } | Fact::LeftOut { op, .. } => Some(*op),
                _ => None,
            })
            .collect();
        let asked = self
            .trial
            .planned()
            .filter(|p| !told.contains(&p.id))
            .map(|p| Fact::Asked {
                op: p.id,
                at: Stamp::ZERO,
                deadline_ms: p
                    .group
                    .deadline
                    .filter(|_| self.deadline_passed)
                    .map(|d| d.as_millis() as u64),
                key: p.request().key.as_ref().map(|_| format!("key-{}", p.id.0)),
                process: ProcessId(p.group.client_of(p.id)),
            });
        let asked: Vec<Fact> = asked.collect();
        let end = Fact::WatchEnded {
            at: Stamp::from_ms(1_000_000),
        };
        Evidence::fold(
            self.facts[..1]
                .iter()
                .chain(&asked)
                .chain(&self.facts[1..])
                .chain([&end]),
        )
    }

    /// What one check says.
    pub fn check(&self, id: &str) -> CheckResult {
        let evidence = self.evidence();
        (checks::check(id).unwrap().judge)(&self.case(&evidence))
    }

    /// The worst that one check says, and its sentence; an empty pass where it says nothing.
    pub fn worst(&self, id: &str) -> (Grade, String) {
        let worst = self.check(id).findings.into_iter().max_by_key(|f| f.grade);
        worst.map_or((Grade::Pass, String::new()), |f| (f.grade, f.because))
    }

    /// What the judge says.
    pub fn judge(&self) -> Judgement {
        let evidence = self.evidence();
        judge(&self.case(&evidence))
    }

    /// The findings that are warnings or failures.
    pub fn blamed(&self) -> Vec<Finding> {
        self.judge()
            .findings
            .into_iter()
            .filter(|f| f.grade > Grade::Note)
            .collect()
    }

    /// A case on this evidence.
    pub fn case<'a>(&'a self, evidence: &'a Evidence) -> Case<'a> {
        Case {
            trial: &self.trial,
            promises: &self.promises,
            can: &self.can,
            evidence,
        }
    }
}
