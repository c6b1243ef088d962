//! What a client promises, what it can be asked and what is known of it: data only, no parsing of files.

mod budget;
mod budget_words;
mod can;
mod given;
mod known;
mod profile;
mod promises;
mod taken;

pub use budget::{Breaker, BucketBudget, Budget, Payer, QuotaBudget, ThrottleBudget, WindowBudget};
pub use budget_words::{BreakerWords, BudgetWords};
pub use can::{AttemptsCount, BodyCan, Can, DeadlineCan, KeysCan, PolicyCan};
pub use given::{Backoff, DeadlineRule, Exponential, Given, Jitter, Lcg, Rolls};
pub use known::{ExpectedEntry, ExpectedMatch};
pub use profile::{PROFILES, Profile, profile};
pub use promises::{
    Above, BackoffPromise, FailureKind, OptOut, Promises, PushbackForm, PushbackPromise, Retries, Then,
};
