//! How is a client started and spoken to, and what can it do?
//!
//! `client.yaml` is read into raw types and validated into the model below; `protocol` holds the jsonl lines.

mod check;
mod command_line;
mod load;
mod model;
mod placeholder;
mod policy_line;
pub mod protocol;
mod raw;
mod service;

pub use command_line::from_command;
pub use load::{load, load_knowing};
pub use model::{Argument, Client, DriverPlan, Requirement, StdoutIs, SuccessIs};
pub use placeholder::{PLACEHOLDERS, placeholders};
pub use policy_line::policy_line;
pub use service::{FilePlan, ProcessPlan, Ready, ServicePlan, Slot, slots, variable};
