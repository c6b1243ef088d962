//! retrial puts retry clients on trial.
//!
//! It serves scripted faulty dependencies, runs a client through them, counts what really reached each dependency,
//! and says, with evidence and a citation, what the client did wrong. `harness/ARCHITECTURE.md` is the map.

#[cfg(feature = "cli")]
pub mod cli;
pub mod client;
pub mod drive;
pub mod engine;
pub mod evidence;
pub mod judge;
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
