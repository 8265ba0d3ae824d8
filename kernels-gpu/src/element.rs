//! The types that kernels work on. Elements are the items and results in memory. Accumulators are the values that operators combine.
//!
//! Both sets of types are open: any plain type of the right size is an element or an accumulator. Outside the functions of operators,
//! predicates and equalities, kernels only move the bytes of elements and accumulators, or compare the bytes of keys. The kernels do not
//! compile for items or accumulators of a wrong size.
//!
//! In a compiled kernel, each index into an array of words is a constant. If an index were known only at run time, the compiler would put
//! the array into local memory.

use bytemuck::Pod;

/// An element type: any plain type of an allowed size, with any alignment. A type is plain if it is [`Pod`]: every bit pattern is a value,
/// and there is no padding. The allowed sizes are 1 byte, 2 bytes, and each multiple of 4 bytes up to 64.
///
/// Numbers of all sizes are elements, `u128` and `usize` too. So are arrays of numbers, and structs that are [`Pod`], if they have an
/// allowed size.
///
/// ```
/// use warpfold_kernels::element::Element;
///
/// /// The bytes of some items.
/// fn bytes<T: Element>(items: &[T]) -> usize {
///     size_of_val(items)
/// }
/// assert_eq!(bytes(&[[1.0_f32, 2.0, 3.0]; 4]), 48);
/// ```
pub trait Element: Pod + Send + Sync {
    /// Kernels evaluate this constant for the items that they read, so they do not compile for items of a wrong size.
    #[doc(hidden)]
    const HAS_ALLOWED_SIZE: () = assert!(
        matches!(size_of::<Self>(), 1 | 2)
            || size_of::<Self>().is_multiple_of(4)
                && size_of::<Self>() >= 4
                && size_of::<Self>() <= VECTOR_MAX_BYTES,
        "an item or a result must have 1 or 2 bytes, or a multiple of 4 bytes up to 64"
    );
}

impl<T: Pod + Send + Sync> Element for T {}

/// The most words of an accumulator.
pub const ACCUMULATOR_MAX_WORDS: usize = 16;

/// A type that values are combined in: any plain type ([`Pod`]) of 1 to 16 words of 32 bits.
pub trait Accumulator: Pod + Send + Sync {
    /// The number of words of 32 bits of an accumulator.
    const WORDS: usize = {
        let words = size_of::<Self>() / 4;
        assert!(
            size_of::<Self>().is_multiple_of(4) && words >= 1 && words <= ACCUMULATOR_MAX_WORDS,
            "an accumulator must have 1 to 16 words of 4 bytes"
        );
        words
    };

    /// Whether an accumulator is wide: more than two words. The order in which wide accumulators are combined lets a thread hold fewer
    /// values at a time: see [`crate::contract`].
    const IS_WIDE: bool = Self::WORDS > 2;

    /// Whether an accumulator is large: more than 4 words. In reductions of whole arrays, and in scans of large items or results, the lanes
    /// of a warp read large published values together: each lane reads words of several values.
    const IS_LARGE: bool = Self::WORDS > 4;
}

impl<A: Pod + Send + Sync> Accumulator for A {}

/// The words of an accumulator. Words past its end are zero.
pub type AccumulatorWords = [u32; ACCUMULATOR_MAX_WORDS];

#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
/// Runs a block of code for each word of an accumulator. The block is written out sixteen times, once for each word that an accumulator
/// can have.
macro_rules! for_each_word {
    ($w:ident of $a:ty => $body:block) => {
        $crate::element::for_each_word!($w of $a, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => $body)
    };
    ($w:ident of $a:ty, $($index:literal)* => $body:block) => {
        $(if $index < <$a as $crate::element::Accumulator>::WORDS {
            const $w: usize = $index;
            $body
        })*
    };
}
#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
pub(crate) use for_each_word;

/// The value of type `B` with the same bytes. The caller matches on sizes, and the optimiser keeps only the arm whose sizes agree.
#[inline(always)]
fn cast<A: Pod, B: Pod>(value: A) -> B {
    assert!(size_of::<A>() == size_of::<B>());
    // SAFETY: `value` has as many bytes as a `B`, checked above, and any bytes are a `B`, which is `Pod`.
    unsafe { (&raw const value).cast::<B>().read_unaligned() }
}

/// Word `index` of an accumulator, lowest address first.
#[inline(always)]
pub fn accumulator_word<A: Accumulator>(value: A, index: usize) -> u32 {
    match A::WORDS {
        1 => cast(value),
        2 => (cast::<A, u64>(value) >> (32 * index)) as u32,
        _ => first_bytes::<A, AccumulatorWords>(value)[index],
    }
}

/// The accumulator with these words.
#[inline(always)]
pub fn accumulator_of_words<A: Accumulator>(words: AccumulatorWords) -> A {
    match A::WORDS {
        1 => cast(words[0]),
        2 => cast(words[0] as u64 | (words[1] as u64) << 32),
        _ => first_bytes(words),
    }
}

#[cfg(any(target_arch = "nvptx64", feature = "cuda_std", doc))]
/// `first` if `takes_first`, else `second`. The choice is made word by word: rust-cuda's compiler would choose between the addresses of two
/// values, and so keep both values in local memory.
#[inline(always)]
pub fn choose<A: Accumulator>(takes_first: bool, first: A, second: A) -> A {
    let mut words = [0; ACCUMULATOR_MAX_WORDS];
    for_each_word!(W of A => {
        let (first, second) = (accumulator_word(first, W), accumulator_word(second, W));
        words[W] = if takes_first { first } else { second };
    });
    accumulator_of_words(words)
}

/// Copies the first bytes of `value` to a `B`. If `B` is larger, its other bytes are zero. If `B` is smaller, the last bytes of `value` are
/// dropped.
#[inline(always)]
pub fn first_bytes<A: Pod, B: Pod>(value: A) -> B {
    if size_of::<A>() >= size_of::<B>() {
        // SAFETY: `value` has at least as many bytes as a `B`, checked above, and any bytes are a `B`, which is `Pod`.
        return unsafe { (&raw const value).cast::<B>().read_unaligned() };
    }
    let mut wider = B::zeroed();
    // SAFETY: `wider` has more bytes than `value`, checked above, and any bytes are a `B`, which is `Pod`.
    unsafe { (&raw mut wider).cast::<A>().write_unaligned(value) };
    wider
}

/// 16 bytes of memory, lowest address first.
pub type Words = [u32; 4];

/// The most bytes of a vector: the size of the largest item.
pub const VECTOR_MAX_BYTES: usize = 64;

/// The words of a vector, lowest address first. Words past its end are zero.
pub type Vector = [u32; VECTOR_WORDS];

/// The most words of a vector.
pub const VECTOR_WORDS: usize = VECTOR_MAX_BYTES / 4;

/// Item `index` of a vector of items of type `T`.
#[inline(always)]
pub fn item_of<T: Element>(vector: &Vector, index: usize) -> T {
    let () = T::HAS_ALLOWED_SIZE;
    let [a, b, c, d, ..] = *vector;
    match size_of::<T>() {
        1 => cast((vector[index / 4] >> (8 * (index % 4))) as u8),
        2 => cast((vector[index / 2] >> (16 * (index % 2))) as u16),
        4 => cast(vector[index]),
        8 => cast(vector[2 * index] as u64 | (vector[2 * index + 1] as u64) << 32),
        12 => cast([a, b, c]),
        16 => cast([a, b, c, d]),
        _ => first_bytes(*vector),
    }
}

/// Puts an item of type `T` at place `index` of a vector. That place has to be zero before the call.
#[inline(always)]
pub fn put_item<T: Element>(vector: &mut Vector, index: usize, item: T) {
    let () = T::HAS_ALLOWED_SIZE;
    match size_of::<T>() {
        1 => vector[index / 4] |= (cast::<T, u8>(item) as u32) << (8 * (index % 4)),
        2 => vector[index / 2] |= (cast::<T, u16>(item) as u32) << (16 * (index % 2)),
        4 => vector[index] = cast(item),
        8 => {
            let bits: u64 = cast(item);
            vector[2 * index] = bits as u32;
            vector[2 * index + 1] = (bits >> 32) as u32;
        }
        12 => [vector[0], vector[1], vector[2]] = cast(item),
        16 => [vector[0], vector[1], vector[2], vector[3]] = cast(item),
        _ => *vector = first_bytes(item),
    }
}

/// The first 16 bytes of a vector.
#[inline(always)]
pub fn first_words(vector: &Vector) -> Words {
    let [a, b, c, d, ..] = *vector;
    [a, b, c, d]
}

/// The vector that begins with these 16 bytes. Its other bytes are zero.
#[inline(always)]
pub fn vector_of(words: Words) -> Vector {
    let [a, b, c, d] = words;
    let mut vector = [0; VECTOR_WORDS];
    [vector[0], vector[1], vector[2], vector[3]] = [a, b, c, d];
    vector
}

/// Runs a block of code for each item of a vector. The block is written out sixteen times, since a vector has up to sixteen items. The
/// compiler might not unroll a loop, which would then index the vector at run time.
macro_rules! for_each_item {
    ($p:ident of $t:ty => $body:block) => {
        $crate::element::for_each_item!($p of $t, 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 => $body)
    };
    ($p:ident of $t:ty, $($index:literal)* => $body:block) => {
        $(if $index < $crate::contract::vector_items::<$t>() {
            const $p: usize = $index;
            $body
        })*
    };
}
pub(crate) use for_each_item;

/// The name of an element type or an operator, as in Rust: the last part of its path.
pub fn name<T>() -> &'static str {
    let path = core::any::type_name::<T>();
    let end = path.find('<').unwrap_or(path.len());
    let start = path[..end].rfind("::").map_or(0, |colons| colons + 2);
    &path[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_round_trip_through_a_vector() {
        fn check<T: Element + PartialEq + core::fmt::Debug>(item: T, places: usize) {
            for place in 0..places {
                let mut vector = [0; VECTOR_WORDS];
                put_item(&mut vector, place, item);
                assert_eq!(item_of::<T>(&vector, place), item);
                let written = vector.iter().filter(|&&word| word != 0).count();
                assert_eq!(written, size_of::<T>().div_ceil(4));
            }
        }
        check(0x81_u8, 16);
        check(-5_i16, 8);
        check(1.5_f32, 4);
        check([1_u16, 2, 3, 4], 2);
        check([1_u8; 12], 1);
        check(u128::MAX / 3, 1);
        check([u64::MAX, 1 << 40 | 1, 1 << 32 | 3], 1);
        check([0x0101_0101_u32; 5], 1);
        check([0x0101_0101_u32; 8], 1);
        check([0x0101_0101_u32; 13], 1);
        check([0x0101_0101_u32; 16], 1);
    }

    #[test]
    fn a_vector_has_its_items_in_memory_order() {
        let vector: Vector = core::array::from_fn(|word| 0x0302_0100 + 0x0404_0404 * word as u32);
        let bytes: [u8; 64] = bytemuck::cast(vector);
        for (index, &byte) in bytes.iter().enumerate().take(16) {
            assert_eq!(item_of::<u8>(&vector, index), byte);
        }
        assert_eq!(item_of::<[u8; 8]>(&vector, 1), bytes[8..16]);
        assert_eq!(item_of::<[u8; 12]>(&vector, 0), bytes[..12]);
        assert_eq!(item_of::<[u8; 24]>(&vector, 0), bytes[..24]);
    }

    #[test]
    fn accumulators_round_trip_through_words() {
        fn check<A: Accumulator + PartialEq + core::fmt::Debug>(value: A) {
            let words = core::array::from_fn(|word| match word < A::WORDS {
                true => accumulator_word(value, word),
                false => 0,
            });
            assert_eq!(accumulator_of_words::<A>(words), value);
        }
        check(-1.5_f32);
        check(-1.5_f64);
        check([1_u32, 2, 3]);
        check(u128::MAX / 5);
        check([1_u32, 2, 3, 4, 5]);
        check([1.0_f64, 2.0, 3.0]);
        check([1_u32, 2, 3, 4, 5, 6, 7]);
        check([1_u64, 2, 3, u64::MAX]);
        check([7_u32; 11]);
        check([1_u64, 2, 3, 4, 5, 6, 7, u64::MAX]);
    }

    #[test]
    fn type_names_match_rust_names() {
        assert_eq!(name::<half::bf16>(), "bf16");
        assert_eq!(name::<crate::op::WideSum>(), "WideSum");
        assert_eq!(name::<Option<half::f16>>(), "Option<half::binary16::f16>");
        assert_eq!(name::<u128>(), "u128");
    }
}
