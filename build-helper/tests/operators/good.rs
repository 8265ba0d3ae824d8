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

/// Compositions of affine maps, which do not commute.
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

/// The least value, and the first index where it occurs.
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

warpfold::operators! {
    gcd: Gcd, u64;
    composition: Composition, Affine, scans only;
    arg_min: ArgMin, f32;
    count: Count, u8;
}
