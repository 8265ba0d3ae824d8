//! Reducing with a rung of the ladder.

mod halving;
pub(super) mod scratch;

use cust::memory::DeviceSlice;

use super::measure::Session;
use super::{Kind, Measured, Rung, kernels};
use crate::error::{Argument, Result};
use crate::gpu::{Entered, Gpu};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Span, reduce_to_host};

/// Combines all items of `input` with the operator `O` as the rung does it, and waits for the result. For no items,
/// the operator's identity.
///
/// The rungs of the documents have kernels for [`Sum`](crate::Sum) and [`Max`](crate::Max) on items of `u32`, `i32` and
/// `f32`; ours for all that the library has.
///
/// # Errors
///
/// [`Error::Ladder`](crate::Error::Ladder) where the rung has no such kernel or is not for such blocks, and those of
/// [`crate::reduce()`].
pub fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
    gpu: &Gpu,
    rung: Rung,
    input: &DeviceSlice<T>,
    block_size: u32,
) -> Result<T> {
    Ok(reduce_measured::<O, T>(gpu, rung, input, block_size)?.value)
}

/// As [`reduce`], and says what was launched and how long it took.
///
/// # Errors
///
/// Those of [`reduce`].
pub fn reduce_measured<O: Kernel<kind::reduce, T>, T: Item>(
    gpu: &Gpu,
    rung: Rung,
    input: &DeviceSlice<T>,
    block_size: u32,
) -> Result<Measured<T>> {
    rung.check(Kind::Reduction, block_size)?;
    let symbol = match rung {
        Rung::Ours => None,
        _ => Some(kernels::symbol::<O, T>(rung, block_size)?),
    };
    let input = Span::from(input);
    if input.item_count == 0 {
        return Ok(Measured::nothing(O::identity()));
    }
    gpu.enter(|entered| {
        input.check_alignment::<T>(Argument::Input)?;
        entered.check_memory(Argument::Input, input.address)?;
        let session = Session::new(entered)?;
        let Some(symbol) = symbol else {
            return ours::<O, T>(entered, session, input);
        };
        let run = Run {
            session,
            symbol,
            input,
            block_size,
        };
        let mut measured = match rung {
            Rung::Halving => halving::run::<T>(run),
            _ => unreachable!("has no symbol, or is no reduction"),
        }?;
        measured.value = measured.value.canonical();
        Ok(measured)
    })
}

/// What a rung of a document is given.
struct Run<'gpu> {
    session: Session<'gpu>,
    symbol: &'static str,
    /// At least one item.
    input: Span,
    block_size: u32,
}

fn ours<O: Kernel<kind::reduce, T>, T: Item>(
    entered: Entered<'_>,
    mut session: Session<'_>,
    input: Span,
) -> Result<Measured<T>> {
    let mut value = O::identity();
    session.timed(|_| {
        value = reduce_to_host::<O, T>(entered, input)?;
        Ok(())
    })?;
    session.finish(|| Ok(value))
}

/// How many blocks have a thread for each of so many items. More than a grid can have, the driver refuses.
fn blocks(item_count: u64, block_size: u32) -> u32 {
    let blocks = item_count.div_ceil(block_size.into());
    u32::try_from(blocks).unwrap_or(u32::MAX)
}
