//! Scanning with a rung of the ladder.

mod sections;
mod whole;

use std::fmt;

use cust::memory::DeviceSlice;
use warpfold_kernels::op::Op;

use super::measure::Session;
use super::reduce::scratch::Scratch;
use super::{Kind, Measured, Refusal, Rung, kernels};
use crate::driver::Address;
use crate::error::{Argument, Result};
use crate::gpu::{Entered, Gpu};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Span, check_scan};

/// Whether an item's own value is part of its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Placement {
    /// Everything up to and including the place.
    Inclusive,
    /// Everything before the place; the identity in the first.
    Exclusive,
}

impl Placement {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Inclusive, Self::Exclusive];
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Inclusive => "inclusive",
            Self::Exclusive => "exclusive",
        })
    }
}

/// Scans `input` to `output` with the operator `O` as the rung does it, and waits for it.
///
/// `output` may be longer than `input`: its further items are not touched. Input and output must not overlap. On an
/// error that was found after the first launch the output is unspecified.
///
/// The rungs of the document have kernels for [`Sum`](crate::Sum) and [`Max`](crate::Max) on items of `u32`, `i32` and
/// `f32`; ours for all that the library has.
///
/// ```
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::ladder::{self, Placement, Rung};
/// use warpfold::{Gpu, Sum};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// gpu.make_current()?;
/// let input = DeviceBuffer::from_slice(&[3u32, 1, 4, 1, 5])?;
/// let mut output = DeviceBuffer::zeroed(5)?;
/// ladder::scan::<Sum, _>(&gpu, Rung::BrentKung, Placement::Exclusive, &input, &mut output, 64)?;
/// assert_eq!(output.as_host_vec()?, [0, 3, 4, 8, 9]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// [`Error::Ladder`](crate::Error::Ladder) where the rung has no such kernel or is not for such blocks, and those of
/// [`crate::inclusive_scan`].
pub fn scan<O, T>(
    gpu: &Gpu,
    rung: Rung,
    placement: Placement,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<T>,
    block_size: u32,
) -> Result<()>
where
    O: Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>,
    T: Item,
{
    scan_measured::<O, T>(gpu, rung, placement, input, output, block_size).map(|_| ())
}

/// As [`scan`], and says what was launched and how long it took.
///
/// # Errors
///
/// Those of [`scan`].
pub fn scan_measured<O, T>(
    gpu: &Gpu,
    rung: Rung,
    placement: Placement,
    input: &DeviceSlice<T>,
    output: &mut DeviceSlice<T>,
    block_size: u32,
) -> Result<Measured<()>>
where
    O: Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>,
    T: Item,
{
    rung.check(Kind::Scan, block_size)?;
    let symbols = match rung {
        Rung::OurScan => None,
        _ => Some(Symbols::of::<O, T>(rung, placement)?),
    };
    let (input, output) = (Span::from(input), Span::from(&*output));
    if input.item_count == 0 {
        return Ok(Measured::nothing(()));
    }
    gpu.enter(|entered| {
        check_scan::<T, T>(input, output)?;
        entered.check_memory(Argument::Input, input.address)?;
        entered.check_memory(Argument::Output, output.address)?;
        let session = Session::new(entered)?;
        let Some(symbols) = symbols else {
            return ours::<O, T>(entered, session, placement, input, output);
        };
        // The documents' kernels read items that others may have written already.
        let copy = match input.address == output.address {
            true => Some(Scratch::<T>::copy_of(input)?),
            false => None,
        };
        let run = Run {
            session,
            symbols,
            input: copy.as_ref().map_or(input.address, Scratch::address),
            output: output.address,
            item_count: input.item_count as u64,
            block_size,
        };
        match rung {
            Rung::SequentialScan => whole::run(run, 1),
            Rung::QuadraticScan => {
                let blocks = blocks(run.item_count, block_size.into());
                whole::run(run, blocks)
            }
            Rung::KoggeStone => sections::run::<T>(run, sections::KOGGE_STONE),
            Rung::DoubleBufferedKoggeStone => sections::run::<T>(run, sections::DOUBLE_BUFFERED),
            Rung::BrentKung => sections::run::<T>(run, sections::BRENT_KUNG),
            _ => unreachable!("has no symbols, or is no scan"),
        }
    })
}

/// What a rung of the document is given.
struct Run<'gpu> {
    session: Session<'gpu>,
    symbols: Symbols,
    /// Where the items are; apart from the output.
    input: Address,
    output: Address,
    /// At least one.
    item_count: u64,
    block_size: u32,
}

/// The kernels of a rung.
struct Symbols {
    /// Scans the input.
    scan: &'static str,
    /// Scans totals.
    inclusive: &'static str,
    /// Puts what stands before a section in front of its items.
    prefixes: &'static str,
}

impl Symbols {
    fn of<O: Op<T>, T: Item>(rung: Rung, placement: Placement) -> Result<Self, Refusal> {
        Ok(Self {
            scan: kernels::scan_symbol::<O, T>(rung, placement)?,
            inclusive: kernels::scan_symbol::<O, T>(rung, Placement::Inclusive)?,
            prefixes: kernels::prefixes_symbol::<O, T>(rung)?,
        })
    }
}

fn ours<O, T>(
    entered: Entered<'_>,
    mut session: Session<'_>,
    placement: Placement,
    input: Span,
    output: Span,
) -> Result<Measured<()>>
where
    O: Kernel<kind::inclusive_scan, T> + Kernel<kind::exclusive_scan, T>,
    T: Item,
{
    Queue::and_wait(entered, |queue, call| {
        session.timed_on(call.stream(), |_| match placement {
            Placement::Inclusive => queue.scan::<kind::inclusive_scan, O, T>(input, output),
            Placement::Exclusive => queue.scan::<kind::exclusive_scan, O, T>(input, output),
        })
    })?;
    session.finish(|| Ok(()))
}

/// How many blocks of `block_items` items there are. The driver refuses more than a grid can have.
fn blocks(item_count: u64, block_items: u64) -> u32 {
    u32::try_from(item_count.div_ceil(block_items)).unwrap_or(u32::MAX)
}
