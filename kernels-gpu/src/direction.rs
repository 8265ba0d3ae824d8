//! The direction in which a scan goes through its items.
//!
//! The direction is a number that the host writes into the text of a kernel (`warpfold_ptx::direction`). rustc does not know the number, so
//! one kernel serves both directions. The driver's compiler sees a constant. The number is used only in arithmetic, never in a condition.
//! With a condition on the number, rustc would emit the loops around the condition twice, once for each direction.

use crate::element::{vector_of, Vector};
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
use crate::simt;

/// Forward (from the first item to the last) or backward (from the last item to the first).
#[derive(Clone, Copy)]
pub struct Direction {
    /// 0 if forward; all bits set if backward.
    mask: u64,
}

/// A direction, as a type ([`Forward`]) or as a value ([`Direction`]).
pub trait Heading: Copy {
    /// A distance in this direction: `distance`, or its negative if backward.
    fn signed(self, distance: u64) -> u64;

    /// `number` if backward; 0 if forward.
    fn if_backward(self, number: u64) -> u64;

    /// The place in memory of item `index` of `count` items. The index counts in this direction; the place counts from the array's start.
    /// The same function converts a place to an index.
    fn place(self, index: u64, count: u64) -> u64;
}

/// The forward direction, which the compiler knows from the type.
#[derive(Clone, Copy)]
pub struct Forward;

impl Heading for Forward {
    #[inline(always)]
    fn signed(self, distance: u64) -> u64 {
        distance
    }

    #[inline(always)]
    fn if_backward(self, _number: u64) -> u64 {
        0
    }

    #[inline(always)]
    fn place(self, index: u64, _count: u64) -> u64 {
        index
    }
}

impl Heading for Direction {
    #[inline(always)]
    fn signed(self, distance: u64) -> u64 {
        (distance ^ self.mask).wrapping_sub(self.mask)
    }

    #[inline(always)]
    fn if_backward(self, number: u64) -> u64 {
        number & self.mask
    }

    #[inline(always)]
    fn place(self, index: u64, count: u64) -> u64 {
        (index ^ self.mask).wrapping_add(self.if_backward(count))
    }
}

impl Direction {
    /// From the first item to the last. After inlining, the compiler knows the direction.
    pub const FORWARD: Self = Self { mask: 0 };

    /// The direction of the launch, a constant of the text.
    #[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
    #[inline(always)]
    pub fn of_text() -> Self {
        Self {
            mask: simt::direction_mask(),
        }
    }

    /// The place in memory of the border after the first `items` of `count` items. The items are counted in this direction; the place
    /// counts from the array's start.
    #[inline(always)]
    pub fn border(self, items: u64, count: u64) -> u64 {
        self.signed(items).wrapping_add(self.if_backward(count))
    }

    /// Converts the first `count` items of a vector from the order of this direction to the order in memory, or back. If the direction is
    /// backward, these items are reversed. Otherwise, the vector is unchanged. `T` is the type of the items.
    #[inline(always)]
    pub fn turned<T>(self, vector: &Vector, count: usize) -> Vector {
        let mask = self.mask as u32;
        let reversed = reversed::<T>(vector, count);
        let mut turned = *vector;
        macro_rules! words {
            ($($word:literal)*) => {
                $(turned[$word] ^= (vector[$word] ^ reversed[$word]) & mask;)*
            };
        }
        if count > 1 {
            words!(0 1 2 3);
        }
        turned
    }
}

/// The vector with its first `count` items of type `T` in the opposite order. `count` is a power of two. If it is 1, the vector is
/// unchanged. Otherwise these items have at most 16 bytes together.
#[inline(always)]
fn reversed<T>(vector: &Vector, count: usize) -> Vector {
    let [a, b, c, d, ..] = *vector;
    let words = |words: [u32; 4]| {
        let [a, b, c, d] = words;
        vector_of([a, b, c, d])
    };
    #[cfg(not(feature = "cuda_std"))]
    let swap_bytes = u32::swap_bytes;
    // rust-cuda's LLVM would make one instruction on four words of four calls of `u32::swap_bytes`, and libNVVM rejects that instruction.
    #[cfg(feature = "cuda_std")]
    let swap_bytes = simt::swap_bytes;
    // The items of a word, in the opposite order.
    let turn = |word: u32| match size_of::<T>() {
        1 => swap_bytes(word),
        2 => word.rotate_left(16),
        _ => word,
    };
    match (size_of::<T>(), count * size_of::<T>()) {
        (8, 16) => words([c, d, a, b]),
        (1 | 2 | 4, 16) => words([turn(d), turn(c), turn(b), turn(a)]),
        (1 | 2 | 4, 8) => words([turn(b), turn(a), 0, 0]),
        (1 | 2, 4) => words([turn(a), 0, 0, 0]),
        (1, 2) => words([turn(a) >> 16, 0, 0, 0]),
        _ => *vector,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKWARD: Direction = Direction { mask: u64::MAX };

    #[test]
    fn backward_counts_from_the_end() {
        assert_eq!(BACKWARD.place(0, 10), 9);
        assert_eq!(BACKWARD.place(9, 10), 0);
        assert_eq!(BACKWARD.border(0, 10), 10);
        assert_eq!(BACKWARD.border(10, 10), 0);
        assert_eq!(BACKWARD.signed(3), 3_u64.wrapping_neg());
        assert_eq!(Direction::FORWARD.place(4, 10), 4);
        assert_eq!(Direction::FORWARD.border(4, 10), 4);
    }

    #[test]
    fn turning_a_vector_reverses_its_items() {
        fn check<T: crate::element::Element + PartialEq>(count: usize) {
            use crate::element::item_of;
            let bytes: [u8; 64] =
                core::array::from_fn(|byte| match byte < count * size_of::<T>() {
                    true => byte as u8 + 1,
                    false => 0,
                });
            let vector: Vector = bytemuck::cast(bytes);
            let turned = BACKWARD.turned::<T>(&vector, count);
            for place in 0..count {
                let (found, expected) = (
                    item_of::<T>(&turned, place),
                    item_of::<T>(&vector, count - 1 - place),
                );
                assert!(found == expected, "{} of {count}", size_of::<T>());
            }
            assert_eq!(BACKWARD.turned::<T>(&turned, count), vector);
            assert_eq!(Direction::FORWARD.turned::<T>(&vector, count), vector);
        }
        for count in [1, 2, 4, 8, 16] {
            check::<u8>(count);
        }
        for count in [1, 2, 4, 8] {
            check::<u16>(count);
        }
        for count in [1, 2, 4] {
            check::<u32>(count);
        }
        for count in [1, 2] {
            check::<u64>(count);
        }
        check::<u128>(1);
        check::<[u32; 8]>(1);
    }
}
