//! Answers that come while the request's body is still on its way, and clocks that are off.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retrial::evidence::Fact;
use retrial::scenario::{Answer, DateForm, DateOffset, Pushback};
use retrial::term::{CutBy, Effect, Place};

use crate::script::{answer, answers, cuts, dependency, pushes_back, times};
use crate::stand::{End, GET, Stand, header, read_all, read_head};

const LENGTH: usize = 1 << 20;

fn early(status: u16) -> Answer {
    Answer {
        early: true,
        ..answer(status)
    }
}

/// The head of an upload and its first bytes.
fn begin(stand: &Stand) -> TcpStream {
    let head = format!("PUT /op-1/send HTTP/1.1\r\nhost: x\r\ncontent-length: {LENGTH}\r\n\r\n");
    stand.ask(&format!("{head}0123456789"))
}

#[test]
fn a_polite_early_answer_comes_before_the_body_and_the_connection_lives_on_behind_it() {
    let stand = Stand::of(dependency(vec![
        times(1, answers(early(503))),
        answers(answer(200)),
    ]));
    let mut stream = begin(&stand);
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 503"));
    stream.write_all(&vec![b'x'; LENGTH - 10]).unwrap();
    stream.write_all(GET.as_bytes()).unwrap();
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 200"));
    let calls = stand.finish().calls;
    let body = calls[0].body.as_ref().unwrap();
    assert_eq!((body.len, body.complete), (LENGTH as u64, true));
    assert!(calls[0].complete && calls[0].cut.is_none() && calls[0].peer_left.is_none());
    assert_eq!(calls[0].head.effect, Effect::None);
    assert_eq!((calls[1].head.nth_on_conn, calls[1].status), (2, Some(200)));
    assert!(
        calls[1].at() > calls[0].at(),
        "a body's bytes are not the next call's"
    );
}

#[test]
fn a_polite_early_answer_of_a_connection_that_closes_ends_in_order_though_more_comes() {
    let closing = Answer {
        keep_alive: Some(false),
        ..early(413)
    };
    let stand = Stand::of(dependency(vec![answers(closing)]));
    let mut stream = begin(&stand);
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 413"));
    stream.write_all(&vec![b'x'; LENGTH - 10]).unwrap();
    assert_eq!(read_all(&mut stream), (vec![], End::Fin));
    stand.finish();
}

#[test]
fn a_rude_early_answer_is_followed_by_a_reset_and_the_body_is_not_read() {
    let stand = Stand::of(dependency(vec![cuts(early(503), Place::AfterAnswer, CutBy::Rst)]));
    let mut stream = begin(&stand);
    let (read, end) = read_all(&mut stream);
    assert!(read.starts_with(b"HTTP/1.1 503") && end == End::Rst);
    assert!(stream.write_all(&vec![b'x'; LENGTH - 10]).is_err());
    let call = stand.only_call();
    assert!(!call.body.as_ref().unwrap().complete);
    assert_eq!(call.cut, Some((Place::AfterAnswer, CutBy::Rst)));
    assert_eq!(call.asked_wait_ms, None);
}

#[test]
fn a_client_that_waits_to_be_told_to_send_is_not_told() {
    let stand = Stand::of(dependency(vec![answers(early(413))]));
    let head = "PUT /op-1/send HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: 10\r\n\r\n";
    let mut stream = stand.ask(head);
    let (read, end) = read_all(&mut stream);
    assert!(read.starts_with(b"HTTP/1.1 413") && end == End::Fin, "{read:?}");
    assert!(!stand.only_call().body.unwrap().complete);
}

#[test]
fn a_client_that_leaves_while_its_body_is_read_beside_the_answer_is_no_harm() {
    let stand = Stand::of(dependency(vec![answers(early(503))]));
    let mut stream = begin(&stand);
    read_head(&mut stream);
    drop(stream);
    stand.await_fact("the body's end", |f| matches!(f, Fact::BodyRead { .. }));
    let body = stand.only_call().body.unwrap();
    assert_eq!((body.len, body.complete), (10, false));
}

/// Seconds since 1970 of an IMF-fixdate.
fn unix(date: &str) -> u64 {
    let read = httpdate::parse_http_date(date).unwrap();
    read.duration_since(UNIX_EPOCH).unwrap().as_secs()
}

#[test]
fn a_clock_that_is_off_shows_in_date_and_retry_after_alike_and_nothing_is_said_to_be_asked() {
    let hour = Duration::from_secs(3600);
    let real = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for (off, wanted) in [
        (DateOffset::Ahead(hour), real + 3600),
        (DateOffset::Past(hour), real - 3600),
    ] {
        let date = Pushback::Date {
            form: DateForm::Imf,
            offset: DateOffset::Ahead(Duration::from_secs(3)),
        };
        let stand = Stand::of(dependency(vec![answers(Answer {
            clock: Some(off),
            ..pushes_back(date)
        })]));
        let head = read_head(&mut stand.ask(GET));
        let (date, until) = (
            header(&head, "date").unwrap(),
            header(&head, "retry-after").unwrap(),
        );
        assert!((wanted..wanted + 30).contains(&unix(date)), "{date}");
        assert!((3..=4).contains(&(unix(until) - unix(date))), "{date} {until}");
        let call = stand.only_call();
        assert_eq!((call.asked_wait_ms, call.asked_until), (None, None));
        assert_eq!(call.retry_after.as_deref(), Some(until));
    }
}

#[test]
fn a_clock_that_is_off_changes_no_number_of_seconds() {
    let stand = Stand::of(dependency(vec![answers(Answer {
        clock: Some(DateOffset::Ahead(Duration::from_secs(3600))),
        ..pushes_back(Pushback::Seconds(3))
    })]));
    assert!(read_head(&mut stand.ask(GET)).contains("retry-after: 3\r\n"));
    assert_eq!(stand.only_call().asked_wait_ms, Some(3000));
}
