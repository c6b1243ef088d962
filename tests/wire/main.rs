//! Proofs from outside: what a raw socket sees of each answer and each cut, and what is recorded of it.

mod absence;
mod answers;
mod cuts;
mod early;
mod gates;
#[cfg(feature = "cli")]
mod in_memory;
#[cfg(feature = "cli")]
mod in_memory_gates;
mod keys;
mod pushback;
mod script;
mod stand;
