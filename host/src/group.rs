//! Several GPUs that work together, in one process or in many, on one machine or on several. Results have the same bits as on a single GPU.
//!
//! # Shares
//!
//! The ranks of a group hold consecutive items, each rank a share of any length. A result depends only on the operator and the items, and
//! not on the shares. So the result is the same on one GPU and on several, wherever the items are cut. If the shares end at the ends of
//! chunks and tiles ([`cuts`]), the ranks exchange no items. Otherwise a rank sends the items of an incomplete chunk or tile to an earlier
//! rank. In a scan, the earlier rank sends the results of these items back. A reduction's chunk has up to 32 KiB. If there would be more
//! than 4096 of these chunks, a chunk has between 1/4096 and 1/2048 of all items. A scan's tile has up to 56 KiB.
//!
//! # Groups
//!
//! [`within`] makes a group of GPUs of one process. Each [`Member`] goes to its own thread. [`Member::join`] makes a group of several
//! processes, on one machine or several, over NCCL. One process makes a [`UniqueId`] and sends it to the other processes. NCCL only
//! transports bytes.
//!
//! ```
//! use std::thread;
//! use std::time::Duration;
//! use warpfold::cust::memory::DeviceBuffer;
//! use warpfold::{Gpu, Sum, group, reduce};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let gpus = [Gpu::new()?]; // or all there are: `group::Gpus::all()`
//! let sums: Vec<f32> = thread::scope(|scope| {
//!     let members = group::within(&gpus, Duration::from_secs(10));
//!     let ranks: Vec<_> = members
//!         .into_iter()
//!         .map(|mut member| {
//!             scope.spawn(move || {
//!                 member.gpu().make_current().unwrap();
//!                 let share = DeviceBuffer::from_slice(&[1.5f32, 2.0]).unwrap();
//!                 reduce::<Sum, _>(&share).wait(&mut member).unwrap()
//!             })
//!         })
//!         .collect();
//!     ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
//! });
//! assert_eq!(sums, [3.5]);
//! # Ok(())
//! # }
//! ```
//!
//! # What a scan costs
//!
//! A rank's prefix is known when the previous ranks have combined their items. So all ranks except the last read their items twice: first
//! to combine them, and then to scan them. The first pass takes about half as long as a scan.

mod board;
mod gpus;
mod header;
#[cfg(test)]
mod hostile;
mod in_process;
mod layout;
mod member;
mod nccl;
mod post;
mod reduce;
mod scan;
mod session;
#[cfg(test)]
mod suite;
mod transport;
#[cfg(test)]
mod trial;
mod unique_id;

use std::iter;
use std::ops::Range;
use std::time::Duration;

use warpfold_kernels::contract::{ReduceTiles, scan_tiles};
use warpfold_kernels::scan::tuning::exact_tiles;

use crate::gpu::Gpu;
use crate::kernel::Item;

pub use crate::error::{Fault, Matter};
pub use gpus::Gpus;
pub use member::{AtRoot, Member};
pub use unique_id::UniqueId;

use in_process::InProcess;

/// Makes a group of GPUs of this process: rank 0 is the first GPU. No rank waits longer than `limit` for the next message of the other
/// ranks.
///
/// A GPU may be named more than once. Move each member to its own thread. If two members shared a thread, the call of the first would wait
/// in vain for the call of the second.
///
/// ```
/// use std::thread;
/// use std::time::Duration;
/// use warpfold::cust::memory::DeviceBuffer;
/// use warpfold::{Gpu, Sum, group, scan};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let gpu = Gpu::new()?;
/// // Two ranks on one GPU, with three items and two.
/// let shares = [&[1u32, 2, 3][..], &[4, 5][..]];
/// let sums: Vec<Vec<u32>> = thread::scope(|scope| {
///     let members = group::within([&gpu, &gpu], Duration::from_secs(30));
///     let ranks: Vec<_> = members
///         .into_iter()
///         .map(|mut member| {
///             scope.spawn(move || {
///                 member.gpu().make_current().unwrap();
///                 let items = DeviceBuffer::from_slice(shares[member.rank()]).unwrap();
///                 let mut sums = DeviceBuffer::<u32>::zeroed(items.len()).unwrap();
///                 scan::<Sum, _>(&items).to(&mut sums).wait(&mut member).unwrap();
///                 sums.as_host_vec().unwrap()
///             })
///         })
///         .collect();
///     ranks.into_iter().map(|rank| rank.join().unwrap()).collect()
/// });
/// assert_eq!(sums, [vec![1, 3, 6], vec![10, 15]]);
/// # Ok(())
/// # }
/// ```
pub fn within<'gpu>(
    gpus: impl IntoIterator<Item = &'gpu Gpu>,
    limit: Duration,
) -> Vec<Member<'gpu>> {
    let gpus: Vec<_> = gpus.into_iter().collect();
    iter::zip(&gpus, InProcess::of_ranks(gpus.len()))
        .map(|(gpu, transport)| Member::new(gpu, transport, limit))
        .collect()
}

/// Cuts `item_count` items of type `T` into shares for `ranks` ranks, as evenly as possible. The shares end at the ends of chunks and
/// tiles, so that the ranks exchange no items. (This does not hold for a scan whose results are wider than its items: its tiles have
/// another size.) If there are few items, some ranks get no items.
///
/// ```
/// let shares = warpfold::group::cuts::<f32>(1 << 20, 3);
/// assert_eq!(shares.len(), 3);
/// assert_eq!((shares[0].start, shares[2].end), (0, 1 << 20));
/// ```
pub fn cuts<T: Item>(item_count: usize, ranks: usize) -> Vec<Range<usize>> {
    let count = item_count as u64;
    let tiles = [scan_tiles::<T>(), exact_tiles::<T>()].map(|tiles| tiles.items(count));
    let unit = tiles
        .into_iter()
        .fold(ReduceTiles::of::<T>().chunk_items(count), |unit, tile| {
            unit / greatest_common_divisor(unit, tile) * tile
        });
    let units = count.div_ceil(unit);
    let ranks = ranks as u64;
    let border = |rank: u64| {
        // Rounded up, so that rank 0 gets items if there are any.
        let units = (u128::from(units) * u128::from(rank)).div_ceil(u128::from(ranks.max(1)));
        (units as u64).saturating_mul(unit).min(count) as usize
    };
    (0..ranks)
        .map(|rank| border(rank)..border(rank + 1))
        .collect()
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => greatest_common_divisor(b, a % b),
    }
}
