//! What a tap counts, on connections that hold more than one call or hide where a message ends.

use super::stand::{Step, alike, directly_and_tapped, say};

const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

#[tokio::test]
async fn pipelined_requests_are_told_apart_and_answered_in_order() {
    let requests =
        "POST /1 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcHEAD /2 HTTP/1.1\r\n\r\n\r\nGET /3 HTTP/1.1\r\n\r\n";
    let answers = format!(
        "{OK}HTTP/1.1 404 Not Found\r\nContent-Length: 9\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"
    );
    let client = vec![say(requests), Step::HearAll];
    let layer = vec![Step::HearUntil(requests.len()), say(&answers), Step::Fin];
    let (_, evidence) = alike(client, layer).await;
    let seen: Vec<_> = evidence
        .passed
        .iter()
        .map(|c| (c.head.path.as_str(), c.head.nth_on_conn, c.status, c.complete))
        .collect();
    let expected = [
        ("/1", 1, Some(200), true),
        ("/2", 2, Some(404), true),
        ("/3", 3, Some(204), true),
    ];
    assert_eq!(seen, expected);
    assert_eq!(evidence.passed[0].body.as_ref().unwrap().len, 3);
    assert!(evidence.unreadable.is_empty());
}

#[tokio::test]
async fn chunks_that_come_byte_by_byte_end_where_they_say() {
    let request = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: 1\r\n\r\nGET /next HTTP/1.1\r\n\r\n";
    let answer = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
    let mut client: Vec<Step> = request.bytes().map(|b| Step::Say(vec![b])).collect();
    client.push(Step::HearAll);
    let both = format!("{answer}{OK}");
    let mut layer = vec![Step::HearUntil(request.len())];
    layer.extend(both.bytes().map(|b| Step::Say(vec![b])));
    layer.push(Step::Fin);
    let (_, evidence) = alike(client, layer).await;
    let seen: Vec<_> = evidence
        .passed
        .iter()
        .map(|c| (c.head.path.as_str(), c.complete))
        .collect();
    assert_eq!(seen, [("/", true), ("/next", true)]);
    assert_eq!(evidence.passed[0].body.as_ref().unwrap().len, 3);
}

#[tokio::test]
async fn another_protocol_after_an_upgrade_is_not_heard() {
    let upgrade = "GET / HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n";
    let turned = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n";
    let client = vec![
        say(upgrade),
        Step::HearUntil(turned.len()),
        say("GET is no request now"),
        Step::Fin,
        Step::HearAll,
    ];
    let layer = vec![
        Step::HearUntil(upgrade.len()),
        say(turned),
        Step::HearAll,
        say("neither is this"),
        Step::Fin,
    ];
    let (_, evidence) = alike(client, layer).await;
    assert_eq!((evidence.passed.len(), evidence.unreadable.len()), (1, 0));
    assert_eq!(evidence.passed[0].status, Some(101));
}

#[tokio::test]
async fn a_call_without_an_answer_is_over_when_its_connection_is() {
    let request = "GET / HTTP/1.1\r\n\r\n";
    let client = vec![say(request), Step::HearAll];
    let layer = vec![Step::HearUntil(request.len()), Step::Fin];
    let (_, _, evidence) = directly_and_tapped(client, layer).await;
    let call = &evidence.passed[0];
    assert_eq!((call.status, call.complete), (None, false));
    assert!(call.answer_ended.is_some());
}
