//! One client through many trials: what it can be asked, in which order, what is known of it, and how it all ended.

mod again;
mod ask;
mod ceilings;
mod conclude;
mod exit;
mod expected;
mod files;
mod finish;
mod longest;
mod merge;
mod plan;
mod reference;
mod requirement;
mod rounds;
mod run;
mod seed;
mod shard;
mod snapshots;
mod sockets;
mod times;
mod trial;
mod version;

#[cfg(test)]
mod example;

pub use again::judge_again;
pub use ask::{Asking, asking};
pub use exit::{Exit, exit};
pub use merge::merge;
pub use reference::reference;
pub use requirement::unmet;
pub use run::{Suite, Watcher, run};
pub use seed::fresh_seed;
pub use shard::in_shard;
pub use snapshots::{Snapshots, Writes};
pub use times::{Begin, Closures, Wanted};
