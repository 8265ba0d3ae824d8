//! Tests the reference with operators and items as a user may write them: structs, wide items and accumulators, results of another type,
//! operators that use an index or do not commute. Also tests it with some of the library's operators. The results are compared with plain
//! loops, or with results that were worked out by hand.

use std::fmt::Debug;

use warpfold_kernels::element::Accumulator;
use warpfold_kernels::op::{All, And, Any, MaxNum, MinNum, Or, Xor};

use super::*;

/// Numbers of items: none, one, a few vectors, and one or several tiles.
const SIZES: [usize; 5] = [0, 1, 33, 1025, 5000];

/// This many items of 8 bytes or more fill more tiles than a tile group has.
const MANY: usize = 90_000;

/// An operator: its item, accumulator and result, whether it is exact, and its functions.
macro_rules! operator {
    ($op:ident: $t:ty => $acc:ty => $output:ty, $exact:literal, $identity:expr, $lift:expr, $combine:expr, $lower:expr) => {
        #[derive(Clone, Copy)]
        struct $op;

        impl Op<$t> for $op {
            type Accumulator = $acc;
            type Output = $output;
            const EXACT: bool = $exact;
            fn identity() -> $acc {
                $identity
            }
            fn lift(item: $t) -> $acc {
                Self::lift_at(item, 0)
            }
            fn lift_at(item: $t, index: u64) -> $acc {
                $lift(item, index)
            }
            fn combine(left: $acc, right: $acc) -> $acc {
                $combine(left, right)
            }
            fn lower(value: $acc) -> $output {
                $lower(value)
            }
        }
    };
}

/// `x ↦ factor·x + offset`, modulo 2³².
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
struct Affine {
    factor: u32,
    offset: u32,
}

// SAFETY: two numbers, for which zero bytes are the value 0.
unsafe impl bytemuck::Zeroable for Affine {}
// SAFETY: two numbers without padding, and any bits are a value.
unsafe impl bytemuck::Pod for Affine {}

impl Affine {
    /// This map, followed by `next`.
    fn then(self, next: Self) -> Self {
        Self {
            factor: next.factor.wrapping_mul(self.factor),
            offset: next
                .factor
                .wrapping_mul(self.offset)
                .wrapping_add(next.offset),
        }
    }
}

// Compositions do not commute.
operator!(
    Composition: Affine => Affine => Affine, true,
    Affine { factor: 1, offset: 0 }, |item, _| item, Affine::then, |value| value
);
// The same operator on three words. The last word counts the items.
operator!(
    Counted: [u32; 3] => [u32; 3] => u64, true, [1, 0, 0], |[factor, offset, _]: [u32; 3], _| [factor, offset, 1],
    |left: [u32; 3], right: [u32; 3]| {
        let both = Affine { factor: left[0], offset: left[1] }
            .then(Affine { factor: right[0], offset: right[1] });
        [both.factor, both.offset, left[2] + right[2]]
    },
    |value: [u32; 3]| u64::from(value[1]) << 32 | u64::from(value[2])
);
operator!(
    BytesXor: [u8; 12] => [u8; 12] => [u8; 12], true, [0; 12], |item, _| item,
    |left: [u8; 12], right: [u8; 12]| std::array::from_fn(|index| left[index] ^ right[index]), |value| value
);
operator!(
    Sums: [u64; 3] => [u64; 4] => [u64; 4], true, [0; 4], |[a, b, c]: [u64; 3], _| [a, b, c, 1],
    |left: [u64; 4], right: [u64; 4]| std::array::from_fn(|index| left[index].wrapping_add(right[index])),
    |value| value
);
operator!(
    Weighted: u32 => u64 => u64, true, 0, |item, index| u64::from(item) * (index + 1), u64::wrapping_add,
    |value| value
);
// This operator has a wide accumulator, and rounds.
operator!(
    Moment: f32 => [f32; 3] => f32, false, [-0.0; 3], |item: f32, _| [item, 0.0, 0.0],
    |left: [f32; 3], right: [f32; 3]| [left[0] + right[0], left[1], left[2]],
    |value: [f32; 3]| value[0]
);

/// Checks scans against loops.
fn check_scans<O: Op<T, Output: PartialEq + Debug>, T: Element>(items: &[T]) {
    let mut running = O::identity();
    let (mut inclusive, mut exclusive) = (Vec::new(), Vec::new());
    for (index, &item) in items.iter().enumerate() {
        exclusive.push(O::lower(running));
        running = O::combine(running, O::lift_at(item, index as u64));
        inclusive.push(O::lower(running));
    }
    assert_eq!(
        inclusive_scan_from::<O, T>(<O as Op<T>>::identity(), items).0,
        inclusive
    );
    assert_eq!(
        exclusive_scan_from::<O, T>(<O as Op<T>>::identity(), items).0,
        exclusive
    );
}

/// Checks a reduction against a loop.
fn check_reduction<O: Op<T, Output: PartialEq + Debug>, T: Element>(items: &[T]) {
    let lifted = items.iter().enumerate();
    let lifted = lifted.map(|(index, &item)| O::lift_at(item, index as u64));
    let expected = O::lower(lifted.fold(O::identity(), O::combine));
    assert_eq!(reduce::<O, T>(items), expected);
}

#[test]
fn scans_keep_the_order_of_operators_that_do_not_commute() {
    for size in SIZES.into_iter().chain([MANY]) {
        let numbers = numbers(size + 1);
        let pairs = numbers.windows(2);
        let maps = pairs.clone().map(|pair| Affine {
            factor: pair[0],
            offset: pair[1],
        });
        check_scans::<Composition, Affine>(&maps.collect::<Vec<_>>());
        let triples: Vec<_> = pairs.map(|pair| [pair[0] | 1, pair[1], 0]).collect();
        check_scans::<Counted, [u32; 3]>(&triples);
    }
}

#[test]
fn wide_items_agree_with_the_definition() {
    for size in SIZES {
        let numbers = numbers(size);
        let bytes = |number: &u32| std::array::from_fn(|index| (number >> index) as u8);
        let bytes: Vec<[u8; 12]> = numbers.iter().map(bytes).collect();
        check_reduction::<BytesXor, [u8; 12]>(&bytes);
        check_scans::<BytesXor, [u8; 12]>(&bytes);
        let triples = numbers.iter().map(|&number| u64::from(number).pow(2));
        let triples: Vec<_> = triples.map(|square| [square, !square, 1]).collect();
        check_reduction::<Sums, [u64; 3]>(&triples);
        check_scans::<Sums, [u64; 3]>(&triples);
        let large = numbers.iter().map(|&number| u128::from(number).pow(3));
        let large: Vec<_> = large.collect();
        check_reduction::<Sum, u128>(&large);
        check_scans::<Sum, u128>(&large);
        check_scans::<Max, u128>(&large);
    }
}

#[test]
fn scans_have_results_of_other_types() {
    for size in SIZES {
        let bytes: Vec<_> = numbers(size).iter().map(|&number| number as u8).collect();
        check_scans::<WideSum, u8>(&bytes);
        let shorts: Vec<_> = numbers(size).iter().map(|&number| number as i16).collect();
        check_scans::<WideSum, i16>(&shorts);
        check_scans::<Any, i16>(&shorts);
    }
    assert_eq!(
        exclusive_scan_from::<WideSum, u8>(<WideSum as Op<u8>>::identity(), &[200, 200, 200]).0,
        [0_u64, 200, 400]
    );
}

#[test]
fn an_operator_sees_the_index_in_the_input() {
    for size in SIZES {
        check_reduction::<Weighted, u32>(&numbers(size));
        check_scans::<Weighted, u32>(&numbers(size));
    }
    assert_eq!(reduce::<Weighted, u32>(&[10, 20, 30]), 10 + 40 + 90);
}

#[test]
fn reductions_with_wide_accumulators_have_two_folds() {
    const { assert!(<[f32; 3]>::IS_WIDE) };
    let mut items = vec![0.0_f32; 8192];
    // Vector v of thread 0 begins with item 1024·v. Both items of value 1 are in the odd fold: 2²⁴ ⊕ (1 ⊕ 1).
    (items[0], items[1024], items[3072]) = (16_777_216.0, 1.0, 1.0);
    assert_eq!(reduce::<Moment, f32>(&items), 16_777_218.0);
    // Now both items of value 1 are in the even fold, and each is added to 2²⁴ separately.
    (items[1024], items[3072]) = (0.0, 0.0);
    (items[2048], items[4096]) = (1.0, 1.0);
    assert_eq!(reduce::<Moment, f32>(&items), 16_777_216.0);
}

#[test]
fn a_wide_accumulator_is_scanned_lane_by_lane() {
    // Lane 1 appends items 16 to 31 to its prefix, one by one; lane 2 sees lane 1's total.
    let mut items = vec![0.0_f32; 48];
    (items[0], items[16], items[17]) = (16_777_216.0, 1.0, 1.0);
    let inclusive = inclusive_scan_from::<Moment, f32>(<Moment as Op<f32>>::identity(), &items).0;
    assert_eq!(inclusive[15..18], [16_777_216.0; 3]);
    assert_eq!(inclusive[31..33], [16_777_216.0, 16_777_218.0]);
    let exclusive = exclusive_scan_from::<Moment, f32>(<Moment as Op<f32>>::identity(), &items).0;
    assert_eq!(exclusive[18..32], inclusive[17..31]);
    assert_eq!(exclusive[32..34], [16_777_218.0; 2]);
}

#[test]
fn bitwise_and_logical_operators_agree_with_the_definition() {
    for size in SIZES {
        let items = numbers(size);
        let bytes: Vec<_> = items.iter().map(|&item| item as i8 | 0x11).collect();
        let shorts: Vec<_> = items.iter().map(|&item| item as u16 | 0x8001).collect();
        check_reduction::<And, i8>(&bytes);
        check_reduction::<Or, i8>(&bytes);
        check_reduction::<Xor, i8>(&bytes);
        check_scans::<And, u16>(&shorts);
        check_scans::<Or, u32>(&items);
        check_scans::<Xor, u16>(&shorts);
        check_reduction::<All, u32>(&items);
        check_scans::<Any, u32>(&items);
    }
    assert_eq!(reduce::<And, u8>(&[0b1110, 0b0111]), 0b0110);
    assert_eq!(reduce::<And, i16>(&[]), -1);
    assert_eq!(
        (reduce::<All, u8>(&[2, 4]), reduce::<All, u8>(&[2, 0])),
        (1, 0)
    );
    assert_eq!(
        (reduce::<Any, i64>(&[0, -4]), reduce::<Any, i64>(&[0])),
        (1, 0)
    );
    assert_eq!((reduce::<All, u8>(&[]), reduce::<Any, u8>(&[])), (1, 0));
}

#[test]
fn extremes_of_numbers_ignore_nan() {
    let nan = f32::from_bits(0xFFC1_2345);
    assert_eq!(reduce::<MinNum, f32>(&[nan, 2.0, 1.0, nan]), 1.0);
    assert_eq!(reduce::<MaxNum, f32>(&[nan, 2.0, 1.0, nan]), 2.0);
    assert_eq!(
        reduce::<MinNum, f64>(&[0.0, -0.0]).to_bits(),
        (-0.0_f64).to_bits()
    );
    assert_eq!(reduce::<MaxNum, f64>(&[-0.0, 0.0]).to_bits(), 0);
    assert_eq!(
        reduce::<MaxNum, f32>(&[f32::NEG_INFINITY, nan]),
        f32::NEG_INFINITY
    );
    assert_eq!(reduce::<MinNum, f32>(&[nan]).to_bits(), f32::NAN.to_bits());
    assert_eq!(reduce::<MaxNum, f16>(&[]).to_bits(), 0x7FFF);
    let scanned =
        inclusive_scan_from::<MaxNum, f32>(<MaxNum as Op<f32>>::identity(), &[nan, 1.0, nan, 3.0])
            .0;
    assert!(scanned[0].is_nan());
    assert_eq!(scanned[1..], [1.0, 1.0, 3.0]);
}

#[test]
fn the_total_of_a_vector_combines_its_items() {
    fn check<O: Op<T, Accumulator: PartialEq + Debug>, T: Element>(words: [u32; 4]) {
        let items: &[T] = bytemuck::cast_slice(&words);
        let values = items.iter().map(|&item| O::lift(item));
        let folded = values.reduce(O::combine);
        assert_eq!(Some(O::total(words, 0)), folded);
    }
    for chunk in numbers(4000).chunks_exact(4) {
        let words = [chunk[0], chunk[1], chunk[2], chunk[3]];
        check::<And, u8>(words.map(|word| word | 0x7373_7373));
        check::<And, i16>(words.map(|word| word | 0x8111_8111));
        check::<Or, i8>(words.map(|word| word & 0x8111_0101));
        check::<Xor, i8>(words);
        check::<Xor, u16>(words);
        check::<Min, i8>(words);
        check::<WideSum, u16>(words);
    }
}
