//! Results that are indices: of 64 bits, or, in the text that the host makes of a kernel's for indices of 32 bits, of 32.
//!
//! A kernel combines indices of 64 bits in either text. The host uses the other one where no group has more items than 32 bits can number.

#[cfg(not(feature = "stable"))]
use crate::element::{put_item, Accumulator, Element, VECTOR_WORDS};
#[cfg(not(feature = "stable"))]
use crate::op::Op;

/// Writes result number `$index`, or the only one, of the operator `$op` on items `$t`, made of `$value`, at `$output`.
///
/// The caller sees to it that there is a writable place for it there: of the size of a result, or, in the text for indices of 32 bits,
/// of half of that.
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

/// The same of a program's own operators, of which nobody asks for such a text.
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

/// Whether results are indices, as far as their types tell: numbers of 64 bits that are made of more than two words, in any order.
#[cfg(not(feature = "stable"))]
pub const fn may_be_indices<O: Op<T>, T: Element>() -> bool {
    let are_numbers = size_of::<O::Output>() <= 16 && align_of::<O::Output>() == 8;
    are_numbers && O::EXACT && O::Accumulator::IS_WIDE
}

/// Writes the lower half of each index of result number `index`.
///
/// # Safety
/// There is a writable place of half the size of a result for it at `output`.
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
    // SAFETY: the caller's.
    unsafe {
        place.write(words[0]);
        if count == 2 {
            place.wrapping_add(1).write(words[2]);
        }
    }
}
