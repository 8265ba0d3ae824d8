//! Operators of many kinds, for the tests.

use warpfold::{Commutative, Op};

warpfold::item! {
    /// The map `x ↦ scale·x + offset`.
    pub struct Affine {
        pub scale: u32,
        pub offset: u32,
    }

    /// A value, and its index.
    pub struct Found {
        pub value: f32,
        pub padding: u32,
        pub index: u64,
    }
}

/// The greatest common divisor.
#[derive(Clone, Copy)]
pub struct Gcd;

impl Op<u64> for Gcd {
    type Accumulator = u64;
    type Output = u64;
    const EXACT: bool = true;
    fn identity() -> u64 {
        0
    }
    fn identity_item() -> Option<u64> {
        Some(0)
    }
    fn lift(item: u64) -> u64 {
        item
    }
    fn combine(mut a: u64, mut b: u64) -> u64 {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    }
    fn lower(value: u64) -> u64 {
        value
    }
}

impl Commutative for Gcd {}

/// Compositions of affine maps. They do not commute.
#[derive(Clone, Copy)]
pub struct Composition;

impl Op<Affine> for Composition {
    type Accumulator = Affine;
    type Output = Affine;
    const EXACT: bool = true;
    fn identity() -> Affine {
        Affine {
            scale: 1,
            offset: 0,
        }
    }
    fn lift(item: Affine) -> Affine {
        item
    }
    fn combine(first: Affine, then: Affine) -> Affine {
        Affine {
            scale: then.scale.wrapping_mul(first.scale),
            offset: then
                .scale
                .wrapping_mul(first.offset)
                .wrapping_add(then.offset),
        }
    }
    fn lower(value: Affine) -> Affine {
        value
    }
}

/// The first index of the least value.
#[derive(Clone, Copy)]
pub struct ArgMin;

impl Op<f32> for ArgMin {
    type Accumulator = Found;
    type Output = u64;
    const EXACT: bool = true;
    fn identity() -> Found {
        Found {
            value: f32::INFINITY,
            padding: 0,
            index: u64::MAX,
        }
    }
    fn lift(item: f32) -> Found {
        Self::lift_at(item, 0)
    }
    fn lift_at(value: f32, index: u64) -> Found {
        Found {
            value,
            padding: 0,
            index,
        }
    }
    fn combine(a: Found, b: Found) -> Found {
        if b.value < a.value || (b.value == a.value && b.index < a.index) {
            b
        } else {
            a
        }
    }
    fn lower(value: Found) -> u64 {
        value.index
    }
}

impl Commutative for ArgMin {}

/// How many flags are set.
#[derive(Clone, Copy)]
pub struct Count;

impl Op<u8> for Count {
    type Accumulator = u32;
    type Output = u32;
    const EXACT: bool = true;
    fn identity() -> u32 {
        0
    }
    fn identity_item() -> Option<u8> {
        Some(0)
    }
    fn lift(item: u8) -> u32 {
        u32::from(item != 0)
    }
    fn combine(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }
    fn lower(value: u32) -> u32 {
        value
    }
}

impl Commutative for Count {}

/// Products of polynomials modulo `x⁸ − 1`, with coefficients modulo 2³¹ − 1. One combination takes more than 700 instructions.
#[derive(Clone, Copy)]
pub struct Convolution;

/// The modulus of the coefficients.
pub const PRIME: u64 = (1 << 31) - 1;

/// A product modulo the prime.
fn product(a: u32, b: u32) -> u64 {
    let product = u64::from(a) * u64::from(b);
    let sum = (product & PRIME) + (product >> 31);
    let sum = (sum & PRIME) + (sum >> 31);
    if sum == PRIME { 0 } else { sum }
}

/// A coefficient of a product.
fn coefficient(a: [u32; 8], b: [u32; 8]) -> u32 {
    let sum = product(a[0], b[0])
        + product(a[1], b[1])
        + product(a[2], b[2])
        + product(a[3], b[3])
        + product(a[4], b[4])
        + product(a[5], b[5])
        + product(a[6], b[6])
        + product(a[7], b[7]);
    (sum % PRIME) as u32
}

impl Op<[u32; 8]> for Convolution {
    type Accumulator = [u32; 8];
    type Output = [u32; 8];
    const EXACT: bool = true;
    fn identity() -> [u32; 8] {
        [1, 0, 0, 0, 0, 0, 0, 0]
    }
    fn identity_item() -> Option<[u32; 8]> {
        Some([1, 0, 0, 0, 0, 0, 0, 0])
    }
    fn lift(item: [u32; 8]) -> [u32; 8] {
        item
    }
    fn combine(left: [u32; 8], right: [u32; 8]) -> [u32; 8] {
        let [a, b, c, d, e, f, g, h] = right;
        [
            coefficient(left, [a, h, g, f, e, d, c, b]),
            coefficient(left, [b, a, h, g, f, e, d, c]),
            coefficient(left, [c, b, a, h, g, f, e, d]),
            coefficient(left, [d, c, b, a, h, g, f, e]),
            coefficient(left, [e, d, c, b, a, h, g, f]),
            coefficient(left, [f, e, d, c, b, a, h, g]),
            coefficient(left, [g, f, e, d, c, b, a, h]),
            coefficient(left, [h, g, f, e, d, c, b, a]),
        ]
    }
    fn lower(value: [u32; 8]) -> [u32; 8] {
        value
    }
}

impl Commutative for Convolution {}

warpfold::operators! {
    gcd: Gcd, u64;
    composition: Composition, Affine, scans only;
    arg_min: ArgMin, f32;
    count: Count, u8;
    convolution: Convolution, [u32; 8];
}
