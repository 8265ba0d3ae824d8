//! The values that the last writes to global memory replaced. Some reads may still return these values.
//!
//! A read may return the value before the last write, with three exceptions: the reader is ordered after that write, has seen it, or is
//! ordered after a thread that has seen it. Only one old value is kept, although a device may return even older values. A write of a
//! different width drops the old value. A read of a different width returns the current value.

use std::collections::HashMap;

use super::clocks::{Thread, View};
use super::messages::Message;
use super::pages::NumberHasher;

/// Bytes of a unit of memory. The remembered writes are looked up by unit.
const UNIT_BYTES: u64 = 8;
/// The most units with remembered writes. When there are more units, all remembered writes are forgotten.
const MOST_UNITS: usize = 1 << 18;
/// A read that may be stale returns the new value with a probability of one in this number.
const FRESH_ONE_IN: u64 = 4;

/// A write, and the value before it.
#[derive(Debug)]
struct Overwritten {
    address: u64,
    width: u32,
    before: u64,
    /// The messages that readers of the old value receive.
    messages: Vec<Message>,
    by: Thread,
    time: u32,
    /// The threads that could have read the old value. A random choice gave them the new value instead.
    seen: Vec<Seen>,
}

/// Lanes of a warp that have seen a value at the same time.
#[derive(Debug)]
struct Seen {
    /// The warp's first thread.
    first: Thread,
    lanes: u32,
    time: u32,
}

impl Overwritten {
    /// Records that a reader has seen the new value.
    fn saw(&mut self, reader: Reader<'_>) {
        let (first, time) = (reader.thread.of_lane_0(), reader.time);
        let lanes = 1 << reader.thread.lane();
        match self.seen.last_mut() {
            Some(seen) if seen.first == first && seen.time == time => seen.lanes |= lanes,
            _ => self.seen.push(Seen { first, lanes, time }),
        }
    }
}

/// The values before the last writes.
#[derive(Debug)]
pub(super) struct Past {
    units: HashMap<u64, Vec<Overwritten>, NumberHasher>,
    random: u64,
}

/// A thread that reads, with its time and its knowledge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'k> {
    pub thread: Thread,
    pub time: u32,
    pub known: View<'k>,
}

impl Reader<'_> {
    /// Whether the reader is one of the threads in `seen`, or is ordered after one of them.
    fn is_after(self, seen: &Seen) -> bool {
        let own = match seen.first == self.thread.of_lane_0() {
            true => 1 << self.thread.lane(),
            false => 0,
        };
        let unknown = self.known.unknown_lanes(seen.first, seen.lanes, seen.time);
        unknown & !own != seen.lanes
    }
}

impl Past {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            units: HashMap::default(),
            random: seed.wrapping_mul(0x2545_f491_4f6c_dd1d) | 1,
        }
    }

    /// Records a write. `before` is the value that it overwrites, if known.
    pub(super) fn write(
        &mut self,
        (address, width): (u64, u32),
        before: Option<u64>,
        messages: &[Message],
        (by, time): (Thread, u32),
    ) {
        if self.units.len() > MOST_UNITS {
            self.units.clear();
        }
        let unit = self.units.entry(address / UNIT_BYTES).or_default();
        let end = |address: u64, width: u32| address + u64::from(width);
        unit.retain(|old| {
            end(old.address, old.width) <= address || end(address, width) <= old.address
        });
        if let Some(before) = before {
            unit.push(Overwritten {
                address,
                width,
                before,
                messages: messages.to_vec(),
                by,
                time,
                seen: Vec::new(),
            });
        }
    }

    /// If the read may be stale, decides at random whether it is. For a stale read, returns the old value and its messages.
    pub(super) fn read(
        &mut self,
        (address, width): (u64, u32),
        reader: Reader<'_>,
    ) -> Option<(u64, &[Message])> {
        let unit = self.units.get_mut(&(address / UNIT_BYTES))?;
        let is_same = |old: &&mut Overwritten| (old.address, old.width) == (address, width);
        let last = unit.iter_mut().find(is_same)?;
        let knows_writer = last.by == reader.thread || reader.known.time_of(last.by) >= last.time;
        if knows_writer || last.seen.iter().any(|seen| reader.is_after(seen)) {
            return None;
        }
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        if (self.random >> 32).is_multiple_of(FRESH_ONE_IN) {
            last.saw(reader);
            return None;
        }
        Some((last.before, &last.messages))
    }
}

#[cfg(test)]
mod tests {
    use super::super::clocks::Known;
    use super::*;

    fn reads(past: &mut Past, thread: Thread, known: &Known) -> Vec<bool> {
        let reader = Reader {
            thread,
            time: 1,
            known: known.into(),
        };
        let read = |_| past.read((64, 4), reader).map(|(value, _)| value);
        (0..100).map(read).map(|value| value == Some(7)).collect()
    }

    #[test]
    fn a_read_may_be_stale_until_the_new_value_is_seen() {
        let mut past = Past::new(1);
        let (writer, other) = (Thread::new(0, 0), Thread::new(1, 0));
        past.write((64, 4), Some(7), &[], (writer, 3));
        assert!(!reads(&mut past, writer, &Known::default()).contains(&true));
        let mut up_to_date = Known::default();
        up_to_date.learn(writer, 3);
        assert!(!reads(&mut past, other, &up_to_date).contains(&true));
        let mut behind = Known::default();
        behind.learn(writer, 2);
        let stale = reads(&mut past, other, &behind);
        assert!(stale[0] && !stale[99]);
        assert!(stale.is_sorted_by_key(|is_stale| !is_stale));
        // A reader that is ordered after a thread that has seen the new value.
        let mut after = Known::default();
        after.learn(other, 1);
        assert!(!reads(&mut past, Thread::new(2, 0), &after).contains(&true));
    }

    #[test]
    fn a_write_of_another_width_discards_old_values() {
        let mut past = Past::new(1);
        past.write((64, 4), Some(7), &[], (Thread::new(0, 0), 3));
        past.write((66, 2), Some(7), &[], (Thread::new(0, 0), 3));
        assert!(!reads(&mut past, Thread::new(1, 0), &Known::default()).contains(&true));
    }
}
