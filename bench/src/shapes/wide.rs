//! Wide items, and scans in both directions.

use anyhow::Result;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use warpfold::{Item, Kernel, Op, Sum, kind, reduce, scan};
use wide_operators::operators::Total;

use super::{Buffers, Shape};
use crate::data::{Accumulator, Measured, Rounding};

/// The value of each byte of the wide items.
const BYTE: u8 = 1;

/// Items of type `T`: as many as fit into one of the buffers of `f32`.
pub struct Wide<T: DeviceCopy> {
    input: DeviceBuffer<T>,
    output: DeviceBuffer<T>,
}

impl<T> Wide<T>
where
    T: Item + DeviceCopy + PartialEq,
    Total: Kernel<kind::reduce, T, Output = T> + Kernel<kind::inclusive_scan, T>,
{
    pub fn new(place: &Buffers<'_>) -> Result<Self> {
        let item_count = 4 * place.item_count / size_of::<T>();
        let mut input = DeviceBuffer::zeroed(item_count)?;
        input.set_8(BYTE)?;
        Ok(Self {
            input,
            output: DeviceBuffer::zeroed(item_count)?,
        })
    }

    /// The sum and the inclusive sums. CUB is not measured with these items.
    pub fn shapes<'b>(&'b self, place: &'b Buffers<'_>) -> Result<Vec<Shape<'b>>> {
        let sum = Box::new(move || {
            Ok(reduce::<Total, _>(&self.input)
                .to(&mut self.output.index(..1))
                .queue(place.gpu, place.stream)?)
        });
        let sums = Box::new(move || {
            Ok(scan::<Total, _>(&self.input)
                .to(&mut self.output.index(..))
                .queue(place.gpu, place.stream)?)
        });
        let (items, width) = (self.input.len(), size_of::<T>());
        let bytes = (items * width) as u64;
        Ok(vec![
            Shape {
                name: format!("sum, items of {width} bytes"),
                bytes,
                // SAFETY: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(sum, None, place.arguments()) }?,
                is_right: Box::new(move || self.are_sums(&[(0, items)])),
            },
            Shape {
                name: format!("inclusive sums, items of {width} bytes"),
                bytes: 2 * bytes,
                // SAFETY: as above: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(sums, None, place.arguments()) }?,
                is_right: Box::new(move || {
                    self.are_sums(&[0, items / 3, items - 1].map(|at| (at, at + 1)))
                }),
            },
        ])
    }

    /// Whether the output has the right sums. Each pair in `places` has an index in the output, and the number of items in the sum at this
    /// index.
    fn are_sums(&self, places: &[(usize, usize)]) -> Result<bool> {
        let mut item = T::zeroed();
        bytemuck::bytes_of_mut(&mut item).fill(BYTE);
        for &(at, count) in places {
            let mut found = [T::zeroed()];
            self.output.index(at..at + 1).copy_to(&mut found)?;
            if found[0] != times(item, count) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The sum of `count` items that are all equal to `power`.
fn times<T: Item>(mut power: T, mut count: usize) -> T
where
    Total: Kernel<kind::reduce, T, Output = T>,
{
    let add = |left: T, right: T| {
        let [left, right] = [left, right].map(<Total as Op<T>>::lift);
        <Total as Op<T>>::lower(<Total as Op<T>>::combine(left, right))
    };
    let mut sum = <Total as Op<T>>::lower(<Total as Op<T>>::identity());
    while count > 0 {
        if count % 2 == 1 {
            sum = add(sum, power);
        }
        power = add(power, power);
        count /= 2;
    }
    sum
}

/// The inclusive sums in both directions.
pub fn directions<'a>(place: &'a Buffers<'a>) -> Result<Vec<Shape<'a>>> {
    let forward = Box::new(move || {
        Ok(scan::<Sum, _>(&place.input)
            .to(&mut place.output.index(..))
            .queue(place.gpu, place.stream)?)
    });
    let reversed = Box::new(move || {
        Ok(scan::<Sum, _>(&place.input)
            .reversed()
            .to(&mut place.output.index(..))
            .queue(place.gpu, place.stream)?)
    });
    let items = place.item_count;
    let is_total_at = move |at: usize| {
        let mut found = [0.0f32];
        place.output.index(at..at + 1).copy_to(&mut found)?;
        let rounding = Rounding {
            item_count: items,
            accumulator: Accumulator::Result,
        };
        Ok(found[0].is_sum(place.data.sum(items), rounding))
    };
    let bytes = 8 * items as u64;
    Ok(vec![
        Shape {
            name: "inclusive sums, forward".to_owned(),
            bytes,
            // SAFETY: without a call of CUB's, the arguments are not used.
            calls: unsafe { place.calls(forward, None, place.arguments()) }?,
            is_right: Box::new(move || is_total_at(items - 1)),
        },
        Shape {
            name: "inclusive sums, reversed".to_owned(),
            bytes,
            // SAFETY: as above: without a call of CUB's, the arguments are not used.
            calls: unsafe { place.calls(reversed, None, place.arguments()) }?,
            is_right: Box::new(move || is_total_at(0)),
        },
    ])
}
