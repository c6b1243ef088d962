//! Conversations that a tap must not change: whole ones, cut ones, and such that are no HTTP.

use super::stand::{End, Step, alike, say};

const GET: &str = "GET /a?b=c HTTP/1.1\r\nHost: x\r\n\r\n";
const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn an_exchange_and_the_end_of_the_connection() {
    let client = vec![say(GET), Step::HearAll];
    let layer = vec![Step::HearUntil(GET.len()), say(OK), Step::Fin, Step::HearAll];
    let ((client, layer), evidence) = alike(client, layer).await;
    assert_eq!((client.bytes, client.end), (OK.into(), End::Fin));
    assert_eq!(layer.bytes, GET.as_bytes());
    let call = &evidence.passed[0];
    assert_eq!(
        (call.head.path.as_str(), call.head.query.as_deref()),
        ("/a", Some("b=c"))
    );
    assert_eq!((call.status, call.complete), (Some(200), true));
}

#[tokio::test]
async fn a_half_closed_connection_is_still_answered() {
    let client = vec![say(GET), Step::Fin, Step::HearAll];
    let layer = vec![Step::HearAll, say("HTTP/1.0 200 OK\r\n\r\nto the end"), Step::Fin];
    let ((client, layer), evidence) = alike(client, layer).await;
    assert!(client.bytes.ends_with(b"to the end"));
    assert_eq!(layer.end, End::Fin);
    let call = &evidence.passed[0];
    assert!(call.complete && call.peer_left.is_some());
}

#[tokio::test]
async fn an_answer_cut_by_an_orderly_end_and_by_a_reset() {
    for (cut, end) in [(Step::Fin, End::Fin), (Step::Rst, End::Rst)] {
        for kept in [0, 5, 20, OK.len() - 1] {
            let client = vec![say(GET), Step::HearAll];
            let said = say(&OK[..kept]);
            let layer = vec![Step::HearUntil(GET.len()), said, Step::Pause, cut.clone()];
            let ((client, _), evidence) = alike(client, layer).await;
            assert_eq!((client.bytes.len(), client.end), (kept, end));
            let call = &evidence.passed[0];
            assert!(!call.complete && call.answer_ended.is_some(), "cut after {kept}");
        }
    }
}

#[tokio::test]
async fn a_client_that_resets_in_the_middle_of_its_request() {
    let request = "POST / HTTP/1.1\r\nContent-Length: 10\r\n\r\nhalf";
    let client = vec![say(request), Step::Pause, Step::Rst];
    let layer = vec![Step::HearAll];
    let ((_, layer), evidence) = alike(client, layer).await;
    assert_eq!((layer.bytes.len(), layer.end), (request.len(), End::Rst));
    let body = evidence.passed[0].body.clone().unwrap();
    assert_eq!((body.len, body.complete), (4, false));
}

#[tokio::test]
async fn a_request_cut_by_an_orderly_end() {
    let client = vec![say("GET / HT"), Step::Fin, Step::HearAll];
    let layer = vec![Step::HearAll, Step::Fin];
    let ((client, layer), evidence) = alike(client, layer).await;
    assert_eq!((client.end, layer.end), (End::Fin, End::Fin));
    assert!(evidence.passed.is_empty() && evidence.unreadable.is_empty());
}

#[tokio::test]
async fn an_early_answer_whose_connection_is_reset_under_the_upload() {
    let head = "POST / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n";
    let upload = Step::Say(vec![b'x'; 10_000]);
    let client = vec![
        say(head),
        upload.clone(),
        Step::HearUntil(OK.len()),
        Step::Pause,
        upload,
        Step::HearAll,
    ];
    let layer = vec![
        Step::HearUntil(head.len() + 10_000),
        say(OK),
        Step::Pause,
        Step::Rst,
    ];
    let ((client, _), evidence) = alike(client, layer).await;
    assert_eq!((client.bytes.as_slice(), client.end), (OK.as_bytes(), End::Rst));
    assert_eq!(evidence.passed[0].status, Some(200));
    assert!(!evidence.passed[0].body.as_ref().unwrap().complete);
}

#[tokio::test]
async fn ten_megabytes_each_way() {
    let body: Vec<u8> = (0..10_000_000u32).map(|i| (i % 251) as u8).collect();
    let with_body = |head: &str| Step::Say([head.as_bytes(), &body].concat());
    let (asked, answered) = (
        "PUT / HTTP/1.1\r\nContent-Length: 10000000\r\n\r\n",
        "HTTP/1.1 201 Created\r\nContent-Length: 10000000\r\n\r\n",
    );
    let client = vec![with_body(asked), Step::HearAll];
    let layer = vec![
        Step::HearUntil(asked.len() + body.len()),
        with_body(answered),
        Step::Fin,
    ];
    let (_, evidence) = alike(client, layer).await;
    let call = &evidence.passed[0];
    assert!(call.complete && call.body.as_ref().unwrap().complete);
    assert_eq!(call.body.as_ref().unwrap().len, 10_000_000);
}

#[tokio::test]
async fn what_is_no_http_passes_as_it_is() {
    let noise: Vec<u8> = (0..200_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    let client = vec![Step::Say(noise.clone()), Step::Fin, Step::HearAll];
    let layer = vec![Step::HearAll, Step::Say(noise), Step::Fin];
    let (_, evidence) = alike(client, layer).await;
    assert!(evidence.passed.is_empty());
    assert!(!evidence.unreadable.is_empty());
}

#[tokio::test]
async fn bytes_in_place_of_an_answer_pass_as_they_are() {
    let client = vec![say(GET), Step::HearAll];
    let layer = vec![
        Step::HearUntil(GET.len()),
        say("\0\u{1}not http at all\r\n\r\n"),
        Step::Fin,
    ];
    let (_, evidence) = alike(client, layer).await;
    assert_eq!((evidence.passed.len(), evidence.unreadable.len()), (1, 1));
    assert_eq!(evidence.passed[0].status, None);
}
