//! Proofs from outside: what a raw socket sees of each answer and each cut, and what is recorded of it.

mod absence;
mod answers;
mod cuts;
#[cfg(feature = "cli")]
mod in_memory;
mod keys;
mod pushback;
mod script;
mod stand;
