//! Products in two prime fields. This file is compiled twice: for the host as a module, and for the device by `build.rs`.

use warpfold::{Commutative, Op};

/// The product modulo 15 · 2²⁷ + 1, of numbers below the modulus.
#[derive(Debug, Clone, Copy)]
pub struct Product31;

/// The modulus.
pub const MODULUS_31: u32 = 15 * (1 << 27) + 1;

impl Op<u32> for Product31 {
    type Accumulator = u32;
    type Output = u32;
    const EXACT: bool = true;

    fn identity() -> u32 {
        1
    }

    fn identity_item() -> Option<u32> {
        Some(1)
    }

    fn lift(item: u32) -> u32 {
        item
    }

    fn combine(left: u32, right: u32) -> u32 {
        (u64::from(left) * u64::from(right) % u64::from(MODULUS_31)) as u32
    }

    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Product31 {}

/// The product modulo 2²⁵⁵ − 19, of numbers below the modulus. A number is four words, the lowest first.
#[derive(Debug, Clone, Copy)]
pub struct Product256;

/// The modulus.
pub const MODULUS_256: [u64; 4] = [u64::MAX - 18, u64::MAX, u64::MAX, u64::MAX >> 1];

impl Op<[u64; 4]> for Product256 {
    type Accumulator = [u64; 4];
    type Output = [u64; 4];
    const EXACT: bool = true;

    fn identity() -> [u64; 4] {
        [1, 0, 0, 0]
    }

    fn identity_item() -> Option<[u64; 4]> {
        Some([1, 0, 0, 0])
    }

    fn lift(item: [u64; 4]) -> [u64; 4] {
        item
    }

    /// Schoolbook multiplication. Then, three times, the bits from bit 256 on are taken as a number, multiplied by 38 and added to the
    /// lower 256 bits. This does not change the number modulo the modulus, since 2²⁵⁶ is 38 more than a multiple of the modulus.
    fn combine(left: [u64; 4], right: [u64; 4]) -> [u64; 4] {
        let (a, carry) = times(left, right[0], [0; 4]);
        let (b, b_carry) = times(left, right[1], [a[1], a[2], a[3], carry]);
        let (c, c_carry) = times(left, right[2], [b[1], b[2], b[3], b_carry]);
        let (d, d_carry) = times(left, right[3], [c[1], c[2], c[3], c_carry]);
        let (sum, above) = times([d[1], d[2], d[3], d_carry], 38, [a[0], b[0], c[0], d[0]]);
        // The first of the next two lines adds at most 38 · 38. If this addition carries, the low 256 bits of the sum are less than
        // 38 · 38, so the second line adds 38 without a carry.
        let (sum, above) = times([above, 0, 0, 0], 38, sum);
        let (sum, _) = times([above, 0, 0, 0], 38, sum);
        below_modulus(below_modulus(sum))
    }

    fn lower(value: [u64; 4]) -> [u64; 4] {
        value
    }
}

impl Commutative for Product256 {}

/// `number · factor + addend`: the four low words, and the fifth.
fn times(number: [u64; 4], factor: u64, addend: [u64; 4]) -> ([u64; 4], u64) {
    let step = |word: u64, addend: u64, carry: u64| {
        let sum = u128::from(word) * u128::from(factor) + u128::from(addend) + u128::from(carry);
        (sum as u64, (sum >> 64) as u64)
    };
    let (a, carry) = step(number[0], addend[0], 0);
    let (b, carry) = step(number[1], addend[1], carry);
    let (c, carry) = step(number[2], addend[2], carry);
    let (d, carry) = step(number[3], addend[3], carry);
    ([a, b, c, d], carry)
}

/// Subtracts the modulus from the number, unless the number is less than the modulus.
fn below_modulus(number: [u64; 4]) -> [u64; 4] {
    let step = |place: usize, borrow: bool| {
        let (word, first) = number[place].overflowing_sub(MODULUS_256[place]);
        let (word, second) = word.overflowing_sub(u64::from(borrow));
        (word, first | second)
    };
    let (a, borrow) = step(0, false);
    let (b, borrow) = step(1, borrow);
    let (c, borrow) = step(2, borrow);
    let (d, borrow) = step(3, borrow);
    if borrow { number } else { [a, b, c, d] }
}

warpfold::operators! {
    product_31: Product31, u32;
    product_256: Product256, [u64; 4];
}
