//! Which kernels there are, as types: `Sum: Kernel<kind::reduce, f32>` holds because the table of kernels has
//! the row `reduce Sum f32`. A pair without a row does not compile.

use bytemuck::Pod;
use cust::memory::DeviceCopy;
use warpfold_kernels::element::Element;
use warpfold_kernels::for_each_kernel;
use warpfold_kernels::launch::{Copies, reduce_shared_bytes, scan_shared_bytes};
use warpfold_kernels::op::{Max, Min, Op, Product, Sum};

/// An element type as the library's functions take it: `f32`, `f64`, `i32`, `u32`, `i64` or `u64`.
///
/// Every bit pattern is a value of such a type ([`Pod`]), so no device memory can hold an invalid one.
pub trait Item: Element + DeviceCopy + Pod {}

impl<T: Element + DeviceCopy + Pod> Item for T {}

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
pub trait Kernel<Kind, T: Item>: Op<T> + sealed::Sealed<Kind, T> {
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
            shared_bytes: shared_bytes::$kind::<$t>,
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
    shared_bytes: fn(Copies) -> u32,
}

/// Bytes of dynamic shared memory of a block, for each kind.
mod shared_bytes {
    use super::{Copies, reduce_shared_bytes, scan_shared_bytes};

    pub fn reduce<T>(_copies: Copies) -> u32 {
        reduce_shared_bytes::<T>()
    }

    pub fn inclusive_scan<T>(copies: Copies) -> u32 {
        scan_shared_bytes::<T>(copies)
    }

    pub fn exclusive_scan<T>(copies: Copies) -> u32 {
        scan_shared_bytes::<T>(copies)
    }
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

    /// Bytes of dynamic shared memory that a block needs, if its PTX is for this compute capability.
    pub(crate) fn shared_bytes(self, capability: (u32, u32)) -> u32 {
        (ROWS[self as usize].shared_bytes)(Copies::of_capability(capability.0))
    }
}
