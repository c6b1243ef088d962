//! Hostile clients: whatever a client does, its trial ends in bounded time, says what happened, and leaves no process.
//!
//! Each client is a few lines of `sh`; a flood, which `sh` cannot make, runs in this process. The table runs the whole
//! program with a client in Python.

mod breaches;
mod exec;
mod fleet;
mod in_process;
mod jsonl;
mod leftovers;
#[path = "../long/mod.rs"]
mod long;
#[path = "../needed/mod.rs"]
mod needed;
mod program;
mod signals;
mod strain;
mod table;
mod trial;
