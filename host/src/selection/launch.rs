//! Launches of selections.

use warpfold_kernels::selection::{WRITES_END, state_words, tile_count};

use crate::driver::{self, Address};
use crate::error::{Argument, Error, Result};
use crate::gpu::{Form, Way};
use crate::kernel::{Entry, Type};
use crate::launch::{Position, Queue, Region, SelectionWords, Span, check_lengths, number_of};

/// A kernel that chooses items, and what its launches need to know.
#[derive(Clone, Copy)]
pub(crate) struct Chooser {
    pub entry: &'static Entry,
    /// Gives the number of tiles for a number of items.
    tile_count: fn(u64) -> u64,
    /// Gives the number of state words for a number of items.
    state_words: fn(u64) -> u64,
    /// The type that the kernel is compiled for.
    item: Type,
}

impl Chooser {
    /// The chooser of a kernel for items of type `T`, whose tiles have prefixes of type `A`.
    pub const fn new<T: 'static, A>(entry: &'static Entry) -> Self {
        Self {
            entry,
            tile_count: tile_count::<T>,
            state_words: state_words::<T, A>,
            item: Type::of::<T>(),
        }
    }

    /// The same span, with the type that the kernel is compiled for. That type has the same size, and may have another alignment.
    pub fn aligned(&self, items: Span) -> Span {
        Span {
            item: self.item,
            ..items
        }
    }
}

/// The outputs of a selection.
#[derive(Clone, Copy, Default)]
pub(crate) struct Outputs {
    pub items: Option<Span>,
    /// Numbers of 4 or 8 bytes.
    pub indices: Option<Span>,
    /// Numbers of 4 or 8 bytes.
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
    /// The device memory that holds the number of items, if the host does not know it. Then the length of `input` is an upper bound.
    pub item_count_at: Option<Span>,
    pub flags: Option<Span>,
    pub chooser: Chooser,
    pub outputs: Outputs,
}

/// Where the number of chosen items is written.
#[derive(Clone, Copy)]
pub(crate) enum Count {
    /// To the first item of the caller's span.
    Callers(Span),
    /// To the library's own memory.
    Own(Address),
}

impl Count {
    /// The caller's memory that is written, if any.
    fn region(self) -> Option<Region> {
        match self {
            Count::Callers(span) => Some(Region::written(Argument::Count, span, 1)),
            Count::Own(_) => None,
        }
    }
}

impl Selection {
    /// A selection of the first key of each run. `firsts` gets the first keys. `starts` gets the starts of the runs, followed by the number
    /// of keys.
    pub fn of_runs(
        keys: Span,
        chooser: Chooser,
        firsts: Option<Span>,
        starts: Option<Span>,
    ) -> Self {
        Self {
            input: keys,
            item_count_at: None,
            flags: None,
            chooser,
            outputs: Outputs {
                items: firsts,
                indices: starts,
                with_end: starts.is_some(),
                ..Outputs::default()
            },
        }
    }

    /// Inputs and outputs. No more is written to an output than it has room for.
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

    /// The room for chosen items or for lengths of runs: the number of items that fit. If both are requested, this is the smaller number.
    /// If neither is requested, it is `None`.
    pub fn capacity(&self) -> Option<usize> {
        let spans = [self.outputs.items, self.outputs.lengths];
        let rooms = spans.into_iter().flatten().map(|span| span.item_count);
        rooms.min()
    }

    /// The room for indices; `None` if they are not requested. If the number of items is written after the last index, it takes up room
    /// too.
    pub fn index_capacity(&self) -> Option<usize> {
        self.outputs.indices.map(|span| span.item_count)
    }

    /// The room for items that are not chosen; `None` if they are not requested.
    pub fn rejected_capacity(&self) -> Option<usize> {
        self.outputs.rejected.map(|span| span.item_count)
    }

    /// Checks that there are as many flags as items, if there are flags.
    pub fn check_lengths(&self) -> Result<()> {
        match self.flags {
            Some(flags) => check_lengths(self.input.item_count, flags.item_count),
            None => Ok(()),
        }
    }

    /// Checks that the requested indices and lengths have types that can hold the number of items.
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
        // SAFETY: each span has memory for `item_count` items. The checks found that the inputs, the outputs and the caller's count are
        // memory of the context, aligned and without overlap, and that there is a flag for each item (conditions 1 to 4). If the count is
        // not the caller's, it is written to page-locked memory of the library, which has room for it and is used only by this call
        // (conditions 3 and 4).
        unsafe { self.select_checked(selection, count) }
    }

    /// The same as [`Self::select`], with arguments that have been checked.
    ///
    /// # Safety
    ///
    /// All memory named below belongs to this context, and is aligned for the type of its values. Items are aligned for the item type of
    /// the chooser's kernel. Until the work is done:
    ///
    /// - the items can be read. If there are flags, a flag for each item can be read. If the number of items is in device memory, it can be
    ///   read;
    /// - each output can be written, up to its length or the number of its results, whichever is less;
    /// - the 8 bytes of the count can be written;
    /// - no output overlaps any other memory of the selection, and neither does the count.
    pub unsafe fn select_checked(&mut self, selection: &Selection, count: Count) -> Result<()> {
        if selection.input.item_count == 0 {
            return self.select_nothing(selection, count);
        }
        match count {
            // SAFETY: this function's conditions hold, with the count at `address` (condition 1). There is an item, as checked above
            // (condition 2).
            Count::Callers(Span { address, .. }) | Count::Own(address) => unsafe {
                self.select_to(selection, address)
            },
        }
    }

    /// Queues a selection from an input of at least one item.
    ///
    /// # Safety
    ///
    /// - The conditions of [`Self::select_checked`] hold, with the count at `count`;
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
            control: 0,
            states: 0,
            state_words: 0,
        };
        let kernel = self.entered.kernel_in(chooser.entry, form_of(&arguments))?;
        let scratch = self.scratch(Position::Whole, (chooser.state_words)(item_count))?;
        (arguments.control, arguments.states) = (scratch.control, scratch.states);
        arguments.state_words = scratch.state_words;
        let tiles = (chooser.tile_count)(item_count);
        let blocks = tiles.min(kernel.long.resident_blocks as u64);
        // SAFETY: the words are those of a selection. All memory can be read or written, and no output overlaps other memory (condition 1).
        // The kernel writes no more items than the capacities allow. The workspace has the state words for this many items. There is at
        // least one block, since there is an item (condition 2). The text knows only values of these words (`form_of`).
        unsafe {
            self.launch(
                Position::Whole,
                kernel,
                kernel.long.block,
                blocks,
                arguments.list(),
            )
        }
    }

    /// Queues the writes of a selection from an empty input. A count in the library's own memory is not written: the host knows that it
    /// is 0.
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

/// The form of the kernel's text for a selection with these arguments. It knows which inputs and outputs there are.
fn form_of(arguments: &SelectionWords) -> Form {
    let form = Way::Plain
        .form()
        .with_known(number_of!(SelectionWords.options), arguments.options);
    let addresses = [
        (
            number_of!(SelectionWords.item_count_at),
            arguments.item_count_at,
        ),
        (number_of!(SelectionWords.items), arguments.items),
        (number_of!(SelectionWords.indices), arguments.indices),
        (number_of!(SelectionWords.lengths), arguments.lengths),
        (number_of!(SelectionWords.others), arguments.others),
    ];
    let form = addresses.into_iter().fold(form, |form, (number, address)| {
        form.with_known_absence(number, address == 0)
    });
    let widths = [
        (
            arguments.indices,
            number_of!(SelectionWords.index_bytes),
            arguments.index_bytes,
        ),
        (
            arguments.lengths,
            number_of!(SelectionWords.length_bytes),
            arguments.length_bytes,
        ),
    ];
    let present = widths.into_iter().filter(|&(address, ..)| address != 0);
    present.fold(form, |form, (_, number, bytes)| {
        form.with_known(number, bytes)
    })
}
