//! Sums and scans of the values of equal keys.

use anyhow::Result;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::{Equal, Sum, exclusive_scan_by_key_on, inclusive_scan_by_key_on, reduce_by_key_on};

use super::segments::{Cut, Lengths};
use super::{Place, Shape};
use crate::cub::shapes::Arguments;

/// The items of a place, with keys in runs of one length.
pub struct Keyed<'a> {
    place: &'a Place<'a>,
    length: usize,
    /// What is to come out.
    cut: Cut<'a>,
    keys: DeviceBuffer<u32>,
    keys_out: DeviceBuffer<u32>,
    starts: DeviceBuffer<u32>,
}

impl<'a> Keyed<'a> {
    pub fn new(place: &'a Place<'a>, length: usize) -> Result<Self> {
        let keys: Vec<u32> = (0..place.item_count)
            .map(|index| (index / length) as u32)
            .collect();
        Ok(Self {
            place,
            length,
            cut: Cut::new(place, Lengths::Same(length))?,
            keys: DeviceBuffer::from_slice(&keys)?,
            keys_out: DeviceBuffer::zeroed(place.item_count)?,
            starts: DeviceBuffer::zeroed(place.item_count + 1)?,
        })
    }

    /// Sums and scans.
    pub fn shapes<'b>(&'b self) -> Result<Vec<Shape<'b>>> {
        let Self { place, length, .. } = *self;
        let arguments = Arguments {
            keys: self.keys.as_device_ptr().as_raw(),
            keys_out: self.keys_out.as_device_ptr().as_raw(),
            ..place.arguments()
        };
        let (items, runs) = (place.item_count as u64, self.cut.segment_count() as u64);
        let shape = |what: &str, bytes, calls| Shape {
            name: format!("{what} by key, runs of {length}"),
            bytes,
            calls,
            is_right: Box::new(|| Ok(true)),
        };
        let sums = Box::new(move || {
            let (mut keys, mut sums) = (self.keys_out.index(..), place.output.index(..));
            Ok(reduce_by_key_on::<Sum, Equal, _, _, _>(
                place.gpu,
                place.stream,
                &self.keys,
                &place.input,
                (&mut keys, &mut sums),
                &mut self.starts.index(..),
                &mut place.index.index(..),
            )?)
        });
        let inclusive = Box::new(move || {
            let (mut starts, mut count) = (self.starts.index(..), place.index.index(..));
            Ok(inclusive_scan_by_key_on::<Sum, Equal, _, _, _>(
                place.gpu,
                place.stream,
                &self.keys,
                &place.input,
                &mut place.output.index(..),
                (&mut starts, &mut count),
            )?)
        });
        let exclusive = Box::new(move || {
            let (mut starts, mut count) = (self.starts.index(..), place.index.index(..));
            Ok(exclusive_scan_by_key_on::<Sum, Equal, _, _, _>(
                place.gpu,
                place.stream,
                &self.keys,
                &place.input,
                &mut place.output.index(..),
                (&mut starts, &mut count),
            )?)
        });
        // SAFETY: the arguments are of buffers of the place and of this, which outlive the calls and whoever waits for them.
        unsafe {
            Ok(vec![
                Shape {
                    is_right: Box::new(|| Ok(self.are_keys()? && self.cut.are_sums()?)),
                    ..shape(
                        "sums",
                        8 * (items + runs),
                        place.calls(sums, Some("reduce_by_key"), arguments)?,
                    )
                },
                Shape {
                    is_right: Box::new(|| self.cut.are_scans(true)),
                    ..shape(
                        "inclusive scans",
                        12 * items,
                        place.calls(inclusive, Some("inclusive_sum_by_key"), arguments)?,
                    )
                },
                Shape {
                    is_right: Box::new(|| self.cut.are_scans(false)),
                    ..shape(
                        "exclusive scans",
                        12 * items,
                        place.calls(exclusive, Some("exclusive_sum_by_key"), arguments)?,
                    )
                },
            ])
        }
    }

    /// Whether the count is right, and so are the first keys.
    fn are_keys(&self) -> Result<bool> {
        let runs = self.cut.segment_count();
        let mut keys = vec![0; runs.min(1 << 20)];
        self.keys_out.index(..keys.len()).copy_to(&mut keys)?;
        Ok(self.place.index.as_host_vec()?[0] == runs as u64
            && keys.iter().enumerate().all(|(run, &key)| key == run as u32))
    }
}
