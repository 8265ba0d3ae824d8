//! Sums and scans of the values in runs of equal keys. A sum by key writes what CUB's `ReduceByKey` writes: the first key and the sum of
//! each run, and the number of runs. It does not write where the runs start.

use anyhow::Result;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::{Equal, Sum, reduce, scan};

use super::segments::{Cut, Lengths};
use super::{Buffers, Shape};
use crate::cub::shapes::Arguments;

/// The items of the buffers, with keys in runs.
pub struct Keyed<'a> {
    place: &'a Buffers<'a>,
    /// The name of the runs, such as "runs of 32".
    runs: String,
    /// The runs, as segments.
    cut: Cut<'a>,
    keys: DeviceBuffer<u32>,
    keys_out: DeviceBuffer<u32>,
}

impl<'a> Keyed<'a> {
    pub fn new(place: &'a Buffers<'a>, lengths: Lengths) -> Result<Self> {
        let cut = Cut::new(place, lengths)?;
        Ok(Self {
            place,
            runs: lengths.of("runs"),
            keys: DeviceBuffer::from_slice(&cut.numbers())?,
            cut,
            keys_out: DeviceBuffer::zeroed(place.item_count)?,
        })
    }

    /// Sums and scans.
    pub fn shapes<'b>(&'b self) -> Result<Vec<Shape<'b>>> {
        Ok(vec![self.sums()?, self.scans(true)?, self.scans(false)?])
    }

    fn sums<'b>(&'b self) -> Result<Shape<'b>> {
        let place = self.place;
        let ours = Box::new(move || {
            let (mut keys, mut sums) = (self.keys_out.index(..), place.output.index(..));
            Ok(reduce::<Sum, _>(&place.input)
                .by_key::<Equal, _>(&self.keys)
                .keys_to(&mut keys)
                .to(&mut sums)
                .count_to(&mut place.index.index(..))
                .queue(place.gpu, place.stream)?)
        });
        Ok(Shape {
            name: format!("sums by key, {}", self.runs),
            bytes: 8 * (place.item_count + self.cut.segment_count()) as u64,
            // SAFETY: the arguments are buffers of `place` and of `self`, with the values that CUB's call reads, and with room for its
            // results. The buffers outlive the calls and the waits for them.
            calls: unsafe { place.calls(ours, Some("reduce_by_key"), self.arguments()) }?,
            is_right: Box::new(|| Ok(self.are_keys()? && self.cut.are_sums()?)),
        })
    }

    /// Scans, inclusive or exclusive.
    fn scans<'b>(&'b self, included: bool) -> Result<Shape<'b>> {
        let place = self.place;
        let ours = Box::new(move || {
            let mut output = place.output.index(..);
            let scan = scan::<Sum, _>(&place.input)
                .by_key::<Equal, _>(&self.keys)
                .to(&mut output);
            match included {
                true => scan.queue(place.gpu, place.stream)?,
                false => scan.exclusive().queue(place.gpu, place.stream)?,
            }
            Ok(())
        });
        let kind = if included { "inclusive" } else { "exclusive" };
        let cub = format!("{kind}_sum_by_key");
        Ok(Shape {
            name: format!("{kind} scans by key, {}", self.runs),
            bytes: 12 * place.item_count as u64,
            // SAFETY: as in `sums`.
            calls: unsafe { place.calls(ours, Some(&cub), self.arguments()) }?,
            is_right: Box::new(move || self.cut.are_scans(included)),
        })
    }

    fn arguments(&self) -> Arguments {
        Arguments {
            keys: self.keys.as_device_ptr().as_raw(),
            keys_out: self.keys_out.as_device_ptr().as_raw(),
            ..self.place.arguments()
        }
    }

    /// Whether the number of runs and the keys of the first runs are right.
    fn are_keys(&self) -> Result<bool> {
        let runs = self.cut.segment_count();
        let mut keys = vec![0; runs.min(1 << 20)];
        self.keys_out.index(..keys.len()).copy_to(&mut keys)?;
        Ok(self.place.index.as_host_vec()?[0] == runs as u64
            && keys.iter().enumerate().all(|(run, &key)| key == run as u32))
    }
}
