//! How a long slice is cut into pieces, so that the bits are those of the whole: each of whole chunks or tiles.

use std::ops::Range;

use warpfold_kernels::contract::{
    reduce_chunk_count, reduce_chunk_tiles, reduce_tile_items, scan_tile_count, scan_tile_items,
};

use crate::gpu::PIECE_BYTES;

/// Bytes of the shortest pieces, except the last: the bus carries them at three quarters of its rate.
const LEAST_PIECE_BYTES: usize = 512 << 10;

/// Pieces that a short slice is cut into, if they are not too short.
const ENOUGH_PIECES: u64 = 16;

/// A slice's pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cut {
    /// Chunks of the reduction, or tiles of the scan.
    unit_count: u64,
    unit_items: u64,
    /// Units of a piece; the last piece may have fewer.
    piece_units: u64,
    item_bytes: u64,
}

impl Cut {
    /// The pieces of a reduction.
    pub fn of_reduction<T>(item_count: usize) -> Self {
        let count = item_count as u64;
        let chunk_items = reduce_chunk_tiles::<T>(count) * reduce_tile_items::<T>();
        Self::new::<T>(reduce_chunk_count::<T>(count), chunk_items)
    }

    /// The pieces of a scan.
    pub fn of_scan<T>(item_count: usize) -> Self {
        let count = item_count as u64;
        Self::new::<T>(scan_tile_count::<T>(count), scan_tile_items::<T>(count))
    }

    /// As many units as there is room for in a piece, or one if that is longer: the chunks of more than 16 GiB. A piece is
    /// [`PIECE_BYTES`] long, or less in a short slice, so that one is copied while another travels.
    fn new<T>(unit_count: u64, unit_items: u64) -> Self {
        let item_bytes = size_of::<T>() as u64;
        let unit_bytes = unit_items * item_bytes;
        let piece_bytes = (unit_count * unit_bytes / ENOUGH_PIECES)
            .clamp(LEAST_PIECE_BYTES as u64, PIECE_BYTES as u64);
        Self {
            unit_count,
            unit_items,
            piece_units: (piece_bytes / unit_bytes).max(1),
            item_bytes,
        }
    }

    /// The same in pieces of so many units.
    #[cfg(test)]
    pub fn in_pieces_of(self, piece_units: u64) -> Self {
        Self {
            piece_units,
            ..self
        }
    }

    /// Bytes of a piece.
    pub fn piece_bytes(self) -> usize {
        (self.piece_units * self.unit_items * self.item_bytes) as usize
    }

    /// How many pieces there are.
    pub fn piece_count(self) -> usize {
        self.unit_count.div_ceil(self.piece_units) as usize
    }

    /// The units of a piece.
    pub fn units(self, piece: usize) -> Range<u64> {
        let begin = piece as u64 * self.piece_units;
        begin..(begin + self.piece_units).min(self.unit_count)
    }

    /// How far a piece is from the slice's beginning, in bytes.
    pub fn offset(self, piece: usize) -> u64 {
        piece as u64 * self.piece_bytes() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What must hold of any cut of a slice of so many bytes.
    fn check(cut: Cut, slice_bytes: u64) {
        let last = cut.piece_count() - 1;
        assert_eq!(cut.units(0).start, 0);
        assert_eq!(cut.units(last).end, cut.unit_count);
        assert!(!cut.units(last).is_empty());
        for piece in 1..=last.min(5) {
            assert_eq!(cut.units(piece).start, cut.units(piece - 1).end);
        }
        let unit_bytes = cut.unit_items * cut.item_bytes;
        assert_eq!(cut.offset(last), cut.units(last).start * unit_bytes);
        assert!(cut.offset(last) < slice_bytes);
        assert!(cut.offset(last) + cut.piece_bytes() as u64 >= slice_bytes);
    }

    #[test]
    fn pieces_follow_one_another_and_are_of_whole_units() {
        let piece = PIECE_BYTES as u64;
        let sizes = [1, piece, piece + 8, 3 * piece, 16 << 20, (16 << 20) + 8];
        for slice_bytes in sizes.into_iter().chain([5 << 30, (16 << 30) + 8, 1 << 40]) {
            let item_count = slice_bytes.div_ceil(8) as usize;
            for cut in [
                Cut::of_reduction::<u64>(item_count),
                Cut::of_scan::<f64>(item_count),
            ] {
                check(cut, 8 * item_count as u64);
            }
        }
    }

    #[test]
    fn a_piece_is_longer_only_where_a_chunk_is() {
        for slice_bytes in [64 << 20, 1 << 30, 16 << 30] {
            assert_eq!(
                Cut::of_reduction::<u8>(slice_bytes).piece_bytes(),
                PIECE_BYTES
            );
        }
        let (beyond, far_beyond) = ((16 << 30) + 1, 1 << 40);
        assert_eq!(Cut::of_reduction::<u8>(beyond).piece_bytes(), 8 << 20);
        assert_eq!(Cut::of_reduction::<u8>(far_beyond).piece_bytes(), 256 << 20);
        for slice_bytes in [64 << 20, 1 << 40] {
            let piece_bytes = Cut::of_scan::<u8>(slice_bytes).piece_bytes();
            assert!((PIECE_BYTES - (64 << 10)..=PIECE_BYTES).contains(&piece_bytes));
        }
    }

    #[test]
    fn a_short_slice_has_shorter_pieces() {
        for (slice_bytes, piece_bytes) in
            [(1, 512 << 10), (8 << 20, 512 << 10), (32 << 20, 2 << 20)]
        {
            let cut = Cut::of_reduction::<u8>(slice_bytes);
            assert_eq!(cut.piece_bytes(), piece_bytes);
        }
        let piece_bytes = Cut::of_scan::<u8>((16 << 20) + 1).piece_bytes();
        assert!(((1 << 20) - (64 << 10)..=1 << 20).contains(&piece_bytes));
    }
}
