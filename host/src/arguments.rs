//! A request's arguments as values: one struct for all verbs, shapes and kinds of memory.

use std::ops::Range;

use arrayvec::ArrayVec;

use crate::axis::{Axis, Layout};
use crate::binding::{Guard, Lend, LendMut, RawStream, User};
use crate::error::Result;
use crate::kernel::Type;
use crate::launch::{Span, check_lengths};
use crate::segments::{ascends, row_count};
use crate::staged::Items;

/// The size limit of an accumulator, in bytes.
const ACCUMULATOR_MAX_BYTES: usize = 64;

/// All arguments that a request may have. `M` is the type of memory: borrowed from its owner ([`Memory`]), ready for a launch ([`Span`]),
/// or a section of a transfer lane's memory.
#[derive(Clone, Copy, Default)]
pub(crate) struct Arguments<M> {
    pub input: M,
    /// The second input of a reduction of pairs, or a selection's flags.
    pub second: Option<M>,
    pub shape: Shape<M>,
    /// Device memory with a number that only the device knows: how many items, segments or rows there are, or how long the outer axis is.
    pub count: Option<M>,
    pub initial: Option<Value>,
    /// The results, the chosen items, or the first items of runs.
    pub results: Option<M>,
    /// The items that are not chosen.
    pub rest: Option<M>,
    /// The indices of the chosen items, or of the first items of runs.
    pub indices: Option<M>,
    pub lengths: Option<M>,
    pub total: Option<M>,
    /// The first key of each run.
    pub unique_keys: Option<M>,
    /// Where the number of chosen items, or of runs, is written.
    pub count_to: Option<M>,
}

/// How the items are divided into parts. Each part is reduced to one result, or scanned by itself. In code, a part is a `group`.
#[derive(Clone, Copy, Default)]
pub(crate) enum Shape<M> {
    #[default]
    Whole,
    /// One part, combined in order from the first item to the last.
    InOrder,
    Segments(M),
    /// Rows of this many items.
    Rows(usize),
    /// This many columns.
    Columns(usize),
    /// Parts along an axis of an array, or the rows or columns of a matrix whose rows have gaps between them.
    Axis(Axis),
    Keys(M),
}

impl<M> Shape<M> {
    /// The number of items of the longest part, or an upper bound.
    pub fn longest_group(&self, item_count: usize) -> usize {
        match self {
            Shape::Whole | Shape::InOrder | Shape::Segments(_) | Shape::Keys(_) => item_count,
            Shape::Rows(row_items) => item_count.min(*row_items),
            Shape::Columns(columns) => item_count.checked_div(*columns).unwrap_or(0),
            Shape::Axis(axis) => axis.layout(item_count).map_or(0, |layout| layout.length),
        }
    }
}

/// An accumulator, as its bytes.
#[derive(Clone, Copy)]
pub(crate) struct Value {
    bytes: [u8; ACCUMULATOR_MAX_BYTES],
    length: usize,
}

impl Value {
    pub fn new<A: bytemuck::NoUninit>(value: &A) -> Self {
        const { assert!(size_of::<A>() <= ACCUMULATOR_MAX_BYTES) }
        let from = bytemuck::bytes_of(value);
        let mut bytes = [0; ACCUMULATOR_MAX_BYTES];
        bytes[..from.len()].copy_from_slice(from);
        Self {
            bytes,
            length: from.len(),
        }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}

/// Memory that a request names.
pub(crate) enum Memory<'a> {
    Device(&'a dyn Lend),
    DeviceMut(&'a mut dyn LendMut),
    Host(Items<'a>),
    HostMut(HostItems<'a>),
}

/// Items in the host's memory that a call writes.
pub(crate) struct HostItems<'a> {
    pub bytes: &'a mut [u8],
    pub item: Type,
}

impl Memory<'_> {
    pub fn is_empty(&self) -> bool {
        match self {
            Memory::Device(items) => items.is_empty(),
            Memory::DeviceMut(items) => items.is_empty(),
            Memory::Host(items) => items.is_empty(),
            Memory::HostMut(items) => items.bytes.is_empty(),
        }
    }

    /// The items, for reading, if they are in host memory; otherwise no items.
    pub fn host(&self) -> Items<'_> {
        match self {
            Memory::Host(items) => *items,
            Memory::HostMut(HostItems { bytes, item }) => Items::new(bytes, *item),
            Memory::Device(_) | Memory::DeviceMut(_) => Items::NONE,
        }
    }
}

impl<M> Arguments<M> {
    /// Arguments with an input and nothing else.
    pub fn new(input: M) -> Self {
        Self {
            input,
            second: None,
            shape: Shape::Whole,
            count: None,
            initial: None,
            results: None,
            rest: None,
            indices: None,
            lengths: None,
            total: None,
            unique_keys: None,
            count_to: None,
        }
    }

    /// Sets the pitch of a shape that has rows.
    pub fn set_pitch(&mut self, pitch: usize) {
        let axis = match self.shape {
            Shape::Rows(row_items) => Axis::rows(row_items),
            Shape::Columns(columns) => Axis::columns(columns),
            Shape::Axis(axis) => axis,
            _ => return,
        };
        self.shape = Shape::Axis(axis.with_pitch(pitch));
    }
}

/// The guards of the memory that a call borrows, and the streams that the call is ordered with. A queued call drops the guards when its
/// work is queued. A call that waits drops them when its work is done.
#[derive(Default)]
pub(crate) struct Loans<'a> {
    guards: ArrayVec<Box<dyn Guard + 'a>, MOST_LOANS>,
    ordered_with: ArrayVec<RawStream<'a>, MOST_LOANS>,
}

/// A call has at most this many arguments that are memory.
const MOST_LOANS: usize = 11;

impl<'a> Loans<'a> {
    /// The streams that the call is ordered with: the call runs after the streams' queued work, and before their later work.
    pub fn ordered_with(&self) -> impl Iterator<Item = RawStream<'a>> + '_ {
        self.ordered_with.iter().copied()
    }

    fn take(&mut self, memory: &'a mut Memory<'_>, user: User<'a>) -> Span {
        let lent = match memory {
            Memory::Device(items) => items.lend_span(user),
            Memory::DeviceMut(items) => items.lend_span_mut(user),
            // Does not happen: a request's types allow only device memory in a call that borrows memory. With an empty span, nothing is
            // read or written.
            Memory::Host(_) | Memory::HostMut(_) => return Span::NONE,
        };
        self.guards.extend(lent.guard);
        self.ordered_with.extend(lent.ordered_with);
        lent.span
    }
}

impl<M> Arguments<M> {
    /// The same arguments, with `map` applied to each argument that is memory.
    pub fn map_mut<'a, N>(&'a mut self, mut map: impl FnMut(&'a mut M) -> N) -> Arguments<N> {
        Arguments {
            input: map(&mut self.input),
            second: self.second.as_mut().map(&mut map),
            shape: match &mut self.shape {
                Shape::Whole => Shape::Whole,
                Shape::InOrder => Shape::InOrder,
                Shape::Segments(offsets) => Shape::Segments(map(offsets)),
                Shape::Rows(items) => Shape::Rows(*items),
                Shape::Columns(count) => Shape::Columns(*count),
                Shape::Axis(axis) => Shape::Axis(*axis),
                Shape::Keys(keys) => Shape::Keys(map(keys)),
            },
            count: self.count.as_mut().map(&mut map),
            initial: self.initial,
            results: self.results.as_mut().map(&mut map),
            rest: self.rest.as_mut().map(&mut map),
            indices: self.indices.as_mut().map(&mut map),
            lengths: self.lengths.as_mut().map(&mut map),
            total: self.total.as_mut().map(&mut map),
            unique_keys: self.unique_keys.as_mut().map(&mut map),
            count_to: self.count_to.as_mut().map(&mut map),
        }
    }
}

impl Arguments<Memory<'_>> {
    /// Borrows the device memory of all arguments for this user, until the loans are dropped.
    pub fn lend<'a>(&'a mut self, user: User<'a>, loans: &mut Loans<'a>) -> Arguments<Span> {
        self.map_mut(|memory| loans.take(memory, user))
    }

    /// The number of results of a reduction of host items: one per part. With keys, this is an upper bound. An error if the shape does not
    /// fit the items.
    pub fn group_count(&self) -> Result<usize> {
        let item_count = self.input.host().count();
        match &self.shape {
            Shape::Whole => {
                if let Some(second) = &self.second {
                    check_lengths(item_count, second.host().count())?;
                }
                Ok(1)
            }
            Shape::InOrder => Ok(1),
            Shape::Segments(offsets) => {
                check_offsets(offsets.host(), item_count)?;
                Ok(offsets.host().count().saturating_sub(1))
            }
            Shape::Rows(row_items) => row_count(item_count, *row_items),
            Shape::Columns(columns) => row_count(item_count, *columns).map(|_| *columns),
            Shape::Axis(axis) => Ok(axis.layout(item_count)?.group_count()),
            Shape::Keys(keys) => {
                check_lengths(keys.host().count(), item_count)?;
                Ok(item_count)
            }
        }
    }

    /// The layout of a [`Shape::Axis`]; `None` for other shapes. An error if the shape does not fit the items.
    pub fn layout(&self) -> Result<Option<Layout>> {
        match &self.shape {
            Shape::Axis(axis) => axis.layout(self.input.host().count()).map(Some),
            _ => Ok(None),
        }
    }

    /// A range of host items. For segments, it reaches from the first offset to the last. For other shapes, it has all items, including
    /// those in gaps between rows.
    pub fn grouped(&self) -> Range<usize> {
        match &self.shape {
            Shape::Segments(offsets) => {
                let offsets = Offsets::new(offsets.host());
                offsets.first()..offsets.last()
            }
            _ => 0..self.input.host().count(),
        }
    }
}

/// Offsets in the host's memory, of 32 or 64 bits.
pub(crate) enum Offsets<'a> {
    Narrow(&'a [u32]),
    Wide(&'a [u64]),
}

impl<'a> Offsets<'a> {
    pub fn new(items: Items<'a>) -> Self {
        match items.item().bytes {
            4 => Offsets::Narrow(bytemuck::cast_slice(items.bytes())),
            _ => Offsets::Wide(bytemuck::cast_slice(items.bytes())),
        }
    }

    fn first(&self) -> usize {
        match self {
            Offsets::Narrow(offsets) => offsets.first().map_or(0, |&offset| offset as usize),
            Offsets::Wide(offsets) => offsets.first().map_or(0, |&offset| offset as usize),
        }
    }

    fn last(&self) -> usize {
        match self {
            Offsets::Narrow(offsets) => offsets.last().map_or(0, |&offset| offset as usize),
            Offsets::Wide(offsets) => offsets.last().map_or(0, |&offset| offset as usize),
        }
    }

    pub fn to_vec(&self) -> Vec<usize> {
        match self {
            Offsets::Narrow(offsets) => offsets.iter().map(|&offset| offset as usize).collect(),
            Offsets::Wide(offsets) => offsets.iter().map(|&offset| offset as usize).collect(),
        }
    }
}

fn check_offsets(offsets: Items<'_>, item_count: usize) -> Result<()> {
    match Offsets::new(offsets) {
        Offsets::Narrow(offsets) => ascends(offsets, 0, 0, item_count),
        Offsets::Wide(offsets) => ascends(offsets, 0, 0, item_count),
    }
    .map(drop)
}
