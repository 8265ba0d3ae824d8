//! The account of all work: what comes before what, what the host knows to be done, and what work has
//! touched.

use super::clock::Clock;
use super::piece::Piece;
use super::report::StreamRace;
use super::shadow::{Mark, Shadow};
use super::touched::Touched;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// So many segments of memory, or streams, more than twice those that were left last time, and it is
/// looked which can be forgotten.
const SLACK: usize = 256;

/// The account of a machine's work.
#[derive(Debug, Default)]
pub(crate) struct Orders(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// The work that the host has been told is done.
    told: Clock,
    /// The work that was enqueued and is not done, by number, with its stream and what comes before it.
    pending: HashMap<u64, (u64, Arc<Clock>)>,
    shadow: Shadow,
    /// The work that was done and is remembered is all known to this.
    newest: Clock,
    /// The streams of work that is pending or remembered. Of others nobody will ask.
    streams: HashSet<u64>,
    /// Segments and streams that were left when it was last looked what can be forgotten.
    left: usize,
}

impl Orders {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes note of a piece of work that is enqueued after some others. Gives the clock of those who
    /// come after it.
    pub(crate) fn enqueue<'c>(
        &self,
        (stream, number): (u64, u64),
        after: impl Iterator<Item = &'c Clock>,
    ) -> Arc<Clock> {
        let mut state = self.state();
        let mut clock = state.told.clone();
        after.for_each(|known| clock.join(known));
        clock.retain(|stream| state.streams.contains(&stream));
        clock.learn(stream, number);
        let clock = Arc::new(clock);
        state.streams.insert(stream);
        state.pending.insert(number, (stream, Arc::clone(&clock)));
        state.tidy();
        clock
    }

    /// Takes note that a piece of work is done.
    pub(crate) fn done(&self, number: u64) {
        self.state().pending.remove(&number);
    }

    /// The host has been told that work is done.
    pub(crate) fn told(&self, done: &Clock) {
        let mut state = self.state();
        state.told.join(done);
        if state.pending.is_empty() && state.told.covers_all(&state.newest) {
            state.forget_all();
        }
    }

    /// Leaves of a clock what somebody may ask for.
    pub(crate) fn trim(&self, clock: &mut Clock) {
        let state = self.state();
        clock.retain(|stream| state.streams.contains(&stream));
    }

    /// Compares what a piece of work touches with what others did, and remembers it. Gives the first race.
    pub(crate) fn compare(&self, piece: &Arc<Piece>, touched: &Touched) -> Option<StreamRace> {
        let mut state = self.state();
        state.newest.learn(piece.stream.id, piece.number);
        let mut first = None;
        for run in touched.reads.iter().chain(&touched.writes) {
            let new = Mark {
                piece: Arc::clone(piece),
                run: *run,
            };
            if let Some((old, address)) = state.shadow.add(&new) {
                first.get_or_insert_with(|| StreamRace {
                    address,
                    allocation: None,
                    earlier: old.piece.side(&old.run, address),
                    later: piece.side(run, address),
                });
            }
        }
        state.tidy();
        first
    }

    /// Forgets what was done with memory that is gone.
    pub(crate) fn forget(&self, start: u64, bytes: u64) {
        self.state().shadow.forget(start, bytes);
    }

    /// How many segments of memory and streams are remembered.
    #[cfg(test)]
    fn size(&self) -> (usize, usize) {
        let state = self.state();
        (state.shadow.len(), state.streams.len())
    }
}

impl State {
    /// All that was done is known to all that will be enqueued, and nothing waits.
    fn forget_all(&mut self) {
        *self = Self::default();
    }

    /// Forgets what comes before everything that can still happen, if there is much.
    fn tidy(&mut self) {
        if self.shadow.len() + self.streams.len() <= 2 * self.left + SLACK {
            return;
        }
        let mut known = self.told.clone();
        self.pending
            .values()
            .for_each(|(_, clock)| known.meet(clock));
        let pending = &self.pending;
        self.shadow.retain(|mark| {
            let piece = &mark.piece;
            pending.contains_key(&piece.number) || !known.covers(piece.stream.id, piece.number)
        });
        let waiting = pending.values().map(|(stream, _)| *stream);
        let remembered = self.shadow.marks().map(|mark| mark.piece.stream.id);
        let streams: HashSet<u64> = waiting.chain(remembered).collect();
        self.told.retain(|stream| streams.contains(&stream));
        self.newest.retain(|stream| streams.contains(&stream));
        self.streams = streams;
        self.left = self.shadow.len() + self.streams.len();
    }
}
