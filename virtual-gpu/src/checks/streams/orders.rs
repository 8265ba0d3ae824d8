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

#[cfg(test)]
mod tests {
    use super::super::piece::What;
    use super::super::report::{StreamKind, StreamName};
    use super::super::touched::Run;
    use super::*;
    use crate::fault::AccessKind;

    /// A stream's work that writes some bytes.
    struct Writer<'o> {
        orders: &'o Orders,
        number: u64,
    }

    impl Writer<'_> {
        /// Enqueues a piece of work.
        fn enqueue(&mut self, id: u64, after: &[&Arc<Clock>]) -> Piece {
            self.number += 1;
            let after = after.iter().map(|clock| &***clock);
            Piece {
                stream: StreamName {
                    id,
                    kind: StreamKind::NonBlocking,
                },
                number: self.number,
                clock: self.orders.enqueue((id, self.number), after),
                node: None,
                what: What::Call("a call"),
            }
        }

        /// Does it: writes 64 bytes at an address. Says whether it races.
        fn perform(&self, piece: Piece, start: u64) -> bool {
            let (number, piece) = (piece.number, Arc::new(piece));
            let touched = Touched {
                writes: vec![Run::of_call(start..start + 64, AccessKind::Write)],
                ..Touched::default()
            };
            let race = self.orders.compare(&piece, &touched);
            self.orders.done(number);
            race.is_some()
        }

        fn write(&mut self, id: u64, after: &[&Arc<Clock>], start: u64) -> (Arc<Clock>, bool) {
            let piece = self.enqueue(id, after);
            let clock = Arc::clone(&piece.clock);
            (clock, self.perform(piece, start))
        }
    }

    #[test]
    fn a_chain_over_many_streams_that_nobody_waits_for_takes_little() {
        let orders = Orders::default();
        let mut writer = Writer {
            orders: &orders,
            number: 0,
        };
        let mut last = Arc::default();
        for stream in 0..10_000 {
            let raced;
            (last, raced) = writer.write(stream, &[&last], stream % 5 * 16);
            assert!(!raced);
            let (segments, streams) = orders.size();
            assert!(segments + streams < 4 * SLACK, "{segments} {streams}");
        }
        assert!(last.times().count() < 4 * SLACK);
        assert!(writer.write(10_000, &[], 64).1, "it is not forgotten");
    }

    #[test]
    fn what_the_host_knows_is_forgotten_although_other_work_waits() {
        let orders = Orders::default();
        let mut writer = Writer {
            orders: &orders,
            number: 0,
        };
        let mut waiting = writer.enqueue(0, &[]);
        for stream in 1..10_000 {
            let (done, raced) = writer.write(stream, &[], stream * 64);
            orders.told(&done);
            // There always is one that was enqueued before the host was told of something.
            let next = writer.enqueue(0, &[&waiting.clock]);
            let clock = Arc::clone(&waiting.clock);
            assert!(!raced && writer.perform(waiting, stream * 64));
            orders.told(&clock);
            waiting = next;
            let (segments, streams) = orders.size();
            assert!(segments + streams < 4 * SLACK, "{segments} {streams}");
        }
    }

    #[test]
    fn nothing_is_left_when_the_host_knows_all() {
        let orders = Orders::default();
        let mut writer = Writer {
            orders: &orders,
            number: 0,
        };
        let (first, _) = writer.write(1, &[], 0);
        let (second, _) = writer.write(2, &[], 64);
        orders.told(&first);
        assert_ne!(orders.size(), (0, 0));
        assert!(!writer.write(3, &[&second], 0).1);
        let last = writer.enqueue(3, &[&first, &second]);
        orders.done(last.number);
        orders.told(&last.clock);
        assert_eq!(orders.size(), (0, 0));
        assert!(!writer.write(4, &[], 0).1);
    }
}
