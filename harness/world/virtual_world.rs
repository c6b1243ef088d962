//! The virtual world: connections in memory, and a wall clock that always starts at the same moment.

use std::collections::{BTreeMap, VecDeque};
#[cfg(feature = "virtual-time")]
use std::future::Future;
use std::future::poll_fn;
use std::io;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::Instant;

use super::pipe::VirtualStream;
use super::{Clock, Gate, World, lock};
use crate::term::Time;

/// Where every virtual trial starts, in microseconds since 1970.
const ORIGIN_UNIX_US: u64 = Time::VIRTUAL_EPOCH_UNIX_S * 1_000_000;

/// Connections in memory, and a wall clock that starts at 2026-01-01T00:00:00Z.
///
/// Time is virtual where the caller's runtime is current-thread and paused. Nothing here takes time, but for whoever
/// asks for connections that are refused again and again.
#[derive(Clone, Default)]
pub struct VirtualWorld {
    gates: Arc<Mutex<Registry>>,
}

#[derive(Default)]
struct Registry {
    gates: BTreeMap<String, Arc<Mutex<Queue>>>,
    named: u32,
    /// When a connection was last refused, and how many were just before.
    refused: Option<(Instant, u32)>,
}

impl Registry {
    /// Notes a refusal; how many there were just before.
    fn refuse(&mut self) -> u32 {
        let now = Instant::now();
        let just_now = |(at, _): &(Instant, u32)| now.duration_since(*at) <= 2 * REFUSAL_TAKES;
        let before = self.refused.filter(just_now).map_or(0, |(_, n)| n);
        self.refused = Some((now, before.saturating_add(1)));
        before
    }
}

/// Refusals one right after another that cost no time: more than a fleet meets that starts at once.
const REFUSED_AT_ONCE: u32 = 1000;

/// What each one right behind them costs. A clock that only moves where everybody waits would stand still for ever for a client
/// that asks again without a wait, and no outage would ever end.
const REFUSAL_TAKES: Duration = Duration::from_millis(1);

/// What waits at a gate.
#[derive(Default)]
struct Queue {
    door: Door,
    waiting: VecDeque<VirtualStream>,
    acceptor: Option<Waker>,
    /// Those whom a black hole keeps waiting.
    before: Vec<Waker>,
}

/// What becomes of who connects.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Door {
    Open,
    #[default]
    Refusing,
    BlackHole,
}

impl Queue {
    fn turn(&mut self, door: Door) {
        self.door = door;
        self.before.drain(..).for_each(Waker::wake);
    }

    fn poll_connect(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<VirtualStream>> {
        match self.door {
            Door::Refusing => return Poll::Ready(Err(io::ErrorKind::ConnectionRefused.into())),
            Door::BlackHole => {
                self.before.push(cx.waker().clone());
                return Poll::Pending;
            }
            Door::Open => {}
        }
        let (near, far) = VirtualStream::pair();
        self.waiting.push_back(far);
        if let Some(acceptor) = self.acceptor.take() {
            acceptor.wake();
        }
        Poll::Ready(Ok(near))
    }
}

#[cfg(feature = "virtual-time")]
impl VirtualWorld {
    /// Runs what `begin` makes to its end, on this thread, in a world and on a paused clock of its own.
    ///
    /// The clock stands still while anything can be done, and then jumps to the next moment that is waited for. What
    /// waits for something outside (a socket, another thread) does not hold it back.
    ///
    /// # Errors
    /// The system does not give what a runtime needs.
    pub fn run<F: Future>(begin: impl FnOnce(VirtualWorld) -> F) -> io::Result<F::Output> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()?;
        Ok(runtime.block_on(async { begin(VirtualWorld::default()).await }))
    }
}

impl World for VirtualWorld {
    type Stream = VirtualStream;
    type Gate = VirtualGate;

    const IS_VIRTUAL: bool = true;

    fn start_clock(&self) -> Clock {
        Clock::starting_at(ORIGIN_UNIX_US)
    }

    async fn listen(&self) -> io::Result<VirtualGate> {
        let queue = Arc::<Mutex<Queue>>::default();
        let mut registry = lock(&self.gates);
        registry.named += 1;
        let authority = format!("virtual:{}", registry.named);
        registry.gates.insert(authority.clone(), queue.clone());
        Ok(VirtualGate {
            authority,
            queue,
            world: self.clone(),
        })
    }

    async fn connect(&self, authority: &str) -> io::Result<VirtualStream> {
        let queue = lock(&self.gates).gates.get(authority).cloned();
        let connected = match queue {
            Some(queue) => poll_fn(|cx| lock(&queue).poll_connect(cx)).await,
            None => Err(io::ErrorKind::ConnectionRefused.into()),
        };
        if connected.is_err() {
            let refused = lock(&self.gates).refuse();
            match refused < REFUSED_AT_ONCE {
                // Whoever asks again at once must not keep the others from their turn.
                true => tokio::task::yield_now().await,
                false => tokio::time::sleep(REFUSAL_TAKES).await,
            }
        }
        connected
    }
}

/// A gate of the virtual world.
pub struct VirtualGate {
    authority: String,
    queue: Arc<Mutex<Queue>>,
    world: VirtualWorld,
}

impl Gate for VirtualGate {
    type Stream = VirtualStream;

    fn authority(&self) -> String {
        self.authority.clone()
    }

    fn open(&mut self) -> io::Result<()> {
        lock(&self.queue).turn(Door::Open);
        Ok(())
    }

    fn refuse(&mut self) {
        lock(&self.queue).turn(Door::Refusing);
    }

    fn black_hole(&mut self) -> io::Result<()> {
        lock(&self.queue).turn(Door::BlackHole);
        Ok(())
    }

    async fn accept(&mut self) -> io::Result<VirtualStream> {
        poll_fn(|cx| {
            let mut queue = lock(&self.queue);
            match queue.waiting.pop_front() {
                Some(stream) => Poll::Ready(Ok(stream)),
                None => {
                    queue.acceptor = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }
}

impl Drop for VirtualGate {
    fn drop(&mut self) {
        lock(&self.world.gates).gates.remove(&self.authority);
        // A connection that was queued when the gate was connected to meets its end, not a silent gate.
        let mut left = std::mem::take(&mut *lock(&self.queue));
        left.turn(Door::Refusing);
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_gate_refuses_until_opened_and_again_when_told_and_keeps_its_address() {
        let world = VirtualWorld::default();
        let mut gate = world.listen().await.unwrap();
        let authority = gate.authority();
        let refused = |r: io::Result<VirtualStream>| r.err().map(|e| e.kind());
        assert_eq!(
            refused(world.connect(&authority).await),
            Some(io::ErrorKind::ConnectionRefused)
        );
        gate.open().unwrap();
        let mut client = world.connect(&authority).await.unwrap();
        let mut server = gate.accept().await.unwrap();
        gate.refuse();
        assert_eq!(
            refused(world.connect(&authority).await),
            Some(io::ErrorKind::ConnectionRefused)
        );
        client.write_all(b"x").await.unwrap();
        assert_eq!(server.read_u8().await.unwrap(), b'x');
        drop(gate);
        assert_eq!(
            refused(world.connect(&authority).await),
            Some(io::ErrorKind::ConnectionRefused)
        );
    }

    #[tokio::test(start_paused = true)]
    async fn who_asks_without_end_where_it_is_refused_does_not_stop_the_clock() {
        let world = VirtualWorld::default();
        let mut gate = world.listen().await.unwrap();
        let authority = gate.authority();
        let begun = Instant::now();
        let asks = async {
            let mut asked = 0;
            while world.connect(&authority).await.is_err() {
                asked += 1;
            }
            asked
        };
        let opens = async {
            tokio::time::sleep(Duration::from_secs(5)).await;
            gate.open().unwrap();
        };
        let (asked, ()) = tokio::join!(asks, opens);
        // Whoever asks at the very moment may ask once more before the gate is seen to be open.
        let late = begun.elapsed().saturating_sub(Duration::from_secs(5));
        assert!(late <= REFUSAL_TAKES, "{late:?}");
        assert!(asked > REFUSED_AT_ONCE && asked < 10 * REFUSED_AT_ONCE, "{asked}");
    }

    #[tokio::test]
    async fn the_wall_clock_starts_at_the_first_of_january_2026() {
        let clock = VirtualWorld::default().start_clock();
        assert_eq!(clock.unix_us(), 1_767_225_600 * 1_000_000);
    }
}
