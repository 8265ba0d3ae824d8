//! Flags, and lengths of inputs and runs.

use warpfold_kernels::selection::{tile_items, warp_items};

use crate::data::{Random, Sample};

/// Lengths of inputs of type `T`: short ones, those around a warp's and a tile's number of items, and one of more than two tiles.
pub fn counts<T>() -> Vec<usize> {
    let (tile, warp) = (tile_items::<T>(), warp_items::<T>());
    vec![
        1,
        2,
        3,
        4,
        5,
        31,
        32,
        33,
        127,
        128,
        129,
        warp - 1,
        warp,
        warp + 1,
        tile - 1,
        tile,
        tile + 1,
        2 * tile + 5,
    ]
}

/// Patterns of flags for this many items, each with its name.
pub fn choices(count: usize) -> Vec<(&'static str, Vec<u8>)> {
    let mut random = Random::new(count as u64);
    let mut with = |choose: &mut dyn FnMut(usize, &mut Random) -> bool| {
        let flags = (0..count).map(|index| u8::from(choose(index, &mut random)) * 0x80);
        flags.collect::<Vec<u8>>()
    };
    vec![
        ("none", with(&mut |_, _| false)),
        ("all", with(&mut |_, _| true)),
        ("every other", with(&mut |index, _| index % 2 == 1)),
        ("the last", with(&mut |index, _| index + 1 == count)),
        ("a tenth", with(&mut |_, random| random.below(10) == 0)),
        ("most", with(&mut |_, random| random.below(10) > 0)),
    ]
}

/// Lists of run lengths, each with its name. The lengths of each list add up to `count`.
pub fn run_lengths(count: usize) -> Vec<(&'static str, Vec<usize>)> {
    let mut random = Random::new(count as u64);
    let mut lists = vec![("one run", vec![count]), ("runs of 1", vec![1; count])];
    if count > 2 {
        lists.push(("a head at the end", vec![count - 1, 1]));
        lists.push(("short runs", random_lengths(&mut random, count, 6)));
        lists.push(("long runs", random_lengths(&mut random, count, 3000)));
    }
    lists
}

/// Random lengths from 1 to `most` that add up to `count`.
pub fn random_lengths(random: &mut Random, count: usize, most: usize) -> Vec<usize> {
    let mut lengths = Vec::new();
    let mut rest = count;
    while rest > 0 {
        let length = (1 + random.below(most)).min(rest);
        lengths.push(length);
        rest -= length;
    }
    lengths
}

/// Items in runs of these lengths. Neighbouring runs have different items.
pub fn runs<T: Sample + PartialEq>(lengths: &[usize]) -> Vec<T> {
    let mut random = Random::new(lengths.len() as u64);
    let mut items: Vec<T> = Vec::new();
    for &length in lengths {
        let mut item = T::any(&mut random);
        while items.last() == Some(&item) {
            item = T::any(&mut random);
        }
        items.extend(std::iter::repeat_n(item, length));
    }
    items
}
