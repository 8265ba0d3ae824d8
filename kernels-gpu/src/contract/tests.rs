#![allow(clippy::disallowed_methods, reason = "tests run on the host")]

use super::*;

/// For items of type `T`: the items of a vector, the vectors of a thread in a tile of a reduction, and those in a tile of a short and of a
/// long scan. These are the numbers of one column of the tables in the contract's module comment.
fn row<T>() -> (usize, usize, usize, usize) {
    let tiles = scan_tiles::<T>();
    let (short, long) = (tiles.shape(0), tiles.shape(u64::MAX));
    let long_warps = if long.is_large() { 8 } else { 16 };
    assert_eq!((short.warps, long.warps), (8, long_warps));
    assert_eq!(short.vector_bytes, vector_bytes::<T>());
    for (count, shape) in [(0, short), (u64::MAX, long)] {
        let bytes = shape.vectors() * shape.vector_bytes;
        assert_eq!(tiles.items(count) as usize * size_of::<T>(), bytes);
    }
    assert_eq!(
        reduce_tile_items::<T>() as usize,
        256 * thread_vectors::<T>() * vector_items::<T>()
    );
    (
        vector_items::<T>(),
        thread_vectors::<T>(),
        short.rows,
        long.rows,
    )
}

#[test]
fn vector_and_tile_sizes_match_the_table() {
    assert_eq!(row::<u8>(), (16, 8, 4, 7));
    assert_eq!(row::<u16>(), (8, 8, 4, 7));
    assert_eq!(row::<f32>(), (4, 8, 4, 7));
    assert_eq!(row::<[u8; 8]>(), (2, 8, 5, 7));
    assert_eq!(row::<u128>(), (1, 8, 4, 7));
    assert_eq!(row::<[f32; 3]>(), (1, 8, 5, 7));
    assert_eq!(row::<[u32; 5]>(), (1, 4, 3, 11));
    assert_eq!(row::<[u64; 3]>(), (1, 4, 3, 9));
    assert_eq!(row::<[u32; 7]>(), (1, 4, 3, 7));
    assert_eq!(row::<[u8; 32]>(), (1, 4, 3, 6));
    assert_eq!(row::<[u32; 9]>(), (1, 2, 1, 5));
    assert_eq!(row::<[u32; 11]>(), (1, 2, 1, 5));
    assert_eq!(row::<[u32; 12]>(), (1, 2, 1, 4));
    assert_eq!(row::<[u32; 13]>(), (1, 2, 1, 3));
    assert_eq!(row::<[u32; 16]>(), (1, 2, 1, 3));
}

/// Asserts that `lane_bytes` is an odd multiple of the bytes that a lane reads at once. Also asserts that four long tiles and the
/// look-back's scratch fit into the shared memory of a multiprocessor.
fn check_lanes<T>() {
    let tiles = scan_tiles::<T>();
    for shape in [tiles.short, tiles.long] {
        let bytes = shape.lane_bytes();
        let unit = 1 << (16 | size_of::<T>() | bytes).trailing_zeros();
        assert_eq!(bytes / unit % 2, 1, "{shape:?}");
        assert!(bytes >= shape.rows * size_of::<T>());
    }
    assert!(tiles.long.lane_bytes() <= 220);
}

#[test]
fn lanes_with_large_items_have_no_bank_conflicts() {
    check_lanes::<[u32; 5]>();
    check_lanes::<[u32; 6]>();
    check_lanes::<[u32; 7]>();
    check_lanes::<[u32; 8]>();
    check_lanes::<[u32; 9]>();
    check_lanes::<[u32; 10]>();
    check_lanes::<[u32; 11]>();
    check_lanes::<[u32; 12]>();
    check_lanes::<[u32; 13]>();
    check_lanes::<[u32; 14]>();
    check_lanes::<[u32; 15]>();
    check_lanes::<[u32; 16]>();
}

#[test]
fn a_scan_has_the_tile_sizes_of_the_wider_type() {
    assert_eq!(row::<Wider<u8, u32>>(), row::<u32>());
    assert_eq!(row::<Wider<f64, u8>>(), row::<f64>());
    assert_eq!(row::<Wider<[u8; 12], u64>>(), row::<[u8; 12]>());
    assert_eq!(size_of::<Wider<u128, [u64; 3]>>(), 24);
}

#[test]
fn tiles_fit_their_buffers() {
    assert!(reduce_tile_items::<[u8; 12]>() as usize * 12 <= TILE_BYTES);
    assert!(reduce_tile_items::<[u64; 3]>() as usize * 24 <= TILE_BYTES);
    assert!(scan_tiles::<[u8; 12]>().long.bytes() <= SCAN_LONG.bytes());
}
