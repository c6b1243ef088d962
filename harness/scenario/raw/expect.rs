//! Expectations as written.

use serde::Deserialize;

use super::{Bound, Dur};
use crate::source::{Entries, Placed};

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::scenario) struct Expect {
    pub stop: Entries<Placed<Bound>>,
    pub dependencies: Entries<Counts>,
    pub layers: Entries<Counts>,
    pub ticks: Entries<Ticks>,
    pub given: Option<Placed<OfPolicy>>,
}

/// What is expected of a client that takes the policy handed over. A service takes none, so there are no layers.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(in crate::scenario) struct OfPolicy {
    pub stop: Entries<Placed<Bound>>,
    pub dependencies: Entries<Counts>,
    pub ticks: Entries<Ticks>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Counts {
    pub calls: Option<Placed<Bound>>,
    pub delivered: Option<Placed<Bound>>,
    pub acknowledged: Option<Placed<Bound>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::scenario) struct Ticks {
    pub every: Dur,
    pub peak_calls: Option<Placed<Bound>>,
    pub peak_retries: Option<Placed<Bound>>,
}
