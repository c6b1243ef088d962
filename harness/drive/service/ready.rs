//! Whether a process is ready: its port accepts a connection, or a path of it is answered.

use std::time::Duration;

use super::entry;
use crate::client::Ready;
use crate::term::Stamp;
use crate::world::{Clock, RealWorld, World};

/// Between two looks.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// For how long one look is waited for.
const LOOK: Duration = Duration::from_secs(2);

/// Looks until the process is ready.
///
/// # Errors
/// It was not in time: what it did, as a clause.
pub(super) async fn until_ready(ready: &Ready, listens: &str, clock: Clock) -> Result<(), String> {
    let until = clock.now().plus(ready.within);
    let mut because = "it does not answer".to_owned();
    loop {
        let left = until.since(clock.now());
        let looked = clock.within(LOOK.min(left), look(ready, listens));
        match looked.await {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(found)) => because = found,
            // The look that time ran out on says less than the one before.
            Err(_) => {}
        }
        if is_over(clock, until) {
            let within = humantime::format_duration(ready.within);
            return Err(format!("was not ready within {within}: {because}"));
        }
        clock.sleep(LOOK_AGAIN.min(until.since(clock.now()))).await;
    }
}

fn is_over(clock: Clock, until: Stamp) -> bool {
    clock.now() >= until
}

async fn look(ready: &Ready, listens: &str) -> Result<(), String> {
    let Some(path) = &ready.path else {
        let connected = RealWorld.connect(listens).await.map(drop);
        return connected.map_err(|e| format!("its port {listens} takes no connection: {e}"));
    };
    match entry::get(listens, path).await {
        Ok(200..400) => Ok(()),
        Ok(status) => Err(format!("GET {path} is answered {status}")),
        Err(because) => Err(format!("GET {path}: {because}")),
    }
}
