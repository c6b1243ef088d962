//! The load of dependencies over time, as lines of bars.

use super::super::layers::multiplier;
use super::super::model::{SuiteReport, TrialReport};
use super::super::plain::plain;
use crate::judge::{Load, Tick};

/// From nearly nothing to the most.
const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The load of each dependency to which many operations went, or nothing where there is none.
pub(super) fn section(report: &SuiteReport) -> String {
    let loads = report.trials.iter().flat_map(of_trial);
    loads.collect::<Vec<_>>().join("\n")
}

fn of_trial(trial: &TrialReport) -> Vec<String> {
    let dependencies = trial.counts.dependencies.iter();
    let of = |(name, load): (&String, &Load)| lines(&plain(&trial.trial), &plain(name), load);
    dependencies
        .filter_map(|(name, counts)| Some((name, counts.load.as_ref()?)))
        .map(of)
        .collect()
}

fn lines(trial: &str, dependency: &str, load: &Load) -> String {
    let most = load
        .ticks
        .iter()
        .map(|t| t.calls.max(t.useful))
        .max()
        .unwrap_or(0);
    let bars = |of: fn(&Tick) -> u64| {
        load.ticks
            .iter()
            .map(|tick| bar(of(tick), most))
            .collect::<String>()
    };
    let (calls, originals) = (bars(|t| t.calls), bars(|t| t.originals));
    let useful = bars(|t| t.useful);
    format!(
        "load of {dependency} in {trial}: a column is {}, the highest bar {most}\n  calls      {calls}\n  \
         originals  {originals}\n  useful     {useful}\n  {} useful answers, {} calls wasted, overshoot {}, drained \
         {} after the last original\n",
        seconds(load.tick_ms),
        load.useful,
        load.wasted,
        multiplier(load.overshoot_per_mille),
        seconds(load.drained_ms),
    )
}

/// Nothing is a blank; whatever is there is seen.
fn bar(n: u64, most: u64) -> char {
    match (n, n.saturating_mul(BARS.len() as u64).div_ceil(most.max(1))) {
        (0, _) => ' ',
        (_, height) => BARS[usize::try_from(height).unwrap_or(BARS.len()).clamp(1, BARS.len()) - 1],
    }
}

fn seconds(ms: u64) -> String {
    format!("{}.{:03} s", ms / 1000, ms % 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_as_high_as_its_share_and_nothing_is_blank() {
        let bars: String = [0, 1, 50, 99, 100, 800].map(|n| bar(n, 800)).iter().collect();
        assert_eq!(bars, " ▁▁▁▁█");
        assert_eq!([0, 1].map(|n| bar(n, 1)), [' ', '█']);
        assert_eq!(bar(0, 0), ' ');
    }

    #[test]
    fn a_load_is_told_in_bars_and_in_figures() {
        let tick = |calls, originals, useful| Tick {
            calls,
            originals,
            retries: calls - originals,
            useful,
        };
        let load = Load {
            tick_ms: 1000,
            ticks: vec![tick(2, 2, 2), tick(8, 2, 0), tick(0, 0, 1)],
            useful: 3,
            wasted: 7,
            overshoot_per_mille: 4000,
            drained_ms: 1250,
        };
        assert_eq!(
            lines("trial", "orders", &load),
            "load of orders in trial: a column is 1.000 s, the highest bar 8\n  calls      ▂█ \n  originals  ▂▂ \n  \
             useful     ▂ ▁\n  3 useful answers, 7 calls wasted, overshoot 4.00, drained 1.250 s after the last original\n"
        );
    }
}
