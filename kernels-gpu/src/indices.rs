//! Results that are indices of 64 or of 32 bits.
//!
//! A kernel writes indices of 64 bits. From its text, the host makes a second text that writes indices of 32 bits. The second text serves
//! reductions by `ArgMin<u32>`, `ArgMax<u32>` and `ArgMinMax<u32>`. Both texts combine indices of 64 bits.

#[cfg(not(feature = "stable"))]
use crate::element::{put_item, Accumulator, Element, VECTOR_WORDS};
#[cfg(not(feature = "stable"))]
use crate::op::Op;

/// Lowers `$value` and writes it to `$output`, as result number `$index` or as the only result. The operator is `$op`, on items of type
/// `$t`.
///
/// Use this macro in an unsafe block. The output has a writable place for this result. A place has the size of a result, or half the size
/// in the text for indices of 32 bits.
#[cfg(not(feature = "stable"))]
macro_rules! write_result {
    ($op:ident, $t:ident, $output:expr, $index:expr, $value:expr) => {
        if const { $crate::indices::may_be_indices::<$op, $t>() }
            && $crate::simt::writes_short_indices()
        {
            $crate::indices::write_short::<$op, $t>($output, $index, $op::lower($value));
        } else {
            $output.add($index).write($op::lower($value));
        }
    };
    ($op:ident, $t:ident, $output:expr, $value:expr) => {
        write_result!($op, $t, $output, 0, $value)
    };
}

/// The same macro for a program's own operators, which stable rustc compiles. Their kernels have no text for indices of 32 bits.
#[cfg(feature = "stable")]
macro_rules! write_result {
    ($op:ident, $t:ident, $output:expr, $index:expr, $value:expr) => {
        $output.add($index).write($op::lower($value))
    };
    ($op:ident, $t:ident, $output:expr, $value:expr) => {
        $output.write($op::lower($value))
    };
}

pub(crate) use write_result;

/// Whether an operator's results may be indices: the operator is exact, its accumulator is wide, and a result is one or two numbers of 64
/// bits.
#[cfg(not(feature = "stable"))]
pub const fn may_be_indices<O: Op<T>, T: Element>() -> bool {
    let are_numbers = size_of::<O::Output>() <= 16 && align_of::<O::Output>() == 8;
    are_numbers && O::EXACT && O::Accumulator::IS_WIDE
}

/// Writes a result as result number `index`. Of each number of 64 bits in the result, only the lower half is written.
///
/// # Safety
/// `output` points to places of half the size of a result, and place `index` is writable.
#[cfg(not(feature = "stable"))]
#[inline(always)]
pub unsafe fn write_short<O: Op<T>, T: Element>(
    output: *mut O::Output,
    index: usize,
    result: O::Output,
) {
    let mut words = [0; VECTOR_WORDS];
    put_item(&mut words, 0, result);
    let count = const { size_of::<O::Output>() / 8 };
    let place = output.cast::<u32>().wrapping_add(index * count);
    // SAFETY: place `index` is writable (this function's condition), and a place has `count` words, one for each index of the result.
    unsafe {
        place.write(words[0]);
        if count == 2 {
            place.wrapping_add(1).write(words[2]);
        }
    }
}
