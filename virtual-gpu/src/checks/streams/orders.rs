//! The record of all work: its order, what the host knows to be done, and the memory that work has touched.

use super::clock::Clock;
use super::piece::Piece;
use super::recent::{Raw, Recent};
use super::shadow::Shadow;
use crate::fault::StreamRace;
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A cleanup runs when [`State::len`] exceeds twice its value after the last cleanup, plus `SLACK`, or when recent work owns more than
/// [`MOST_CELLS`] cells.
const SLACK: usize = 256;

/// The most cells whose histories are kept for recent work, at 48 bytes or more each.
const MOST_CELLS: usize = 1 << 21;

/// The record of a machine's work. All devices of the machine share it.
#[derive(Default)]
pub(crate) struct Orders(Mutex<State>);

#[derive(Default)]
struct State {
    /// The work that the host knows to be done.
    told: Clock,
    /// Work that is enqueued and not done. The key is its number, the value its stream and its clock.
    pending: HashMap<u64, (u64, Arc<Clock>)>,
    /// Recent work, which is not yet in the shadow.
    recent: Recent,
    shadow: Shadow,
    /// A clock that covers all remembered work.
    newest: Clock,
    /// The streams of pending or remembered work. Other streams no longer matter.
    streams: HashSet<u64>,
    /// The [length](State::len) after the last cleanup.
    left: usize,
}

impl Orders {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a newly enqueued piece of work that is ordered after the work with the clocks `after`. Returns the clock of the new work. To
    /// order later work after the new work, pass this clock in `after`.
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

    /// Records that a piece of work is done.
    pub(crate) fn done(&self, number: u64) {
        self.state().pending.remove(&number);
    }

    /// Records that the host knows that the work covered by the clock `done` is done.
    pub(crate) fn told(&self, done: &Clock) {
        let mut state = self.state();
        state.told.join(done);
        // If nothing is pending, and all later work is ordered after all work done so far, no remembered access can race.
        if state.pending.is_empty() && state.told.covers_all(&state.newest) {
            let forgotten = std::mem::take(&mut *state);
            drop(state);
            // Dropping the old state may take long, so the lock is released first.
            drop(forgotten);
        }
    }

    /// Removes from a clock the streams that no longer matter.
    pub(crate) fn trim(&self, clock: &mut Clock) {
        let state = self.state();
        clock.retain(|stream| state.streams.contains(&stream));
    }

    /// Compares a piece of work with the earlier pieces, and remembers it. Returns the first race.
    pub(crate) fn compare(&self, piece: &Arc<Piece>, raw: Raw) -> Option<StreamRace> {
        let mut state = self.state();
        state.newest.learn(piece.stream.id, piece.number);
        let race = state.add(piece, raw);
        state.tidy();
        race
    }

    /// Forgets accesses to memory that was freed or unregistered.
    pub(crate) fn forget(&self, start: u64, bytes: u64) {
        let bytes = start..start.saturating_add(bytes);
        let mut state = self.state();
        state.shadow.forget(&bytes);
        state.recent.forget(&bytes);
    }

    /// Two counts: the number of recent pieces of work plus the number of segments of the shadow, and the number of streams.
    #[cfg(test)]
    fn size(&self) -> (usize, usize) {
        let state = self.state();
        (state.shadow.len() + state.recent.len(), state.streams.len())
    }
}

impl State {
    /// Remembers the bytes that a piece of work touches. Returns the first race.
    fn add(&mut self, piece: &Arc<Piece>, raw: Raw) -> Option<StreamRace> {
        if !self.recent.may_race(piece, &raw) && !self.shadow.may_race(piece, &raw) {
            self.recent.push(piece, raw);
            return None;
        }
        self.recent.settle(&mut self.shadow);
        let (old, new, address) = self.shadow.add_all(piece, &raw.divide())?;
        Some(StreamRace {
            address,
            allocation: None,
            earlier: old.piece.side(&old.run, address),
            later: piece.side(&new.run, address),
        })
    }

    /// The sum of three counts: recent pieces of work, segments of the shadow, and streams.
    fn len(&self) -> usize {
        self.shadow.len() + self.recent.len() + self.streams.len()
    }

    /// If much work is remembered, forgets the work that is ordered before everything that can still happen, and moves recent work to the
    /// shadow.
    fn tidy(&mut self) {
        let is_much = self.len() > 2 * self.left + SLACK;
        if !is_much && self.recent.cells() <= MOST_CELLS {
            return;
        }
        let mut known = self.told.clone();
        self.pending
            .values()
            .for_each(|(_, clock)| known.meet(clock));
        let pending = &self.pending;
        let is_asked_for = |piece: &Piece| {
            pending.contains_key(&piece.number) || !known.covers(piece.stream.id, piece.number)
        };
        self.recent.retain_pieces(is_asked_for);
        self.shadow.retain(|mark| is_asked_for(&mark.piece));
        self.recent.settle(&mut self.shadow);
        let waiting = pending.values().map(|(stream, _)| *stream);
        let remembered = self.shadow.marks().map(|mark| mark.piece.stream.id);
        let streams: HashSet<u64> = waiting.chain(remembered).collect();
        self.told.retain(|stream| streams.contains(&stream));
        self.newest.retain(|stream| streams.contains(&stream));
        self.streams = streams;
        self.left = self.len();
    }
}

#[cfg(test)]
mod tests {
    use super::super::piece::What;
    use super::super::spans::Spans;
    use super::super::touched::{Run, Touched};
    use super::*;
    use crate::fault::{AccessKind, StreamKind, StreamName};
    use std::ops::Range;
    use std::sync::atomic::{AtomicBool, Ordering};

    /// Enqueues and performs writes in streams.
    struct Writer<'o> {
        orders: &'o Orders,
        number: u64,
    }

    impl<'o> Writer<'o> {
        fn new(orders: &'o Orders) -> Self {
            Self { orders, number: 0 }
        }

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

        /// Performs a write of 64 bytes at an address. Returns whether it races.
        fn perform(&self, piece: Piece, start: u64) -> bool {
            let (number, piece) = (piece.number, Arc::new(piece));
            let touched = Touched {
                writes: vec![Run::of_call(start..start + 64, AccessKind::Write)],
                ..Touched::default()
            };
            let race = self.orders.compare(&piece, touched.into());
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
    fn a_chain_over_many_streams_takes_bounded_memory() {
        let orders = Orders::default();
        let mut writer = Writer::new(&orders);
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
    fn completed_work_is_forgotten_while_other_work_is_pending() {
        let orders = Orders::default();
        let mut writer = Writer::new(&orders);
        let mut waiting = writer.enqueue(0, &[]);
        for stream in 1..10_000 {
            let (done, raced) = writer.write(stream, &[], stream * 64);
            orders.told(&done);
            // There is always pending work that was enqueued before the host last learned something.
            let next = writer.enqueue(0, &[&waiting.clock]);
            let clock = Arc::clone(&waiting.clock);
            assert!(!raced && writer.perform(waiting, stream * 64));
            orders.told(&clock);
            waiting = next;
            let (segments, streams) = orders.size();
            assert!(segments + streams < 4 * SLACK, "{segments} {streams}");
        }
    }

    /// A write of some bytes. Sets `asked` when the write is divided into runs.
    fn raw(bytes: Range<u64>, cells: usize, asked: &Arc<AtomicBool>) -> Raw {
        let asked = Arc::clone(asked);
        Raw::new(Spans::new(vec![bytes.clone()]), cells, move || {
            asked.store(true, Ordering::Relaxed);
            Touched {
                writes: vec![Run::of_call(bytes, AccessKind::Write)],
                ..Touched::default()
            }
        })
    }

    #[test]
    fn work_is_divided_into_runs_only_when_unordered_work_overlaps() {
        let orders = Orders::default();
        let mut writer = Writer::new(&orders);
        let asked = Arc::default();
        let first = Arc::new(writer.enqueue(1, &[]));
        assert!(orders.compare(&first, raw(0..64, 1, &asked)).is_none());
        orders.done(first.number);
        assert!(!writer.write(1, &[], 0).1, "the same stream");
        assert!(!writer.write(2, &[], 64).1, "other bytes");
        assert!(!writer.write(3, &[&first.clock], 128).1, "ordered");
        assert!(!asked.load(Ordering::Relaxed));
        assert!(writer.write(4, &[], 63).1);
        assert!(asked.load(Ordering::Relaxed));
    }

    #[test]
    fn freed_memory_is_forgotten_before_and_after_division_into_runs() {
        let orders = Orders::default();
        let mut writer = Writer::new(&orders);
        let asked = Arc::default();
        let first = Arc::new(writer.enqueue(1, &[]));
        assert!(orders.compare(&first, raw(0..256, 1, &asked)).is_none());
        orders.done(first.number);
        orders.forget(0, 64);
        assert!(!writer.write(2, &[], 0).1);
        assert!(!asked.load(Ordering::Relaxed));
        assert!(writer.write(3, &[], 192).1);
        assert!(asked.load(Ordering::Relaxed));
        assert!(!writer.write(2, &[], 0).1, "the first has not come back");
        orders.forget(64, 64);
        assert!(!writer.write(4, &[], 64).1);
        assert!(writer.write(5, &[], 128).1);
    }

    #[test]
    fn large_histories_are_divided_into_runs_at_once() {
        let orders = Orders::default();
        let mut writer = Writer::new(&orders);
        let asked = Arc::default();
        let first = Arc::new(writer.enqueue(1, &[]));
        let large = raw(0..64, MOST_CELLS + 1, &asked);
        assert!(orders.compare(&first, large).is_none());
        assert!(asked.load(Ordering::Relaxed));
        assert!(writer.write(2, &[], 0).1);
    }

    #[test]
    fn nothing_is_kept_once_the_host_knows_all_work() {
        let orders = Orders::default();
        let mut writer = Writer::new(&orders);
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
