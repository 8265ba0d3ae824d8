//! Cuts a long slice into pieces. Each piece has whole chunks or tiles, so that the results have the same bits as without a cut.

use std::ops::Range;

use crate::gpu::PIECE_BYTES;
use crate::kernel::{Row, Type};
#[cfg(feature = "nccl")]
use warpfold_kernels::contract::SCAN_GROUP_TILES;

/// A piece has at least this many bytes, before it is rounded down to whole units. Only the last piece may have fewer. The bus copies
/// pieces of this size at three quarters of its rate.
const LEAST_PIECE_BYTES: usize = 512 << 10;

/// A slice that needs less than 64 MiB on the device has about this many pieces, unless they would be shorter than [`LEAST_PIECE_BYTES`].
const ENOUGH_PIECES: u64 = 16;

/// Alignment of a scan's results in a lane's memory.
const ALIGNMENT: usize = 256;

/// The room in a lane's memory for a piece, or for a whole slice that is not cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Room {
    /// The offset of a scan's results, in bytes: 0 if the results replace the items.
    pub results_at: usize,
    /// The size of the room in bytes.
    pub bytes: usize,
}

impl Room {
    /// The room that `item_count` items need.
    fn of_items(item: Type, item_count: usize) -> Self {
        Self {
            results_at: 0,
            bytes: item_count.saturating_mul(item.bytes),
        }
    }

    /// The room that a scan of `item_count` items needs.
    pub fn of_scan(row: &Row, item_count: usize) -> Self {
        let items = Self::of_items(row.item, item_count);
        if row.item == row.result {
            return items;
        }
        let results_at = items.bytes.saturating_add(ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        let results = Self::of_items(row.result, item_count);
        Self {
            results_at,
            bytes: results_at.saturating_add(results.bytes),
        }
    }
}

/// A slice's pieces.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// The first unit: a chunk of the reduction, or a tile of the scan. It is 0 unless `part` has set it.
    first_unit: u64,
    unit_count: u64,
    unit_items: u64,
    /// Units of a piece; the last piece may have fewer.
    piece_units: u64,
    /// The room that a number of items needs.
    room: fn(&Row, usize) -> Room,
    row: &'static Row,
}

impl Cut {
    /// The pieces of a reduction.
    pub fn of_reduction(row: &'static Row, item_count: usize) -> Self {
        let count = item_count as u64;
        let tiles = row.division.reduce_tiles;
        let (chunks, chunk_items) = (tiles.chunk_count(count), tiles.chunk_items(count));
        Self::new(chunks, chunk_items, row, |row, item_count| {
            Room::of_items(row.item, item_count)
        })
    }

    /// The pieces of a scan.
    pub fn of_scan(row: &'static Row, item_count: usize) -> Self {
        let count = item_count as u64;
        let tiles = row.division.scan_tiles.count(count);
        let tile_items = row.division.scan_tiles.items(count);
        Self::new(tiles, tile_items, row, Room::of_scan)
    }

    /// A piece has as many units as fit into [`PIECE_BYTES`]. If a unit is longer, as the chunks of a slice of more than 16 GiB are, a
    /// piece has one unit. A slice that needs less than 64 MiB has shorter pieces, so that one piece is copied to its lane's buffer while
    /// another piece is uploaded.
    fn new(
        unit_count: u64,
        unit_items: u64,
        row: &'static Row,
        room: fn(&Row, usize) -> Room,
    ) -> Self {
        let unit_bytes = room(row, unit_items as usize).bytes as u64;
        let piece_bytes = (unit_count.saturating_mul(unit_bytes) / ENOUGH_PIECES)
            .clamp(LEAST_PIECE_BYTES as u64, PIECE_BYTES as u64);
        Self {
            first_unit: 0,
            unit_count,
            unit_items,
            piece_units: (piece_bytes / unit_bytes).max(1),
            room,
            row,
        }
    }

    /// The same cut, but only these units.
    #[cfg(feature = "nccl")]
    pub fn part(self, units: Range<u64>) -> Self {
        Self {
            first_unit: units.start,
            unit_count: units.end - units.start,
            ..self
        }
    }

    /// The items of all units, if the last unit is counted as full.
    #[cfg(feature = "nccl")]
    pub fn part_items(self) -> usize {
        (self.unit_count * self.unit_items) as usize
    }

    /// The same cut, in pieces of one or more whole tile groups.
    #[cfg(feature = "nccl")]
    pub fn in_groups(self) -> Self {
        let groups = (self.piece_units / SCAN_GROUP_TILES).max(1);
        Self {
            piece_units: groups * SCAN_GROUP_TILES,
            ..self
        }
    }

    /// The same cut, in pieces of `piece_units` units.
    #[cfg(test)]
    pub fn in_pieces_of(self, piece_units: u64) -> Self {
        Self {
            piece_units,
            ..self
        }
    }

    /// Items of a piece.
    pub fn piece_items(self) -> usize {
        (self.piece_units * self.unit_items) as usize
    }

    /// Bytes of a piece's items.
    pub fn piece_bytes(self) -> usize {
        self.piece_items() * self.row.item.bytes
    }

    /// Bytes of a piece in a lane's memory.
    pub fn room_bytes(self) -> usize {
        (self.room)(self.row, self.piece_items()).bytes
    }

    /// The offset of a piece's results in a lane's memory.
    pub fn results_at(self) -> usize {
        (self.room)(self.row, self.piece_items()).results_at
    }

    pub fn piece_count(self) -> usize {
        self.unit_count.div_ceil(self.piece_units) as usize
    }

    pub fn units(self, piece: usize) -> Range<u64> {
        let begin = piece as u64 * self.piece_units;
        let end = (begin + self.piece_units).min(self.unit_count);
        self.first_unit + begin..self.first_unit + end
    }

    /// The offset in bytes of a piece's items from the start of all items, or of its results from the start of all results. `value` is the
    /// type of these items or results.
    pub fn offset(self, value: Type, piece: usize) -> u64 {
        let before = self.first_unit * self.unit_items + (piece * self.piece_items()) as u64;
        before * value.bytes as u64
    }
}

#[cfg(test)]
mod tests {
    use warpfold_kernels::op::{Sum, WideSum};

    use super::*;
    use crate::kernel::{Kernel, kind};

    /// Checks what must hold for every cut of a slice of `slice_bytes` bytes.
    fn check(cut: Cut, slice_bytes: u64) {
        let last = cut.piece_count() - 1;
        assert_eq!(cut.units(0).start, 0);
        assert_eq!(cut.units(last).end, cut.unit_count);
        assert!(!cut.units(last).is_empty());
        for piece in 1..=last.min(5) {
            assert_eq!(cut.units(piece).start, cut.units(piece - 1).end);
        }
        let unit_bytes = cut.unit_items * cut.row.item.bytes as u64;
        let offset = cut.offset(cut.row.item, last);
        assert_eq!(offset, cut.units(last).start * unit_bytes);
        assert!(offset < slice_bytes);
        assert!(offset + cut.piece_bytes() as u64 >= slice_bytes);
    }

    #[test]
    fn pieces_are_consecutive_and_hold_whole_units() {
        let piece = PIECE_BYTES as u64;
        let sizes = [1, piece, piece + 8, 3 * piece, 16 << 20, (16 << 20) + 8];
        for slice_bytes in sizes.into_iter().chain([5 << 30, (16 << 30) + 8, 1 << 40]) {
            let item_count = slice_bytes.div_ceil(8) as usize;
            for cut in [
                Cut::of_reduction(<Sum as Kernel<kind::reduce, u64>>::row(), item_count),
                Cut::of_scan(
                    <Sum as Kernel<kind::inclusive_scan, f64>>::row(),
                    item_count,
                ),
            ] {
                check(cut, 8 * item_count as u64);
            }
        }
    }

    #[test]
    fn a_piece_exceeds_its_limit_only_to_hold_a_chunk() {
        for slice_bytes in [64 << 20, 1 << 30, 16 << 30] {
            assert_eq!(
                Cut::of_reduction(<Sum as Kernel<kind::reduce, u8>>::row(), slice_bytes)
                    .piece_bytes(),
                PIECE_BYTES
            );
        }
        let (beyond, far_beyond) = ((16 << 30) + 1, 1 << 40);
        assert_eq!(
            Cut::of_reduction(<Sum as Kernel<kind::reduce, u8>>::row(), beyond).piece_bytes(),
            8 << 20
        );
        assert_eq!(
            Cut::of_reduction(<Sum as Kernel<kind::reduce, u8>>::row(), far_beyond).piece_bytes(),
            256 << 20
        );
        for slice_bytes in [64 << 20, 1 << 40] {
            let piece_bytes = Cut::of_scan(
                <Sum as Kernel<kind::inclusive_scan, u8>>::row(),
                slice_bytes,
            )
            .piece_bytes();
            assert!((PIECE_BYTES - (64 << 10)..=PIECE_BYTES).contains(&piece_bytes));
        }
    }

    #[test]
    fn results_of_a_different_type_lie_after_the_items() {
        let cut = Cut::of_scan(
            <WideSum as Kernel<kind::inclusive_scan, u8>>::row(),
            1 << 30,
        );
        assert!(cut.room_bytes() <= PIECE_BYTES && 2 * cut.room_bytes() > PIECE_BYTES);
        assert!(cut.results_at() >= cut.piece_bytes() && cut.results_at().is_multiple_of(256));
        assert_eq!(cut.room_bytes(), cut.results_at() + 8 * cut.piece_items());
        assert_eq!(
            cut.offset(Type::of::<u64>(), 3),
            8 * cut.offset(Type::of::<u8>(), 3)
        );
        let in_place = Cut::of_scan(<Sum as Kernel<kind::inclusive_scan, u32>>::row(), 1 << 30);
        assert_eq!(in_place.results_at(), 0);
        assert_eq!(in_place.room_bytes(), in_place.piece_bytes());
    }

    #[test]
    fn a_short_slice_has_shorter_pieces() {
        for (slice_bytes, piece_bytes) in
            [(1, 512 << 10), (8 << 20, 512 << 10), (32 << 20, 2 << 20)]
        {
            let cut = Cut::of_reduction(<Sum as Kernel<kind::reduce, u8>>::row(), slice_bytes);
            assert_eq!(cut.piece_bytes(), piece_bytes);
        }
        let piece_bytes = Cut::of_scan(
            <Sum as Kernel<kind::inclusive_scan, u8>>::row(),
            (16 << 20) + 1,
        )
        .piece_bytes();
        assert!(((1 << 20) - (64 << 10)..=1 << 20).contains(&piece_bytes));
    }
}
