//! A client as its file, or its command line, describes it.

use std::path::PathBuf;
use std::sync::Arc;

use super::ServicePlan;
use crate::promise::{Can, ExpectedEntry, Promises};
use crate::source::{Source, Span};

/// A client under test.
#[derive(Debug, Clone, PartialEq)]
pub struct Client {
    /// Its name in reports.
    pub name: String,
    /// How it is started and spoken to.
    pub driver: DriverPlan,
    /// What must be on the machine, or its trials are skipped.
    pub requires: Vec<Requirement>,
    /// What it can be asked.
    pub can: Can,
    /// What it promises.
    pub promises: Promises,
    /// A request header that tells its operations apart, lower case. A service passes on the one it is sent.
    pub invocation_header: Option<String>,
    /// The request header in which it sends the key of an operation, lower case; `None` for `idempotency-key` or what the
    /// scenario names.
    pub key_header: Option<String>,
    /// Findings that are known.
    pub expected: Vec<ExpectedEntry>,
    /// The folder its command runs in: that of its file; `None` is the current one.
    pub folder: Option<PathBuf>,
    /// Its file, or the command line as a text.
    pub source: Arc<Source>,
}

/// How a client is started and spoken to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DriverPlan {
    /// One process per operation.
    Exec {
        /// The command with its placeholders.
        command: Vec<Argument>,
        /// What exit status 0 says.
        success: SuccessIs,
        /// What its standard output is.
        stdout: StdoutIs,
    },
    /// One process per trial, one line per operation.
    Jsonl {
        /// The command; no placeholders but `{tmp}`.
        command: Vec<String>,
        /// How many operations may be outstanding.
        concurrency: u32,
    },
    /// Processes that pass an operation on from one to the next: the harness itself asks the first.
    Service(ServicePlan),
    /// Closures in this process, which the caller hands over beside this description.
    InProcess {
        /// How many operations may be outstanding.
        concurrency: u32,
    },
}

/// An argument of a command, or a group of them that is left out where a placeholder in it is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// One argument.
    One(String),
    /// All of them, or none.
    Group(Vec<String>),
}

/// What a command's exit status 0 says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SuccessIs {
    /// A complete final answer was read, whatever it says.
    #[default]
    Answered,
    /// The operation succeeded.
    ExitZero,
}

/// What a command's standard output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum StdoutIs {
    /// Talk.
    #[default]
    Talk,
    /// The body of the final answer.
    Body,
}

/// Something that must be on the machine: `python3>=3.9` or `curl`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The command.
    pub command: String,
    /// The least version, as numbers.
    pub at_least: Option<Vec<u32>>,
    /// Where it is written.
    pub span: Span,
}
