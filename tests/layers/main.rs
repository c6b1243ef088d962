//! Clients made of layers: real processes with taps before them, started, asked, counted and ended by `retrial run`.
//!
//! The layers are this test program itself, started anew as a stand-in: see `stand_in`.

mod attribution;
mod misconduct;
#[path = "../needed/mod.rs"]
mod needed;
mod nginx;
mod placement;
mod reports;
mod stack;
mod stand_in;
