//! When bytes arrived, by the kernel's own stamp: on a busy machine a program reads them milliseconds later.
//!
//! Linux stamps what it receives by the wall clock (`SO_TIMESTAMPNS`, socket(7)). What counts here is only how long ago that
//! was: the trial's clock is monotonic. A wall clock may be set or stepped, and a stamp from before a step would make a
//! client look early. So both clocks are compared at each reading, and after a step no stamp is believed any more.

use std::io;
use std::sync::Mutex;

use nix::time::ClockId;
use tokio::net::TcpStream;

use super::lock;

/// Nanoseconds by a clock: by the wall clock since 1970, by the monotonic one since some moment. Whole numbers, because both
/// are compared at each reading.
pub(super) type Nanos = u64;

/// How far the two clocks may have come apart since they were last compared, apart from a thousandth of that time: time is
/// slewed by half of that at most (adjtimex(2)). It bounds for how long a thread was held up between the two as well.
const APART: Nanos = 200_000;

/// How often both clocks are read anew where they seem to have come apart: a thread may be held up between them, and a few
/// times in a row on a busy machine.
const TRIES: u32 = 5;

/// Both clocks as they were last seen together; `None` after a step of the wall clock, for good.
static TOGETHER: Mutex<Option<Seen>> = Mutex::new(Some(Seen::NEVER));

/// A moment by both clocks.
#[derive(Debug, Clone, Copy)]
struct Seen {
    at: Option<Nanos>,
    wall: Nanos,
}

impl Seen {
    const NEVER: Seen = Seen { at: None, wall: 0 };

    /// This moment. The wall clock is read first: where the thread is held up in between, what arrived did so later by that,
    /// and never sooner.
    fn now() -> Option<Self> {
        let (wall, at) = (by(ClockId::CLOCK_REALTIME)?, now()?);
        Some(Seen { at: Some(at), wall })
    }

    /// This moment, where nothing held the thread up between the two.
    fn first() -> Option<Self> {
        let before = now()?;
        Seen::now().filter(|seen| seen.at.is_some_and(|at| at.saturating_sub(before) <= APART / 4))
    }

    /// This moment, where the clocks have gone alike since this one, as a few tries tell.
    fn since(earlier: &Seen) -> Option<Self> {
        (0..TRIES).find_map(|_| Seen::now().filter(|now| now.follows(earlier)))
    }

    /// Whether the clocks have gone alike from `earlier` to this moment.
    fn follows(&self, earlier: &Seen) -> bool {
        let (Some(now), Some(then)) = (self.at, earlier.at) else {
            return true;
        };
        let Some(walled) = self.wall.checked_sub(earlier.wall) else {
            return false;
        };
        let passed = now.saturating_sub(then);
        walled.abs_diff(passed) <= APART + passed / 1000
    }
}

/// This moment by the monotonic clock.
pub(super) fn now() -> Option<Nanos> {
    by(ClockId::CLOCK_MONOTONIC)
}

fn by(clock: ClockId) -> Option<Nanos> {
    let now = clock.now().ok()?;
    nanos(now.tv_sec(), now.tv_nsec())
}

fn nanos(s: impl TryInto<Nanos>, ns: impl TryInto<Nanos>) -> Option<Nanos> {
    let s: Nanos = s.try_into().ok()?;
    s.checked_mul(1_000_000_000)?.checked_add(ns.try_into().ok()?)
}

/// Compares the clocks, so that a step from now on is noticed: this moment by both, where they have always gone alike.
fn compared() -> Option<Seen> {
    let mut together = lock(&TOGETHER);
    let earlier = (*together)?;
    *together = match earlier.at {
        Some(_) => Seen::since(&earlier),
        // Where the first reading fails nothing is known yet, which is not a step.
        None => Some(Seen::first()?),
    };
    *together
}

/// Compares the clocks, so that a step from now on is noticed.
pub(super) fn compare() {
    compared();
}

/// Forgets that the wall clock was ever stepped.
#[cfg(test)]
pub(super) fn begin_anew() {
    *lock(&TOGETHER) = Seen::first();
}

/// When bytes arrived that the kernel stamped with `stamp` by its wall clock, and this moment; `None` where the stamp cannot
/// be relied on.
pub(super) fn of(stamp: Nanos) -> Option<(Nanos, Nanos)> {
    let Seen { at, wall } = compared()?;
    Some((at?.checked_sub(wall.checked_sub(stamp)?)?, at?))
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::io::IoSliceMut;
    use std::os::fd::{AsFd, AsRawFd};

    use nix::cmsg_space;
    use nix::errno::Errno;
    use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt, sockopt};
    use nix::sys::time::TimeSpec;

    use super::*;

    /// What a read gives: bytes, and the kernel's stamp of the last of them.
    pub type Read = (usize, Option<Nanos>);

    /// Has the kernel stamp what comes; false where it does not.
    pub fn ask_for_stamps(socket: &impl AsFd) -> bool {
        setsockopt(socket, sockopt::ReceiveTimestampns, &true).is_ok()
    }

    /// Room for the stamp beside the bytes.
    pub fn room() -> Vec<u8> {
        cmsg_space!(TimeSpec)
    }

    /// Reads what is there.
    pub fn read(stream: &TcpStream, buf: &mut [u8], room: &mut [u8]) -> io::Result<Read> {
        let mut parts = [IoSliceMut::new(buf)];
        loop {
            let got = recvmsg::<()>(stream.as_raw_fd(), &mut parts, Some(room), MsgFlags::empty());
            let got = match got {
                Err(Errno::EINTR) => continue,
                got => got?,
            };
            let stamp = got.cmsgs().ok().and_then(|mut told| told.find_map(stamp_of));
            return Ok((got.bytes, stamp));
        }
    }

    fn stamp_of(told: ControlMessageOwned) -> Option<Nanos> {
        match told {
            ControlMessageOwned::ScmTimestampns(at) => nanos(at.tv_sec(), at.tv_nsec()),
            _ => None,
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod kernel {
    use super::*;

    /// What a read gives: bytes, and no stamp.
    pub type Read = (usize, Option<Nanos>);

    /// This system is not asked.
    pub fn ask_for_stamps<S>(_: &S) -> bool {
        false
    }

    /// Nothing is told beside the bytes.
    pub fn room() -> Vec<u8> {
        Vec::new()
    }

    /// Reads what is there.
    pub fn read(stream: &TcpStream, buf: &mut [u8], _: &mut [u8]) -> io::Result<Read> {
        stream.try_read(buf).map(|n| (n, None))
    }
}

pub(super) use kernel::{ask_for_stamps, read, room};

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(passed_ms: u64, wall_ms: u64) -> Seen {
        Seen {
            at: Some(passed_ms * 1_000_000),
            wall: wall_ms * 1_000_000,
        }
    }

    #[test]
    fn clocks_that_drift_are_believed_and_one_that_is_set_is_not() {
        let then = seen(0, 1_000_000);
        assert!(seen(5, 1_000_005).follows(&then));
        assert!(
            seen(10_000, 1_010_005).follows(&then),
            "half of what is slewed at most"
        );
        assert!(
            !seen(5, 1_000_007).follows(&then),
            "two milliseconds ahead at once"
        );
        assert!(!seen(5, 1_000_003).follows(&then));
        assert!(!seen(5, 999_000).follows(&then), "set back");
        assert!(then.follows(&Seen::NEVER));
    }

    #[test]
    fn the_monotonic_clock_and_the_wall_clock_go() {
        let before = Seen::now().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2));
        let after = Seen::now().unwrap();
        assert!(after.at.unwrap() - before.at.unwrap() >= 2_000_000);
        assert!(after.wall > 1_700_000_000 * 1_000_000_000, "it counts from 1970");
    }
}
