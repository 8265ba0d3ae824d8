//! Segments of many lengths.

use std::iter;

use anyhow::Result;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::{Sum, reduce, scan};

use super::{Buffers, Shape};
use crate::cub::shapes::Arguments;
use crate::data::{Accumulator, Measured, Rounding};

/// The lengths of the segments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lengths {
    /// All have this length, except the last segment if too few items are left.
    Same(usize),
    /// The lengths vary: from 8 to a sixteenth of all items, and about 40 on average. The last segment may be shorter.
    PowerLaw,
}

impl Lengths {
    /// The name of parts with these lengths. `parts` is "segments" or "runs".
    pub fn of(self, parts: &str) -> String {
        match self {
            Lengths::Same(length) => format!("{parts} of {length}"),
            Lengths::PowerLaw => format!("{parts} by a power law"),
        }
    }
}

/// The lengths that are useful with `item_count` items.
pub fn cuts(item_count: usize) -> impl Iterator<Item = Lengths> {
    let same = [1, 32, 1024, 65_536].map(Lengths::Same);
    let fits =
        move |lengths: &Lengths| !matches!(lengths, Lengths::Same(length) if *length > item_count);
    same.into_iter().chain([Lengths::PowerLaw]).filter(fits)
}

/// The items of the buffers, cut into segments.
pub struct Cut<'a> {
    place: &'a Buffers<'a>,
    lengths: Lengths,
    ends: Vec<u32>,
    offsets: DeviceBuffer<u32>,
}

impl<'a> Cut<'a> {
    pub fn new(place: &'a Buffers<'a>, lengths: Lengths) -> Result<Self> {
        let ends = offsets(lengths, place.item_count);
        Ok(Self {
            place,
            lengths,
            offsets: DeviceBuffer::from_slice(&ends)?,
            ends,
        })
    }

    pub fn segment_count(&self) -> usize {
        self.ends.len() - 1
    }

    /// For each item, the index of its segment.
    pub fn numbers(&self) -> Vec<u32> {
        let segments = (0..).zip(self.ends.windows(2));
        segments
            .flat_map(|(number, ends)| iter::repeat_n(number, (ends[1] - ends[0]) as usize))
            .collect()
    }

    /// The sums and the inclusive scans of the segments, by offsets. If all segments have the same length, also their sums as rows.
    pub fn shapes<'b>(&'b self) -> Result<Vec<Shape<'b>>> {
        let Self { place, .. } = *self;
        let what = self.lengths.of("segments");
        let arguments = Arguments {
            offsets: self.offsets.as_device_ptr().as_raw(),
            segment_count: self.segment_count() as i64,
            segment_items: match self.lengths {
                Lengths::Same(length) => length as i64,
                Lengths::PowerLaw => 0,
            },
            ..place.arguments()
        };
        let (items, segments) = (place.item_count as u64, self.segment_count() as u64);
        let by_offsets = Box::new(move || {
            let mut output = place.output.index(..self.segment_count());
            Ok(reduce::<Sum, _>(&place.input)
                .segments(&self.offsets)
                .to(&mut output)
                .queue(place.gpu, place.stream)?)
        });
        let mut shapes = vec![Shape {
            name: format!("sums, offsets, {what}"),
            bytes: 4 * items + 8 * segments + 4,
            // SAFETY: the arguments are buffers of `place` and of `self`, with the values that CUB's call reads, and with room for its
            // results. The buffers outlive the calls and the waits for them.
            calls: unsafe { place.calls(by_offsets, Some("segmented_sum"), arguments) }?,
            is_right: Box::new(|| self.are_sums()),
        }];
        shapes.push(self.scan(&what, arguments)?);
        if let Lengths::Same(length) = self.lengths {
            let rows = Box::new(move || {
                let mut output = place.output.index(..self.segment_count());
                Ok(reduce::<Sum, _>(&place.input)
                    .rows(length)
                    .to(&mut output)
                    .queue(place.gpu, place.stream)?)
            });
            shapes.push(Shape {
                name: format!("sums, rows of {length}"),
                bytes: 4 * items + 4 * segments,
                // SAFETY: as above.
                calls: unsafe { place.calls(rows, Some("segmented_sum_of_rows"), arguments) }?,
                is_right: Box::new(|| self.are_sums()),
            });
        }
        Ok(shapes)
    }

    /// The inclusive scan of the segments.
    fn scan<'b>(&'b self, what: &str, arguments: Arguments) -> Result<Shape<'b>> {
        let place = self.place;
        let ours = Box::new(move || {
            Ok(scan::<Sum, _>(&place.input)
                .segments(&self.offsets)
                .to(&mut place.output.index(..))
                .queue(place.gpu, place.stream)?)
        });
        Ok(Shape {
            name: format!("inclusive scans, offsets, {what}"),
            bytes: (8 * place.item_count + 4 * self.segment_count() + 4) as u64,
            // SAFETY: as in `shapes`.
            calls: unsafe { place.calls(ours, Some("segmented_inclusive_sum"), arguments) }?,
            is_right: Box::new(|| self.are_scans(true)),
        })
    }

    /// Whether the last result is right in each segment of a sample. The last result is the sum of all items of the segment (inclusive), or
    /// of all but the last (exclusive).
    pub fn are_scans(&self, included: bool) -> Result<bool> {
        let data = &self.place.data;
        let step = (self.segment_count() / 1000).max(1);
        let bounds = iter::zip(&self.ends, &self.ends[1..]);
        for (&begin, &end) in bounds.step_by(step).filter(|(begin, end)| begin < end) {
            let (begin, end) = (begin as usize, end as usize);
            let last = self.place.output.index(end - 1..end).as_host_vec()?[0];
            let summed_to = if included { end } else { end - 1 };
            let rounding = Rounding {
                item_count: end - begin,
                accumulator: Accumulator::Result,
            };
            if !last.is_sum(data.sum(summed_to) - data.sum(begin), rounding) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Whether the output has each segment's sum.
    pub fn are_sums(&self) -> Result<bool> {
        let mut found = vec![0.0f32; self.segment_count()];
        self.place.output.index(..found.len()).copy_to(&mut found)?;
        let data = &self.place.data;
        let bounds = iter::zip(&self.ends, &self.ends[1..]);
        Ok(iter::zip(found, bounds).all(|(sum, (&begin, &end))| {
            let rounding = Rounding {
                item_count: (end - begin) as usize,
                accumulator: Accumulator::Result,
            };
            sum.is_sum(data.sum(end as usize) - data.sum(begin as usize), rounding)
        }))
    }
}

/// The starts of the segments, and the end of the last segment.
fn offsets(lengths: Lengths, item_count: usize) -> Vec<u32> {
    let mut random = fastrand::Rng::with_seed(48);
    let most = (item_count / 16).max(8);
    let mut next = || match lengths {
        Lengths::Same(length) => length,
        Lengths::PowerLaw => {
            (8.0 * (1.0 - random.f64()).powf(-1.0 / 1.2)).min(most as f64) as usize
        }
    };
    let mut offsets = vec![0];
    let mut end = 0;
    while end < item_count {
        end = item_count.min(end + next());
        offsets.push(end as u32);
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_cover_all_items() {
        for lengths in cuts(1 << 20) {
            let offsets = offsets(lengths, 1 << 20);
            assert_eq!(
                (offsets[0], offsets[offsets.len() - 1]),
                (0, 1 << 20),
                "{lengths:?}"
            );
            assert!(offsets.is_sorted(), "{lengths:?}");
        }
        let segments = offsets(Lengths::PowerLaw, 1 << 20).len() - 1;
        assert!(
            (1 << 20) / segments > 24 && (1 << 20) / segments < 96,
            "{segments}"
        );
        assert_eq!(cuts(4096).count(), 4);
    }
}
