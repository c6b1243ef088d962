//! The reference client in virtual time: in this process, on connections in memory.
//!
//! It stays a stranger to the harness: what the two say to each other is what they say over jsonl, and is retold as
//! JSON here, outside of both.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use retrial::client::protocol::{Hello, Order};
use retrial::drive::{Cancelled, Ended, InProcess};
use retrial::evidence::Outcome;
use retrial::suite::Begin;
use retrial::term::Time;
use retrial::world::{VirtualWorld, World};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::reference::client::Client;
use crate::reference::connect::Connect;
use crate::reference::lines::Report;
use crate::reference::mutants::Mutant;
use crate::reference::policy::Policy;
use crate::reference::wall::Wall;

/// Makes the reference client, or the mutant of that name, anew for each trial in virtual time.
pub fn begin(mutant: Option<&str>) -> Begin<VirtualWorld> {
    let mutant = mutant.and_then(Mutant::named);
    Arc::new(move |world, seed| driver(world.clone(), mutant, seed))
}

fn driver(world: VirtualWorld, mutant: Option<Mutant>, seed: u64) -> InProcess {
    let name = mutant.map_or("reference".to_owned(), |m| format!("reference/{}", m.name()));
    let begun = AtomicU64::new(0);
    InProcess::cancellable(&name, move |hello| {
        // Each client of a fleet has chances of its own, as processes have.
        let nth = begun.fetch_add(1, Ordering::Relaxed);
        let client = client(&world, mutant, seed.wrapping_add(nth), &hello);
        move |order, cancelled| {
            let client = client.clone();
            async move { operate(client?, order, cancelled).await }
        }
    })
    .with_version(env!("CARGO_PKG_VERSION"))
}

/// A reference client on connections of this world, with the policy that it is handed.
///
/// # Errors
/// It cannot follow the policy: a clause.
pub fn client(
    world: &VirtualWorld,
    mutant: Option<Mutant>,
    seed: u64,
    hello: &Hello,
) -> Result<Arc<Client<impl Connect + use<>>>, String> {
    let given = hello.given.as_ref();
    let policy = given.map_or_else(|| Ok(Policy::default()), |given| retold(given).map(Policy::given))?;
    let policy = policy.with_mutant(mutant).with_seed(seed);
    let wall = Wall::standing_at(new_year());
    Ok(Arc::new(Client::new(policy, connector(world.clone()), wall)))
}

/// Has a client carry out an operation.
///
/// # Errors
/// It could not be run: a clause.
pub async fn operate<C: Connect>(client: Arc<Client<C>>, order: Order, cancelled: Cancelled) -> Ended {
    let order = Arc::new(retold(&order)?);
    let report = client.operate(&order, cancelled).await;
    if client.policy().is(Mutant::LateCall) {
        tokio::spawn(async move { client.call_late(&order).await });
    }
    ended(&report)
}

/// The moment at which the virtual world's wall clock starts.
fn new_year() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(Time::VIRTUAL_EPOCH_UNIX_S)
}

fn connector(world: VirtualWorld) -> impl Connect {
    move |authority: String| {
        let world = world.clone();
        async move { world.connect(&authority).await }
    }
}

fn ended(report: &Report) -> Ended {
    match &report.could_not_run {
        Some(why) => Err(why.clone()),
        None => retold::<_, Outcome>(report),
    }
}

/// What one side says, as the other hears it.
fn retold<Said: Serialize, Heard: DeserializeOwned>(said: &Said) -> Result<Heard, String> {
    let retold = serde_json::to_vec(said).and_then(|line| serde_json::from_slice(&line));
    retold.map_err(|e| format!("it cannot be retold: {e}"))
}
