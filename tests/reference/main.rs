//! The reference client and its mutants, seen from outside: no word of the harness is used here.
//!
//! Over real sockets it is a process that is spoken to line by line; on a paused clock it is a value.

#[allow(dead_code, reason = "the program uses all of it, these tests a part")]
#[path = "../../fixtures/reference/mod.rs"]
mod reference;

mod backoff;
mod budget;
mod conduct;
mod conversation;
mod mutants;
mod over_sockets;
mod paused_clock;
mod retry_after;
mod stage;
