//! What a client reported of an operation.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::term::{Claim, StopReason};

/// What a client reported of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// What it claims.
    pub claim: Claim,
    /// The status it ended with.
    pub status: Option<u16>,
    /// The attempts it counted.
    pub attempts: Option<u32>,
    /// Why it made no further attempt.
    pub stop: StopReason,
    /// SHA-256 of the body it hands over, in hexadecimal.
    pub body_sha256: Option<String>,
    /// What it says of a failure.
    pub error: Option<String>,
}

impl Outcome {
    /// It succeeded, with this status.
    pub fn ok(status: u16) -> Self {
        Self::claiming(Claim::Ok).with_status(status)
    }

    /// It failed.
    pub fn failed() -> Self {
        Self::claiming(Claim::Failed)
    }

    /// The client does not know what came of it.
    pub fn unknown() -> Self {
        Self::claiming(Claim::Unknown)
    }

    /// Its caller gave it up.
    pub fn cancelled() -> Self {
        Self::claiming(Claim::Failed).because(StopReason::Cancelled)
    }

    fn claiming(claim: Claim) -> Self {
        Outcome {
            claim,
            status: None,
            attempts: None,
            stop: StopReason::Unreported,
            body_sha256: None,
            error: None,
        }
    }

    /// The same with the status it ended with.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        let status = Some(status);
        Outcome { status, ..self }
    }

    /// The same with the attempts that the client counted.
    #[must_use]
    pub fn with_attempts(self, attempts: u32) -> Self {
        let attempts = Some(attempts);
        Outcome { attempts, ..self }
    }

    /// The same with the reason for which no further attempt was made.
    #[must_use]
    pub fn because(self, stop: StopReason) -> Self {
        Outcome { stop, ..self }
    }

    /// The same with the body that is handed over.
    #[must_use]
    pub fn with_body(self, body: &[u8]) -> Self {
        let digest = Sha256::digest(body);
        let hexadecimal = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Outcome {
            body_sha256: Some(hexadecimal),
            ..self
        }
    }

    /// The same with what the client says of a failure.
    #[must_use]
    pub fn saying(self, error: &str) -> Self {
        let error = Some(error.to_owned());
        Outcome { error, ..self }
    }
}
