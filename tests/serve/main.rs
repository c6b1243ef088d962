//! `retrial serve` from outside: what a system that runs elsewhere meets, and what its owner is told.

mod control;
mod ending;
mod meets;
mod mistakes;
mod served;
mod slow;
