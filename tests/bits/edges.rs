//! Edge values of item types, and lists that contain them.

use warpfold::cust_half::{bf16, f16};
use warpfold::{Affine, Op};
use warpfold_kernels::element::name;
use warpfold_kernels::for_each_integer;

use crate::data::{Random, Sample, ordinary};

/// The edge values of an item type.
pub trait Edges: Sample {
    /// Edge values of the type, without NaNs.
    const EDGES: &'static [Self];

    /// NaNs with different payloads and signs. Integers have none.
    const NANS: &'static [Self];

    /// The value that fills an output and its guard before a call.
    const SENTINEL: Self;

    /// The least item.
    const LEAST: Self;

    /// The greatest item.
    const GREATEST: Self;
}

macro_rules! integers {
    ($($t:ident)*) => {$(
        impl Edges for $t {
            const EDGES: &'static [Self] = &[0, 1, <$t>::MIN, <$t>::MAX, <$t>::MAX / 2];
            const NANS: &'static [Self] = &[];
            const SENTINEL: Self = 0x5E17_1E15_u32 as $t;
            const LEAST: Self = <$t>::MIN;
            const GREATEST: Self = <$t>::MAX;
        }
    )*};
}

/// Each line has a type, its sentinel, and the bits of NaNs.
macro_rules! floats {
    ($($t:ident: $sentinel:expr; $($nan:literal)*;)*) => {$(
        impl Edges for $t {
            const EDGES: &'static [Self] = &[
                $t::from_bits(0), $t::from_bits(1 << (8 * size_of::<$t>() - 1)), $t::from_bits(1),
                $t::MIN_POSITIVE, $t::from_bits($t::MIN_POSITIVE.to_bits() - 1),
                $t::MAX, $t::MIN, $t::INFINITY, $t::NEG_INFINITY,
            ];
            const NANS: &'static [Self] = &[$t::NAN $(, $t::from_bits($nan))*];
            const SENTINEL: Self = $sentinel;
            const LEAST: Self = $t::NEG_INFINITY;
            const GREATEST: Self = $t::INFINITY;
        }
    )*};
}

for_each_integer!(integers);
floats! {
    f16: f16::from_bits(0xE4D2); 0xFE12 0x7C01;
    bf16: bf16::from_bits(0xC49A); 0xFFC5 0x7F81;
    f32: -1234.5; 0xFFC0_1234 0x7F80_0001;
    f64: -1234.5; 0xFFF8_0000_0000_1234 0x7FF0_0000_0000_0001;
}

const fn map(scale: f32, offset: f32) -> Affine {
    Affine { scale, offset }
}

impl Edges for Affine {
    const EDGES: &'static [Self] = &[
        map(0.0, 0.0),
        map(-0.0, -0.0),
        map(1.0, -0.0),
        map(1.0, 0.0),
        map(-1.0, f32::MIN_POSITIVE),
        map(f32::MAX, f32::MIN),
        map(0.5, f32::INFINITY),
        map(f32::NEG_INFINITY, 1.0),
    ];
    const NANS: &'static [Self] = &[map(f32::NAN, 1.0), map(1.0, f32::from_bits(0xFFC0_1234))];
    const SENTINEL: Self = map(-1234.5, 77.25);
    const LEAST: Self = map(0.0, f32::NEG_INFINITY);
    const GREATEST: Self = map(0.0, f32::INFINITY);
}

/// An item for the guard of an input of `O`. With most operators, a kernel that reads this item gets a wrong result.
pub fn intruder<O: Op<T>, T: Edges>() -> T {
    match name::<O>() {
        "Min" | "MinNum" => T::LEAST,
        "Max" | "MaxNum" => T::GREATEST,
        "And" | "All" => T::zeroed(),
        _ => T::SENTINEL,
    }
}

/// Ordinary items, of which about one in eight is replaced by an edge value of the type.
pub fn with_edges<O: Op<T>, T: Edges>(count: usize) -> Vec<T> {
    let mut random = Random::new(!count as u64);
    let mut items = ordinary::<O, T>(count);
    for item in &mut items {
        if random.below(8) == 0 {
            *item = T::EDGES[random.below(T::EDGES.len())];
        }
    }
    items
}

/// Ordinary items. One of them, past the middle, is replaced by `nan`.
pub fn with_nan<O: Op<T>, T: Edges>(count: usize, nan: T) -> Vec<T> {
    let mut items = ordinary::<O, T>(count);
    let place = count / 2 + Random::new(count as u64).below(count - count / 2);
    items[place] = nan;
    items
}
