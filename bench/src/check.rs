//! Checks results.
//!
//! Sums of integers must be exact. Sums of floats must be within a bound on the rounding error. A maximum must equal the largest item. A
//! copy must equal the input. Of a long scan or copy, only some windows of consecutive results are checked. They are spread evenly from the
//! first result to the last. Each result of a scan contains all earlier items. So an error between two windows usually makes the results of
//! the next window wrong, too. If a list is short, the sums and scans that warpfold computes on the GPU must also have the same bits as
//! those that it computes on the CPU (the reference).

use anyhow::Result;
use bytemuck::cast_slice;
use warpfold::cust::memory::DeviceSlice;
use warpfold::{Cpu, Kernel, Sum, kind, reduce, scan};

use crate::contender::Buffers;
use crate::data::{Accumulator, Data, Measured, Rounding};
use crate::record::{Case, Side, Verdict};

/// The number of items of the longest list whose result must have the reference's bits.
const BITS_COMPARED: usize = 1 << 18;

/// The number of items of a window.
const WINDOW: usize = 1 << 12;

/// At most this many windows are checked.
const WINDOWS: usize = 16;

/// Checks the outputs of a call. The call's input is the beginning of `data`.
pub fn verdict<T: Measured>(
    side: Side,
    case: Case,
    data: &Data<T>,
    place: &Buffers<'_, T>,
) -> Result<Verdict>
where
    Sum: Kernel<kind::reduce, T, Output = T>,
{
    let (item_count, output) = (place.input.len(), &place.output);
    let has_bits = side != Side::Warpfold
        || item_count > BITS_COMPARED
        || has_reference_bits(case, data, place)?;
    let rounding = |item_count| Rounding {
        item_count,
        accumulator: match side {
            Side::Warpfold => Accumulator::F32,
            Side::Cub | Side::Driver => Accumulator::Result,
        },
    };
    let is_right = has_bits
        && match case {
            Case::ReduceSum => {
                let found = output.index(..1).as_host_vec()?[0];
                found.is_sum(data.sum(item_count), rounding(item_count))
            }
            Case::ReduceMax => output.index(..1).as_host_vec()? == [data.largest(item_count)],
            Case::ReduceWideSum => {
                let found = place.wide.as_host_vec()?[0];
                found.is_sum(data.wide_sum(item_count), rounding(item_count))
            }
            Case::InclusiveSum => are_windows_right(item_count, output, |index, item| {
                item.is_sum(data.sum(index + 1), rounding(index + 1))
            })?,
            Case::ExclusiveSum => are_windows_right(item_count, output, |index, item| {
                item.is_sum(data.sum(index), rounding(index))
            })?,
            Case::Copy => are_windows_right(item_count, output, |index, item| {
                item.units() == data.item(index).units()
            })?,
        };
    Ok(if is_right {
        Verdict::Right
    } else {
        Verdict::Wrong
    })
}

/// Whether the output of a sum or a scan equals the reference's output, bit for bit. True for a maximum or a copy.
fn has_reference_bits<T: Measured>(
    case: Case,
    data: &Data<T>,
    place: &Buffers<'_, T>,
) -> Result<bool>
where
    Sum: Kernel<kind::reduce, T, Output = T>,
{
    let items = data.first(place.input.len());
    let expected = match case {
        Case::ReduceSum => vec![reduce::<Sum, _>(&items).wait(Cpu)?],
        Case::InclusiveSum => scan::<Sum, _>(&items).wait(Cpu)?,
        Case::ExclusiveSum => scan::<Sum, _>(&items).exclusive().wait(Cpu)?,
        Case::ReduceWideSum => {
            let expected = [reduce::<T::WideSum, _>(&items).wait(Cpu)?];
            let found = place.wide.as_host_vec()?;
            return Ok(cast_slice::<_, u8>(&found) == cast_slice::<_, u8>(&expected));
        }
        Case::ReduceMax | Case::Copy => return Ok(true),
    };
    let found = place.output.index(..expected.len()).as_host_vec()?;
    Ok(cast_slice::<_, u8>(&found) == cast_slice::<_, u8>(&expected))
}

/// Whether `is_right` holds for all items of some windows of `output`, which are spread evenly from the first item to the last. `is_right`
/// gets an item's index and the item.
fn are_windows_right<T: Measured>(
    item_count: usize,
    output: &DeviceSlice<T>,
    is_right: impl Fn(usize, T) -> bool,
) -> Result<bool> {
    let window = WINDOW.min(item_count);
    let windows = (item_count / window).min(WINDOWS);
    for index in 0..windows {
        let begin = match windows {
            1 => 0,
            _ => (item_count - window) * index / (windows - 1),
        };
        let found = output.index(begin..begin + window).as_host_vec()?;
        let mut items = (begin..).zip(found);
        if !items.all(|(index, item)| is_right(index, item)) {
            return Ok(false);
        }
    }
    Ok(true)
}
