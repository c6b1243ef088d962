//! The same dependencies in the virtual world: a client in the same process, in time that costs nothing.

use std::sync::Arc;
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::Request;
use hyper::body::Bytes;
use hyper_util::rt::TokioIo;
use retrial::evidence::{Evidence, Fact, Recorder};
use retrial::scenario::{Answer, AnswerBody, DateForm, DateOffset, Dependency, Down, Drip, Pushback};
use retrial::term::{CutBy, OperationId, Place, Stamp};
use retrial::upstream::{Shared, Upstream};
use retrial::world::{VirtualWorld, World};

use crate::script::{answer, answers, cuts, dependency, down, pushes_back, text};
use crate::stand::LIMITS;

pub struct Virtual {
    pub world: VirtualWorld,
    pub shared: Arc<Shared>,
    pub upstream: Upstream,
}

impl Virtual {
    pub async fn of(dependency: Dependency) -> Self {
        let world = VirtualWorld::default();
        let shared = Arc::new(Shared::new(world.start_clock(), Recorder::new(), 7, LIMITS));
        shared.running.lock().unwrap().insert(OperationId(1));
        let served = Upstream::serve(&world, Arc::new(dependency), shared.clone()).await;
        Virtual {
            world,
            shared,
            upstream: served.unwrap(),
        }
    }

    /// Asks over a new connection: the status, Retry-After and body, or what went wrong.
    pub async fn ask(&self) -> Result<(u16, Option<String>, Bytes), String> {
        let stream = self
            .world
            .connect(self.upstream.authority())
            .await
            .map_err(|e| e.to_string())?;
        let handshake = hyper::client::conn::http1::handshake(TokioIo::new(stream)).await;
        let (mut sender, connection) = handshake.map_err(|e| e.to_string())?;
        let connection = tokio::spawn(connection);
        let request = Request::get("/op-1/send")
            .header("host", "x")
            .body(Empty::<Bytes>::new())
            .unwrap();
        let answer = sender.send_request(request).await.map_err(|e| format!("{e:?}"))?;
        let retry_after = answer
            .headers()
            .get("retry-after")
            .map(|v| v.to_str().unwrap().to_owned());
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.map_err(|e| format!("{e:?}"))?;
        drop(sender);
        let _ = connection.await;
        Ok((status, retry_after, body.to_bytes()))
    }

    pub async fn finish(self) -> Vec<Fact> {
        self.upstream.down().await;
        self.shared.recorder.facts().iter().collect()
    }
}

#[tokio::test(start_paused = true)]
async fn an_hour_before_the_answer_takes_no_time_and_is_an_hour() {
    let real = std::time::Instant::now();
    let hour = Duration::from_secs(3600);
    let stand = Virtual::of(dependency(vec![answers(Answer {
        after: hour,
        ..text("hello")
    })]))
    .await;
    assert_eq!(stand.ask().await, Ok((200, None, Bytes::from("hello"))));
    let call = Evidence::fold(&stand.finish().await).calls.remove(0);
    assert_eq!(call.answer_began.unwrap().since(call.at()), hour);
    assert!(call.complete && call.peer_left.is_none());
    assert!(real.elapsed() < hour / 60);
}

#[tokio::test(start_paused = true)]
async fn a_reset_and_a_cut_are_errors_to_the_client() {
    for by in [CutBy::Rst, CutBy::Fin] {
        let stand = Virtual::of(dependency(vec![cuts(text("hello"), Place::BeforeAnswer, by)])).await;
        let error = stand.ask().await.unwrap_err();
        assert_eq!(error.contains("ConnectionReset"), by == CutBy::Rst, "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_refused_dependency_comes_back_at_the_very_moment() {
    let stand = Virtual::of(down(Duration::ZERO, Some(Duration::from_secs(5)), Down::Refused)).await;
    stand.shared.start_now();
    assert!(stand.ask().await.unwrap_err().contains("refused"));
    stand.shared.clock.sleep_until(Stamp::from_ms(5001)).await;
    assert_eq!(stand.ask().await.map(|a| a.0), Ok(200));
    let gates = Evidence::fold(&stand.finish().await).gates;
    assert_eq!(
        gates.iter().map(|g| g.1).collect::<Vec<_>>(),
        [Stamp::ZERO, Stamp::from_ms(5000)]
    );
}

#[tokio::test(start_paused = true)]
async fn a_date_is_of_the_virtual_year() {
    let date = Pushback::Date {
        form: DateForm::Asctime,
        offset: DateOffset::Ahead(Duration::from_millis(2500)),
    };
    let stand = Virtual::of(dependency(vec![answers(pushes_back(date))])).await;
    let answer = stand.ask().await.unwrap();
    assert_eq!(answer.1.as_deref(), Some("Thu Jan  1 00:00:03 2026"));
    let call = Evidence::fold(&stand.finish().await).calls.remove(0);
    assert_eq!(
        (call.asked_wait_ms, call.asked_until),
        (Some(2500), Some(Stamp::from_ms(3000)))
    );
}

#[tokio::test(start_paused = true)]
async fn a_hang_lasts_until_the_client_leaves() {
    let stand = Virtual::of(dependency(vec![cuts(
        answer(200),
        Place::BeforeAnswer,
        CutBy::Hang,
    )]))
    .await;
    let asked = stand
        .shared
        .clock
        .within(Duration::from_secs(86_400), stand.ask())
        .await;
    assert!(asked.is_err(), "{asked:?}");
}

/// One run of everything that takes time, as facts in text.
async fn run() -> String {
    let drip = Some(Drip {
        bytes: 40_000,
        every: Duration::from_millis(7),
    });
    let slow = Answer {
        drip,
        body: AnswerBody::Zeros(200_000),
        after: Duration::from_secs(9),
        ..answer(200)
    };
    let mut slow = answers(slow);
    (slow.takes, slow.effect) = (Duration::from_secs(3), retrial::term::Effect::Applied);
    let stand = Virtual::of(dependency(vec![slow])).await;
    stand.shared.start_now();
    for _ in 0..3 {
        let (one, other) = tokio::join!(stand.ask(), stand.ask());
        assert_eq!((one.unwrap().2.len(), other.unwrap().2.len()), (200_000, 200_000));
    }
    serde_json::to_string(&stand.finish().await).unwrap()
}

#[test]
fn the_same_run_gives_the_same_facts() {
    let again = || {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        builder
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap()
            .block_on(run())
    };
    let first = again();
    assert!(first.contains("complete\":true"));
    for _ in 0..20 {
        assert_eq!(again(), first);
    }
}
