//! HTTP-dates in their three written forms (RFC 9110 section 5.6.7), made from the trial's wall clock.

use std::sync::Mutex;
use std::time::{Duration, UNIX_EPOCH};

use hyper::header::HeaderValue;

use super::shared::lock;
use crate::scenario::{DateForm, DateOffset};

const DAYS: [&str; 7] = [
    "Thursday",
    "Friday",
    "Saturday",
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];
const DAY: u64 = 24 * 60 * 60;
/// 9999-12-31T23:59:59Z: what four digits can name.
const LATEST: u64 = 253_402_300_799;

/// The time by a clock that is off by so much, in microseconds since 1970.
pub(super) fn by_clock(wall_us: u64, off: Option<DateOffset>) -> u64 {
    let us = |by: Duration| u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
    match off {
        None => wall_us,
        Some(DateOffset::Ahead(by)) => wall_us.saturating_add(us(by)),
        Some(DateOffset::Past(by)) => wall_us.saturating_sub(us(by)),
    }
}

/// The second in which a date so far ahead of `wall_us` lies: rounded up, so that no client that honours it is early.
pub(super) fn ahead(wall_us: u64, by: Duration) -> u64 {
    let by = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
    wall_us.saturating_add(by).div_ceil(1_000_000).min(LATEST)
}

/// The second in which a date so far before `wall_us` lies, rounded down.
pub(super) fn past(wall_us: u64, by: Duration) -> u64 {
    let by = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
    wall_us.saturating_sub(by) / 1_000_000
}

/// The dates of answers: the answers of one second are dated alike, so each date is written once.
#[derive(Default)]
pub(super) struct Dates(Mutex<Option<(u64, HeaderValue)>>);

impl Dates {
    /// The second `unix` as HTTP prefers it.
    pub(super) fn imf(&self, unix: u64) -> Option<HeaderValue> {
        let mut last = lock(&self.0);
        if last.as_ref().is_none_or(|(second, _)| *second != unix) {
            // Every date is one that a header can hold, as the tests see to.
            let text = HeaderValue::try_from(write(unix, DateForm::Imf));
            *last = text.ok().map(|text| (unix, text));
        }
        last.as_ref().map(|(_, text)| text.clone())
    }
}

/// Writes the second `unix` (since 1970, UTC) in this form.
pub(super) fn write(unix: u64, form: DateForm) -> String {
    let unix = unix.min(LATEST);
    let (year, month, day) = civil(unix / DAY);
    let weekday = DAYS[(unix / DAY % 7) as usize];
    let name = MONTHS[month as usize - 1];
    let (h, m, s) = (unix % DAY / 3600, unix % 3600 / 60, unix % 60);
    match form {
        DateForm::Imf => httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(unix)),
        DateForm::Rfc850 => format!(
            "{weekday}, {day:02}-{name}-{:02} {h:02}:{m:02}:{s:02} GMT",
            year % 100
        ),
        DateForm::Asctime => format!("{} {name} {day:2} {h:02}:{m:02}:{s:02} {year:04}", &weekday[..3]),
    }
}

/// Year, month and day of the Gregorian calendar, so many days after 1970-01-01.
///
/// Years are counted from March, so that the leap day is the last of its year, in eras of 400 years.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification_is_written_in_all_three_forms() {
        let forms = [DateForm::Imf, DateForm::Rfc850, DateForm::Asctime].map(|form| write(784_111_777, form));
        assert_eq!(
            forms,
            [
                "Sun, 06 Nov 1994 08:49:37 GMT",
                "Sunday, 06-Nov-94 08:49:37 GMT",
                "Sun Nov  6 08:49:37 1994"
            ]
        );
    }

    #[test]
    fn every_date_of_two_leap_cycles_is_read_back_as_the_same_second() {
        // A step that is coprime to a day visits every hour; rfc850 is read with a pivot at 1970.
        for unix in (0..3_155_000_000).step_by(100_003) {
            for form in [DateForm::Imf, DateForm::Rfc850, DateForm::Asctime] {
                let text = write(unix, form);
                let read = httpdate::parse_http_date(&text);
                assert_eq!(read.ok(), Some(UNIX_EPOCH + Duration::from_secs(unix)), "{text}");
            }
        }
    }

    #[test]
    fn a_date_that_was_written_before_is_not_told_for_another_second() {
        let dates = Dates::default();
        for unix in [7, 7, 8, 7, 8, 8, LATEST, u64::MAX] {
            let told = dates.imf(unix).expect("a date");
            assert_eq!(told, write(unix, DateForm::Imf));
        }
    }

    #[test]
    fn a_date_ahead_is_rounded_up_and_a_whole_second_stays() {
        assert_eq!(ahead(5_000_001, Duration::from_secs(3)), 9);
        assert_eq!(ahead(5_000_000, Duration::from_secs(3)), 8);
        assert_eq!(past(5_999_999, Duration::from_secs(3)), 2);
        assert_eq!(past(5, Duration::MAX), 0);
    }
}
