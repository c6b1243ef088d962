//! Waits that are drawn: where they are seen, and how likely it is that honest draws lie so close together.

use std::time::Duration;

use super::budget_kept::by_process;
use super::spacing_grows::{Pause, pauses};
use crate::evidence::Call;
use crate::judge::ruling::{Charge, Ruling, Worth};
use crate::judge::schedule::Schedule;
use crate::judge::tolerance::LAG_LIMIT;
use crate::judge::wording::time;
use crate::judge::{Case, Course, Level};
use crate::promise::{Backoff, Budget, PolicyCan};
use crate::term::ProcessId;

/// An honest client is accused at most once in so many trials.
const TRIALS: f64 = 10_000.0;

/// By how much what is seen of two waits may differ from what was drawn: harness and timers are no later than that where
/// anybody is accused.
const SLACK: Duration = LAG_LIMIT;

/// A wait that was drawn, as it was seen.
pub(super) struct Draw<'a> {
    pub process: ProcessId,
    /// How many processes stood in its place before: those of different generations do not run together.
    pub generation: usize,
    /// Which operation of its process it belongs to, from 0.
    pub nth: usize,
    /// Which retry of the operation it came before, from 1.
    pub retry: u32,
    pub course: Course<'a>,
    pub answered: &'a Call,
    pub next: &'a Call,
    pub gap: Duration,
    /// How far apart two draws can lie; of a client that is silent, half of the wait, which the mildest jitter leaves.
    pub width: Duration,
    /// Whether the client promises to draw it.
    pub promised: bool,
}

/// The waits of a trial that were drawn by chance alone; none where something else may have chosen among them.
pub(super) fn draws<'a>(case: &Case<'a>, courses: &[Course<'a>]) -> Vec<Draw<'a>> {
    let schedule = Schedule::of(case);
    if (schedule.is_none() && was_handed_one(case)) || chosen_among(case) {
        return Vec::new();
    }
    let mut draws = Vec::new();
    for (process, courses) in by_process(case, courses) {
        for (nth, course) in courses.into_iter().enumerate() {
            let seen = pauses(case, course).into_iter();
            let of = (process, case.evidence.generation(process), nth);
            draws.extend(seen.filter_map(|pause| draw(schedule.as_ref(), course, &pause, of)));
        }
    }
    draws
}

/// Whether the client was told how to wait, if at all.
fn was_handed_one(case: &Case) -> bool {
    let given = case.trial.given.as_ref().and_then(|g| g.backoff.as_ref());
    given.is_some() && case.can.policy == PolicyCan::Given
}

/// Whether rolls are handed over, or a breaker, a budget that fills with time or a hedge may let long waits through and
/// short ones not, or the other way about.
fn chosen_among(case: &Case) -> bool {
    let given = case.trial.given.as_ref();
    let set = given.is_some_and(|g| g.rolls.is_some() || g.breaker.is_some());
    let rounded = given
        .and_then(|g| g.backoff.as_ref())
        .is_some_and(|backoff| match backoff {
            Backoff::Exponential(growth) => growth.unit.is_some(),
            Backoff::None | Backoff::Fixed(_) => false,
        });
    let budgets = [
        given.and_then(|g| g.budget.as_ref()),
        case.promises.budget.as_ref(),
    ];
    let in_time = budgets.into_iter().flatten().any(|budget| match budget {
        Budget::Bucket(bucket) => bucket.refill_every.is_some(),
        Budget::Window(_) => true,
        Budget::Quota(_) | Budget::Throttle(_) => false,
    });
    set || rounded || in_time || case.promises.breaker.is_some() || case.promises.hedges
}

fn draw<'a>(
    schedule: Option<&Schedule>,
    course: &Course<'a>,
    pause: &Pause<'a>,
    (process, generation, nth): (ProcessId, usize, usize),
) -> Option<Draw<'a>> {
    let (next, gap) = pause.next.zip(pause.gap())?;
    let (least, most) = match schedule {
        Some(schedule) => schedule.drawn(pause.retry)?,
        None => (gap / 2, gap),
    };
    // Where a long wait might not have fitted, those that are seen are the short ones.
    let room = pause
        .answered
        .answer_began?
        .plus(most * 2 + Duration::from_secs(1));
    let fits = course.deadline().is_none_or(|deadline| room <= deadline);
    let free = fits && !pause.leave_to_hurry && course.planned.group.cancel_after.is_none();
    free.then(|| Draw {
        process,
        generation,
        nth,
        retry: pause.retry,
        course: course.clone(),
        answered: pause.answered,
        next,
        gap,
        width: most.saturating_sub(least),
        promised: schedule.is_some(),
    })
}

/// Judges draws kind by kind, those of `looked_at` kinds in all: whether they lie apart. What is to be said of draws that
/// lie within a range is `told`. Handed back are the kinds that put a promise to the test.
///
/// Of a client that promises nothing only a note is made, and nothing is put to the test.
pub(super) fn judge_kinds<'d>(
    case: &Case,
    id: &str,
    (kinds, looked_at): (Vec<Vec<&'d Draw<'d>>>, usize),
    told: impl Fn(&[&Draw], Duration) -> String,
    ruling: &mut Ruling,
) -> Vec<Vec<&'d Draw<'d>>> {
    let mut looked = Vec::new();
    for draws in kinds {
        let promised = draws.iter().all(|draw| draw.promised);
        match shown(&draws, looked_at) {
            Shown::Nothing => continue,
            Shown::Apart => {}
            Shown::Together(range) => {
                let worth = match promised && !case.promises.opted_out(id) {
                    true => Worth::BROKEN_PROMISE,
                    false => Worth::note(Level::Promised),
                };
                ruling.charge_unless_late(case, charge(case, worth, &draws, told(&draws, range)));
            }
        }
        if promised {
            draws.iter().for_each(|draw| ruling.exercise(&draw.course));
            looked.push(draws);
        }
    }
    looked
}

fn charge(case: &Case, worth: Worth, draws: &[&Draw], because: String) -> Charge {
    let span = draws.first().and_then(|draw| case.span_of(draw.answered));
    let charge = Charge::new(worth, because).asked_at(span);
    draws.iter().fold(charge, |charge, draw| {
        charge.about(&draw.course).shown_by([draw.answered, draw.next])
    })
}

/// What a client with such draws promises of them, as the end of a sentence.
pub(super) fn promise(draws: &[&Draw], whose: &str) -> String {
    match draws.first() {
        Some(draw) if draw.promised => format!("; {whose} {}", time(draw.width)),
        _ => ": no jitter is seen, and none is promised".to_owned(),
    }
}

/// What draws of one kind show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// So few, or drawn from so little, that even equal ones prove nothing.
    Nothing,
    /// They lie apart.
    Apart,
    /// They lie closer together than chance has it: by so much at the most.
    Together(Duration),
}

/// What some draws show, where so many kinds of draws are looked at in the trial.
fn shown(draws: &[&Draw], kinds: usize) -> Shown {
    let gaps = || draws.iter().map(|draw| draw.gap);
    let (Some(shortest), Some(longest)) = (gaps().min(), gaps().max()) else {
        return Shown::Nothing;
    };
    let width = draws.iter().map(|draw| draw.width).min().unwrap_or_default();
    let limit = 1.0 / (TRIALS * kinds.max(1) as f64);
    let chance = |range: Duration| chance_of_range(draws.len(), range + SLACK, width);
    let range = longest.saturating_sub(shortest);
    match (chance(Duration::ZERO) <= limit, chance(range) <= limit) {
        (false, _) => Shown::Nothing,
        (true, false) => Shown::Apart,
        (true, true) => Shown::Together(range),
    }
}

/// How likely `n` independent draws from a width lie within `range` of each other: `n r^(n-1) - (n-1) r^n`.
fn chance_of_range(n: usize, range: Duration, width: Duration) -> f64 {
    let r = range.as_secs_f64() / width.as_secs_f64();
    if n < 2 || r.is_nan() || r >= 1.0 {
        return 1.0;
    }
    // More draws than this are certain enough, and the powers stay exact.
    let power = i32::try_from(n).unwrap_or(i32::MAX);
    let n = f64::from(power);
    n * r.powi(power - 1) - (n - 1.0) * r.powi(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn the_chance_is_that_of_the_range_of_even_draws() {
        // Two draws lie within half of the width in three cases of four.
        assert_eq!(chance_of_range(2, MS, 2 * MS), 0.75);
        assert_eq!(chance_of_range(1, MS, 2 * MS), 1.0);
        assert_eq!(chance_of_range(9, 3 * MS, 2 * MS), 1.0);
        assert_eq!(chance_of_range(9, MS, Duration::ZERO), 1.0);
    }

    #[test]
    fn the_formula_is_what_even_draws_do() {
        // A linear congruential stream; a thousandth of five draws lie so close together.
        let (mut r, mut within, rounds) = (1_u64, 0, 200_000);
        let mut roll = || {
            r = r
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (r >> 11) as f64 / (1_u64 << 53) as f64
        };
        for _ in 0..rounds {
            let draws = [roll(), roll(), roll(), roll(), roll()];
            let (low, high) = draws
                .iter()
                .fold((1.0_f64, 0.0_f64), |(l, h), d| (l.min(*d), h.max(*d)));
            within += u32::from(high - low <= 0.25);
        }
        let exact = chance_of_range(5, MS, 4 * MS);
        let seen = f64::from(within) / f64::from(rounds);
        assert!((seen - exact).abs() < 0.002, "{seen} is not {exact}");
    }
}
