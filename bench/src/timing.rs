//! The time of a call on a stream: between events, around batches of calls.

use anyhow::Result;
use warpfold::cust::event::{Event, EventFlags};
use warpfold::cust::stream::Stream;

/// Microseconds of one call.
pub struct Timing {
    pub median: f64,
    pub least: f64,
}

/// How many calls are made between two events, and how many such batches.
struct Batches {
    calls: u32,
    batches: u32,
}

impl Batches {
    /// As many calls as let a batch of small ones outlast the events' resolution.
    fn of(item_count: usize) -> Self {
        match item_count.ilog2() {
            0..=22 => Batches {
                calls: 50,
                batches: 15,
            },
            23..=26 => Batches {
                calls: 10,
                batches: 15,
            },
            _ => Batches {
                calls: 2,
                batches: 9,
            },
        }
    }
}

/// Times `call`, which queues work on `stream` for so many items.
pub fn time(
    stream: &Stream,
    item_count: usize,
    mut call: impl FnMut() -> Result<()>,
) -> Result<Timing> {
    let Batches { calls, batches } = Batches::of(item_count);
    for _ in 0..calls + 2 {
        call()?;
    }
    stream.synchronize()?;
    let (begin, end) = (
        Event::new(EventFlags::DEFAULT)?,
        Event::new(EventFlags::DEFAULT)?,
    );
    let mut micros = Vec::new();
    for _ in 0..batches {
        begin.record(stream)?;
        for _ in 0..calls {
            call()?;
        }
        end.record(stream)?;
        end.synchronize()?;
        micros.push(f64::from(end.elapsed_time_f32(&begin)?) * 1e3 / f64::from(calls));
    }
    micros.sort_by(f64::total_cmp);
    Ok(Timing {
        median: micros[micros.len() / 2],
        least: micros[0],
    })
}
