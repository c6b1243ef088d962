//! Waking at the very moment: tokio's timer is a wheel of whole milliseconds that rounds up, and so wakes 1.2 ms late.
//!
//! The last stretch of a sleep is left to a timer of the kernel, which wakes about 0.15 ms late and never early.

use std::io;
use std::os::fd::OwnedFd;
use std::time::Duration;

use nix::sys::time::TimeSpec;
use nix::sys::timerfd::{ClockId, Expiration, TimerFd, TimerFlags, TimerSetTimeFlags};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;
use tokio::sync::Semaphore;
use tokio::time::Instant;

/// How much of a sleep is left to the kernel: more than tokio is late on a machine that is not overloaded.
const LAST_STRETCH: Duration = Duration::from_millis(3);

/// How many may be in their last stretch at a time, the rest sleeps by tokio's timer: each takes a file descriptor, and
/// those are the connections'.
static ROOM: Semaphore = Semaphore::const_new(256);

/// Sleeps until this moment of real time. Where the system gives no timer, tokio's is as good as it gets.
pub(super) async fn sleep_until(when: Instant) {
    if let Some(coarse) = when.checked_sub(LAST_STRETCH)
        && Instant::now() < coarse
    {
        tokio::time::sleep_until(coarse).await;
    }
    // Whatever went wrong, nobody is woken early.
    let _ = last_stretch(when).await;
    if Instant::now() < when {
        tokio::time::sleep_until(when).await;
    }
}

#[allow(
    deprecated,
    reason = "an owned descriptor stays open for as long as it is registered, and its new name is unsafe"
)]
async fn last_stretch(when: Instant) -> io::Result<()> {
    let Ok(_room) = ROOM.try_acquire() else {
        return Ok(());
    };
    let flags = TimerFlags::TFD_NONBLOCK | TimerFlags::TFD_CLOEXEC;
    let timer = TimerFd::new(ClockId::CLOCK_MONOTONIC, flags)?;
    let left = when.saturating_duration_since(Instant::now());
    // A timer that is set to nothing never fires.
    if left.is_zero() {
        return Ok(());
    }
    let once = Expiration::OneShot(TimeSpec::from_duration(left));
    timer.set(once, TimerSetTimeFlags::empty())?;
    let timer = AsyncFd::with_interest(OwnedFd::from(timer), Interest::READABLE)?;
    let _fired = timer.readable().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_is_woken_early_however_many_sleep() {
        let sleep = |us: u64| async move {
            let when = Instant::now() + Duration::from_micros(us);
            sleep_until(when).await;
            assert!(Instant::now() >= when, "{us} us");
        };
        // More than there is room for, some of them done before they begin.
        let sleeps: Vec<_> = (0..600).map(|n| tokio::spawn(sleep(n * 17))).collect();
        for sleep in sleeps {
            sleep.await.unwrap();
        }
    }

    #[tokio::test]
    async fn the_kernel_wakes_closer_to_the_moment_than_a_wheel_of_milliseconds() {
        let mut late = Vec::new();
        for _ in 0..20 {
            let when = Instant::now() + Duration::from_millis(5);
            sleep_until(when).await;
            late.push(when.elapsed());
        }
        // The best of many, which a busy machine leaves alone: tokio's timer is never better than this.
        assert!(late.iter().min() < Some(&Duration::from_millis(1)), "{late:?}");
    }
}
