//! The program from outside: what it prints, and how it exits.
//!
//! One module a command. Whatever runs a client runs it in a folder of its own.

mod check;
mod compare;
mod evidence;
mod exit;
mod explain;
mod files;
mod help;
mod interrupt;
mod key_header;
mod leftovers;
mod list;
#[path = "../needed/mod.rs"]
mod needed;
mod new;
mod program;
mod repetition;
mod reports;
mod selection;
mod snapshots_of_users;
mod time;
