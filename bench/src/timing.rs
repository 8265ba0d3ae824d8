//! The time of a call on a stream: between events, around batches of calls, several calls in turn.

use anyhow::Result;
use warpfold::cust::event::{Event, EventFlags};
use warpfold::cust::stream::Stream;

/// How long a batch is to last, in microseconds: events are good to half of one.
const BATCH_MICROS: f64 = 400.0;

/// The most calls of a batch.
const BATCH_CALLS: f64 = 100.0;

/// Calls that the length of a batch is found with, if they are short.
const WARM_UP_CALLS: u32 = 3;

/// The fewest batches of a call.
const LEAST_ROUNDS: f64 = 3.0;

/// How much time is spent.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// The most batches of each call.
    pub rounds: u32,
    /// What the batches of a call may take, on average over all calls that take turns.
    pub call_micros: f64,
}

impl Effort {
    /// How many rounds, if one takes `round_micros` for so many calls.
    fn rounds(self, calls: usize, round_micros: f64) -> u32 {
        let fit = self.call_micros * calls as f64 / round_micros;
        (fit.max(LEAST_ROUNDS) as u32).min(self.rounds)
    }
}

/// Something that queues work on the stream.
pub type Call<'a> = Box<dyn FnMut() -> Result<()> + 'a>;

/// Microseconds of one call, over several batches.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Timing {
    pub median: f64,
    pub least: f64,
    pub lower_quartile: f64,
    pub upper_quartile: f64,
}

impl Timing {
    /// Of at least one batch.
    fn of(mut micros: Vec<f64>) -> Self {
        micros.sort_by(f64::total_cmp);
        let last = (micros.len() - 1) as f64;
        let at = |part: f64| micros[(part * last).round() as usize];
        Self {
            median: at(0.5),
            least: at(0.0),
            lower_quartile: at(0.25),
            upper_quartile: at(0.75),
        }
    }
}

/// Times the calls, which queue work on `stream` and have been made before: batches of each, the calls taking turns.
pub fn alternate(stream: &Stream, calls: &mut [Call<'_>], effort: Effort) -> Result<Vec<Timing>> {
    let clock = Clock::new(stream)?;
    let mut sizes = Vec::with_capacity(calls.len());
    let mut round_micros = 0.0;
    for call in &mut *calls {
        let mut each = clock.batch(1, call)?;
        if each < BATCH_MICROS {
            each = clock.batch(WARM_UP_CALLS, call)?;
        }
        let size = (BATCH_MICROS / each).clamp(1.0, BATCH_CALLS).floor();
        sizes.push(size as u32);
        round_micros += size * each;
    }
    let rounds = effort.rounds(calls.len(), round_micros);
    let mut micros = vec![Vec::with_capacity(rounds as usize); calls.len()];
    for _ in 0..rounds {
        for ((call, &size), micros) in calls.iter_mut().zip(&sizes).zip(&mut micros) {
            micros.push(clock.batch(size, call)?);
        }
    }
    Ok(micros.into_iter().map(Timing::of).collect())
}

/// A pair of events on a stream.
struct Clock<'a> {
    stream: &'a Stream,
    begin: Event,
    end: Event,
}

impl<'a> Clock<'a> {
    fn new(stream: &'a Stream) -> Result<Self> {
        Ok(Self {
            stream,
            begin: Event::new(EventFlags::DEFAULT)?,
            end: Event::new(EventFlags::DEFAULT)?,
        })
    }

    /// Microseconds of one of so many calls.
    fn batch(&self, calls: u32, call: &mut Call<'_>) -> Result<f64> {
        self.begin.record(self.stream)?;
        for _ in 0..calls {
            call()?;
        }
        self.end.record(self.stream)?;
        self.end.synchronize()?;
        let millis = f64::from(self.end.elapsed_time_f32(&self.begin)?);
        Ok(millis * 1e3 / f64::from(calls))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_of_the_sorted_batches() {
        let timing = Timing::of(vec![5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(timing.least, 1.0);
        assert_eq!(timing.lower_quartile, 2.0);
        assert_eq!(timing.median, 3.0);
        assert_eq!(timing.upper_quartile, 4.0);
        assert_eq!(Timing::of(vec![7.0]).median, 7.0);
    }

    #[test]
    fn long_calls_have_fewer_rounds() {
        let effort = Effort {
            rounds: 15,
            call_micros: 20_000.0,
        };
        assert_eq!(effort.rounds(9, 9.0 * 400.0), 15);
        assert_eq!(effort.rounds(2, 2.0 * 4_000.0), 5);
        assert_eq!(effort.rounds(2, 2.0 * 50_000.0), 3);
        let once = Effort {
            rounds: 1,
            ..effort
        };
        assert_eq!(once.rounds(2, 2.0 * 50_000.0), 1);
    }
}
