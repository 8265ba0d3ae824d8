//! What the text of a kernel that works on windows may know of its launches. The host writes these numbers into the text, so the driver's
//! compiler leaves out the code that they rule out.
//!
//! A launch has short blocks or long blocks (see [`Blocks`](super::Blocks)). With long blocks, all windows have their full size. With short
//! blocks, a block has one window, unless the segments are rows.
//!
//! Sums and inclusive scans of `f32` on an H200, in µs (2026-11-27, `warpfold-bench shapes`). Segments have 32 items, or lengths by a power
//! law:
//!
//! | | one text for all launches | texts for short and long blocks |
//! |---|---|---|
//! | 2^16, sums of segments | 4.5; 5.9 | 4.0; 5.4 |
//! | scans of segments | 5.1; 9.1 | 4.6; 8.5 |
//! | 2^20, sums by key | 7.9; 11.1 | 7.3; 10.5 |
//! | scans by key | 6.4; 10.6 | 6.2; 10.3 |
//! | 2^24, sums of segments | 31.1; 42.7 | 29.5; 40.3 |
//! | scans of segments | 48.4; 76.6 | 46.2; 74.3 |

use std::mem::offset_of;

use crate::launch::{ByKeyReduceWords, ByKeyScanWords, SegmentedReduceWords, SegmentedScanWords};

/// For which launches a text is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Launches {
    /// All launches.
    #[default]
    All,
    /// All launches over rows.
    Rows,
    /// The launches with short blocks, over segments or runs.
    Short(Width),
    /// The launches with long blocks, over segments or runs.
    Long(Width),
}

/// The size in bytes of an offset, or of a key that the kernel compares. 0 if the text does not know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Width(pub u8);

/// What a text may know of its launches over windows.
#[derive(Debug, Clone, Copy)]
pub struct Windows {
    pub(super) places: Places,
    /// The binary logarithm of the number of diagonals of a window of full size.
    pub(super) full_shift: u32,
}

/// The numbers that arguments have in the kernel's list.
#[derive(Debug, Clone, Copy)]
pub(super) struct Places {
    width: usize,
    window_shift: usize,
    /// Only launches over segments have this argument and the next one.
    row_items: Option<usize>,
    windows_per_block: Option<usize>,
}

/// The number of an argument in a list of words.
macro_rules! number {
    ($words:ident.$argument:ident) => {
        offset_of!($words, $argument) / size_of::<u64>()
    };
}

impl Places {
    pub const OF_SEGMENTED_REDUCTION: Self = Self {
        width: number!(SegmentedReduceWords.offset_bytes),
        window_shift: number!(SegmentedReduceWords.window_shift),
        row_items: Some(number!(SegmentedReduceWords.row_items)),
        windows_per_block: Some(number!(SegmentedReduceWords.windows_per_block)),
    };
    pub const OF_SEGMENTED_SCAN: Self = Self {
        width: number!(SegmentedScanWords.offset_bytes),
        window_shift: number!(SegmentedScanWords.window_shift),
        row_items: Some(number!(SegmentedScanWords.row_items)),
        windows_per_block: Some(number!(SegmentedScanWords.windows_per_block)),
    };
    pub const OF_BY_KEY_REDUCTION: Self = Self {
        width: number!(ByKeyReduceWords.key_bytes),
        window_shift: number!(ByKeyReduceWords.window_shift),
        row_items: None,
        windows_per_block: None,
    };
    pub const OF_BY_KEY_SCAN: Self = Self {
        width: number!(ByKeyScanWords.key_bytes),
        window_shift: number!(ByKeyScanWords.window_shift),
        row_items: None,
        windows_per_block: None,
    };
}

impl Windows {
    /// The arguments of these launches that the text knows: their numbers and their values.
    pub(crate) fn arguments(&self, launches: Launches) -> Vec<(usize, u64)> {
        let Places {
            width,
            window_shift,
            row_items,
            windows_per_block,
        } = self.places;
        let width_of = |Width(bytes)| (bytes > 0).then_some((width, u64::from(bytes)));
        let no_rows = row_items.map(|number| (number, 0));
        let known = match launches {
            Launches::All => [None; 3],
            // Rows have no offsets.
            Launches::Rows => [Some((width, 0)), None, None],
            Launches::Short(bytes) => [
                width_of(bytes),
                no_rows,
                windows_per_block.map(|number| (number, 1)),
            ],
            Launches::Long(bytes) => [
                width_of(bytes),
                no_rows,
                Some((window_shift, self.full_shift.into())),
            ],
        };
        known.into_iter().flatten().collect()
    }
}
