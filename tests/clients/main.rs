//! Are the promises true that `fixtures/clients/*/client.yaml` make in the name of real clients?
//!
//! Each promise is held against the client itself and a server that this project did not write, so that a finding of
//! the suite can be believed. A client that is not installed is skipped, aloud.

mod curl;
mod file;
mod findings;
mod redact;
mod requests;
mod server;
