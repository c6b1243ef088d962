//! The rules of soundness, each with a story that would blame a correct client, or let a wrong one pass, without it.
//!
//! `timing` holds rules 1 to 3, 9 to 12, 19 and 21; `counting` 4, 5, 7 and 13 to 19; `sending` 2, 5, 6, 14, 17 and 19.
//! The others are kept elsewhere, because they are no matter of judging: 8 (what a bare command cannot be asked) by
//! `suite::ask` and `client`, 15 and 16 (whose call is it) by `upstream` as well, 19 (how many start at a time) by
//! `engine`, 20 (the environment) by `drive`, 22 (effects outlive the client) by `tests/wire`. Rule 23 is about layers,
//! which are not played yet.

mod counting;
mod gates;
mod sending;
mod timing;
