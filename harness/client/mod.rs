//! How is a client started and spoken to, and what can it do?
//!
//! `client.yaml` is read into raw types and validated into the model below; `protocol` holds the jsonl lines.

mod model;
pub mod protocol;

pub use model::{
    Argument, Client, DriverPlan, ExpectedEntry, ExpectedMatch, Requirement, StdoutIs, SuccessIs,
};
