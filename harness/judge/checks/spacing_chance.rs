//! Waits that are drawn from nothing up to a window: what is a whole trial of them worth as a proof of too short ones?
//!
//! Each honest draw `u` is uniform from 0 to 1, so `worth(u) = 1/3 * u^(-2/3)` has the mean 1, and what is seen as `u` is
//! never less than what was drawn: a slow wire lengthens a wait. The product over a trial therefore has a mean of at
//! most 1 whatever the client decides on the way, and exceeds a million with a chance of at most one in a million
//! (Markov's inequality). Where no next call is seen the draw may have been any, and counts as the least that one can.

use std::time::Duration;

use super::spacing_grows::{Pause, fits};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::schedule::Schedule;
use crate::judge::tolerance::EARLY_TOLERANCE;
use crate::judge::wording::{count, time};
use crate::judge::{Case, Course};

/// The product that accuses.
const PROOF: f64 = 1_000_000.0;

/// What the draws of a trial prove.
#[derive(Debug, Default)]
pub struct Drawn<'a> {
    /// The logarithm of the product.
    proof: f64,
    /// The same, had every wait that was seen been none at all.
    without_waits: f64,
    waits: Vec<(Course<'a>, &'a Call, &'a Call)>,
    waited: Duration,
    windows: Duration,
}

impl<'a> Drawn<'a> {
    /// Adds the draws of one operation.
    pub fn add(&mut self, case: &Case, schedule: &Schedule, course: &Course<'a>, pauses: &[Pause<'a>]) {
        // Rolls that the scenario itself hands over are no draws.
        if case.trial.given.as_ref().is_some_and(|g| g.rolls.is_some()) {
            return;
        }
        for pause in pauses {
            let window = schedule.window(pause.retry);
            let capped = case.promises.attempts.and_then(|cap| usize::try_from(cap).ok());
            let last = capped.is_some_and(|cap| pause.attempts >= cap);
            if window.is_zero() || pause.leave_to_hurry || last || !fits(course, pause, window) {
                continue;
            }
            match pause.next.zip(pause.gap()) {
                Some((next, gap)) => {
                    self.proof += worth(gap, window).ln();
                    self.without_waits += worth(Duration::ZERO, window).ln();
                    self.waits.push((course.clone(), pause.answered, next));
                    self.waited += gap;
                    self.windows = self.windows.saturating_add(window);
                }
                None => {
                    self.proof += worth(window, window).ln();
                    self.without_waits += worth(window, window).ln();
                }
            }
        }
    }

    /// Rules on all of them together.
    pub fn rule(self, case: &Case, worth: Worth, ruling: &mut Ruling) {
        if self.without_waits < PROOF.ln() {
            return;
        }
        for (course, ..) in &self.waits {
            ruling.exercise(course);
        }
        if self.proof < PROOF.ln() {
            return;
        }
        let because = format!(
            "{} took {} in all of the {} that the client promises to draw them from; chance makes waits so short less \
             than once in a million trials",
            count(self.waits.len() as u64, "wait"),
            time(self.waited),
            time(self.windows),
        );
        let mut charge = Charge::new(worth, because);
        let mut last = None;
        for (course, answered, next) in &self.waits {
            if last != Some(course.id()) {
                charge = charge.about(course);
            }
            last = Some(course.id());
            charge = charge.shown_by([*answered, *next]);
        }
        let span = self
            .waits
            .first()
            .and_then(|(_, answered, _)| case.span_of(answered));
        ruling.charge(charge.asked_at(span));
    }
}

/// What one wait is worth as a proof: the shorter, the more.
fn worth(gap: Duration, window: Duration) -> f64 {
    let u = (gap + EARLY_TOLERANCE).as_secs_f64() / window.as_secs_f64();
    u.min(1.0).powf(-2.0 / 3.0) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_honest_draw_is_worth_no_more_than_one_in_the_mean() {
        let window = Duration::from_secs(1);
        let draws = 100_000_u64;
        let of = |n: u64| {
            worth(
                Duration::from_nanos((2 * n + 1) * 1_000_000_000 / (2 * draws)),
                window,
            )
        };
        let mean = (0..draws).map(of).sum::<f64>() / draws as f64;
        // The tolerance alone takes off a seventh.
        assert!((0.8..=1.0).contains(&mean), "{mean}");
        assert_eq!(worth(window * 3, window), 1.0 / 3.0);
    }
}
