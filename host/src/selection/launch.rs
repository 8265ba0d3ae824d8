//! Selections.

use warpfold_kernels::selection::{WRITES_END, state_words, tile_count};

use crate::driver::{self, Address};
use crate::error::{Argument, Error, Result};
use crate::kernel::{Entry, Type};
use crate::launch::{Part, Queue, Region, SelectionWords, Span, check_lengths};

/// What chooses items of one type.
#[derive(Clone, Copy)]
pub(crate) struct Chooser {
    pub entry: &'static Entry,
    /// Tiles of this many items.
    tile_count: fn(u64) -> u64,
    /// State words for this many items.
    state_words: fn(u64) -> u64,
    /// The type that the kernel is compiled for.
    item: Type,
}

impl Chooser {
    /// Of a kernel for items of type `T`, whose tiles have values of type `A` before them.
    pub const fn new<T: 'static, A>(entry: &'static Entry) -> Self {
        Self {
            entry,
            tile_count: tile_count::<T>,
            state_words: state_words::<T, A>,
            item: Type::of::<T>(),
        }
    }

    /// Items as those of the kernel's type, which may be another one of their size: so they are aligned as the kernel wants them.
    pub fn aligned(&self, items: Span) -> Span {
        Span {
            item: self.item,
            ..items
        }
    }
}

/// What is written of a selection.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outputs {
    pub items: Option<Span>,
    /// Numbers of 4 or 8 bytes.
    pub indices: Option<Span>,
    /// The same.
    pub lengths: Option<Span>,
    /// The items that are not chosen.
    pub rejected: Option<Span>,
    /// Whether the number of items is written after the last index.
    pub with_end: bool,
}

/// A selection.
#[derive(Clone, Copy)]
pub(crate) struct Selection {
    pub input: Span,
    /// Where the device's memory has how many items there are, if the input has only the most.
    pub item_count_at: Option<Span>,
    pub flags: Option<Span>,
    pub chooser: Chooser,
    pub outputs: Outputs,
}

/// Where the number of chosen items goes.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    /// To the first place of the caller's.
    Callers(Span),
    /// To a place of the library's own.
    Own(Address),
}

impl Count {
    /// What is written of the caller's memory.
    fn region(self) -> Option<Region> {
        match self {
            Count::Callers(span) => Some(Region::written(Argument::Count, span, 1)),
            Count::Own(_) => None,
        }
    }
}

impl Selection {
    /// The runs of keys, of which where they start is written, with the end, and perhaps the first keys.
    pub fn of_runs(keys: Span, chooser: Chooser, firsts: Option<Span>, starts: Span) -> Self {
        Self {
            input: keys,
            item_count_at: None,
            flags: None,
            chooser,
            outputs: Outputs {
                items: firsts,
                indices: Some(starts),
                with_end: true,
                ..Outputs::default()
            },
        }
    }

    /// What is read and written; of each output as many places as can be written.
    fn regions(&self, count: Count) -> [Option<Region>; 8] {
        let outputs = self.outputs;
        let most = self.input.item_count + usize::from(outputs.with_end);
        let written = |argument, span| Region::written_at_most(argument, span, most);
        let of_items = |span| self.chooser.aligned(span);
        [
            Some(Region::read(Argument::Input, of_items(self.input))),
            self.item_count_at.map(Region::count),
            self.flags.map(|span| Region::read(Argument::Flags, span)),
            outputs
                .items
                .map(|span| written(Argument::Output, of_items(span))),
            outputs
                .rejected
                .map(|span| written(Argument::Rejected, of_items(span))),
            outputs.indices.map(|span| written(Argument::Output, span)),
            outputs.lengths.map(|span| written(Argument::Lengths, span)),
            count.region(),
        ]
    }

    /// How many chosen items there is room for, and lengths of runs; nothing if neither are asked for.
    pub fn capacity(&self) -> Option<usize> {
        let spans = [self.outputs.items, self.outputs.lengths];
        let rooms = spans.into_iter().flatten().map(|span| span.item_count);
        rooms.min()
    }

    /// How many indices there is room for, including the number after the last; 0 if they are not asked for.
    pub fn index_capacity(&self) -> Option<usize> {
        self.outputs.indices.map(|span| span.item_count)
    }

    /// How many other items there is room for; nothing if they are not asked for.
    pub fn rejected_capacity(&self) -> Option<usize> {
        self.outputs.rejected.map(|span| span.item_count)
    }

    /// Checks that there is a flag for each item, if there are flags.
    pub fn check_lengths(&self) -> Result<()> {
        match self.flags {
            Some(flags) => check_lengths(self.input.item_count, flags.item_count),
            None => Ok(()),
        }
    }

    /// Checks that indices and lengths, if they are asked for, have a type in which there is a number for each item.
    pub fn check_numbers(&self) -> Result<()> {
        let item_count = self.input.item_count;
        let numbers = [self.outputs.indices, self.outputs.lengths];
        for numbers in numbers.into_iter().flatten() {
            let number_bytes = numbers.item.bytes;
            if number_bytes == 4 && u32::try_from(item_count).is_err() {
                return Err(Error::TooManyItems {
                    item_count,
                    number_bytes,
                });
            }
        }
        Ok(())
    }
}

impl Queue<'_> {
    /// Queues a selection.
    pub fn select(&mut self, selection: &Selection, count: Count) -> Result<()> {
        selection.check_lengths()?;
        selection.check_numbers()?;
        self.check(&selection.regions(count))?;
        // SAFETY: the checks above found all of it to be memory of the context, aligned and apart, with a flag for each item; a
        // `DeviceSlice` is as long as it says. A count of the library's own is page-locked memory, a page long.
        unsafe { self.select_checked(selection, count) }
    }

    /// The same of arguments that are checked.
    ///
    /// # Safety
    ///
    /// Until the work is done, in memory of this context and aligned for their types (items as the chooser wants them):
    ///
    /// - the items and their flags, one for each, can be read, and so can the number of items, where there is one;
    /// - the outputs can be written, as far as they reach and there are items to write;
    /// - so can the place of the count, 8 bytes;
    /// - each output and the count lie apart from all else.
    pub unsafe fn select_checked(&mut self, selection: &Selection, count: Count) -> Result<()> {
        if selection.input.item_count == 0 {
            return self.select_nothing(selection, count);
        }
        match count {
            // SAFETY: the conditions are this function's, and `address` is the place of the count. There is an item: see above.
            Count::Callers(Span { address, .. }) | Count::Own(address) => unsafe {
                self.select_to(selection, address)
            },
        }
    }

    /// Queues a selection among at least one item.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Self::select_checked`] hold, with `count` for the place of the count;
    /// - there is an item.
    unsafe fn select_to(&mut self, selection: &Selection, count: Address) -> Result<()> {
        let Selection {
            input,
            item_count_at,
            flags,
            chooser,
            outputs,
        } = *selection;
        debug_assert!(input.item_count > 0 && count.is_multiple_of(size_of::<u64>() as u64));
        debug_assert!(flags.is_none_or(|flags| flags.item_count >= input.item_count));
        let item_count = input.item_count as u64;
        let kernel = self.entered.kernel(chooser.entry)?;
        let scratch = self.scratch(Part::Whole, (chooser.state_words)(item_count))?;
        let address = |span: Option<Span>| span.map_or(0, |span| span.address);
        let numbers =
            |span: Option<Span>| span.map_or((0, 4), |span| (span.address, span.item.bytes as u64));
        let (indices, index_bytes) = numbers(outputs.indices);
        let (lengths, length_bytes) = numbers(outputs.lengths);
        let mut arguments = SelectionWords {
            input: input.address,
            item_count,
            item_count_at: address(item_count_at),
            flags: address(flags),
            items: address(outputs.items),
            indices,
            index_bytes,
            index_capacity: selection.index_capacity().unwrap_or(0) as u64,
            lengths,
            length_bytes,
            capacity: selection.capacity().unwrap_or(0) as u64,
            others: address(outputs.rejected),
            other_capacity: selection.rejected_capacity().unwrap_or(0) as u64,
            options: if outputs.with_end { WRITES_END } else { 0 },
            count,
            control: scratch.control,
            states: scratch.states,
            state_words: scratch.state_words,
        };
        let tiles = (chooser.tile_count)(item_count);
        let blocks = tiles.min(kernel.long.resident_blocks as u64);
        // SAFETY: these are a selection's arguments. What is read and written can be, and lies apart,
        // by this function's conditions; the kernel writes no more than the capacities say. The workspace has the state words that
        // were asked for.
        unsafe {
            self.launch(
                Part::Whole,
                kernel,
                kernel.long.block,
                blocks,
                arguments.list(),
            )
        }
    }

    /// Queues what a selection among no items writes. Nothing goes to a count of the library's own: it is known.
    fn select_nothing(&mut self, selection: &Selection, count: Count) -> Result<()> {
        if let Count::Callers(count) = count {
            driver::write_item(count.address, &[0; 8], self.stream)?;
        }
        match selection.outputs.indices {
            Some(span) if selection.outputs.with_end && span.item_count > 0 => {
                let zero = &[0; 8][..span.item.bytes];
                Ok(driver::write_item(span.address, zero, self.stream)?)
            }
            _ => Ok(()),
        }
    }
}
