//! The rules of soundness, each with a story that would blame a correct client, or let a wrong one pass, without it.

mod counting;
mod gates;
mod timing;
