//! The time of a call on a stream: between events, around batches of calls, several calls in turn.

use anyhow::Result;
use warpfold::cust::event::{Event, EventFlags};
use warpfold::cust::stream::Stream;

/// How long a batch is to last, in microseconds: events are good to half of one.
const BATCH_MICROS: f64 = 400.0;

/// Calls of a batch, at least and at most.
const BATCH_CALLS: (u32, u32) = (2, 100);

/// Calls before the first batch.
const WARM_UP_CALLS: u32 = 3;

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

/// Times the calls, which queue work on `stream`: `rounds` batches of each, the calls taking turns.
pub fn alternate(stream: &Stream, calls: &mut [Call<'_>], rounds: u32) -> Result<Vec<Timing>> {
    let clock = Clock::new(stream)?;
    let mut sizes = Vec::with_capacity(calls.len());
    for call in &mut *calls {
        clock.batch(WARM_UP_CALLS, call)?;
        let each = clock.batch(WARM_UP_CALLS, call)?;
        let (least, most) = BATCH_CALLS;
        sizes.push(((BATCH_MICROS / each) as u32).clamp(least, most));
    }
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
}
