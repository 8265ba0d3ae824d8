//! Selections of some percent of the items, and runs of equal keys.

use anyhow::Result;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::{Equal, Flagged, NonZero, runs, select};

use super::{Buffers, Shape};
use crate::cub::shapes::Arguments;
use crate::data::Data;

/// Shares that are selected, in percent.
pub const SHARES: [u8; 3] = [10, 50, 90];

/// Lengths of runs.
pub const RUNS: [usize; 3] = [1, 32, 4096];

/// Items, and flags for them. About `share` percent of the items are not 0.
pub struct Chosen<'a> {
    place: &'a Buffers<'a>,
    share: u8,
    data: Data<f32>,
    input: DeviceBuffer<f32>,
    flags: DeviceBuffer<u8>,
    others: DeviceBuffer<f32>,
}

impl<'a> Chosen<'a> {
    pub fn new(place: &'a Buffers<'a>, share: u8) -> Result<Self> {
        let mut random = fastrand::Rng::with_seed(share.into());
        let mut kept = |item: f32| match random.u8(..100) < share {
            true => item.max(f32::MIN_POSITIVE),
            false => 0.0,
        };
        let items = place.data.period().iter().map(|&item| kept(item));
        let data = Data::of(items.collect());
        let flags: Vec<u8> = data
            .period()
            .iter()
            .map(|&item| u8::from(item != 0.0))
            .collect();
        Ok(Self {
            place,
            share,
            input: data.upload(place.item_count)?,
            flags: Data::of(flags).upload(place.item_count)?,
            others: DeviceBuffer::zeroed(place.item_count)?,
            data,
        })
    }

    /// Selections by a predicate, selections by flags, and partitions by a predicate.
    pub fn shapes<'b>(&'b self) -> Result<Vec<Shape<'b>>> {
        let Self { place, share, .. } = *self;
        let arguments = Arguments {
            input: self.input.as_device_ptr().as_raw(),
            flags: self.flags.as_device_ptr().as_raw(),
            ..place.arguments()
        };
        let by_predicate = Box::new(move || {
            let (mut output, mut count) = (place.output.index(..), place.index.index(..));
            Ok(select::<NonZero, _>(&self.input)
                .to(&mut output)
                .count_to(&mut count)
                .queue(place.gpu, place.stream)?)
        });
        let by_flags = Box::new(move || {
            let (mut output, mut count) = (place.output.index(..), place.index.index(..));
            Ok(select::<Flagged, _>((&self.input, &self.flags))
                .to(&mut output)
                .count_to(&mut count)
                .queue(place.gpu, place.stream)?)
        });
        let parted = Box::new(move || {
            let (mut output, mut others) = (place.output.index(..), self.others.index(..));
            let mut count = place.index.index(..);
            Ok(select::<NonZero, _>(&self.input)
                .to(&mut output)
                .rest_to(&mut others)
                .count_to(&mut count)
                .queue(place.gpu, place.stream)?)
        });
        let items = place.item_count as u64;
        let selected = self.selected(place.item_count) as u64;
        let shape = |what: &str, bytes, calls| Shape {
            name: format!("{what}, {share} %"),
            bytes,
            calls,
            is_right: Box::new(|| self.is_selected()),
        };
        // SAFETY: the arguments are buffers of `place` and of `self`, with the values that CUB's calls read, and with room for their
        // results. The buffers outlive the calls and the waits for them.
        unsafe {
            Ok(vec![
                shape(
                    "select if",
                    4 * (items + selected),
                    place.calls(by_predicate, Some("select_if"), arguments)?,
                ),
                shape(
                    "select flagged",
                    5 * items + 4 * selected,
                    place.calls(by_flags, Some("select_flagged"), arguments)?,
                ),
                shape(
                    "partition if",
                    8 * items,
                    place.calls(parted, Some("partition_if"), arguments)?,
                ),
            ])
        }
    }

    /// How many of the first items are selected.
    fn selected(&self, item_count: usize) -> usize {
        let items = self.data.period().iter().cycle().take(item_count);
        items.filter(|&&item| item != 0.0).count()
    }

    /// Whether the count and the first selected items are right.
    fn is_selected(&self) -> Result<bool> {
        let count = self.place.index.as_host_vec()?[0];
        let period = self.data.period().iter().copied();
        let expected: Vec<f32> = period.filter(|&item| item != 0.0).collect();
        let mut found = vec![0.0f32; expected.len()];
        self.place.output.index(..found.len()).copy_to(&mut found)?;
        Ok(count == self.selected(self.place.item_count) as u64 && found == expected)
    }
}

/// Ascending keys, each `length` times. The last key may occur fewer times.
fn keys_of_runs(key_count: usize, length: usize) -> Result<DeviceBuffer<u32>> {
    let keys: Vec<u32> = (0..key_count)
        .map(|index| (index / length) as u32)
        .collect();
    Ok(DeviceBuffer::from_slice(&keys)?)
}

/// Keys in runs that all have the same length.
pub struct Runs<'a> {
    place: &'a Buffers<'a>,
    length: usize,
    keys: DeviceBuffer<u32>,
    keys_out: DeviceBuffer<u32>,
    lengths: DeviceBuffer<u32>,
}

impl<'a> Runs<'a> {
    pub fn new(place: &'a Buffers<'a>, length: usize) -> Result<Self> {
        Ok(Self {
            place,
            length,
            keys: keys_of_runs(place.item_count, length)?,
            keys_out: DeviceBuffer::zeroed(place.item_count)?,
            lengths: DeviceBuffer::zeroed(place.item_count)?,
        })
    }

    /// Finds the keys and the lengths of the runs.
    pub fn shape<'b>(&'b self) -> Result<Shape<'b>> {
        let Self { place, length, .. } = *self;
        let arguments = Arguments {
            keys: self.keys.as_device_ptr().as_raw(),
            keys_out: self.keys_out.as_device_ptr().as_raw(),
            output: self.lengths.as_device_ptr().as_raw(),
            ..place.arguments()
        };
        let ours = Box::new(move || {
            let (mut keys, mut lengths) = (self.keys_out.index(..), self.lengths.index(..));
            Ok(runs::<Equal, _>(&self.keys)
                .to(&mut keys)
                .lengths_to(&mut lengths)
                .count_to(&mut place.index.index(..))
                .queue(place.gpu, place.stream)?)
        });
        let runs = place.item_count.div_ceil(length);
        Ok(Shape {
            name: format!("run lengths, runs of {length}"),
            bytes: (4 * place.item_count + 8 * runs) as u64,
            // SAFETY: the arguments are buffers of `place` and of `self`, with the values that CUB's call reads, and with room for its
            // results. The buffers outlive the calls and the waits for them.
            calls: unsafe { place.calls(ours, Some("run_length_encode"), arguments) }?,
            is_right: Box::new(move || {
                let looked_at = runs.min(1 << 20);
                let (mut keys, mut lengths) = (vec![0; looked_at], vec![0; looked_at]);
                self.keys_out.index(..looked_at).copy_to(&mut keys)?;
                self.lengths.index(..looked_at).copy_to(&mut lengths)?;
                let last = place.item_count - (runs - 1) * length;
                Ok(place.index.as_host_vec()?[0] == runs as u64
                    && keys.iter().enumerate().all(|(run, &key)| key == run as u32)
                    && lengths.iter().enumerate().all(|(run, &found)| {
                        found as usize == if run + 1 == runs { last } else { length }
                    }))
            }),
        })
    }
}
