//! Operators, predicates and an equality on items of 12 to 64 bytes, and operators with wide accumulators on items of 4 bytes.

use warpfold::{Commutative, Equality, Op, Predicate};

/// Replaces every NaN by the same NaN, since devices do not agree on NaNs' payloads.
fn canonical(value: f32) -> f32 {
    if value.is_nan() { f32::NAN } else { value }
}

/// Sums of items of 12 to 64 bytes: a vector in space, a wide integer, and records. The result for `[u32; 8]` is the XOR of the eight sums.
#[derive(Debug, Clone, Copy)]
pub struct Total;

impl Op<[f32; 3]> for Total {
    type Accumulator = [f32; 3];
    type Output = [f32; 3];

    fn identity() -> [f32; 3] {
        [-0.0; 3]
    }

    fn identity_item() -> Option<[f32; 3]> {
        Some([-0.0; 3])
    }

    fn lift(item: [f32; 3]) -> [f32; 3] {
        item
    }

    fn combine(left: [f32; 3], right: [f32; 3]) -> [f32; 3] {
        [left[0] + right[0], left[1] + right[1], left[2] + right[2]]
    }

    fn lower(value: [f32; 3]) -> [f32; 3] {
        [
            canonical(value[0]),
            canonical(value[1]),
            canonical(value[2]),
        ]
    }
}

impl Op<u128> for Total {
    type Accumulator = u128;
    type Output = u128;
    const EXACT: bool = true;

    fn identity() -> u128 {
        0
    }

    fn lift(item: u128) -> u128 {
        item
    }

    fn combine(left: u128, right: u128) -> u128 {
        left.wrapping_add(right)
    }

    fn lower(value: u128) -> u128 {
        value
    }
}

impl Op<[u64; 3]> for Total {
    type Accumulator = [u64; 3];
    type Output = [u64; 3];
    const EXACT: bool = true;

    fn identity() -> [u64; 3] {
        [0; 3]
    }

    fn lift(item: [u64; 3]) -> [u64; 3] {
        item
    }

    fn combine(left: [u64; 3], right: [u64; 3]) -> [u64; 3] {
        [
            left[0].wrapping_add(right[0]),
            left[1].wrapping_add(right[1]),
            left[2].wrapping_add(right[2]),
        ]
    }

    fn lower(value: [u64; 3]) -> [u64; 3] {
        value
    }
}

impl Op<[u32; 8]> for Total {
    type Accumulator = [u32; 8];
    type Output = u32;
    const EXACT: bool = true;

    fn identity() -> [u32; 8] {
        [0; 8]
    }

    fn lift(item: [u32; 8]) -> [u32; 8] {
        item
    }

    fn combine(left: [u32; 8], right: [u32; 8]) -> [u32; 8] {
        [
            left[0].wrapping_add(right[0]),
            left[1].wrapping_add(right[1]),
            left[2].wrapping_add(right[2]),
            left[3].wrapping_add(right[3]),
            left[4].wrapping_add(right[4]),
            left[5].wrapping_add(right[5]),
            left[6].wrapping_add(right[6]),
            left[7].wrapping_add(right[7]),
        ]
    }

    fn lower(value: [u32; 8]) -> u32 {
        value[0] ^ value[1] ^ value[2] ^ value[3] ^ value[4] ^ value[5] ^ value[6] ^ value[7]
    }
}

/// `Total` of records: the sums of the first numbers, of the second numbers, and so on.
macro_rules! records {
    ($($number:ident $count:literal: $($place:literal)*;)*) => {$(
        impl Op<[$number; $count]> for Total {
            type Accumulator = [$number; $count];
            type Output = [$number; $count];
            const EXACT: bool = true;

            fn identity() -> [$number; $count] {
                [0; $count]
            }

            fn identity_item() -> Option<[$number; $count]> {
                Some([0; $count])
            }

            fn lift(item: [$number; $count]) -> [$number; $count] {
                item
            }

            fn combine(left: [$number; $count], right: [$number; $count]) -> [$number; $count] {
                [$(left[$place].wrapping_add(right[$place])),*]
            }

            fn lower(value: [$number; $count]) -> [$number; $count] {
                value
            }
        }
    )*};
}

records! {
    u32 5: 0 1 2 3 4;
    u32 9: 0 1 2 3 4 5 6 7 8;
    u64 5: 0 1 2 3 4;
    u32 12: 0 1 2 3 4 5 6 7 8 9 10 11;
    u64 7: 0 1 2 3 4 5 6;
    u32 15: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14;
    u32 16: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15;
}

impl Commutative for Total {}

/// The largest three numbers, in descending order.
#[derive(Debug, Clone, Copy)]
pub struct Top3;

impl Op<i32> for Top3 {
    type Accumulator = [i32; 3];
    type Output = [i32; 3];
    const EXACT: bool = true;

    fn identity() -> [i32; 3] {
        [i32::MIN; 3]
    }

    fn lift(item: i32) -> [i32; 3] {
        [item, i32::MIN, i32::MIN]
    }

    // The three largest numbers of two descending lists.
    fn combine([a, b, c]: [i32; 3], [d, e, f]: [i32; 3]) -> [i32; 3] {
        [
            a.max(d),
            a.min(d).max(b.max(e)),
            c.max(f).max(a.min(e)).max(b.min(d)),
        ]
    }

    fn lower(value: [i32; 3]) -> [i32; 3] {
        value
    }
}

impl Commutative for Top3 {}

/// The record with the least first number. Of several such records, the leftmost.
#[derive(Debug, Clone, Copy)]
pub struct Least;

/// The rightmost record.
#[derive(Debug, Clone, Copy)]
pub struct Latest;

/// Operators that return one of their operands unchanged. A value whose last number is 0 is no record. It counts as the identity. So `lift`
/// makes the last number odd.
macro_rules! choices {
    ($($operator:ident $number:ident $count:literal: |$left:ident, $right:ident| $takes_right:expr;)*) => {$(
        impl Op<[$number; $count]> for $operator {
            type Accumulator = [$number; $count];
            type Output = [$number; $count];
            const EXACT: bool = true;

            fn identity() -> [$number; $count] {
                [0; $count]
            }

            fn lift(mut item: [$number; $count]) -> [$number; $count] {
                item[$count - 1] |= 1;
                item
            }

            fn combine($left: [$number; $count], $right: [$number; $count]) -> [$number; $count] {
                if $right[$count - 1] == 0 {
                    return $left;
                }
                if $left[$count - 1] == 0 || $takes_right {
                    return $right;
                }
                $left
            }

            fn lower(value: [$number; $count]) -> [$number; $count] {
                value
            }
        }
    )*};
}

choices! {
    Least u32 3: |left, right| right[0] < left[0];
    Least u32 5: |left, right| right[0] < left[0];
    Least u64 5: |left, right| right[0] < left[0];
    Least u128 4: |left, right| right[0] < left[0];
    Latest u32 5: |left, right| true;
    Latest u64 8: |left, right| true;
}

/// Sums of records, number by number. Results have another size than the items. For items of type `[u32; 4]`, a result has a fifth number,
/// the number of items. For items of type `[u64; 3]`, a result lacks the last 32 bits of the sum.
#[derive(Debug, Clone, Copy)]
pub struct Resized;

impl Op<[u32; 4]> for Resized {
    type Accumulator = [u32; 5];
    type Output = [u32; 5];
    const EXACT: bool = true;

    fn identity() -> [u32; 5] {
        [0; 5]
    }

    fn lift([a, b, c, d]: [u32; 4]) -> [u32; 5] {
        [a, b, c, d, 1]
    }

    fn combine(left: [u32; 5], right: [u32; 5]) -> [u32; 5] {
        <Total as Op<[u32; 5]>>::combine(left, right)
    }

    fn lower(value: [u32; 5]) -> [u32; 5] {
        value
    }
}

impl Op<[u64; 3]> for Resized {
    type Accumulator = [u64; 3];
    type Output = [u32; 5];
    const EXACT: bool = true;

    fn identity() -> [u64; 3] {
        [0; 3]
    }

    fn identity_item() -> Option<[u64; 3]> {
        Some([0; 3])
    }

    fn lift(item: [u64; 3]) -> [u64; 3] {
        item
    }

    fn combine(left: [u64; 3], right: [u64; 3]) -> [u64; 3] {
        <Total as Op<[u64; 3]>>::combine(left, right)
    }

    fn lower([a, b, c]: [u64; 3]) -> [u32; 5] {
        [
            a as u32,
            (a >> 32) as u32,
            b as u32,
            (b >> 32) as u32,
            c as u32,
        ]
    }
}

/// The low 16 bits of the sum of the items' first numbers: items of 32 bytes, and results of 2 bytes.
#[derive(Debug, Clone, Copy)]
pub struct LowHalf;

impl Op<[u32; 8]> for LowHalf {
    type Accumulator = u32;
    type Output = u16;
    const EXACT: bool = true;

    fn identity() -> u32 {
        0
    }

    fn identity_item() -> Option<[u32; 8]> {
        Some([0; 8])
    }

    fn lift(item: [u32; 8]) -> u32 {
        item[0]
    }

    fn combine(left: u32, right: u32) -> u32 {
        left.wrapping_add(right)
    }

    fn lower(value: u32) -> u16 {
        value as u16
    }
}

/// Points in the unit ball.
#[derive(Debug, Clone, Copy)]
pub struct InReach;

impl Predicate<[f32; 3]> for InReach {
    fn holds([x, y, z]: [f32; 3]) -> bool {
        x * x + y * y + z * z <= 1.0
    }
}

/// Records whose last number is even.
#[derive(Debug, Clone, Copy)]
pub struct EvenLast;

impl Predicate<[u32; 16]> for EvenLast {
    fn holds(item: [u32; 16]) -> bool {
        item[15] & 1 == 0
    }
}

/// Equal words of up to 32 letters.
#[derive(Debug, Clone, Copy)]
pub struct SameWord;

impl Equality<[u64; 4]> for SameWord {
    // `left == right` would be a call, which the build refuses.
    fn same(left: [u64; 4], right: [u64; 4]) -> bool {
        (left[0] == right[0])
            & (left[1] == right[1])
            & (left[2] == right[2])
            & (left[3] == right[3])
    }
}

warpfold::mapped! {
    /// The moments of the negated numbers.
    pub struct MomentsOf4Bytes = warpfold::Moments, |item: f32| -> f32 { -item };
    /// The moments of the differences between the first and the last numbers of records.
    pub struct MomentsOf32Bytes = warpfold::Moments, |item: [f32; 8]| -> f32 { item[0] - item[7] };
    /// The same moments for larger records.
    pub struct MomentsOf36Bytes = warpfold::Moments, |item: [f32; 9]| -> f32 { item[0] - item[8] };
    /// The statistics of these differences, for records of `f64`.
    pub struct StatisticsOf64Bytes = warpfold::Statistics, |item: [f64; 8]| -> f64 { item[0] - item[7] };
}

warpfold::operators! {
    total_f32x3: Total, [f32; 3];
    total_u128: Total, u128;
    total_u64x3: Total, [u64; 3];
    total_u32x8: Total, [u32; 8];
    total_u32x5: Total, [u32; 5];
    total_u32x9: Total, [u32; 9];
    total_u64x5: Total, [u64; 5];
    total_u32x12: Total, [u32; 12];
    total_u64x7: Total, [u64; 7];
    total_u32x15: Total, [u32; 15];
    total_u32x16: Total, [u32; 16];
    top3: Top3, i32;
    least_u32x3: Least, [u32; 3], scans only;
    least_u32x5: Least, [u32; 5], scans only;
    least_u64x5: Least, [u64; 5], scans only;
    least_u128x4: Least, [u128; 4], scans only;
    latest_u32x5: Latest, [u32; 5], scans only;
    latest_u64x8: Latest, [u64; 8], scans only;
    resized_u32x4: Resized, [u32; 4], scans only;
    resized_u64x3: Resized, [u64; 3], scans only;
    low_half_u32x8: LowHalf, [u32; 8], scans only;
    moments_of_4_bytes: MomentsOf4Bytes, f32, reduction only;
    moments_of_32_bytes: MomentsOf32Bytes, [f32; 8], reduction only;
    moments_of_36_bytes: MomentsOf36Bytes, [f32; 9], reduction only;
    statistics_of_64_bytes: StatisticsOf64Bytes, [f64; 8], reduction only;
    in_reach: InReach, [f32; 3], predicate;
    even_last: EvenLast, [u32; 16], predicate;
    same_word: SameWord, [u64; 4], equality;
}
