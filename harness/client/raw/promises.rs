//! Promises as written.

use serde::Deserialize;

use crate::promise::{FailureKind, PushbackForm, Then};
use crate::source::{Entries, Placed};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::client) struct Promises {
    pub attempts: Option<Placed<u32>>,
    pub retries: Option<Retries>,
    pub pushback: Option<Pushback>,
    pub budget: Option<Budget>,
    pub deadline: bool,
    pub key: bool,
    pub hedges: bool,
    pub one_at_a_time: bool,
    pub prompt: bool,
    pub never_repeats_unsafe: bool,
    pub claims_ok_on: Vec<Placed<u16>>,
    pub repeats_unsafe_on: Vec<Placed<u16>>,
    pub opts_out: Vec<OptOut>,
    pub from: Entries<Placed<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::client) struct Retries {
    pub statuses: Option<Vec<Placed<u16>>>,
    pub failures: Option<Vec<FailureKind>>,
    pub methods: Option<Vec<Placed<String>>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Pushback {
    pub honours: Placed<Vec<Placed<u16>>>,
    pub forms: Placed<Vec<PushbackForm>>,
    pub above: Option<Above>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Above {
    pub limit: Placed<String>,
    pub then: Then,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct Budget {
    /// A budget is counted per process; the word is there to be read.
    #[serde(default, rename = "per")]
    pub _per: Per,
    pub initial: u32,
    pub cap: u32,
    pub earn_per_mille: u32,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::client) enum Per {
    #[default]
    Process,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::client) struct OptOut {
    pub check: Placed<String>,
    pub because: Placed<String>,
    pub see: Option<String>,
}
