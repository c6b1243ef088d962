//! Which time each trial is played in, and how a client in this process is had in it.

use std::sync::Arc;

use super::sockets::needs_sockets;
use crate::drive::InProcess;
use crate::scenario::Trial;
use crate::term::Time;
use crate::world::{RealWorld, VirtualWorld, World};

/// Which time a run wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wanted {
    /// Virtual for what only costs waiting, real for what only sockets or a process show.
    #[default]
    Auto,
    /// One time for every trial.
    Always(Time),
}

/// Makes the client of one trial in its world; told the trial's seed.
pub type Begin<W> = Arc<dyn Fn(&W, u64) -> InProcess + Send + Sync>;

/// The client as closures in this process, by world.
///
/// Only an [`InProcess`] driver fits, so that no process can end up on a paused clock:
///
/// ```
/// # use retrial::{drive::{Driver, InProcess}, world::VirtualWorld};
/// fn in_virtual_time(driver: impl Driver<VirtualWorld>) {}
/// fn closures(closures: InProcess) { in_virtual_time(closures) }
/// ```
///
/// ```compile_fail,E0277
/// # use retrial::{drive::{Driver, Jsonl}, world::VirtualWorld};
/// fn in_virtual_time(driver: impl Driver<VirtualWorld>) {}
/// fn a_process(process: Jsonl) { in_virtual_time(process) }
/// ```
///
/// ```compile_fail,E0277
/// # use retrial::{drive::{Driver, Exec}, world::VirtualWorld};
/// fn in_virtual_time(driver: impl Driver<VirtualWorld>) {}
/// fn a_command(command: Exec) { in_virtual_time(command) }
/// ```
///
/// Nor a stack of processes, and so no tap before one: the engine serves taps for the layers of such a driver only.
///
/// ```compile_fail,E0277
/// # use retrial::{drive::{Driver, Service}, world::VirtualWorld};
/// fn in_virtual_time(driver: impl Driver<VirtualWorld>) {}
/// fn a_stack(stack: Service) { in_virtual_time(stack) }
/// ```
#[derive(Clone, Default)]
pub struct Closures {
    /// On the system's clock and real sockets.
    pub real: Option<Begin<RealWorld>>,
    /// On a paused clock, on connections of that world.
    pub in_virtual_time: Option<Begin<VirtualWorld>>,
}

/// Where a closure is had from.
pub(super) trait Home: World {
    /// The closure for this world, if there is one.
    fn closure(closures: &Closures) -> Option<&Begin<Self>>;
}

impl Home for RealWorld {
    fn closure(closures: &Closures) -> Option<&Begin<RealWorld>> {
        closures.real.as_ref()
    }
}

impl Home for VirtualWorld {
    fn closure(closures: &Closures) -> Option<&Begin<VirtualWorld>> {
        closures.in_virtual_time.as_ref()
    }
}

/// The time that a trial is played in.
pub(super) fn time_of(trial: &Trial, wanted: Wanted, closures: &Closures) -> Time {
    match wanted {
        Wanted::Always(time) => time,
        Wanted::Auto if closures.in_virtual_time.is_none() => Time::Real,
        Wanted::Auto => match needs_sockets(trial) {
            Some(_) => Time::Real,
            None => Time::Virtual,
        },
    }
}

/// Why a trial cannot be played in that time, as a clause.
pub(super) fn cannot_play(trial: &Trial, time: Time) -> Option<String> {
    let zone = trial.zone.as_deref()?;
    // UTC is what the virtual world's clock shows; another zone is read from the environment of a process.
    (time == Time::Virtual && zone != "UTC")
        .then(|| format!("the zone {zone} belongs to a process, and in virtual time there is none"))
}
