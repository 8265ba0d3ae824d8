//! All GPUs of the machine, for slices of the host. Each GPU has its own bus.

use std::fmt;
use std::iter;
use std::panic;
use std::thread::{self, ScopedJoinHandle};

use bytemuck::Zeroable;
use warpfold_kernels::contract::reduce_chunk_count;

use super::reduce::has_long_indices;
use crate::driver;
use crate::error::{Error, Result};
use crate::gpu::Gpu;
use crate::kernel::kind::Kind;
use crate::kernel::{Item, Kernel, kind};
use crate::launch::states::from_states;
use crate::{reference, staged};

/// Bytes of the longest slice that goes to one GPU only. One GPU is done with such a slice before the threads of the other GPUs are awake.
const ALONE_BYTES: usize = 8 << 20;

/// Several GPUs, for slices of the host.
///
/// Each GPU has a thread, which sends the GPU its share of the items over the GPU's bus. For a reduction, a share has consecutive items.
/// For a scan, pieces of up to 4 MiB go to the GPUs in turn. A piece waits on its device until the earlier pieces have been combined. The
/// results have the same bits as on one GPU. A slice of up to 8 MiB goes to the first GPU only.
///
/// During the call, a scan takes memory of each device, in addition to the transfer lanes ([Memory](Gpu#memory)). For each 56 KiB of items,
/// this is about 17 bytes per 32-bit word of the accumulator.
///
/// ```
/// use warpfold::group::Gpus;
/// use warpfold::{Sum, reduce};
///
/// # fn main() -> warpfold::Result<()> {
/// let gpus = Gpus::all()?;
/// assert_eq!(reduce::<Sum, _>(&[1.5f32, 2.0, 4.0]).wait(&gpus)?, 7.5);
/// # Ok(())
/// # }
/// ```
pub struct Gpus {
    gpus: Vec<Gpu>,
}

impl Gpus {
    /// All devices that are new enough, in the driver's order.
    ///
    /// ```
    /// let gpus = warpfold::group::Gpus::all()?;
    /// assert!(!gpus.as_slice().is_empty());
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The errors of [`Gpu::new`], for any of the devices. Devices that are too old are left out. So [`Error::UnsupportedDevice`] is
    /// returned only if no device is new enough.
    pub fn all() -> Result<Self> {
        let first = Gpu::new();
        if matches!(first, Err(ref error) if !is_too_old(error)) {
            return first.map(|gpu| Self { gpus: vec![gpu] });
        }
        let count = driver::device_count()?;
        let mut gpus = Vec::new();
        let mut refused = None;
        for found in iter::once(first).chain((1..count).map(Gpu::with_device)) {
            match found {
                Ok(gpu) => gpus.push(gpu),
                Err(error) if is_too_old(&error) => refused = refused.or(Some(error)),
                Err(error) => return Err(error),
            }
        }
        match refused {
            Some(error) if gpus.is_empty() => Err(error),
            _ => Ok(Self { gpus }),
        }
    }

    /// The GPUs, in order.
    ///
    /// ```
    /// for gpu in warpfold::group::Gpus::all()?.as_slice() {
    ///     println!("{}", gpu.name());
    /// }
    /// # Ok::<(), warpfold::Error>(())
    /// ```
    pub fn as_slice(&self) -> &[Gpu] {
        &self.gpus
    }

    /// Combines all items. The result of an empty slice is the operator's identity.
    ///
    /// # Errors
    ///
    /// The same as for [`reduce`](crate::reduce()), from any of the GPUs.
    pub(crate) fn reduce<O: Kernel<kind::reduce, T>, T: Item>(
        &self,
        items: &[T],
    ) -> Result<O::Output> {
        if items.is_empty() {
            return Ok(O::lower(O::identity()));
        }
        has_long_indices::<O, T>();
        let chunk_count = reduce_chunk_count::<T>(items.len() as u64);
        let ranks = (self.gpus.len() as u64).min(chunk_count);
        if ranks == 1 || size_of_val(items) <= ALONE_BYTES {
            let mut result = O::Output::zeroed();
            let bytes = bytemuck::bytes_of_mut(&mut result);
            self.gpus[0].enter(|entered| staged::reduce(entered, O::row(), items.into(), bytes))?;
            return Ok(result);
        }
        let border = |rank: u64| chunk_count * rank / ranks;
        let reduce = |(rank, gpu): (u64, &Gpu)| {
            let chunks = border(rank)..border(rank + 1);
            gpu.enter(|entered| staged::reduce_chunks(entered, O::row(), items.into(), chunks))
        };
        let states = thread::scope(|scope| {
            let reduce = &reduce;
            let ranks: Vec<_> = (0..ranks)
                .zip(&self.gpus)
                .map(|rank| scope.spawn(move || reduce(rank)))
                .collect();
            ranks.into_iter().map(ended).collect::<Result<Vec<_>>>()
        })?;
        let partials = states.iter().flat_map(|states| from_states(states));
        Ok(O::lower(reference::combine_chunks::<O, T>(partials)))
    }

    /// Scans the items, inclusively or exclusively. The speed is limited by the host's memory, not by the bus: two H200s took as long as
    /// one H200.
    pub(crate) fn scan<K: Kind, O: Kernel<K, T>, T: Item>(
        &self,
        items: &[T],
    ) -> Result<Vec<O::Output>> {
        if items.is_empty() {
            return Ok(Vec::new());
        }
        if self.gpus.len() == 1 || size_of_val(items) <= ALONE_BYTES {
            return self.gpus[0].enter(|entered| staged::scan(entered, O::row(), items.into()));
        }
        staged::scan_shared::<K, O, T>(items, self.gpus.len(), |shares, chain| {
            let ends = thread::scope(|scope| {
                let ranks: Vec<_> = iter::zip(shares, &self.gpus)
                    .map(|(share, gpu)| {
                        scope.spawn(|| gpu.enter(|entered| share.scan::<K, O>(entered, chain)))
                    })
                    .collect();
                ranks.into_iter().map(ended).collect::<Vec<_>>()
            });
            // The original failure is returned, not a report that another rank failed.
            let is_reason = |error: &Error| !matches!(error, Error::Group(_));
            let mut errors = ends.into_iter().filter_map(Result::err).collect::<Vec<_>>();
            errors.sort_by_key(|error| !is_reason(error));
            match errors.into_iter().next() {
                None => Ok(()),
                Some(error) => Err(error),
            }
        })
    }
}

/// The result of a rank's thread. Panics if the thread has panicked.
fn ended<R>(rank: ScopedJoinHandle<'_, R>) -> R {
    rank.join()
        .unwrap_or_else(|panic| panic::resume_unwind(panic))
}

fn is_too_old(error: &Error) -> bool {
    matches!(error, Error::UnsupportedDevice { .. })
}

impl fmt::Debug for Gpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.gpus).finish()
    }
}
