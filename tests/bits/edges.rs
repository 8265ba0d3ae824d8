//! Items at the edges of their types, and lists with such items in them.

use warpfold::Op;

use crate::data::{Random, Sample, ordinary};

/// An item type's edges.
pub trait Edges: Sample {
    /// Items at the edges of the type, NaN not among them.
    const EDGES: &'static [Self];

    /// Items that hide all others: of floats NaNs with payloads and signs; of integers none.
    const NANS: &'static [Self];

    /// What fills the room around an output. No test's result has these bits.
    const SENTINEL: Self;

    /// The least item.
    const LEAST: Self;

    /// The greatest item.
    const GREATEST: Self;
}

macro_rules! integers {
    ($($t:ty),*) => {$(
        impl Edges for $t {
            const EDGES: &'static [Self] = &[0, 1, <$t>::MIN, <$t>::MAX, <$t>::MAX / 2];
            const NANS: &'static [Self] = &[];
            const SENTINEL: Self = 0x5E17_1E15;
            const LEAST: Self = <$t>::MIN;
            const GREATEST: Self = <$t>::MAX;
        }
    )*};
}

macro_rules! floats {
    ($($t:ident, $nan_bits:expr),*) => {$(
        impl Edges for $t {
            const EDGES: &'static [Self] = &[
                0.0, -0.0, $t::MIN_POSITIVE, -$t::MIN_POSITIVE / 4.0, $t::from_bits(1),
                $t::MAX, $t::MIN, $t::INFINITY, $t::NEG_INFINITY,
            ];
            const NANS: &'static [Self] = &$nan_bits;
            const SENTINEL: Self = -1234.5;
            const LEAST: Self = $t::NEG_INFINITY;
            const GREATEST: Self = $t::INFINITY;
        }
    )*};
}

integers!(i32, u32, i64, u64);
floats!(
    f32,
    [
        f32::NAN,
        f32::from_bits(0xFFC0_1234),
        f32::from_bits(0x7F80_0001)
    ],
    f64,
    [
        f64::NAN,
        f64::from_bits(0xFFF8_0000_0000_1234),
        f64::from_bits(0x7FF0_0000_0000_0001)
    ]
);

/// An item that changes the result of `O` wherever it gets in.
pub fn intruder<O: Op<T>, T: Edges>() -> T {
    match O::NAME {
        "Min" => T::LEAST,
        "Max" => T::GREATEST,
        _ => T::SENTINEL,
    }
}

/// Ordinary items with an edge of the type in every eighth place or so.
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

/// Ordinary items with one NaN, somewhere past the middle. Of integers, just the same.
pub fn with_nan<O: Op<T>, T: Edges>(count: usize, nan: T) -> Vec<T> {
    let mut items = ordinary::<O, T>(count);
    let place = count / 2 + Random::new(count as u64).below(count - count / 2);
    items[place] = nan;
    items
}
