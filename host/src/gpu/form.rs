//! The forms of a kernel's text. Before the driver's compiler gets a text, the host writes into it what is known of the launches. The
//! compiler then leaves out the code that is not used. A kernel is compiled once for each form that calls need.
//!
//! Sums and inclusive scans of `f32` on an H200, in µs (2026-11-27, `warpfold-bench shapes`), in segments or runs of 32 and in those by a
//! power law. In the first column, only the direction was known, and whether keys are compared. In the second column, the arguments were
//! known that [`windowed`](super::windowed) and its callers name, and the blocks' shape:
//!
//! | | one text for all launches | texts for some launches |
//! |---|---|---|
//! | 2^20, sums of segments | 5.6; 7.8 | 5.0; 7.5 |
//! | scans of segments | 7.3; 12.9 | 6.6; 12.0 |
//! | sums by key | 7.9; 11.1 | 7.3; 10.6 |
//! | scans by key | 6.4; 10.6 | 6.2; 10.2 |
//! | 2^24, sums of segments | 31.1; 42.7 | 29.5; 40.3 |
//! | scans of segments | 48.4; 76.6 | 45.4; 72.6 |
//! | scans by key | 60.3; 82.5 | 60.1; 79.5 |

use warpfold_ptx::direction::{backward, forward};
use warpfold_ptx::keys::keyed;
use warpfold_ptx::{given, indices};

use crate::kernel::{Blocks, Entry};

/// A form of a kernel's text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Form {
    way: Way,
    shape: Shape,
    known: [Known; MOST_KNOWN],
}

/// How a kernel goes over its items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// A scan goes forward.
    Plain,
    /// A scan goes backward.
    Backward,
    /// For scans by key and reductions by key that go forward in one launch: the kernel compares the keys itself. Otherwise, a kernel that
    /// scans or reduces by key compares no keys: it reads the marks of an earlier launch, which say where the runs begin.
    Keyed,
}

/// Which of a kernel's [blocks](Blocks) the launches have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Any,
    Short,
    Long,
    /// Long blocks that take [spans](warpfold_kernels::segments::rings::span_shift). Their threads may have more registers, since fewer of
    /// these blocks share a multiprocessor.
    Spans,
}

/// The most arguments that a form knows.
const MOST_KNOWN: usize = 8;

/// The value of an argument. Forms are compared in each call, so both numbers share a word: the upper 8 bits have the argument's number in
/// its list, plus 1. `Known(0)` stands for nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Known(u32);

const VALUE_BITS: u32 = 24;

impl Known {
    const NOTHING: Self = Self(0);

    /// `None` if the numbers do not fit.
    fn new(number: usize, value: u64) -> Option<Self> {
        let number = u8::try_from(number + 1).ok()?;
        let value = u32::try_from(value).ok()?;
        (value >> VALUE_BITS == 0).then_some(Self(u32::from(number) << VALUE_BITS | value))
    }

    /// The argument's number and value.
    fn argument(self) -> Option<(usize, u64)> {
        let number = (self.0 >> VALUE_BITS).checked_sub(1)?;
        let value = self.0 & ((1 << VALUE_BITS) - 1);
        Some((number as usize, value.into()))
    }
}

impl Way {
    /// The way of a scan in one of the two directions.
    pub fn of_direction(is_reversed: bool) -> Self {
        match is_reversed {
            true => Self::Backward,
            false => Self::Plain,
        }
    }

    /// The form for all launches that go this way.
    pub fn form(self) -> Form {
        Form {
            way: self,
            shape: Shape::Any,
            known: [Known::NOTHING; MOST_KNOWN],
        }
    }
}

impl Form {
    /// The form for those launches whose blocks have this shape.
    pub fn with_shape(self, shape: Shape) -> Self {
        Self { shape, ..self }
    }

    /// The form for those launches whose argument `number` is `value`. A form knows only a few arguments, and only small values. If there
    /// is no room, or if the value is too large, the result is the same form: then the kernel reads the argument.
    pub fn with_known(mut self, number: usize, value: u64) -> Self {
        let mut places = self.known.iter_mut();
        let free = places.find(|known| **known == Known::NOTHING);
        if let (Some(free), Some(known)) = (free, Known::new(number, value)) {
            *free = known;
        }
        self
    }

    /// If the argument is absent: the form for those launches whose argument `number` is 0. Otherwise the same form.
    pub fn with_known_absence(self, number: usize, is_absent: bool) -> Self {
        match is_absent {
            true => self.with_known(number, 0),
            false => self,
        }
    }

    /// The launch bounds that replace those of the kernel's text: the threads of a block, and the number of blocks that share a
    /// multiprocessor. The kernel has these blocks.
    ///
    /// The short blocks that share a multiprocessor have fewer threads together than the long blocks. So the threads of short blocks may
    /// have more registers. Sums of 2^20 `f32` by key in runs of 1 took 8.50 µs with as many registers as in long blocks, and take 8.25 µs
    /// with more (H200, 2026-11-27).
    pub fn bounds(&self, blocks: &Blocks) -> Option<(u32, u32)> {
        let (threads, count) = blocks.bounds?;
        Some(match self.shape {
            Shape::Short => (blocks.short.threads, count),
            Shape::Spans => (2 * blocks.long.threads, count),
            Shape::Any | Shape::Long => (threads, count),
        })
    }

    /// This form of the kernel's text. `None` if the kernel has no text for this way. The kernel has these blocks.
    pub fn written(&self, text: String, entry: &Entry, blocks: &Blocks) -> Option<String> {
        // The constant for comparing keys is set first, since the next step may fold constants.
        let text = match self.way {
            Way::Keyed => keyed(&text)?,
            Way::Plain | Way::Backward => text,
        };
        let text = match (self.way, entry.has_short_indices()) {
            (Way::Backward, _) => backward(&text)?,
            (Way::Plain | Way::Keyed, true) => indices::short(&text)?,
            (Way::Plain | Way::Keyed, false) => forward(text),
        };
        let text = match self.shape {
            Shape::Any => text,
            Shape::Short => given::with_threads(&text, blocks.short.threads),
            Shape::Long | Shape::Spans => given::with_threads(&text, blocks.long.threads),
        };
        let known = self.known.iter().filter_map(|known| known.argument());
        let known: Vec<(usize, u64)> = known.collect();
        Some(match known.is_empty() {
            true => text,
            false => given::with_arguments(&text, entry.symbol(), &known),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(not(feature = "cuda_builder"))]
    use crate::launch::*;
    #[cfg(not(feature = "cuda_builder"))]
    use crate::ptx::shipped_text;

    fn arguments(form: Form) -> Vec<(usize, u64)> {
        form.known
            .iter()
            .filter_map(|known| known.argument())
            .collect()
    }

    #[test]
    fn a_form_knows_small_values_only() {
        let form = Way::Plain.form();
        let form = form.with_known(0, 0).with_known(14, (1 << 24) - 1);
        assert_eq!(arguments(form), [(0, 0), (14, (1 << 24) - 1)]);
        assert_eq!(form.with_known(3, 1 << 24), form);
        assert_eq!(form.with_known(3, u64::MAX), form);
    }

    /// Otherwise the kernels would still be right, but slower.
    #[cfg(not(feature = "cuda_builder"))]
    #[test]
    fn known_arguments_are_written_into_shipped_texts() {
        macro_rules! numbers {
            ($words:ident: $($argument:ident)*) => { vec![$(number_of!($words.$argument)),*] };
        }
        let kernels = [
            (
                "segmented_reduce_sum_f32",
                numbers!(SegmentedReduceWords: offset_bytes row_items segment_count_at windows_per_block window_shift),
            ),
            (
                "segmented_scan_sum_f32",
                numbers!(SegmentedScanWords: offset_bytes windows_per_block window_shift is_exclusive warps_scan),
            ),
            (
                "by_key_reduce_sum_f32",
                numbers!(ByKeyReduceWords: item_count_at key_bytes first_keys starts window_shift),
            ),
            (
                "by_key_scan_sum_f32",
                numbers!(ByKeyScanWords: item_count_at key_bytes window_shift is_exclusive),
            ),
        ];
        for (symbol, numbers) in kernels {
            let text = shipped_text(symbol, (9, 0)).unwrap();
            let known: Vec<(usize, u64)> = numbers.iter().map(|&number| (number, 1)).collect();
            let written = given::with_arguments(&text, symbol, &known);
            for number in numbers {
                let argument = format!("[{symbol}_param_{number}]");
                assert!(text.contains(&argument), "{argument}");
                assert!(!written.contains(&argument), "{argument}");
            }
            let written = given::with_threads(&written, 128);
            assert!(
                text.contains("%ntid") && !written.contains("%ntid"),
                "{symbol}"
            );
        }
    }

    #[test]
    fn a_full_form_stays_as_it_is() {
        let mut form = Way::Keyed.form();
        for number in 0..MOST_KNOWN {
            form = form.with_known(number, 7);
        }
        assert_eq!(arguments(form).len(), MOST_KNOWN);
        assert_eq!(form.with_known(MOST_KNOWN, 7), form);
    }
}
