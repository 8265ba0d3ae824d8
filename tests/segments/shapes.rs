//! Lists of lengths of segments.

use warpfold_kernels::segments::{RoomSize, chunk_items, room_items};

use crate::data::Random;

/// Offsets of segments with these lengths. The first segment begins at `begin`.
pub fn offsets(begin: usize, lengths: &[usize]) -> Vec<usize> {
    let mut offsets = vec![begin];
    offsets.extend(lengths.iter().scan(begin, |end, length| {
        *end += length;
        Some(*end)
    }));
    offsets
}

/// Lengths around the boundaries of leaves, nodes and chunks, for items of type `T` with accumulators of type `A`.
pub fn borders<T, A>() -> Vec<Vec<usize>> {
    let chunk = chunk_items::<T, A>() as usize;
    let mut lists = vec![
        vec![0],
        vec![0; 3],
        vec![0; 2 * chunk + 3],
        (0..=20).collect(),
        vec![31, 32, 33, 15, 16, 17, 255, 256, 257, 0, 0, 1],
        vec![1; 700],
        vec![17; 300],
        [chunk - 1, chunk, chunk + 1].to_vec(),
        vec![2 * chunk - 1, 2 * chunk, 0, 2 * chunk + 1, 5],
        // The last chunk of a window follows many segments.
        [vec![0; chunk - 2], vec![chunk]].concat(),
        [vec![1; chunk / 2 - 1], vec![3 * chunk, 4]].concat(),
        vec![17 * chunk + 3, 9],
    ];
    for size in [RoomSize::Small, RoomSize::Usual, RoomSize::Double] {
        lists.extend(filled::<T, A>(size));
    }
    lists.push([vec![3; 40], vec![16 * chunk], vec![0; 30], vec![33 * chunk]].concat());
    lists
}

/// Lengths for windows with as many diagonals as a chunk has items. The first window has two chunks. Together they just fill a work's room
/// of this size, or have one item too many for it.
pub fn filled<T, A>(size: RoomSize) -> [Vec<usize>; 2] {
    let chunk = chunk_items::<T, A>() as usize;
    let before = room_items::<T, A>(size) - chunk - 2;
    [0, 1].map(|more| [vec![before + more, chunk, 3], vec![chunk; 4]].concat())
}

/// Lengths for three kinds of windows, in mixed order: windows of few chunks, windows of short chunks, and windows of many chunks, where
/// one chunk is longer than the others. The lengths for one window have `chunk` items and segments together: as many as a window of a large
/// launch has diagonals.
pub fn mixed(chunk: usize) -> Vec<usize> {
    let few = vec![31; chunk / 32];
    let short = vec![1; chunk / 2];
    let longer = [vec![3; chunk / 4 - 5], vec![19]].concat();
    [&few, &short, &few, &longer, &longer, &short, &longer, &few]
        .map(Vec::as_slice)
        .concat()
}

/// Random lengths that add up to at most this many items. Either they follow a power law, so most are short and a few very long, or all
/// lengths from 0 to twice a mean are equally likely.
pub fn random(random: &mut Random, items: usize) -> Vec<usize> {
    let most = items.ilog2() as usize;
    let is_power_law = random.below(2) == 0;
    let mean = 1 << random.below(most);
    let mut lengths = Vec::new();
    let mut rest = items;
    while rest > 0 && lengths.len() < items {
        let bound = match is_power_law {
            true => 2 << random.below(most),
            false => 2 * mean + 1,
        };
        let length = random.below(bound);
        lengths.push(length.min(rest));
        rest -= length.min(rest);
    }
    lengths
}
