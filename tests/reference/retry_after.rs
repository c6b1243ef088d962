//! How the client reads Retry-After. The oracle for dates is a parser that it does not use.

use std::time::{Duration, SystemTime};

use proptest::prelude::*;

use crate::reference::retry_after::read;
use crate::stage::NEW_YEAR;

fn new_year() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(NEW_YEAR)
}

fn seconds(value: &str) -> Option<u64> {
    read([value].into_iter(), new_year(), None).map(|wait| wait.as_secs())
}

#[test]
fn digits_are_seconds_however_many() {
    assert_eq!(seconds("3"), Some(3));
    assert_eq!(seconds("0"), Some(0));
    assert_eq!(seconds("007"), Some(7));
    assert_eq!(seconds(" 3\t"), Some(3));
    assert_eq!(seconds("999999999999999999999"), Some(u64::MAX));
}

#[test]
fn the_three_written_forms_of_a_date_are_one_moment_in_utc() {
    for date in [
        "Thu, 01 Jan 2026 00:00:02 GMT",
        "Thursday, 01-Jan-26 00:00:02 GMT",
        "Thu Jan  1 00:00:02 2026",
    ] {
        assert_eq!(seconds(date), Some(2), "{date}");
    }
    assert_eq!(seconds("Sun Jan 11 00:00:00 2026"), Some(10 * 24 * 3600));
}

#[test]
fn a_date_counts_to_the_moment_and_not_to_the_second_that_has_begun() {
    let now = new_year() + Duration::from_millis(400);
    let wait = read(["Thu, 01 Jan 2026 00:00:02 GMT"].into_iter(), now, None);
    assert_eq!(wait, Some(Duration::from_millis(1600)));
}

#[test]
fn a_date_in_the_past_is_no_wait() {
    for date in [
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Fri, 31 Dec 1965 00:00:00 GMT",
        "Sat, 01 Jan 0000 00:00:00 GMT",
    ] {
        assert_eq!(seconds(date), Some(0), "{date}");
    }
}

#[test]
fn a_year_in_two_digits_is_at_most_fifty_years_ahead() {
    let days = |year: u64| (year - 2026) * 365 + (year - 2025) / 4;
    assert_eq!(
        seconds("Wednesday, 01-Jan-76 00:00:00 GMT"),
        Some(days(2076) * 24 * 3600)
    );
    assert_eq!(seconds("Saturday, 01-Jan-77 00:00:00 GMT"), Some(0), "1977");
}

#[test]
fn a_leap_second_is_a_second() {
    assert_eq!(seconds("Thu, 01 Jan 2026 00:00:60 GMT"), Some(60));
}

#[test]
fn the_last_moment_that_can_be_written_can_be_read() {
    assert!(seconds("Fri, 31 Dec 9999 23:59:59 GMT") > Some(1 << 37));
}

#[test]
fn what_is_malformed_asks_for_nothing() {
    for junk in [
        "",
        "soon",
        "-1",
        "+3",
        "2.5",
        "3s",
        "120junk",
        "3, 5",
        "3 5",
        "0x10",
        "1e3",
        "٣",
        "Thu, 01 Jan 2026 00:00:02",
        "Thu, 01 Jan 2026 00:00:02 UTC",
        "Thu, 01 Jan 2026 00:00:02 +0000",
        "thu, 01 jan 2026 00:00:02 gmt",
        "Fri, 01 Jan 2026 00:00:02 GMT",
        "Thu, 1 Jan 2026 00:00:02 GMT",
        "Thu, 01 Jan 26 00:00:02 GMT",
        "Thu, 32 Jan 2026 00:00:02 GMT",
        "Sun, 29 Feb 2026 00:00:02 GMT",
        "Thu, 01 Jan 2026 24:00:02 GMT",
        "Thu, 01 Jan 2026 00:60:02 GMT",
        "Thu, 01 Jan 2026 00:00:61 GMT",
        "Thu,  01 Jan 2026 00:00:02 GMT",
        "Thursday, 01-Jan-2026 00:00:02 GMT",
        "Thu, 01-Jan-26 00:00:02 GMT",
        "Thu Jan 1 00:00:02 2026",
        "2026-01-01T00:00:02Z",
        ",",
        "-,-",
        "Thu Jan  \u{e9} 00:00:02 2026",
    ] {
        assert_eq!(seconds(junk), None, "{junk}");
    }
}

#[test]
fn values_that_differ_cancel_each_other_out() {
    let all = |values: &[&str]| read(values.iter().copied(), new_year(), None);
    assert_eq!(all(&["3", "3"]), Some(Duration::from_secs(3)));
    assert_eq!(all(&["3", "5"]), None);
    assert_eq!(all(&[]), None);
}

proptest! {
    #[test]
    fn every_date_is_read_as_the_oracle_reads_it(ahead in 0..49_u64 * 365 * 24 * 3600) {
        let moment = new_year() + Duration::from_secs(ahead);
        let imf = httpdate::fmt_http_date(moment);
        prop_assert_eq!(seconds(&imf), Some(ahead));
        let words: Vec<&str> = imf.split([' ', ',']).filter(|w| !w.is_empty()).collect();
        let [weekday, day, month, year, time, _] = words[..] else { unreachable!() };
        let day = day.trim_start_matches('0');
        let asctime = format!("{weekday} {month} {day:>2} {time} {year}");
        prop_assert_eq!(httpdate::parse_http_date(&asctime).ok(), Some(moment));
        prop_assert_eq!(seconds(&asctime), Some(ahead));
    }

    #[test]
    fn nothing_that_a_server_can_say_is_a_crash(value in "\\PC{0,40}", dated in "[A-Z][a-z]{2},? [-0-9A-Za-z: ]{10,30}") {
        seconds(&value);
        seconds(&dated);
    }
}
