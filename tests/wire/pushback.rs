//! Pushback: every written form of Retry-After, the moments that dates name, and calls that come too early.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use retrial::scenario::{Answer, DateForm, DateOffset, Pushback, Turn, When};

use crate::script::{answer, answers, dependency, pushes_back, times};
use crate::stand::{GET, Stand, header, read_head};

fn serving(answer: Answer) -> Stand {
    Stand::of(dependency(vec![answers(answer)]))
}

#[test]
fn retry_after_is_written_as_the_script_says_and_asks_for_what_it_means() {
    let cases = [
        (Pushback::Seconds(3), vec!["3"], Some(3000)),
        (Pushback::Raw("2.5".into()), vec!["2.5"], None),
        (Pushback::Raw(String::new()), vec![""], None),
        (
            Pushback::Raw("999999999999999999999".into()),
            vec!["999999999999999999999"],
            Some(u64::MAX),
        ),
        (
            Pushback::Twice(vec!["1".into(), "2".into()]),
            vec!["1", "2"],
            None,
        ),
    ];
    for (pushback, written, asked) in cases {
        let stand = serving(pushes_back(pushback));
        let head = read_head(&mut stand.ask(GET));
        let lines: Vec<&str> = head
            .lines()
            .filter_map(|l| l.strip_prefix("retry-after: ").or(l.strip_prefix("retry-after:")))
            .collect();
        assert_eq!(lines, written);
        let call = stand.only_call();
        assert_eq!((call.asked_wait_ms, call.asked_until), (asked, None));
        assert_eq!(call.retry_after, Some(written.join(", ")));
    }
}

#[test]
fn dates_name_the_moment_that_is_recorded_in_every_form() {
    let ahead = DateOffset::Ahead(Duration::from_millis(3000));
    for form in [DateForm::Imf, DateForm::Rfc850, DateForm::Asctime] {
        let before = SystemTime::now();
        let stand = serving(pushes_back(Pushback::Date { form, offset: ahead }));
        let head = read_head(&mut stand.ask(GET));
        let after = SystemTime::now();
        let named = httpdate::parse_http_date(header(&head, "retry-after").unwrap()).unwrap();
        let second = Duration::from_secs(1);
        assert!(
            named >= before + 3 * second && named <= after + 4 * second,
            "{head}"
        );
        let unix_us = stand.shared.clock.unix_us();
        let call = stand.only_call();
        let until = UNIX_EPOCH + Duration::from_micros(unix_us + call.asked_until.unwrap().us());
        assert_eq!((until, call.asked_wait_ms), (named, Some(3000)));
        assert!(call.asked_until.unwrap().since(call.answer_began.unwrap()) >= Duration::from_secs(3));
    }
    let past = DateOffset::Past(Duration::from_secs(3600));
    let stand = serving(pushes_back(Pushback::Date {
        form: DateForm::Imf,
        offset: past,
    }));
    let head = read_head(&mut stand.ask(GET));
    let named = httpdate::parse_http_date(header(&head, "retry-after").unwrap()).unwrap();
    assert!(named < SystemTime::now() - Duration::from_secs(3599));
    assert_eq!(stand.only_call().asked_wait_ms, Some(0));
}

#[test]
fn the_date_header_is_the_trials_own_clock() {
    let stand = serving(answer(200));
    let head = read_head(&mut stand.ask(GET));
    let served = httpdate::parse_http_date(header(&head, "date").unwrap()).unwrap();
    let age = SystemTime::now().duration_since(served).unwrap_or_default();
    assert!(age < Duration::from_secs(20), "{head}");
}

#[test]
fn a_call_before_the_wait_is_over_meets_the_turn_for_early_ones() {
    let when = When {
        early: Some(true),
        ..When::default()
    };
    let early = Turn {
        when: Some(when),
        ..answers(answer(429))
    };
    let asks = times(1, answers(pushes_back(Pushback::Seconds(3))));
    let stand = Stand::of(dependency(vec![early, asks, answers(answer(200))]));
    let statuses = [(); 2].map(|()| read_head(&mut stand.ask(GET))[9..12].to_owned());
    assert_eq!(statuses, ["503", "429"]);
}
