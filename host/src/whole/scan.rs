//! Scans with more than items and results: an initial value, a place for the total, a number of items that only the device knows.

use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::kernel::Row;
use crate::launch::{Queue, Region, Span};

/// What a scan may be beside one of its items, from the first to the last, to results.
#[derive(Clone, Copy)]
pub(crate) struct ScanExtras<'a> {
    /// Whether it goes from the last item to the first.
    pub is_reversed: bool,
    /// What stands before the first item: the bytes of an accumulator.
    pub initial: Option<&'a [u8]>,
    /// Where the total goes.
    pub total: Option<Total>,
    /// Where the number of items is.
    pub count: Option<Span>,
}

impl ScanExtras<'_> {
    /// None of them.
    pub const NONE: Self = Self {
        is_reversed: false,
        initial: None,
        total: None,
        count: None,
    };
}

/// Where the total of a scan goes.
#[derive(Clone, Copy)]
pub(crate) enum Total {
    /// To the first place of the caller's.
    Callers(Span),
    /// To a place of the library's own.
    Own(Address),
}

impl Total {
    pub fn address(self) -> Address {
        match self {
            Total::Callers(Span { address, .. }) | Total::Own(address) => address,
        }
    }
}

impl Queue<'_> {
    /// Queues a scan of `input` to the first items of `output`, with extras.
    pub fn scan_with(
        &mut self,
        row: &'static Row,
        input: Span,
        output: Span,
        extras: ScanExtras<'_>,
    ) -> Result<()> {
        let [items, results] = of_scan(input, output);
        let total = match extras.total {
            Some(Total::Callers(total)) => Some(Region::written(Argument::Total, total, 1)),
            Some(Total::Own(_)) | None => None,
        };
        self.check(&[items, results, total, extras.count.map(Region::count)])?;
        if input.item_count == 0 {
            return self.write_total_of_nothing(row, extras);
        }
        let tiles = 0..row.division.scan_tiles.count(input.item_count as u64);
        // SAFETY: the check above found items, results and extras to be memory of the context, aligned, long enough, and each output
        // apart from all else, or the results in the items' place; a `DeviceSlice` is as long as it says. All tiles at once.
        unsafe { self.scan_tiles(row, input, output.address, tiles, 0, extras) }
    }

    /// Queues the writing of the total of no items, if it is asked for. To a place of the library's own nothing is written: the host
    /// knows it.
    fn write_total_of_nothing(&self, row: &Row, extras: ScanExtras<'_>) -> Result<()> {
        match extras.total {
            Some(Total::Callers(total)) => self.write_lowered(row, extras.initial, total.address),
            Some(Total::Own(_)) | None => Ok(()),
        }
    }
}

/// What a scan reads and writes beside its options.
fn of_scan(input: Span, output: Span) -> [Option<Region>; 2] {
    [
        Some(Region::read(Argument::Input, input)),
        Some(Region::written(Argument::Output, output, input.item_count).in_place()),
    ]
}

/// Checks what can be known of a scan's arguments without the driver.
#[cfg(feature = "nccl")]
pub(crate) fn check_scan(input: Span, output: Span) -> Result<()> {
    crate::launch::check(&of_scan(input, output))
}
