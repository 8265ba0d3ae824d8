//! Reducing with a rung of the ladder.

mod atomics;
mod host_sum;
mod launches;
mod recursive;
pub(super) mod scratch;

use cust::memory::DeviceSlice;

use super::measure::Session;
use super::{Kind, Measured, Plain, Refusal, Rung, kernels};
use crate::error::{Argument, Result};
use crate::gpu::{Entered, Gpu};
use crate::kernel::{Item, Kernel, kind};
use crate::launch::{Queue, Span};
use scratch::Scratch;

/// Combines all items of `input` with the operator `O` as the rung does it, and waits for the result. For no items,
/// the operator's identity.
///
/// The rungs of the documents have kernels for [`Sum`](crate::Sum) and [`Max`](crate::Max) on items of `u32`, `i32` and
/// `f32`; ours for all that the library has and that are [`Plain`].
///
/// # Errors
///
/// [`Error::Ladder`](crate::Error::Ladder) where the rung has no such kernel or is not for such blocks, and those of
/// [`crate::reduce()`].
pub fn reduce<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(
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
pub fn reduce_measured<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(
    gpu: &Gpu,
    rung: Rung,
    input: &DeviceSlice<T>,
    block_size: u32,
) -> Result<Measured<T>> {
    rung.check(Kind::Reduction, block_size)?;
    let symbol = match rung {
        Rung::Ours => O::entry().symbol(),
        _ => kernels::symbol::<O, T>(rung, block_threads(rung, block_size))?,
    };
    let input = Span::from(input);
    if input.item_count == 0 {
        return Ok(Measured::nothing(O::identity()));
    }
    gpu.enter(|entered| {
        input.check_alignment::<T>(Argument::Input)?;
        entered.check_memory(Argument::Input, input.address)?;
        let run = Run {
            entered,
            session: Session::new(entered)?,
            symbol,
            input,
            block_threads: block_threads(rung, block_size),
        };
        let mut measured = launch::<O, T>(rung, run)?;
        measured.value = O::lower(measured.value);
        Ok(measured)
    })
}

/// What a rung of a document is given.
struct Run<'gpu> {
    entered: Entered<'gpu>,
    session: Session<'gpu>,
    symbol: &'static str,
    /// At least one item.
    input: Span,
    block_threads: u32,
}

impl Run<'_> {
    /// Makes the launches that are timed, of the rung's kernel, which is compiled before if it never was.
    fn timed(
        &mut self,
        launches: impl FnOnce(&mut Session<'_>, &kernels::Kernel) -> Result<()>,
    ) -> Result<()> {
        let kernel = self.session.kernel(self.symbol)?;
        self.session.timed(|session| launches(session, &kernel))
    }
}

/// The threads of a launched block, which a rung may have fewer of than the block has items.
fn block_threads(rung: Rung, block_size: u32) -> u32 {
    match rung {
        Rung::HalfThreads
        | Rung::ExclusiveCases
        | Rung::WithoutIndices
        | Rung::RecursiveOneLauncher => block_size / 2,
        _ => block_size,
    }
}

/// Launches as the rung's document does.
fn launch<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(
    rung: Rung,
    run: Run<'_>,
) -> Result<Measured<T>> {
    match rung {
        Rung::Halving => launches::one_a_level(run),
        Rung::GridStride => launches::three(run),
        Rung::SharedTree => launches::two(run, 256),
        Rung::AnySizeTree | Rung::WarpSyncTree => launches::two(run, 270),

        Rung::DivergentNeighbours | Rung::PackedNeighbours | Rung::PackedInterleaved => {
            host_sum::of_pairs::<O, T>(run)
        }
        Rung::NeighbouredPair | Rung::NeighbouredPacked | Rung::InterleavedPair => {
            host_sum::of_padded::<O, T>(run, 1)
        }
        Rung::Unrolled2 => host_sum::of_padded::<O, T>(run, 2),
        Rung::Unrolled4 => host_sum::of_padded::<O, T>(run, 4),
        Rung::Unrolled8
        | Rung::Unrolled8LastWarp
        | Rung::Unrolled8Completely
        | Rung::Unrolled8Constant => host_sum::of_padded::<O, T>(run, 8),

        Rung::GlobalAtomics
        | Rung::SharedAtomics
        | Rung::AtomicTree
        | Rung::LastWarpUnrolled
        | Rung::ConstantTree => atomics::run::<O, T>(run, 1),
        Rung::FirstAtLoad
        | Rung::HalfGrid
        | Rung::HalfThreads
        | Rung::ExclusiveCases
        | Rung::WithoutIndices => atomics::run::<O, T>(run, 2),

        Rung::RecursiveWaiting | Rung::Recursive => recursive::by_blocks::<O, T>(rung, run),
        Rung::RecursiveOneLauncher => recursive::by_one::<O, T>(rung, run),

        Rung::Ours => ours::<O, T>(run),

        // Not reductions, so they have been refused.
        Rung::SequentialScan
        | Rung::QuadraticScan
        | Rung::KoggeStone
        | Rung::DoubleBufferedKoggeStone
        | Rung::BrentKung
        | Rung::NestedHello
        | Rung::OurScan => Err(Refusal::Kind {
            rung,
            wanted: Kind::Reduction,
        }
        .into()),
    }
}

fn ours<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(run: Run<'_>) -> Result<Measured<T>> {
    let Run {
        entered,
        mut session,
        input,
        ..
    } = run;
    let result = Scratch::<T>::new(1)?;
    let output = Span {
        address: result.address(),
        item_count: 1,
    };
    Queue::and_wait(entered, |queue, call| {
        session.timed_on(call.stream(), |_| queue.reduce::<O, T>(input, output))
    })?;
    session.finish(|| result.first())
}

/// How many blocks have a thread for each item. The driver refuses more than a grid can have.
fn blocks(item_count: u64, block_threads: u32) -> u32 {
    let blocks = item_count.div_ceil(block_threads.into());
    u32::try_from(blocks).unwrap_or(u32::MAX)
}
