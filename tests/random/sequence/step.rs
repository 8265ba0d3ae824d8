//! One call of a sequence: its thread, its stream, and the items that it reads and writes.

use std::ops::Range;

use proptest::prop_oneof;
use proptest::strategy::{Just, Strategy};

use super::{BUFFER_ITEMS, BUFFERS, STREAMS, THREADS};

/// A call.
#[derive(Debug, Clone)]
pub struct Step {
    pub thread: usize,
    pub queue: Queue,
    /// The index of the operator.
    pub operator: usize,
    pub action: Action,
}

/// Where a call is queued, unless it scans a slice.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Queue {
    /// On one of the streams.
    Stream(usize),
    /// Nowhere: the call waits.
    Default,
}

/// What a call does.
#[derive(Debug, Clone)]
pub enum Action {
    /// A reduction to one item. A waiting reduction returns its result to the host and writes no buffer.
    Reduce { from: Span, to: Span },
    /// A scan to another buffer.
    Scan { kind: Kind, from: Span, to: Span },
    /// A scan in place.
    ScanInPlace { kind: Kind, items: Span },
    /// A scan of a slice of the host. The slice has the values that these items have before the first call. Its results go to the host.
    ScanSlice { kind: Kind, items: Span },
}

#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Inclusive,
    Exclusive,
}

/// Items of a buffer.
#[derive(Debug, Clone, PartialEq)]
pub struct Span {
    pub buffer: usize,
    pub items: Range<usize>,
}

impl Span {
    fn overlaps(&self, other: &Self) -> bool {
        self.buffer == other.buffer
            && self.items.start < other.items.end
            && other.items.start < self.items.end
    }
}

impl Step {
    pub fn strategy() -> impl Strategy<Value = Self> {
        let queue = prop_oneof![
            5 => (0..STREAMS).prop_map(Queue::Stream),
            1 => Just(Queue::Default),
        ];
        (0..THREADS, queue, 0..4usize, action()).prop_map(|(thread, queue, operator, action)| {
            Self {
                thread,
                queue,
                operator,
                action,
            }
        })
    }

    /// The buffers' items that the call reads, and those that it writes.
    fn touched(&self) -> (Option<&Span>, Option<&Span>) {
        match &self.action {
            Action::Reduce { from, .. } if self.queue == Queue::Default => (Some(from), None),
            Action::Reduce { from, to } | Action::Scan { from, to, .. } => (Some(from), Some(to)),
            Action::ScanInPlace { items, .. } => (Some(items), Some(items)),
            Action::ScanSlice { .. } => (None, None),
        }
    }

    /// Whether the results may depend on which of the two calls comes first.
    pub fn conflicts(&self, other: &Self) -> bool {
        let ((read, written), (other_read, other_written)) = (self.touched(), other.touched());
        let meet = |one: Option<&Span>, other: Option<&Span>| matches!((one, other), (Some(one), Some(other)) if one.overlaps(other));
        meet(written, other_written) || meet(written, other_read) || meet(read, other_written)
    }
}

fn action() -> impl Strategy<Value = Action> {
    let kind = || prop_oneof![Just(Kind::Inclusive), Just(Kind::Exclusive)];
    let reduce = (from(), 1..BUFFERS, 0..BUFFER_ITEMS).prop_map(|(from, further, start)| {
        let to = beside(&from, further, start, 1);
        Action::Reduce { from, to }
    });
    let scan =
        (kind(), from(), 1..BUFFERS, 0..BUFFER_ITEMS).prop_map(|(kind, from, further, start)| {
            let to = beside(&from, further, start, from.items.len());
            Action::Scan { kind, from, to }
        });
    let in_place = (kind(), from()).prop_map(|(kind, items)| Action::ScanInPlace { kind, items });
    let of_slice = (kind(), from()).prop_map(|(kind, items)| Action::ScanSlice { kind, items });
    prop_oneof![3 => reduce, 3 => scan, 3 => in_place, 1 => of_slice]
}

/// Consecutive items of a buffer, possibly none.
fn from() -> impl Strategy<Value = Span> {
    (0..BUFFERS, 0..=BUFFER_ITEMS, 0..BUFFER_ITEMS).prop_map(|(buffer, item_count, start)| Span {
        buffer,
        items: within(start, item_count),
    })
}

/// `item_count` items of a buffer other than `from`'s.
fn beside(from: &Span, further: usize, start: usize, item_count: usize) -> Span {
    Span {
        buffer: (from.buffer + further) % BUFFERS,
        items: within(start, item_count),
    }
}

/// `item_count` items from `start`, or from an earlier start if they would exceed the buffer.
fn within(start: usize, item_count: usize) -> Range<usize> {
    let start = start.min(BUFFER_ITEMS - item_count);
    start..start + item_count
}
