//! The time of a call on a stream. Events before and after a batch of calls measure the time. Several calls take turns.
//!
//! Earlier work affects the time of a batch. It leaves lines in the cache, and some of these lines must still be written to memory. It may
//! also lower the clock. On an H200 the same reduction of 1 GiB took 234 µs after one call and 241 µs after another. So the calls are
//! shuffled in each round.
//!
//! If the host launches each call, the measured time is the longer of two times: the host's for the launch, and the device's for the work.
//! If the calls are replayed from a graph, the measured time is the device's.

use anyhow::Result;
use clap::ValueEnum;
use warpfold::cust::event::{Event, EventFlags};
use warpfold::cust::stream::Stream;

use crate::graph::Graph;

/// The intended duration of a batch in microseconds. The accuracy of events (half a microsecond) and the effects of earlier work are small
/// in comparison.
const BATCH_MICROS: f64 = 1000.0;

/// A batch has at most this many calls.
const BATCH_CALLS: f64 = 100.0;

/// The number of calls that are timed to find the batch size of a short call.
const WARM_UP_CALLS: u32 = 3;

/// Each call gets at least this many batches, unless fewer are requested.
const LEAST_ROUNDS: f64 = 3.0;

/// The effort of a measurement.
#[derive(Debug, Clone, Copy)]
pub struct Effort {
    /// Each call gets at most this many batches.
    pub rounds: u32,
    /// The time limit of a call's batches, on average over all calls that take turns.
    pub call_micros: f64,
    pub queueing: Queueing,
}

impl Effort {
    /// The number of rounds. In a round, each of the `calls` calls has one batch. A round takes `round_micros`.
    fn rounds(self, calls: usize, round_micros: f64) -> u32 {
        let fit = self.call_micros * calls as f64 / round_micros;
        (fit.max(LEAST_ROUNDS) as u32).min(self.rounds)
    }
}

/// How the calls of a batch reach the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Queueing {
    /// The host launches each call.
    Launches,
    /// The device runs a graph of the calls, if the batch has several.
    Graph,
}

/// A function that queues work on a stream.
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
    /// The timing from at least one batch.
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

/// Times calls that queue work on `stream`. Each call has been made once before, so it is warm. The batches of the calls take turns.
pub fn alternate(stream: &Stream, calls: Vec<Call<'_>>, effort: Effort) -> Result<Vec<Timing>> {
    let clock = Clock::new(stream)?;
    let mut batches = Vec::with_capacity(calls.len());
    let mut round_micros = 0.0;
    for call in calls {
        let mut batch = Batch::of_calls(call);
        let mut each = clock.micros(&mut batch)?;
        if each < BATCH_MICROS {
            batch.size = WARM_UP_CALLS;
            each = clock.micros(&mut batch)?;
        }
        batch.size = (BATCH_MICROS / each).clamp(1.0, BATCH_CALLS) as u32;
        if effort.queueing == Queueing::Graph && batch.size > 1 {
            batch.capture(stream)?;
            each = clock.micros(&mut batch)?;
        }
        round_micros += f64::from(batch.size) * each;
        batches.push(batch);
    }
    let rounds = effort.rounds(batches.len(), round_micros);
    let mut micros = vec![Vec::with_capacity(rounds as usize); batches.len()];
    let mut random = fastrand::Rng::with_seed(0);
    let mut turns: Vec<usize> = (0..batches.len()).collect();
    for _ in 0..rounds {
        random.shuffle(&mut turns);
        for &turn in &turns {
            micros[turn].push(clock.micros(&mut batches[turn])?);
        }
    }
    Ok(micros.into_iter().map(Timing::of).collect())
}

/// Calls that are timed together.
struct Batch<'a> {
    call: Call<'a>,
    /// The number of calls.
    size: u32,
    /// The graph of all calls, if they are replayed.
    graph: Option<Graph>,
}

impl<'a> Batch<'a> {
    /// A batch of one call.
    fn of_calls(call: Call<'a>) -> Self {
        Self {
            call,
            size: 1,
            graph: None,
        }
    }

    /// Captures the calls, which are replayed from now on.
    fn capture(&mut self, stream: &Stream) -> Result<()> {
        let mut outcome = Ok(());
        let graph = Graph::capture(stream, || outcome = self.launch());
        outcome?;
        self.graph = Some(graph);
        Ok(())
    }

    fn launch(&mut self) -> Result<()> {
        (0..self.size).try_for_each(|_| (self.call)())
    }

    fn queue(&mut self, stream: &Stream) -> Result<()> {
        let Some(graph) = &self.graph else {
            return self.launch();
        };
        // SAFETY: the graph uses the buffers of `self.call`, and `self.call` is alive. Freeing a buffer waits for the stream's work.
        unsafe { graph.launch(stream) };
        Ok(())
    }
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

    /// Microseconds of one call of the batch. The batch runs twice, and the second run counts. So the time does not include writing the
    /// cache lines of another batch to memory.
    fn micros(&self, batch: &mut Batch<'_>) -> Result<f64> {
        batch.queue(self.stream)?;
        self.begin.record(self.stream)?;
        batch.queue(self.stream)?;
        self.end.record(self.stream)?;
        self.end.synchronize()?;
        let millis = f64::from(self.end.elapsed_time_f32(&self.begin)?);
        Ok(millis * 1e3 / f64::from(batch.size))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_taken_from_sorted_batches() {
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
            queueing: Queueing::Launches,
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
