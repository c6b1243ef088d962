//! What is a scenario, and what is wrong with this file?
//!
//! A file is read into raw YAML types, then validated into the model below; problems are collected, not thrown.
//! `load` turns one file into its trials: one for each combination of what it varies.

mod built_in;
mod check;
mod dependency;
mod expectation;
mod load;
mod operation;
mod policy;
mod pushback;
mod raw;
mod remarks;
mod stored;
mod trial;
mod unplayed;

pub use built_in::{built_in, starter};
pub use dependency::{
    Accept, Answer, AnswerBody, AnswerStatus, Capacity, Cut, Dependency, Down, Drip, Framing, HeaderIs, Keys,
    Outage, Scope, Slows, Turn, When,
};
pub use expectation::{Bound, Counts, Expect, LayerExpect, PolicyNumber, StopExpect, TicksExpect};
pub use load::{load, load_citing};
pub use operation::{KeyPlan, Need, OperationGroup, RequestBody, RequestPlan, Start};
pub use policy::load_policy;
pub use pushback::{Asked, DateForm, DateOffset, Pushback};
pub use remarks::{Remark, remarks};
pub use stored::plain_success;
pub use trial::{Planned, Trial};

pub use crate::term::KeyState;
