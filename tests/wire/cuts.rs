//! Every place an exchange can be cut at, by FIN, by RST and by hanging: what the client sees, and what is recorded.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use retrial::evidence::{Call, Fact};
use retrial::scenario::{Answer, Cut, Framing, Pushback, Turn};
use retrial::term::{CutBy, Effect, Place};

use crate::script::{answer, answers, cuts, dependency, pushes_back, text, times, turn};
use crate::stand::{End, GET, POST, SILENCE, Stand, read_all, read_head, read_until_silent};

const WAYS: [CutBy; 3] = [CutBy::Fin, CutBy::Rst, CutBy::Hang];

/// Plays a cut against a POST: what came, how it ended, and the call.
fn play(turn: Turn) -> (String, Call) {
    let by = turn.cut.map(|c| c.by);
    let stand = Stand::of(dependency(vec![turn]));
    let mut stream = stand.ask(POST);
    let (read, end) = match by {
        Some(CutBy::Hang) => read_until_silent(&mut stream),
        _ => read_all(&mut stream),
    };
    let expected = match by {
        Some(CutBy::Fin) | None => End::Fin,
        Some(CutBy::Rst) => End::Rst,
        Some(CutBy::Hang) => End::Open,
    };
    assert_eq!(end, expected, "after {:?}", String::from_utf8_lossy(&read));
    drop(stream);
    if by == Some(CutBy::Hang) {
        stand.await_fact("the client left", |f| matches!(f, Fact::PeerLeft { .. }));
    }
    (String::from_utf8(read).unwrap(), stand.only_call())
}

/// The whole answer `hello` as it is served uncut, its date made of X.
fn whole() -> (String, String, String) {
    let stand = Stand::of(dependency(vec![answers(text("hello"))]));
    let mut stream = stand.ask(GET);
    let head = read_head(&mut stream);
    let (status, rest) = head.split_once("\r\n").unwrap();
    (format!("{status}\r\n"), dateless(rest), "hello".to_owned())
}

fn dateless(text: &str) -> String {
    text.lines()
        .map(|l| if l.starts_with("date") { "date: X" } else { l })
        .collect::<Vec<_>>()
        .join("\n")
}

/// Bytes are exact where they are followed by FIN or by nothing; before a reset there are at most so many.
fn check_bytes(by: CutBy, read: &str, expected: &str) {
    match by {
        CutBy::Fin | CutBy::Hang => assert_eq!(read, expected),
        CutBy::Rst => assert!(expected.starts_with(read), "{read:?} of {expected:?}"),
    }
}

#[test]
fn a_connection_cut_at_accept_has_no_call_and_the_next_one_is_served() {
    for by in WAYS {
        let stand = Stand::of(dependency(vec![
            times(
                1,
                Turn {
                    cut: Some(Cut {
                        at: Place::Accept,
                        by,
                    }),
                    ..turn()
                },
            ),
            answers(answer(200)),
        ]));
        let mut cut = stand.connect();
        let end = match by {
            CutBy::Hang => read_until_silent(&mut cut),
            _ => read_all(&mut cut),
        };
        let expected = [End::Fin, End::Rst, End::Open];
        let index = WAYS.iter().position(|w| *w == by).unwrap();
        assert_eq!(end, (vec![], expected.into_iter().nth(index).unwrap()));
        assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
        let evidence = stand.finish();
        let cut = &evidence.accept_cuts[0];
        assert_eq!((evidence.accept_cuts.len(), evidence.calls.len()), (1, 1));
        assert_eq!((cut.by, cut.turn, cut.op.map(|op| op.0)), (by, Some(0), Some(1)));
        assert_eq!(evidence.calls[0].head.turn, Some(1));
    }
}

#[test]
fn before_the_answer_nothing_comes_and_as_much_of_the_request_is_read_as_the_place_says() {
    let places = [
        (Place::RequestHead, 0, false),
        (Place::RequestBody(4), 4, false),
        (Place::RequestBody(10), 10, true),
        (Place::RequestBody(99), 10, true),
        (Place::BeforeAnswer, 10, true),
    ];
    for (at, len, complete) in places {
        for by in WAYS {
            let (read, call) = play(Turn {
                cut: Some(Cut { at, by }),
                effect: Effect::Applied,
                ..turn()
            });
            assert_eq!(
                (read.as_str(), call.cut, call.complete),
                ("", Some((at, by)), false)
            );
            let body = call.body.as_ref().unwrap();
            assert_eq!((body.len, body.complete), (len, complete), "{at} by {by}");
            assert!(call.delivered() && call.answer_began.is_none() && call.status.is_none());
        }
    }
}

#[test]
fn the_status_line_is_cut_at_the_byte() {
    let (status, _, _) = whole();
    for (n, sent) in [(0, 0), (9, 9), (200, status.len())] {
        for by in WAYS {
            let at = Place::StatusLine(n);
            let (read, call) = play(cuts(text("hello"), at, by));
            check_bytes(by, &read, &status[..sent]);
            assert_eq!((call.cut, call.complete), (Some((at, by)), false));
            assert_eq!(
                (call.answer_began.is_some(), call.status),
                (n > 0, (n > 0).then_some(200))
            );
        }
    }
}

#[test]
fn the_headers_are_cut_at_the_byte() {
    let (status, _, _) = whole();
    for by in WAYS {
        for n in [0, 3, 5] {
            let (read, call) = play(cuts(text("hello"), Place::Headers(n), by));
            let expected = format!("{status}{}", &"date:"[..n as usize]);
            check_bytes(by, &read, &expected);
            assert_eq!((call.cut, call.complete), (Some((Place::Headers(n), by)), false));
        }
    }
}

#[test]
fn the_body_is_cut_at_the_byte_after_the_head_that_an_uncut_answer_has() {
    let (status, headers, _) = whole();
    for (n, sent) in [(0, ""), (3, "hel"), (5, "hello"), (99, "hello")] {
        for by in WAYS {
            let at = Place::Body(n);
            let (read, call) = play(cuts(text("hello"), at, by));
            match read.split_once("\r\n\r\n") {
                Some((head, body)) => {
                    check_bytes(by, body, sent);
                    let head = head.strip_prefix(status.as_str()).unwrap();
                    assert_eq!(dateless(head), headers.trim_end());
                }
                None => assert_eq!(by, CutBy::Rst, "{read}"),
            }
            assert_eq!(
                (call.cut, call.complete),
                (Some((at, by)), n >= 5),
                "{at} by {by}"
            );
        }
    }
}

#[test]
fn a_chunked_body_that_is_cut_lacks_its_last_chunk() {
    for (n, sent) in [(3, "5\r\nhel"), (5, "5\r\nhello"), (0, "")] {
        let chunked = Answer {
            framing: Framing::Chunked,
            ..text("hello")
        };
        let (read, call) = play(cuts(chunked, Place::Body(n), CutBy::Fin));
        assert_eq!(read.split_once("\r\n\r\n").unwrap().1, sent);
        assert!(!call.complete);
    }
}

#[test]
fn a_body_that_ends_with_its_connection_is_complete_by_fin_and_not_by_rst() {
    for (by, complete) in [(CutBy::Fin, true), (CutBy::Rst, false), (CutBy::Hang, false)] {
        let answer = Answer {
            framing: Framing::Close,
            ..text("hello")
        };
        let (_, call) = play(cuts(answer, Place::Body(3), by));
        assert_eq!(call.complete, complete, "{by}");
    }
}

#[test]
fn after_the_answer_all_of_it_came() {
    for by in WAYS {
        let (read, call) = play(cuts(text("hello"), Place::AfterAnswer, by));
        if by != CutBy::Rst {
            assert!(read.ends_with("\r\n\r\nhello"), "{read}");
        }
        assert_eq!((call.cut, call.complete), (Some((Place::AfterAnswer, by)), true));
    }
}

#[test]
fn an_idle_connection_is_cut_when_its_time_is_over() {
    let idle = Duration::from_millis(60);
    for by in WAYS {
        let stand = Stand::of(dependency(vec![cuts(text("hello"), Place::Idle(idle), by)]));
        let mut stream = stand.ask(GET);
        read_head(&mut stream);
        let (read, end) = match by {
            CutBy::Hang => read_until_silent(&mut stream),
            _ => read_all(&mut stream),
        };
        assert_eq!(read, b"hello");
        assert_eq!(end == End::Fin, by == CutBy::Fin);
        assert_eq!(end == End::Rst, by == CutBy::Rst);
        stand.await_fact("the idle cut", |f| {
            matches!(f, Fact::AnswerEnded { cut: Some(_), .. })
        });
        if by == CutBy::Hang {
            stream.write_all(GET.as_bytes()).unwrap();
            assert_eq!(read_until_silent(&mut stream), (vec![], End::Open));
        }
        let call = stand.only_call();
        assert_eq!((call.cut, call.complete), (Some((Place::Idle(idle), by)), true));
    }
}

#[test]
fn a_connection_that_is_used_in_time_is_not_idle() {
    let idle = Duration::from_millis(500);
    let later = Answer {
        after: idle + SILENCE,
        ..answer(204)
    };
    let stand = Stand::of(dependency(vec![
        times(1, cuts(answer(200), Place::Idle(idle), CutBy::Rst)),
        answers(later),
    ]));
    let mut stream = stand.ask(GET);
    read_head(&mut stream);
    stream.write_all(GET.as_bytes()).unwrap();
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 204"));
    assert_eq!(read_until_silent(&mut stream).1, End::Open);
    assert!(stand.finish().calls.iter().all(|c| c.cut.is_none()));
}

#[test]
fn a_fin_is_a_fin_also_where_much_of_the_request_was_not_read() {
    let stand = Stand::of(dependency(vec![Turn {
        cut: Some(Cut {
            at: Place::RequestHead,
            by: CutBy::Fin,
        }),
        ..turn()
    }]));
    let mut stream = stand.connect();
    upload(&mut stream, 8 << 20).unwrap();
    assert_eq!(read_all(&mut stream), (vec![], End::Fin));
    assert_eq!(stand.only_call().body.unwrap().len, 0);
}

#[test]
fn an_answer_to_a_large_upload_is_readable_every_time() {
    for round in 0..20 {
        let stand = Stand::of(dependency(vec![answers(Answer {
            keep_alive: Some(false),
            ..answer(503)
        })]));
        let mut stream = stand.connect();
        upload(&mut stream, 8 << 20).unwrap();
        let (read, end) = read_all(&mut stream);
        assert!(
            read.starts_with(b"HTTP/1.1 503") && end == End::Fin,
            "round {round}"
        );
        let body = stand.only_call().body.unwrap();
        assert_eq!((body.len, body.complete), (8 << 20, true));
    }
}

fn upload(stream: &mut TcpStream, len: usize) -> std::io::Result<()> {
    let head = format!("POST /op-1/send HTTP/1.1\r\nhost: x\r\ncontent-length: {len}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(&vec![b'x'; len])
}

#[test]
fn raw_bytes_may_end_by_reset_or_never() {
    for by in [CutBy::Rst, CutBy::Hang] {
        let cut = Some(Cut {
            at: Place::AfterAnswer,
            by,
        });
        let (read, call) = play(Turn {
            raw: Some(b"HTTP/1.1 2".to_vec()),
            cut,
            ..turn()
        });
        check_bytes(by, &read, "HTTP/1.1 2");
        assert_eq!(call.cut, Some((Place::AfterAnswer, by)));
    }
}

#[test]
fn a_pushback_that_may_not_have_reached_the_client_asks_for_nothing() {
    let asked = |at, by| {
        let call = play(cuts(pushes_back(Pushback::Seconds(3)), at, by)).1;
        (call.asked_wait_ms, call.retry_after)
    };
    assert_eq!(asked(Place::StatusLine(9), CutBy::Fin), (None, None));
    assert_eq!(asked(Place::Headers(5), CutBy::Fin), (None, None));
    assert_eq!(asked(Place::Body(0), CutBy::Rst), (None, None));
    assert_eq!(asked(Place::Body(0), CutBy::Fin), (Some(3000), Some("3".into())));
    assert_eq!(
        asked(Place::AfterAnswer, CutBy::Hang),
        (Some(3000), Some("3".into()))
    );
}

#[test]
fn a_call_on_a_kept_connection_meets_an_accept_cut_at_its_head() {
    let cut = Some(Cut {
        at: Place::Accept,
        by: CutBy::Rst,
    });
    let stand = Stand::of(dependency(vec![
        times(1, answers(answer(503))),
        times(1, Turn { cut, ..turn() }),
        answers(answer(200)),
    ]));
    let mut stream = stand.ask(GET);
    read_head(&mut stream);
    stream.write_all(GET.as_bytes()).unwrap();
    assert_eq!(read_all(&mut stream), (vec![], End::Rst));
    assert!(read_head(&mut stand.ask(GET)).starts_with("HTTP/1.1 200"));
    let calls = stand.finish().calls;
    assert_eq!(calls[1].cut, Some((Place::RequestHead, CutBy::Rst)));
}
