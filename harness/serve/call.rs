//! One call, as it is told to whoever watches: its head, what it fell to, its effect and its answer.

use serde::Serialize;

use crate::evidence::{Arrival, EffectOutcome};
use crate::term::{CutBy, Effect, Place, Stamp};

/// One call at a dependency.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CallRecord {
    /// Its number, from 1, over all dependencies since the start or the last reset.
    pub call: u32,
    /// The dependency.
    pub dependency: String,
    /// When it arrived, in microseconds since the start or the last reset.
    pub arrived_us: Stamp,
    /// The method.
    pub method: String,
    /// The path.
    pub path: String,
    /// The query, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub query: Option<String>,
    /// The values of its idempotency key's header.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<String>,
    /// The turn of the script that it fell to, from 0.
    pub turn: Option<u32>,
    /// The outage that it met, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub outage: Option<u32>,
    /// Whether it was more than the dependency takes.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub overflow: bool,
    /// Its effect.
    pub effect: EffectWas,
    /// The status that was answered; `None` for raw bytes, and where nothing was.
    pub status: Option<u16>,
    /// When its answer was begun, in microseconds.
    pub answered_us: Option<Stamp>,
    /// How it ended.
    pub ended: CallWas,
    /// The cut that was played: where, and how.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<(Place, CutBy)>,
}

/// What a call did besides being answered, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectWas {
    /// Nothing.
    None,
    /// The script orders an effect, and it has not happened yet.
    Due,
    /// Applied.
    Applied,
    /// Begun and not committed.
    Begun,
    /// Recognised by its key, and not applied again.
    Recognised,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CallWas {
    /// It has not.
    Open,
    /// With a complete answer handed to the system.
    Complete,
    /// With less than that.
    Incomplete,
}

impl CallRecord {
    /// A call of which only the head is known.
    pub(super) fn of(head: &Arrival) -> Self {
        CallRecord {
            call: head.call.0,
            dependency: head.point.to_string(),
            arrived_us: head.at,
            method: head.method.to_string(),
            path: head.path.to_string(),
            query: head.query.clone(),
            keys: head.keys.clone(),
            turn: head.turn,
            outage: head.outage,
            overflow: head.overflow,
            effect: EffectWas::ordered(head.effect),
            status: None,
            answered_us: None,
            ended: CallWas::Open,
            cut: None,
        }
    }
}

impl EffectWas {
    /// What is known when the script has ordered this.
    pub(super) const fn ordered(effect: Effect) -> Self {
        match effect {
            Effect::None => EffectWas::None,
            Effect::Applied | Effect::Begun => EffectWas::Due,
        }
    }
}

impl From<EffectOutcome> for EffectWas {
    fn from(effect: EffectOutcome) -> Self {
        match effect {
            EffectOutcome::Applied => EffectWas::Applied,
            EffectOutcome::Begun => EffectWas::Begun,
            EffectOutcome::Recognised => EffectWas::Recognised,
        }
    }
}
