//! The launches on the keys: one marks the heads of the runs, the other writes the keys and the starts at the heads.

use warpfold_kernels::heads::{GOES_BACKWARD, Layout, MARKS, WARPS, part_shift};

use super::{Keyed, Outputs};
use crate::driver::{self, Address};
use crate::error::Result;
use crate::launch::{HeadsWords, Position, Queue, Span};
use crate::selection::Count;

impl Queue<'_> {
    /// Queues the launch that marks the heads of the runs at `heads`, and writes the number of runs to `count`, if it is given.
    ///
    /// # Safety
    ///
    /// Until the work is done, in memory of this context and aligned for their types:
    ///
    /// - there is a key, the keys can be read, and so can the number of keys if it is in device memory;
    /// - `heads` has room for the heads of as many keys, in a workspace that no other work uses;
    /// - the 8 bytes of the count can be written, and overlap nothing else.
    pub unsafe fn mark_heads(
        &mut self,
        keyed: &Keyed,
        heads: Address,
        is_backward: bool,
        count: Option<Count>,
    ) -> Result<()> {
        let mut words = words(keyed, heads, is_backward);
        words.options |= MARKS;
        words.run_count = match count {
            Some(Count::Callers(Span { address, .. }) | Count::Own(address)) => address,
            None => 0,
        };
        let ranges = Layout::of(words.key_count).range_count;
        // SAFETY: the words are those of a launch that marks heads. The keys can be read (condition 1), heads and count can be written
        // (conditions 2 and 3), and there is a block for each range.
        unsafe { self.launch_on_keys(keyed, ranges, words) }
    }

    /// Queues the launch that writes the first keys and the starts of the runs, as far as they are wanted and their spans have room.
    ///
    /// # Safety
    ///
    /// The first two conditions of [`Self::mark_heads`], and:
    ///
    /// - work that is already queued marks these heads of these keys in the same direction;
    /// - first keys and starts can be written for all items of their spans, and overlap nothing else.
    pub unsafe fn gather_at_heads(
        &mut self,
        keyed: &Keyed,
        heads: Address,
        is_backward: bool,
        outputs: Outputs,
    ) -> Result<()> {
        let mut words = words(keyed, heads, is_backward);
        if let Some(keys) = outputs.unique_keys {
            words.firsts = keys.address;
            words.first_capacity = keys.item_count as u64;
        }
        if let Some(starts) = outputs.starts {
            words.starts = starts.address;
            words.start_bytes = starts.item.bytes as u64;
            words.start_capacity = starts.item_count as u64;
        }
        let tiles = Layout::tile_count(words.key_count);
        let blocks = (tiles << part_shift(tiles)).div_ceil(WARPS as u64);
        // SAFETY: the words are those of a launch on marked heads (condition 1). The keys can be read, and first keys and starts can be
        // written, as far as their capacities say (condition 2). Any number of blocks is allowed.
        unsafe { self.launch_on_keys(keyed, blocks, words) }
    }

    /// Launches the kernel on the keys.
    ///
    /// # Safety
    ///
    /// The words describe memory as the kernel's contract says, and `blocks` is a number of blocks that it allows.
    unsafe fn launch_on_keys(
        &mut self,
        keyed: &Keyed,
        blocks: u64,
        mut words: HeadsWords,
    ) -> Result<()> {
        let kernel = self.entered.kernel(keyed.kernel.entry)?;
        // SAFETY: the conditions are this function's.
        unsafe { self.launch(Position::Whole, kernel, kernel.long.block, blocks, words.list()) }
    }

    /// Queues the writes of a call without keys. A count in the library's own memory is not written: the host knows that it is 0.
    pub fn write_no_runs(&mut self, starts: Option<Span>, count: Option<Count>) -> Result<()> {
        if let Some(Count::Callers(count)) = count {
            driver::write_item(count.address, &[0; 8], self.stream)?;
        }
        match starts {
            Some(span) if span.item_count > 0 => {
                let zero = &[0; 8][..span.item.bytes];
                Ok(driver::write_item(span.address, zero, self.stream)?)
            }
            _ => Ok(()),
        }
    }
}

/// The words of a launch on the heads of these keys, without outputs.
fn words(keyed: &Keyed, heads: Address, is_backward: bool) -> HeadsWords {
    HeadsWords {
        keys: keyed.keys.address,
        key_count: keyed.keys.item_count as u64,
        key_count_at: keyed.count.map_or(0, |count| count.address),
        options: if is_backward { GOES_BACKWARD } else { 0 },
        heads,
        ..bytemuck::Zeroable::zeroed()
    }
}
