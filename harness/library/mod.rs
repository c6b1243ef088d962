//! How does a Rust test put a client on trial? Scenarios, closures and tower services, and a report to assert on.

mod draft;
mod operation;
mod report;
mod run;
mod scenario;
mod transport;

pub use draft::{OperationDraft, ScenarioDraft, TurnDraft};
pub use operation::Operation;
pub use report::{DependencySeen, FindingSeen, Report, TrialSeen};
pub use run::OnTrial;
pub use scenario::{Scenario, ScenarioError};
pub use transport::{Transport, TransportError};
