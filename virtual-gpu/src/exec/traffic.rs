//! The cost of one warp instruction's accesses: sectors of global memory, wavefronts of shared memory,
//! and lines that a copy joins.

use crate::program::{Row, lanes};

/// The size of a sector in bytes.
const SECTOR_BYTES: u64 = 32;
/// The size of a line in bytes.
const LINE_BYTES: u64 = 128;
const BANKS: u64 = 32;
const BANK_BYTES: u64 = 4;

/// The number of sectors that the lanes touch.
pub(super) fn sectors(addresses: &Row, mask: u32, bytes: u32) -> u64 {
    let (mut count, mut last, mut ascending) = (0, None, true);
    for lane in lanes(mask) {
        let first = addresses[lane] / SECTOR_BYTES;
        let final_one = (addresses[lane] + u64::from(bytes) - 1) / SECTOR_BYTES;
        match last {
            Some(last) if first < last => ascending = false,
            Some(last) if first == last => count += final_one - last,
            _ => count += final_one - first + 1,
        }
        last = Some(final_one);
    }
    if ascending {
        return count;
    }
    let mut all: Vec<u64> = lanes(mask)
        .flat_map(|lane| {
            let end = addresses[lane] + u64::from(bytes) - 1;
            addresses[lane] / SECTOR_BYTES..=end / SECTOR_BYTES
        })
        .collect();
    all.sort_unstable();
    all.dedup();
    all.len() as u64
}

/// The number of pairs of lines that a copy joins. No lane's bytes cross a border between lines.
pub(super) fn copied_lines(from: &Row, to: &Row, mask: u32) -> u64 {
    let pairs = || lanes(mask).map(|lane| (from[lane] / LINE_BYTES, to[lane] / LINE_BYTES));
    let (mut count, mut last) = (0, None);
    for pair in pairs() {
        if last > Some(pair) {
            let mut all: Vec<_> = pairs().collect();
            all.sort_unstable();
            all.dedup();
            return all.len() as u64;
        }
        count += u64::from(last != Some(pair));
        last = Some(pair);
    }
    count
}

/// The number of wavefronts, without the first wavefront of each pass. If an access has 16 bytes, a pass has 8 lanes. If an access has 8
/// bytes, a pass has 16 lanes. Otherwise there is one pass with all lanes.
pub(super) fn bank_conflicts(addresses: &Row, mask: u32, bytes: u32) -> u64 {
    let lanes_per_pass = match bytes {
        16 => 8,
        8 => 16,
        _ => 32,
    };
    let pass = |start: u32| {
        let part = mask & (((1_u64 << lanes_per_pass) - 1) << start) as u32;
        wavefronts(addresses, part, bytes).saturating_sub(1)
    };
    (0..32)
        .step_by(lanes_per_pass)
        .map(|start| pass(start as u32))
        .sum()
}

/// The number of wavefronts of one pass. For each bank, this function counts the different words in the bank that the lanes of the pass
/// access. The result is the greatest of these counts.
fn wavefronts(addresses: &Row, mask: u32, bytes: u32) -> u64 {
    let words_per_lane = u64::from(bytes).div_ceil(BANK_BYTES);
    let ascending = lanes(mask).zip(lanes(mask).skip(1)).all(|(lane, next)| {
        let step = addresses[next].wrapping_sub(addresses[lane]);
        step == 0 || step == words_per_lane * BANK_BYTES && bytes >= 4
    });
    if ascending {
        return 1;
    }
    let words = || {
        lanes(mask)
            .flat_map(|lane| (0..words_per_lane).map(move |i| addresses[lane] / BANK_BYTES + i))
    };
    // Most accesses need at most one word of each bank.
    let mut word_of = [None; BANKS as usize];
    let is_only = |word: u64| *word_of[(word % BANKS) as usize].get_or_insert(word) == word;
    if words().all(is_only) {
        return 1;
    }
    let mut words: Vec<u64> = words().collect();
    words.sort_unstable();
    words.dedup();
    let mut per_bank = [0; BANKS as usize];
    for word in words {
        per_bank[(word % BANKS) as usize] += 1;
    }
    per_bank.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(f: impl Fn(u64) -> u64) -> Row {
        std::array::from_fn(|lane| f(lane as u64))
    }

    #[test]
    fn sectors_of_usual_patterns() {
        assert_eq!(sectors(&row(|l| 4 * l), u32::MAX, 4), 4);
        assert_eq!(sectors(&row(|l| 4 + 4 * l), u32::MAX, 4), 5);
        assert_eq!(sectors(&row(|l| 16 * l), u32::MAX, 16), 16);
        assert_eq!(sectors(&row(|_| 64), u32::MAX, 4), 1);
        assert_eq!(sectors(&row(|l| 128 * l), u32::MAX, 4), 32);
        assert_eq!(sectors(&row(|l| 4 * (31 - l)), u32::MAX, 4), 4);
        assert_eq!(sectors(&row(|l| 4 * l), 0b11, 4), 1);
        assert_eq!(sectors(&row(|l| (l % 2) * 4096), u32::MAX, 4), 2);
    }

    #[test]
    fn copied_lines_of_usual_patterns() {
        let lines = |from: u64, to: u64| {
            copied_lines(&row(|l| from + 16 * l), &row(|l| to + 16 * l), u32::MAX)
        };
        assert_eq!(lines(1 << 20, 1024), 4);
        assert_eq!(lines((1 << 20) + 16, 1024), 8);
        assert_eq!(lines(1 << 20, 1024 + 64), 8);
        assert_eq!(lines((1 << 20) + 16, 1024 + 16), 5);
        let turned = row(|l| 1024 + 16 * (l ^ 3));
        assert_eq!(copied_lines(&row(|l| 16 * l), &turned, u32::MAX), 4);
        let backward = row(|l| 2048 - 16 * (l + 1));
        assert_eq!(copied_lines(&backward, &turned, 0xffff), 2);
        assert_eq!(copied_lines(&backward, &turned, 0), 0);
    }

    #[test]
    fn bank_conflicts_of_usual_patterns() {
        assert_eq!(bank_conflicts(&row(|l| 4 * l), u32::MAX, 4), 0);
        assert_eq!(bank_conflicts(&row(|_| 8), u32::MAX, 4), 0);
        assert_eq!(bank_conflicts(&row(|l| 8 * l), u32::MAX, 4), 1);
        assert_eq!(bank_conflicts(&row(|l| 128 * l), u32::MAX, 4), 31);
        assert_eq!(bank_conflicts(&row(|l| 132 * l), u32::MAX, 4), 0);
        assert_eq!(bank_conflicts(&row(|l| 8 * l), u32::MAX, 8), 0);
        assert_eq!(bank_conflicts(&row(|l| 16 * l), u32::MAX, 16), 0);
        assert_eq!(bank_conflicts(&row(|l| 16 * l), u32::MAX, 8), 2);
        assert_eq!(bank_conflicts(&row(|l| l), u32::MAX, 1), 0);
    }
}
