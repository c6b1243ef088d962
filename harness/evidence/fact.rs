//! One thing that was observed.

use serde::{Deserialize, Serialize};

use super::{Arrival, Outcome};
use crate::term::{
    CallId, ConnId, CutBy, Effect, KeyState, LayerRole, Name, OperationId, Place, ProcessId, Sha256, Stamp,
};

/// One observation. Every stamp is in microseconds since the trial's epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fact {
    /// The trial began; `unix_us` is the wall clock at the epoch, in microseconds since 1970.
    TrialBegan {
        /// Wall clock at the epoch.
        unix_us: u64,
    },
    /// A dependency or tap is served here.
    PointServed {
        /// Its name.
        point: Name,
        /// `http://127.0.0.1:PORT`.
        base: String,
    },
    /// A layer of the client stands behind a tap here; they are told from the bottom up, the entry last.
    LayerServed {
        /// Its name, which is the tap's too.
        point: Name,
        /// What it is to what passes through it.
        role: LayerRole,
        /// The tap's `http://127.0.0.1:PORT`.
        base: String,
    },
    /// A gate changed by the script's outages.
    GateChanged {
        /// Which dependency.
        point: Name,
        /// When.
        at: Stamp,
        /// To what.
        gate: GateState,
    },
    /// An operation is not asked of this client.
    LeftOut {
        /// Which.
        op: OperationId,
        /// Why, as a clause: "the client can only GET".
        because: String,
        /// When the asking ended before its turn; `None` where the client cannot be asked it at all.
        #[serde(default)]
        at: Option<Stamp>,
    },
    /// The client is started and has said who it is (or needs not).
    ClientReady {
        /// The name it gave.
        name: String,
        /// The version it gave.
        version: Option<String>,
        /// When.
        at: Stamp,
    },
    /// An operation was handed to the client.
    Asked {
        /// Which.
        op: OperationId,
        /// When.
        at: Stamp,
        /// Whether its deadline was handed over too, in milliseconds.
        deadline_ms: Option<u64>,
        /// The key handed over.
        key: Option<String>,
        /// To which instance of the client; the first where it is not written.
        #[serde(default)]
        process: ProcessId,
    },
    /// The caller gave an operation up, and the client was told.
    Cancelled {
        /// Which.
        op: OperationId,
        /// When, read before the client was told.
        at: Stamp,
    },
    /// A connection was accepted.
    Connected {
        /// Which.
        conn: ConnId,
        /// Where.
        point: Name,
        /// When.
        at: Stamp,
        /// If it was cut at accept by the script: how, and for which operation where only one was running.
        cut: Option<CutBy>,
        /// The turn that cut it.
        turn: Option<u32>,
        /// The only operation running then.
        op: Option<OperationId>,
    },
    /// The head of a request arrived.
    Arrived(Box<Arrival>),
    /// Nothing more of a request's body will be read.
    BodyRead {
        /// The call.
        call: CallId,
        /// Bytes, digest, and whether it was read to its end.
        body: Digest,
    },
    /// A call at a dependency that recognises keys fell to a turn, once its request was read.
    Decided {
        /// The call.
        call: CallId,
        /// When.
        at: Stamp,
        /// The turn of the script it fell to, from 0.
        turn: u32,
        /// The effect that the script orders; whether it happens again is the key store's matter.
        effect: Effect,
        /// What the store knew of its key.
        key: KeyState,
        /// The call whose stored answer it is answered with.
        replays: Option<CallId>,
    },
    /// A call's effect.
    EffectDone {
        /// The call.
        call: CallId,
        /// When.
        at: Stamp,
        /// What happened.
        effect: EffectOutcome,
    },
    /// An answer is about to be handed to the socket.
    AnswerBegan {
        /// The call.
        call: CallId,
        /// Read before the first byte of the status line was handed to the socket.
        at: Stamp,
        /// Its status; `None` for raw bytes.
        status: Option<u16>,
        /// The wait that its pushback asks for, in milliseconds; `None` where none is asked, it is malformed, or it
        /// cannot be relied on to reach the client: cut within the head, followed by a reset, or the client had closed
        /// its side before.
        asked_wait_ms: Option<u64>,
        /// For a date: the moment it names.
        asked_until: Option<Stamp>,
        /// Retry-After as it was written, for showing.
        retry_after: Option<String>,
    },
    /// The exchange is over as far as the dependency is concerned.
    AnswerEnded {
        /// The call.
        call: CallId,
        /// Read before the last byte, or the connection's end, was handed to the kernel.
        at: Stamp,
        /// Whether a complete answer was handed to the kernel.
        complete: bool,
        /// The cut that was played, if any.
        cut: Option<(Place, CutBy)>,
    },
    /// The client closed or reset the connection before the exchange was over.
    PeerLeft {
        /// The call.
        call: CallId,
        /// When it was seen.
        at: Stamp,
    },
    /// A request could not be read as HTTP, or came on no known path.
    Unreadable {
        /// The connection.
        conn: ConnId,
        /// Where.
        point: Name,
        /// When.
        at: Stamp,
        /// What is wrong with it.
        because: String,
    },
    /// The client reported the end of an operation.
    Reported {
        /// Which.
        op: OperationId,
        /// When.
        at: Stamp,
        /// What it said.
        result: Outcome,
    },
    /// The client said it could not run an operation.
    CouldNotRun {
        /// Which.
        op: OperationId,
        /// When.
        at: Stamp,
        /// What it said.
        because: String,
    },
    /// The client did not report an operation's end while it was waited for, and was ended.
    GaveNoResult {
        /// Which.
        op: OperationId,
        /// When the waiting ended.
        at: Stamp,
    },
    /// A line of the client that is not part of the protocol (its standard error, talk on standard output).
    Talk {
        /// When.
        at: Stamp,
        /// The line, cut to a sane length.
        line: String,
    },
    /// The client broke the protocol, could not be started, or left early: nothing of it can be judged.
    ClientBroke {
        /// When.
        at: Stamp,
        /// What it did.
        because: String,
    },
    /// The client's processes ended or were ended.
    ClientEnded {
        /// When.
        at: Stamp,
        /// How.
        how: ClientEnd,
    },
    /// A client of the fleet that had ended what it was asked is ended, and another is started in its place, with nothing
    /// in its memory.
    ClientRestarted {
        /// When, read before it was started.
        at: Stamp,
        /// The one that is over.
        process: ProcessId,
        /// The one that takes its place.
        successor: ProcessId,
    },
    /// A ceiling of the trial was reached.
    CeilingHit {
        /// When.
        at: Stamp,
        /// Which.
        ceiling: Ceiling,
    },
    /// The worst lateness of the harness so far, by its lag probe, in microseconds.
    Lagged {
        /// Microseconds.
        worst_us: u64,
    },
    /// The watch for late calls is over.
    WatchEnded {
        /// When.
        at: Stamp,
    },
    /// The trial was interrupted by the user.
    Interrupted {
        /// When.
        at: Stamp,
    },
}

/// A body: its length, its digest, and whether all of it was read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Bytes read.
    pub len: u64,
    /// SHA-256 of them.
    pub sha256: Sha256,
    /// Whether it was read to its end.
    pub complete: bool,
}

/// What became of a call's effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectOutcome {
    /// Applied, and counted in `delivered`.
    Applied,
    /// Begun and not committed.
    Begun,
    /// Recognised by its key and not applied again.
    Recognised,
}

/// The state of a dependency's gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GateState {
    /// Connections are accepted.
    Open,
    /// Connections are refused.
    Refusing,
    /// Requests for connections are not answered.
    BlackHole,
}

/// How a client's processes ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientEnd {
    /// By themselves, with this exit status.
    Exited(i32),
    /// By a signal that retrial did not send.
    Signalled(i32),
    /// They were ended by retrial; `why` says what for.
    Killed {
        /// A clause.
        why: String,
    },
}

/// A ceiling of a trial that a runaway client cannot lift.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ceiling {
    /// Calls in the trial.
    Calls,
    /// Connections in the trial.
    Connections,
    /// Bytes read from the client.
    Bytes,
    /// The trial's time.
    Time,
}
