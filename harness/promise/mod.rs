//! What a client promises and what it can be asked: data only, no parsing of files.

mod can;
mod given;
mod promises;

pub use can::{AttemptsCount, BodyCan, Can, DeadlineCan, KeysCan, PolicyCan};
pub use given::{Backoff, Exponential, Given, GivenBudget, Jitter, Lcg, Rolls};
pub use promises::{
    Above, BudgetPromise, FailureKind, OptOut, Promises, PushbackForm, PushbackPromise, Retries, Then,
};
