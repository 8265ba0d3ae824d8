//! Reductions by operators other than `Sum`, `Min` and `Max`. Each reads all items once.

use anyhow::Result;
use bytemuck::Zeroable;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer, DeviceCopy};
use warpfold::{
    ArgMax, ArgMin, ArgMinMax, Dot, Extremes, Kernel, MinMax, Moments, SumOfSquares, kind, reduce,
};

use super::{Buffers, Shape};
use crate::cub::shapes::Arguments;
use crate::data::Measured;

/// The largest relative error that is accepted in a result that is not exact.
const TOLERANCE: f64 = 5e-6;

/// All reductions of this module.
pub fn shapes<'a>(place: &'a Buffers<'a>) -> Result<Vec<Shape<'a>>> {
    let arguments = place.arguments();
    let extremes = Arguments {
        output: place.extremes.as_device_ptr().as_raw(),
        ..arguments
    };
    let items = place.data.first(place.item_count);
    let least = first(&items, |a, b| a < b);
    let largest = first(&items, |a, b| a > b);
    let ends = Extremes {
        min: items[least as usize],
        max: items[largest as usize],
    };
    let squares: f64 = items.iter().map(|&item| f64::from(item).powi(2)).sum();
    let seconds = place.second_data.first(place.item_count);
    let products = items.into_iter().zip(seconds);
    let dot: f64 = products.map(|(a, b)| f64::from(a) * f64::from(b)).sum();
    let mean =
        place.data.sum(place.item_count) as f64 * 2f64.powi(f32::UNIT) / place.item_count as f64;
    Ok(vec![
        reduction::<ArgMin>(
            place,
            "arg min",
            &place.index,
            Some("arg_min"),
            arguments,
            move |found| found == least,
        )?,
        reduction::<ArgMax>(
            place,
            "arg max",
            &place.index,
            Some("arg_max"),
            arguments,
            move |found| found == largest,
        )?,
        reduction::<ArgMinMax>(
            place,
            "arg min and max",
            &place.index_pair,
            None,
            arguments,
            move |found| (found.min, found.max) == (least, largest),
        )?,
        reduction::<MinMax>(
            place,
            "min and max",
            &place.extremes,
            Some("min_max"),
            extremes,
            move |found| found == ends,
        )?,
        reduction::<Moments>(
            place,
            "count, mean and variance",
            &place.moments,
            None,
            arguments,
            move |found| is_near(found.mean(), mean),
        )?,
        reduction::<SumOfSquares>(
            place,
            "sum of squares",
            &place.output,
            Some("sum_of_squares"),
            arguments,
            move |found| is_near(found.into(), squares),
        )?,
        dot_product(place, arguments, dot)?,
    ])
}

/// A reduction of the input by the operator `O`.
fn reduction<'a, O>(
    place: &'a Buffers<'a>,
    name: &str,
    output: &'a DeviceBuffer<O::Output>,
    cub: Option<&str>,
    arguments: Arguments,
    is_right: impl Fn(O::Output) -> bool + 'a,
) -> Result<Shape<'a>>
where
    O: Kernel<kind::reduce, f32>,
    O::Output: DeviceCopy,
{
    let ours = Box::new(move || {
        let mut result = output.index(..1);
        Ok(reduce::<O, _>(&place.input)
            .to(&mut result)
            .queue(place.gpu, place.stream)?)
    });
    Ok(Shape {
        name: name.to_owned(),
        bytes: 4 * place.item_count as u64,
        // SAFETY: the arguments are buffers of `place`, with the values that CUB's call reads, and with room for its result. The buffers
        // outlive the calls and the waits for them.
        calls: unsafe { place.calls(ours, cub, arguments) }?,
        is_right: Box::new(move || {
            let mut found = [O::Output::zeroed()];
            output.index(..1).copy_to(&mut found)?;
            Ok(is_right(found[0]))
        }),
    })
}

fn dot_product<'a>(place: &'a Buffers<'a>, arguments: Arguments, dot: f64) -> Result<Shape<'a>> {
    let ours = Box::new(move || {
        let mut result = place.output.index(..1);
        Ok(reduce::<Dot, _>((&place.input, &place.second))
            .to(&mut result)
            .queue(place.gpu, place.stream)?)
    });
    Ok(Shape {
        name: "dot product".to_owned(),
        bytes: 8 * place.item_count as u64,
        // SAFETY: as in `reduction`, with one buffer more.
        calls: unsafe { place.calls(ours, Some("dot"), arguments) }?,
        is_right: Box::new(move || {
            let found = place.output.index(..1).as_host_vec()?[0];
            Ok(is_near(found.into(), dot))
        }),
    })
}

/// The index of the item that is before all others by `is_before`. If several equal items are before all others, the index of the first.
pub fn first(items: &[f32], is_before: impl Fn(f32, f32) -> bool) -> u64 {
    let mut first = 0;
    for (index, &item) in items.iter().enumerate() {
        if is_before(item, items[first]) {
            first = index;
        }
    }
    first as u64
}

pub fn is_near(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= TOLERANCE * expected.abs()
}
