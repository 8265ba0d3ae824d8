//! Which kernels there are, as types: `Sum: Kernel<kind::reduce, f32>` holds because the table of kernels has
//! the row `reduce Sum f32`. A pair without a row does not compile.

use cust::memory::DeviceCopy;
use half::{bf16, f16};
use warpfold_kernels::element::Element;
use warpfold_kernels::for_each_kernel;
use warpfold_kernels::launch::Copies;
use warpfold_kernels::op::{Max, Min, Op, Product, Sum, WideSum};

/// An element type as the library's functions take it: `f32`, `f64`, [`f16`](struct@f16), [`bf16`], an integer, or any other
/// [`Element`].
///
/// Every bit pattern is a value of such a type ([`Pod`](bytemuck::Pod)), so no device memory can hold an invalid one.
pub trait Item: Element + DeviceCopy {}

impl<T: Element + DeviceCopy> Item for T {}

/// The kinds of kernels, named as in the table of kernels. They are types without values.
#[allow(non_camel_case_types)]
pub mod kind {
    /// Combines all items to one.
    #[derive(Debug)]
    pub enum reduce {}

    /// Replaces each item by the combination of all up to and including it.
    #[derive(Debug)]
    pub enum inclusive_scan {}

    /// Replaces each item by the combination of all before it.
    #[derive(Debug)]
    pub enum exclusive_scan {}
}

mod sealed {
    pub trait Sealed<Kind, T> {}
}

/// The operator `Self` has a kernel of kind `Kind` for items of type `T`. Sealed: the kernels are compiled
/// ahead of time.
#[diagnostic::on_unimplemented(
    message = "there is no `{Kind}` kernel for the operator `{Self}` and items of type `{T}`",
    label = "the table of kernels has no such row"
)]
pub trait Kernel<Kind, T: Item>: Op<T, Output: Item> + sealed::Sealed<Kind, T> {
    /// Which kernel it is.
    const ID: KernelId;
}

/// Names each row's kernel, and implements [`Kernel`] for it.
macro_rules! rows {
    ($($kind:ident $op:ident $t:ident => $symbol:ident;)*) => {
        /// A kernel, named as in the PTX.
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum KernelId { $($symbol,)* }

        /// Each row's properties, in the table's order.
        const ROWS: &[Row] = &[$(Row {
            id: KernelId::$symbol,
            symbol: stringify!($symbol),
            blocks: blocks::$kind::<$op, $t>,
        },)*];

        $(
            impl sealed::Sealed<kind::$kind, $t> for $op {}
            impl Kernel<kind::$kind, $t> for $op { const ID: KernelId = KernelId::$symbol; }
        )*
    };
}

struct Row {
    id: KernelId,
    symbol: &'static str,
    blocks: fn(Copies, u32) -> Blocks,
}

/// What a block of a kernel is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Block {
    pub threads: u32,
    /// Bytes of dynamic shared memory.
    pub shared_bytes: u32,
}

/// The blocks of a kernel.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Blocks {
    /// For inputs whose scan is short.
    pub short: Block,
    /// For the others.
    pub long: Block,
}

/// The blocks of each kind, where a block may have so many bytes of shared memory.
mod blocks {
    use warpfold_kernels::contract::{
        BLOCK_THREADS, ScanShape, Wider, scan_long_shape, scan_short_shape,
    };
    use warpfold_kernels::launch::{
        Copies, reduce_shared_bytes, scan_block_threads, scan_buffers, scan_shared_bytes,
    };

    use super::{Block, Blocks, Element, Op};

    pub fn reduce<O: Op<T>, T: Element>(_copies: Copies, _available: u32) -> Blocks {
        let block = Block {
            threads: BLOCK_THREADS,
            shared_bytes: reduce_shared_bytes::<O::Accumulator>(),
        };
        Blocks {
            short: block,
            long: block,
        }
    }

    pub fn inclusive_scan<O: Op<T>, T: Element>(copies: Copies, available: u32) -> Blocks {
        let block = |shape: ScanShape, available| Block {
            threads: scan_block_threads(shape),
            shared_bytes: scan_shared_bytes::<O::Accumulator>(
                shape,
                scan_buffers::<O::Accumulator>(shape, copies, available),
            ),
        };
        Blocks {
            // Two share a multiprocessor.
            short: block(scan_short_shape::<Wider<T, O::Output>>(), available / 2),
            long: block(scan_long_shape::<Wider<T, O::Output>>(), available),
        }
    }

    pub use inclusive_scan as exclusive_scan;
}

for_each_kernel!(rows);

impl KernelId {
    /// How many kernels there are.
    pub const COUNT: usize = ROWS.len();

    /// All kernels, in the order of the table.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        ROWS.iter().map(|row| row.id)
    }

    /// The kernel's name in the PTX.
    pub fn symbol(self) -> &'static str {
        ROWS[self as usize].symbol
    }

    /// Its blocks, if its PTX is for this compute capability, and the device gives a block so many bytes of shared memory.
    pub(crate) fn blocks(self, capability: (u32, u32), available: u32) -> Blocks {
        (ROWS[self as usize].blocks)(Copies::of_capability(capability.0), available)
    }
}
