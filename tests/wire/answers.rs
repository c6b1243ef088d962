//! Answers that are not cut: framings, connections kept and closed, slow bodies, raw bytes, pushback.

use std::io::Write;
use std::time::Duration;

use retrial::evidence::{Attribution, Fact};
use retrial::scenario::{Answer, AnswerBody, Drip, Framing};
use retrial::term::{Effect, Role};

use crate::script::{answer, answers, dependency, text, times, turn};
use crate::stand::{End, GET, POST, SILENCE, Stand, header, read_all, read_head, read_until_silent};

fn serving(answer: Answer) -> Stand {
    Stand::of(dependency(vec![answers(answer)]))
}

#[test]
fn a_plain_answer_is_whole_and_everything_about_the_call_is_recorded() {
    let mut turn = answers(text("hello"));
    turn.effect = Effect::Applied;
    let stand = Stand::of(dependency(vec![turn]));
    let mut stream = stand.ask(
        "POST /op-1/send?a=b HTTP/1.1\r\nhost: x\r\nidempotency-key: k\r\nconnection: close\r\ncontent-length: 3\r\n\r\nabc",
    );
    let (read, end) = read_all(&mut stream);
    let read = String::from_utf8(read).unwrap();
    assert!(
        read.starts_with("HTTP/1.1 200 OK\r\n") && read.ends_with("\r\n\r\nhello"),
        "{read}"
    );
    assert_eq!((header(&read, "content-length"), end), (Some("5"), End::Fin));
    let call = stand.only_call();
    let head = &call.head;
    assert_eq!(
        (head.op.map(|op| op.0), head.by, head.role),
        (Some(1), Attribution::Url, Role::Attempt)
    );
    assert_eq!(
        (head.method.as_str(), head.path.as_str(), head.query.as_deref()),
        ("POST", "/send", Some("a=b"))
    );
    assert_eq!(
        (head.keys.as_slice(), head.turn, head.nth_on_conn),
        (&["k".to_owned()][..], Some(0), 1)
    );
    let body = call.body.as_ref().unwrap();
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        (body.len, body.sha256.to_string().as_str(), body.complete),
        (3, abc, true)
    );
    assert!(
        call.delivered() && call.complete && call.peer_left.is_none(),
        "{call:#?}"
    );
    assert_eq!((call.status, call.cut), (Some(200), None));
    assert!(head.at <= call.answer_began.unwrap() && call.answer_began <= call.answer_ended);
}

#[test]
fn each_framing_tells_the_end_of_the_body_in_its_own_way() {
    let framed = |framing| {
        let stand = serving(Answer {
            framing,
            ..text("hello")
        });
        let mut stream = stand.ask(&GET.replace("host: x", "host: x\r\nconnection: close"));
        let (read, end) = read_all(&mut stream);
        assert_eq!(end, End::Fin);
        assert!(stand.only_call().complete);
        let read = String::from_utf8(read).unwrap();
        let (head, body) = read.split_once("\r\n\r\n").unwrap();
        let told = ["content-length", "transfer-encoding"].map(|name| header(head, name).map(str::to_owned));
        (told, body.to_owned())
    };
    assert_eq!(framed(Framing::Sized), ([Some("5".into()), None], "hello".into()));
    assert_eq!(
        framed(Framing::Chunked),
        ([None, Some("chunked".into())], "5\r\nhello\r\n0\r\n\r\n".into())
    );
    assert_eq!(framed(Framing::Close), ([None, None], "hello".into()));
}

#[test]
fn a_length_that_the_author_wrote_goes_out_as_it_is_and_an_answer_short_of_it_is_not_complete() {
    for (length, complete) in [("5", true), ("9", false)] {
        let headers = vec![("Content-Length".to_owned(), length.to_owned())];
        let stand = serving(Answer {
            headers,
            ..text("hello")
        });
        let (read, end) = read_all(&mut stand.ask(GET));
        let read = String::from_utf8(read).unwrap();
        assert!(
            read.ends_with("\r\n\r\nhello") && read.to_lowercase().matches("content-length").count() == 1
        );
        assert_eq!((header(&read, "content-length"), end), (Some(length), End::Fin));
        assert_eq!(stand.only_call().complete, complete);
    }
}

#[test]
fn an_empty_chunked_body_has_its_last_chunk() {
    let stand = serving(Answer {
        framing: Framing::Chunked,
        ..answer(200)
    });
    let mut stream = stand.ask(&GET.replace("host: x", "host: x\r\nconnection: close"));
    assert!(read_all(&mut stream).0.ends_with(b"\r\n\r\n0\r\n\r\n"));
    assert!(stand.only_call().complete);
}

#[test]
fn a_body_of_many_zeros_arrives_whole() {
    let stand = serving(Answer {
        body: AnswerBody::Zeros(3_000_000),
        ..answer(200)
    });
    let mut stream = stand.ask(&GET.replace("host: x", "host: x\r\nconnection: close"));
    let head = read_head(&mut stream);
    let (read, end) = read_all(&mut stream);
    assert_eq!(
        (header(&head, "content-length"), end),
        (Some("3000000"), End::Fin)
    );
    assert!(read.len() == 3_000_000 && read.iter().all(|b| *b == 0));
}

#[test]
fn an_answer_to_head_has_the_length_and_not_the_body() {
    for framing in [Framing::Sized, Framing::Close] {
        let stand = serving(Answer {
            framing,
            keep_alive: Some(false),
            ..text("hello")
        });
        let mut stream = stand.ask(&GET.replace("GET", "HEAD"));
        let (read, _) = read_all(&mut stream);
        let read = String::from_utf8(read).unwrap();
        assert!(read.ends_with("\r\n\r\n"), "{read}");
        assert_eq!(
            header(&read, "content-length"),
            (framing == Framing::Sized).then_some("5")
        );
        assert!(stand.only_call().complete);
    }
}

#[test]
fn an_answer_that_never_has_a_body_tells_no_length_to_head_either() {
    for (code, method) in [(204, "HEAD"), (204, "GET"), (304, "HEAD"), (304, "GET")] {
        let stand = serving(Answer {
            keep_alive: Some(false),
            ..answer(code)
        });
        let (read, _) = read_all(&mut stand.ask(&GET.replace("GET", method)));
        let read = String::from_utf8(read).unwrap();
        assert!(read.starts_with(&format!("HTTP/1.1 {code} ")), "{read}");
        assert_eq!(header(&read, "content-length"), None, "{method}: {read}");
    }
}

#[test]
fn a_connection_is_kept_or_closed_as_the_answer_says() {
    let stand = serving(Answer {
        keep_alive: Some(false),
        ..answer(200)
    });
    let mut stream = stand.ask(GET);
    let (read, end) = read_all(&mut stream);
    assert_eq!(
        (header(&String::from_utf8(read).unwrap(), "connection"), end),
        (Some("close"), End::Fin)
    );
    for keep_alive in [None, Some(true)] {
        let stand = serving(Answer {
            keep_alive,
            ..answer(200)
        });
        let mut stream = stand.ask(GET);
        for nth in 1..=3 {
            assert!(read_head(&mut stream).starts_with("HTTP/1.1 200"), "{nth}");
            if nth < 3 {
                stream.write_all(GET.as_bytes()).unwrap();
            }
        }
        assert_eq!(read_until_silent(&mut stream), (vec![], End::Open));
        let calls = stand.finish().calls;
        assert_eq!(
            calls
                .iter()
                .map(|c| (c.head.nth_on_conn, c.complete))
                .collect::<Vec<_>>(),
            [(1, true), (2, true), (3, true)]
        );
        assert!(
            calls.windows(2).all(|w| w[0].answer_began.unwrap() <= w[1].at()),
            "each has an arrival of its own"
        );
    }
}

#[test]
fn the_arrival_is_stamped_when_the_first_byte_comes_not_when_the_head_is_whole() {
    let stand = serving(answer(200));
    let mut stream = stand.ask("GET /op-1/send HTTP/1.1\r\n");
    stand.await_fact("the connection", |f| matches!(f, Fact::Connected { .. }));
    std::thread::sleep(SILENCE);
    stream.write_all(b"host: x\r\n\r\n").unwrap();
    read_head(&mut stream);
    let call = stand.only_call();
    assert!(
        call.answer_began.unwrap().since(call.at()) >= SILENCE / 2,
        "{call:#?}"
    );
}

#[test]
fn a_slow_body_takes_its_time_and_comes_in_pieces() {
    for framing in [Framing::Sized, Framing::Chunked, Framing::Close] {
        let drip = Some(Drip {
            bytes: 2,
            every: Duration::from_millis(30),
        });
        let stand = serving(Answer {
            drip,
            framing,
            keep_alive: Some(false),
            ..text("hello")
        });
        let mut stream = stand.ask(GET);
        read_head(&mut stream);
        let body = match framing {
            Framing::Chunked => "2\r\nhe\r\n2\r\nll\r\n1\r\no\r\n0\r\n\r\n",
            Framing::Sized | Framing::Close => "hello",
        };
        assert_eq!(read_all(&mut stream), (body.as_bytes().to_vec(), End::Fin));
        let call = stand.only_call();
        assert!(call.answer_ended.unwrap().since(call.answer_began.unwrap()) >= Duration::from_millis(60));
    }
}

#[test]
fn the_answer_waits_for_the_effect_and_then_as_long_as_it_says() {
    let mut turn = answers(Answer {
        after: Duration::from_millis(30),
        ..answer(200)
    });
    (turn.takes, turn.effect) = (Duration::from_millis(30), Effect::Begun);
    let stand = Stand::of(dependency(vec![turn]));
    read_head(&mut stand.ask(POST));
    let call = stand.only_call();
    let (effect, began) = (call.effect.unwrap().0, call.answer_began.unwrap());
    assert!(effect.since(call.at()) >= Duration::from_millis(30));
    assert!(began.since(effect) >= Duration::from_millis(30));
    assert!(!call.delivered());
}

#[test]
fn raw_bytes_go_out_as_they_are_and_the_connection_is_closed() {
    let mut raw = turn();
    raw.raw = Some(b"\x00not http\xff".to_vec());
    let stand = Stand::of(dependency(vec![raw]));
    assert_eq!(
        read_all(&mut stand.ask(POST)),
        (b"\x00not http\xff".to_vec(), End::Fin)
    );
    let call = stand.only_call();
    assert_eq!(
        (
            call.status,
            call.answer_began.is_some(),
            call.body.unwrap().complete
        ),
        (None, true, true)
    );
}

#[test]
fn headers_go_out_in_order_and_a_redirect_carries_the_marker() {
    let headers = [("X-Tag", "a"), ("X-Tag", "b"), ("Location", "/there?x=1")];
    let headers = headers.map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec();
    let stand = Stand::of(dependency(vec![
        times(
            1,
            answers(Answer {
                headers,
                ..answer(307)
            }),
        ),
        answers(answer(200)),
    ]));
    let mut stream = stand.ask(GET);
    let head = read_head(&mut stream);
    assert!(head.contains("x-tag: a\r\nx-tag: b\r\n"), "{head}");
    assert_eq!(header(&head, "location"), Some("/op-1/there?x=1"));
    stream
        .write_all(GET.replace("/send", "/there?x=1").as_bytes())
        .unwrap();
    read_head(&mut stream);
    let roles: Vec<Role> = stand.finish().calls.iter().map(|c| c.head.role).collect();
    assert_eq!(roles, [Role::Attempt, Role::Redirect]);
}

#[test]
fn a_client_that_asks_first_is_told_to_continue_and_then_answered() {
    let stand = serving(answer(200));
    let mut stream = stand.ask(&POST.replace("\r\n\r\n0123456789", "\r\nexpect: 100-continue\r\n\r\n"));
    assert_eq!(read_head(&mut stream), "HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(b"0123456789").unwrap();
    assert!(read_head(&mut stream).starts_with("HTTP/1.1 200"));
    assert!(stand.only_call().body.unwrap().complete);
}

#[test]
fn a_chunked_request_is_digested_without_its_framing() {
    let stand = serving(answer(200));
    let head = "POST /op-1/send HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n";
    read_head(&mut stand.ask(&format!("{head}1\r\na\r\n2\r\nbc\r\n0\r\n\r\n")));
    let body = stand.only_call().body.unwrap();
    let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(
        (body.len, body.sha256.to_string().as_str(), body.complete),
        (3, abc, true)
    );
}

#[test]
fn an_old_client_gets_a_body_that_ends_with_the_connection() {
    let stand = serving(Answer {
        framing: Framing::Chunked,
        ..text("hello")
    });
    let (read, end) = read_all(&mut stand.ask("GET /op-1/send HTTP/1.0\r\n\r\n"));
    let read = String::from_utf8(read).unwrap();
    assert!(
        read.ends_with("\r\n\r\nhello") && header(&read, "transfer-encoding").is_none(),
        "{read}"
    );
    assert_eq!(end, End::Fin);
    let call = stand.only_call();
    assert_eq!((call.head.protocol.as_str(), call.complete), ("HTTP/1.0", true));
}
