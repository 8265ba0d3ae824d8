//! Converts between two forms of undefinedness: a mask of lanes for each byte of a register, and a
//! mask of bits for each lane.

use crate::checks::{ByteMasks, DEFINED};
use crate::program::Row;

/// Every byte is 1.
const ONES: u64 = 0x0101_0101_0101_0101;
/// The lower seven bits of every byte.
const LOW_BITS: u64 = 0x7f7f_7f7f_7f7f_7f7f;
/// In byte `k`, only bit `k` is set.
const DIAGONAL: u64 = 0x8040_2010_0804_0201;

/// Returns a word for each lane. A byte of the word is all ones if the byte's mask contains the lane, and 0 otherwise.
pub(super) fn bits_by_lane(masks: &ByteMasks) -> Row {
    let mut row = [0; 32];
    for (group, lanes) in row.chunks_exact_mut(8).enumerate() {
        let square = masks.map(|mask| mask.to_le_bytes()[group]);
        let by_lane = transpose(u64::from_le_bytes(square)).to_le_bytes();
        for (lane, bytes) in lanes.iter_mut().zip(by_lane) {
            let spread = (u64::from(bytes) * ONES) & DIAGONAL;
            *lane = non_zero(spread) * 0xff;
        }
    }
    row
}

/// For each byte, the lanes in which it is not zero.
pub(super) fn lanes_by_byte(row: &Row) -> ByteMasks {
    let mut masks = DEFINED;
    for (group, lanes) in row.chunks_exact(8).enumerate() {
        let mut square = [0; 8];
        for (bytes, lane) in square.iter_mut().zip(lanes) {
            // Gathers the lowest bit of each byte. The highest byte of `gathered` holds these bits, in the order of the bytes.
            let gathered = non_zero(*lane).wrapping_mul(0x0102_0408_1020_4080);
            *bytes = (gathered >> 56) as u8;
        }
        let by_byte = transpose(u64::from_le_bytes(square)).to_le_bytes();
        for (mask, lanes) in masks.iter_mut().zip(by_byte) {
            *mask |= u32::from(lanes) << (8 * group);
        }
    }
    masks
}

/// A word in which each byte is 1 if the byte of `word` is not 0, and 0 otherwise.
fn non_zero(word: u64) -> u64 {
    (((word & LOW_BITS) + LOW_BITS) | word) >> 7 & ONES
}

/// Transposes an 8 × 8 bit matrix, by swapping blocks of 1 × 1, 2 × 2 and 4 × 4 bits.
fn transpose(square: u64) -> u64 {
    let swap = |x: u64, shift: u32, mask: u64| {
        let differs = (x ^ x >> shift) & mask;
        x ^ differs ^ differs << shift
    };
    let x = swap(square, 7, 0x00aa_00aa_00aa_00aa);
    let x = swap(x, 14, 0x0000_cccc_0000_cccc);
    swap(x, 28, 0x0000_0000_f0f0_f0f0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transposing_twice_gives_the_original() {
        let masks: ByteMasks = std::array::from_fn(|k| 0x9e37_79b9_u32.rotate_left(5 * k as u32));
        let row = bits_by_lane(&masks);
        for (lane, bits) in row.iter().enumerate() {
            for (byte, mask) in bits.to_le_bytes().into_iter().zip(masks) {
                assert_eq!(byte, if mask >> lane & 1 == 1 { 0xff } else { 0 });
            }
        }
        assert_eq!(lanes_by_byte(&row), masks);
        // `lanes_by_byte` counts a byte as undefined even if only one of its bits is set.
        assert_eq!(lanes_by_byte(&row.map(|bits| bits & DIAGONAL)), masks);
    }
}
