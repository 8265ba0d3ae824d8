//! Reductions by a rung of the ladder.

mod atomics;
mod host_sum;
mod launches;
mod recursive;

use std::sync::Arc;

use cust::memory::DeviceSlice;
use warpfold::{Argument, Kernel, kind, reduce};

use crate::measure::Session;
use crate::scratch::Scratch;
use crate::{Item, Kind, Ladder, Measured, Plain, Refusal, Result, Rung, kernels};

impl Ladder {
    /// Combines all items of `input` with the operator `O` by the rung's kernel, and waits for the result. For no items, the
    /// result is the operator's identity.
    ///
    /// The rungs of the documents have kernels for [`Sum`](warpfold::Sum) and [`Max`](warpfold::Max) on items of `u32`, `i32`
    /// and `f32`. [`Rung::Ours`] has kernels for all of warpfold's operators that are [`Plain`].
    ///
    /// # Errors
    ///
    /// A [`Refusal`], for example if the rung has no kernel for `O` and `T` or does not support the block size; the errors of
    /// [`warpfold::reduce()`] and of `cust`.
    pub fn reduce<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(
        &self,
        rung: Rung,
        input: &DeviceSlice<T>,
        block_size: u32,
    ) -> Result<T> {
        Ok(self.reduce_measured::<O, T>(rung, input, block_size)?.value)
    }

    /// The same as [`Self::reduce`], with the launches and the measured times.
    ///
    /// # Errors
    ///
    /// The errors of [`Self::reduce`].
    pub fn reduce_measured<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(
        &self,
        rung: Rung,
        input: &DeviceSlice<T>,
        block_size: u32,
    ) -> Result<Measured<T>> {
        rung.check(Kind::Reduction, block_size)?;
        let symbol = match rung {
            Rung::Ours => None,
            _ => Some(kernels::symbol::<O, T>(
                rung,
                block_threads(rung, block_size),
            )?),
        };
        if input.is_empty() {
            return Ok(Measured::nothing(O::identity()));
        }
        self.gpu().check_buffer(Argument::Input, input)?;
        let session = Session::new(self)?;
        let Some(symbol) = symbol else {
            return self.ours::<O, T>(session, input);
        };
        let run = Run {
            session,
            symbol,
            input,
            block_threads: block_threads(rung, block_size),
        };
        let mut measured = launch::<O, T>(rung, run)?;
        measured.value = O::lower(measured.value);
        Ok(measured)
    }

    fn ours<O: Kernel<kind::reduce, T> + Plain<T>, T: Item>(
        &self,
        mut session: Session<'_>,
        input: &DeviceSlice<T>,
    ) -> Result<Measured<T>> {
        let mut result = Scratch::<T>::new(1)?;
        session.timed(|session| {
            let stream = session.stream();
            Ok(reduce::<O, _>(input)
                .to(result.items())
                .queue(self.gpu(), stream)?)
        })?;
        session.finish(|| result.first())
    }
}

/// The arguments of a document's rung.
struct Run<'run, T: Item> {
    session: Session<'run>,
    symbol: &'static str,
    /// At least one item.
    input: &'run DeviceSlice<T>,
    block_threads: u32,
}

impl<T: Item> Run<'_, T> {
    /// Times the launches of the rung's kernel. The kernel is compiled before the timing, if it has not been compiled yet.
    fn timed(
        &mut self,
        launches: impl FnOnce(&mut Session<'_>, &Arc<kernels::Kernel>) -> Result<()>,
    ) -> Result<()> {
        let kernel = self.session.kernel(self.symbol)?;
        self.session.timed(|session| launches(session, &kernel))
    }
}

/// The threads of a block of the first launch: for some rungs, half of the requested block size.
fn block_threads(rung: Rung, block_size: u32) -> u32 {
    match rung {
        Rung::HalfThreads
        | Rung::ExclusiveCases
        | Rung::WithoutIndices
        | Rung::RecursiveOneLauncher => block_size / 2,
        _ => block_size,
    }
}

/// Launches the kernel as the rung's document does.
fn launch<O: Plain<T>, T: Item>(rung: Rung, run: Run<'_, T>) -> Result<Measured<T>> {
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

        // warpfold launches [`Rung::Ours`], so it does not come here. The other rungs in this list are not reductions, and have been
        // refused already.
        Rung::Ours
        | Rung::SequentialScan
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

/// The number of blocks for `item_count` items, if each block takes `block_threads` items. If the number is too large for `u32`, this is
/// `u32::MAX`, and the driver refuses the grid.
fn blocks(item_count: u64, block_threads: u32) -> u32 {
    let blocks = item_count.div_ceil(block_threads.into());
    u32::try_from(blocks).unwrap_or(u32::MAX)
}
