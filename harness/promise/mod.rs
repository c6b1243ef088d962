//! What a client promises, what it can be asked and what is known of it: data only, no parsing of files.

mod can;
mod given;
mod known;
mod profile;
mod promises;

pub use can::{AttemptsCount, BodyCan, Can, DeadlineCan, KeysCan, PolicyCan};
pub use given::{Backoff, Exponential, Given, GivenBudget, Jitter, Lcg, Rolls};
pub use known::{ExpectedEntry, ExpectedMatch};
pub use profile::{PROFILES, Profile, profile};
pub use promises::{
    Above, BackoffPromise, BudgetPromise, FailureKind, OptOut, Promises, PushbackForm, PushbackPromise,
    Retries, Then,
};
