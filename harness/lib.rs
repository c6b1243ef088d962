//! retrial puts retry clients on trial.
//!
//! It serves scripted faulty dependencies, runs a client through them, counts what really reached each dependency,
//! and says, with evidence and a citation, what the client did wrong. `harness/ARCHITECTURE.md` is the map.
//!
//! In a Rust test a client is a closure, or a stack of tower layers, and time can be virtual: an hour of waiting takes
//! milliseconds, and one seed gives the same report, byte for byte.
//!
//! ```
//! # #[cfg(feature = "virtual-time")]
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use retrial::{Operation, Outcome, Scenario, Transport};
//!
//! /// Tries a GET three times. It does not know of Retry-After.
//! async fn three_times(op: Operation, transport: Transport) -> Outcome {
//!     let attempts = if op.method == "GET" { 3 } else { 1 };
//!     let mut outcome = Outcome::failed();
//!     for _ in 0..attempts {
//!         outcome = match transport.send(op.request().unwrap()).await {
//!             Ok(answer) if answer.status().is_success() => return Outcome::ok(answer.status().as_u16()),
//!             Ok(answer) => Outcome::failed().with_status(answer.status().as_u16()),
//!             Err(_) => Outcome::unknown(),
//!         };
//!         tokio::time::sleep(std::time::Duration::from_millis(100)).await;
//!     }
//!     outcome
//! }
//!
//! let once = Scenario::built_in("status-before-effect[500]")?.client("three-times", three_times);
//! once.run_virtual().await.assert_pass();
//!
//! let waits = Scenario::built_in("retry-after-punished[503]")?.client("three-times", three_times);
//! let report = waits.strict().run_virtual().await;
//! assert!(!report.passed());
//! assert_eq!(report.trials[0].findings[0].check, "pushback.honoured");
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "virtual-time"))]
//! # fn main() {}
//! ```

#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod drive;
pub mod engine;
pub mod evidence;
pub mod judge;
pub mod library;
pub mod promise;
pub mod record;
pub mod report;
pub mod scenario;
pub mod script;
pub mod serve;
pub mod source;
pub mod spec;
pub mod suite;
pub mod tap;
pub mod term;
pub mod upstream;
pub mod world;

pub use evidence::Outcome;
pub use library::{
    OnTrial, Operation, OperationDraft, Report, Scenario, ScenarioDraft, ScenarioError, Transport,
    TransportError, TurnDraft,
};
