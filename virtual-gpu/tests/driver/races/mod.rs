//! Races between pieces of work: what orders the work, what does not, and the report of a race.
//!
//! Most tests run two versions of some work. The version with a mistake must race, and the corrected version must not.

mod boxes;
mod graphs;
mod memory;
mod orders;
mod pairs;

use crate::kernels::{PTX, ROWS};
use crate::raw::*;
use crate::support::*;
use virtual_gpu::driver::{Finding, take_findings};
use virtual_gpu::{Doer, StreamRace};

/// The number of words in each allocation of a [`Bed`].
const WORDS: usize = 64;
const BLOCKING: u32 = 0;
const NON_BLOCKING: u32 = 1;

/// A context with two streams, kernels, and memory that holds zeros.
struct Bed {
    _context: Context,
    a: usize,
    b: usize,
    set: usize,
    set_bytes: usize,
    get: usize,
    increment: usize,
    /// Memory that the work of both streams accesses.
    shared: u64,
    /// The other side of copies from or to `shared`, and the output of [`Self::get`].
    own: u64,
}

impl Bed {
    fn new(flags: u32) -> Self {
        let context = Context::new();
        let rows = load(ROWS);
        Self {
            _context: context,
            a: stream(flags),
            b: stream(flags),
            set: function(rows, c"set"),
            set_bytes: function(rows, c"set_bytes"),
            get: function(rows, c"get"),
            increment: function(load(PTX), c"increment"),
            shared: zeros(WORDS),
            own: zeros(WORDS),
        }
    }

    /// Two blocks of 32 threads write all words of `shared`.
    fn set(&self, stream: usize) {
        assert_eq!(launch(self.set, 2, 32, stream, &[self.shared]), 0);
    }

    /// Two blocks of 32 threads read all words of `shared`.
    fn get(&self, stream: usize) {
        assert_eq!(launch(self.get, 2, 32, stream, &[self.shared, self.own]), 0);
    }

    fn fill(&self, stream: usize) {
        assert_eq!(cuMemsetD32Async(self.shared, 5, WORDS, stream), 0);
    }

    /// Copies the words of `own` to `shared`. [`Self::copy_out`] copies the other way.
    fn copy_in(&self, stream: usize) {
        let copied = cuMemcpyDtoDAsync_v2(self.shared, self.own, 4 * WORDS, stream);
        assert_eq!(copied, 0);
    }

    fn copy_out(&self, stream: usize) {
        let copied = cuMemcpyDtoDAsync_v2(self.own, self.shared, 4 * WORDS, stream);
        assert_eq!(copied, 0);
    }

    /// Makes stream B wait for the work enqueued on A so far.
    fn a_before_b(&self) {
        let event = event();
        assert_eq!(cuEventRecord(event, self.a), 0);
        assert_eq!(cuStreamWaitEvent(self.b, event, 0), 0);
    }
}

/// The races that were found in this thread's work since the last call of `found`.
fn found() -> Vec<StreamRace> {
    let race = |finding| match finding {
        Finding::StreamRace(race) => Some(*race),
        _ => None,
    };
    take_findings().into_iter().filter_map(race).collect()
}

/// Lets `work` enqueue work on a new [`Bed`], and waits for everything that is queued. Returns the race that was found, if any.
fn race_in(flags: u32, work: impl FnOnce(&Bed)) -> Option<StreamRace> {
    let bed = Bed::new(flags);
    work(&bed);
    let ended = cuCtxSynchronize();
    let mut races = found();
    let expected = if races.is_empty() { 0 } else { LAUNCH_FAILED };
    assert_eq!((ended, races.len() < 2), (expected, true), "{races:?}");
    races.pop()
}

/// Whether `work` races, in two non-blocking streams.
fn races(work: impl FnOnce(&Bed)) -> bool {
    race_in(NON_BLOCKING, work).is_some()
}

/// The name of the kernel or call that accessed a byte.
fn name(doer: &Doer) -> &str {
    match doer {
        Doer::Kernel { name, .. } => name,
        Doer::Call { name, .. } => name,
        _ => panic!("{doer}"),
    }
}

fn only_on_virtual_devices() -> bool {
    virtual_only("races are found by virtual devices")
}
