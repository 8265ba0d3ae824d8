//! Document 3, `getMax_global` and `getMax_local` to `getMax_local5`: atomic operations.
//!
//! ```text
//! global_atomics:   result ⊕= x[i], atomically, by a thread for each i
//! shared_atomics:   shared ⊕= x[i], atomically; barrier; result ⊕= shared, atomically, by thread 0 of each block
//! ```
//!
//! Cost: `global_atomics` takes n atomic operations on one word of global memory. `shared_atomics` takes n atomic operations on words of
//! shared memory. In each block it also takes one atomic operation on the result, in global memory, and 2 barriers.
//!
//! The document has five kernels with a word of shared memory. They differ in the number of indices that they keep in variables:
//! `getMax_local` keeps two, `getMax_local2` none, `getMax_local3` one, and `getMax_local4` one in some places. `getMax_local5` was meant
//! to give each thread more work, but is the same as `getMax_local4`. The document measures small differences between their times. A
//! compiler makes the same code from all five kernels, since an index is in a register whether it has a name or not. So there is one kernel
//! here.
//!
//! Corrected: a thread past the last item does nothing, while the document's threads read past the end. Here a barrier separates the first
//! write of the shared word from the atomic operations on that word; without the barrier, the write may undo atomic operations of other
//! threads. The word begins as the operator's identity. In the document it begins as 0, which is wrong for a maximum of negative numbers.
//! The result begins as the identity too; the document initialises the result with the first item.

use crate::PlainCommutative;
use warpfold_kernels::device::atomic::*;
use warpfold_kernels::device::{block, thread};
use warpfold_kernels::element::{accumulator_word, Element};
use warpfold_kernels::op::{Max, Op, Sum};

/// An operator that can be applied to memory atomically.
pub trait Atomic<T: Element>: PlainCommutative<T> {
    /// `*address ⊕= value`, in global memory.
    ///
    /// # Safety
    /// `address` points to an item of global memory that only atomic operations use at the same time.
    unsafe fn to_global(address: *mut T, value: T);

    /// `*address ⊕= value`, in shared memory.
    ///
    /// # Safety
    /// `address` points to an item of shared memory that only atomic operations use at the same time.
    unsafe fn to_shared(address: *mut T, value: T);
}

macro_rules! native {
    ($($op:ident $t:ident: $global:ident, $shared:ident;)*) => {$(
        impl Atomic<$t> for $op {
            #[inline(always)]
            unsafe fn to_global(address: *mut $t, value: $t) {
                // SAFETY: `address` points to an aligned word of global memory (this function's condition).
                unsafe { $global(address.cast(), accumulator_word(value, 0)) }
            }

            #[inline(always)]
            unsafe fn to_shared(address: *mut $t, value: $t) {
                // SAFETY: `address` points to an aligned word of shared memory (this function's condition).
                unsafe { $shared(address.cast(), accumulator_word(value, 0)) }
            }
        }
    )*};
}

native! {
    Sum u32: global_add_u32, shared_add_u32;
    Sum i32: global_add_u32, shared_add_u32;
    Sum f32: global_add_f32, shared_add_f32;
    Max u32: global_max_u32, shared_max_u32;
    Max i32: global_max_i32, shared_max_i32;
}

/// PTX has no atomic maximum of `f32`, so the bits of the floats are compared as integers. If `value` is positive, the operation is a
/// maximum of signed integers. As signed integers, the bits of positive floats have the order of the floats, with NaN at the top, and are
/// above the bits of all negative floats. If `value` is negative, the operation is a minimum of unsigned integers. As unsigned integers,
/// the bits of negative floats have the reverse order of the floats, and are above the bits of all positive floats.
impl Atomic<f32> for Max {
    #[inline(always)]
    unsafe fn to_global(address: *mut f32, value: f32) {
        let bits = <Self as Op<f32>>::lower(value).to_bits();
        // SAFETY: `address` points to an aligned word of global memory (this function's condition).
        unsafe {
            match bits >> 31 {
                0 => global_max_i32(address.cast(), bits),
                _ => global_min_u32(address.cast(), bits),
            }
        }
    }

    #[inline(always)]
    unsafe fn to_shared(address: *mut f32, value: f32) {
        let bits = <Self as Op<f32>>::lower(value).to_bits();
        // SAFETY: `address` points to an aligned word of shared memory (this function's condition).
        unsafe {
            match bits >> 31 {
                0 => shared_max_i32(address.cast(), bits),
                _ => shared_min_u32(address.cast(), bits),
            }
        }
    }
}

/// Each thread that has an item combines it with the result.
///
/// # Safety
/// The [conditions of every launch](crate). `input` points to `item_count` items, and `result` to an item that holds the identity.
#[inline(always)]
pub unsafe fn global_atomics<O: Atomic<T>, T: Element>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let index = thread::index_in_grid();
    if index < item_count {
        // SAFETY: `index < item_count`, and `input` has that many items (this function's condition). Only atomic operations use `result`.
        unsafe { O::to_global(result, input.add(index as usize).read()) }
    }
}

/// Each thread that has an item combines it with a word of the block, and one thread of each block combines that word with the result.
///
/// # Safety
/// The conditions of [`global_atomics`]. The block has an item of dynamic shared memory.
#[inline(always)]
pub unsafe fn shared_atomics<O: Atomic<T>, T: Element>(
    input: *const T,
    result: *mut T,
    item_count: u64,
) {
    let shared = block::shared_memory::<T>();
    let index = thread::index_in_grid();
    // SAFETY: `input` has `item_count` items, and only items with an index below `item_count` are read; the block has an item of shared
    // memory (this function's conditions). Barriers of the whole block separate plain accesses to the shared item from atomic accesses.
    // Only atomic operations use `result`.
    unsafe {
        if thread::index() == 0 {
            shared.write(O::identity());
        }
        // Orders the write before the atomic operations.
        block::barrier();
        if index < item_count {
            O::to_shared(shared, input.add(index as usize).read());
        }
        // Orders the atomic operations before the read.
        block::barrier();
        if thread::index() == 0 {
            O::to_global(result, shared.read());
        }
    }
}
