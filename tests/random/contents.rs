//! The contents of lists. With the same [`Contents`], a shorter list is the beginning of a longer list. But with [`Contents::OneNan`], the
//! NaN may be at another index.

use crate::device::Item;
use bytemuck::cast_slice_mut;
use proptest::prelude::any;
use proptest::prop_oneof;
use proptest::strategy::Strategy;
use warpfold::Op;

use crate::data::{Random, ordinary_of_seed};
use crate::edges::Edges;

/// The kinds of contents of a list, the simpler kinds first.
#[derive(Debug, Clone, Copy)]
pub enum Contents {
    /// The same item everywhere: an edge value of the type, or a NaN.
    Same(usize),
    /// The bits of each item are the low bits of its index in the list. Such items of `f32` and `f64` are subnormal, or 0.
    Numbered,
    /// The items of [`ordinary_of_seed`].
    Ordinary(u64),
    /// Ordinary items, about every eighth of them replaced by an edge value of the type.
    WithEdges(u64),
    /// Ordinary items, one of them replaced by a NaN. A list of integers has only ordinary items.
    OneNan(u64),
    /// Random bits. Floats include NaNs with any payload.
    Bits(u64),
}

impl Contents {
    pub fn strategy() -> impl Strategy<Value = Self> {
        prop_oneof![
            1 => (0..16usize).prop_map(Self::Same),
            1 => proptest::strategy::Just(Self::Numbered),
            4 => any::<u64>().prop_map(Self::Ordinary),
            2 => any::<u64>().prop_map(Self::WithEdges),
            1 => any::<u64>().prop_map(Self::OneNan),
            2 => any::<u64>().prop_map(Self::Bits),
        ]
    }

    /// `count` items for the operator `O`.
    pub fn items<O: Op<T>, T: Edges>(self, count: usize) -> Vec<T> {
        match self {
            Self::Same(which) => {
                let special = [T::EDGES, T::NANS].concat();
                vec![special[which % special.len()]; count]
            }
            Self::Numbered => (0..count).map(|number| from_bits(number as u64)).collect(),
            Self::Ordinary(seed) => ordinary_of_seed::<O, T>(seed, count),
            Self::WithEdges(seed) => with_edges::<O, T>(seed, count),
            Self::OneNan(seed) => with_nan::<O, T>(seed, count),
            Self::Bits(seed) => {
                let mut random = Random::new(seed);
                (0..count).map(|_| from_bits(random.bits())).collect()
            }
        }
    }
}

/// The item whose bytes are the low bytes of `bits`, the lowest byte first.
fn from_bits<T: Item>(bits: u64) -> T {
    let mut item = [T::zeroed()];
    let bytes: &mut [u8] = cast_slice_mut(&mut item);
    bytes.copy_from_slice(&bits.to_le_bytes()[..size_of::<T>()]);
    item[0]
}

fn with_edges<O: Op<T>, T: Edges>(seed: u64, count: usize) -> Vec<T> {
    let mut random = Random::new(!seed);
    let mut items = ordinary_of_seed::<O, T>(seed, count);
    for item in &mut items {
        if random.below(8) == 0 {
            *item = T::EDGES[random.below(T::EDGES.len())];
        }
    }
    items
}

fn with_nan<O: Op<T>, T: Edges>(seed: u64, count: usize) -> Vec<T> {
    let mut random = Random::new(!seed);
    let mut items = ordinary_of_seed::<O, T>(seed, count);
    if count > 0 && !T::NANS.is_empty() {
        items[random.below(count)] = T::NANS[random.below(T::NANS.len())];
    }
    items
}
