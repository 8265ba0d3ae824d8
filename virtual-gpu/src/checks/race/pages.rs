//! The histories of memory, in pages. Each page is divided as finely as the accesses to it need.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher};
use std::iter;
use std::ops::Range;

use super::history::History;

/// Bytes of a page; no access is longer.
const PAGE_BYTES: u64 = 512;
/// The `shift` of the coarsest pages: cells of 16 bytes.
const COARSEST: u32 = 4;

/// The histories of one memory.
#[derive(Debug, Default)]
pub(super) struct Pages {
    places: HashMap<u64, usize, NumberHasher>,
    pages: Vec<Page>,
    /// The number of the page that was used last, and its index in `pages`.
    last: Option<(u64, usize)>,
}

#[derive(Debug)]
struct Page {
    /// A cell has `1 << shift` bytes.
    shift: u32,
    cells: Vec<History>,
}

impl Pages {
    /// The histories of an aligned range. `bytes`, its length, is a power of two.
    #[inline]
    pub(super) fn cells(&mut self, address: u64, bytes: u32) -> &mut [History] {
        let number = address / PAGE_BYTES;
        let shift = bytes.trailing_zeros().min(COARSEST);
        let place = match self.last {
            Some((last, place)) if last == number => place,
            _ => self.place(number, shift),
        };
        let page = &mut self.pages[place];
        if page.shift > shift {
            page.divide(shift);
        }
        let first = (address % PAGE_BYTES) as usize >> page.shift;
        let count = (bytes as usize >> page.shift).max(1);
        &mut page.cells[first..first + count]
    }

    /// The addresses of each page.
    pub(super) fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        let starts = self.places.keys().map(|number| number * PAGE_BYTES);
        starts.map(|start| start..start + PAGE_BYTES)
    }

    /// How many histories there are.
    pub(super) fn cell_count(&self) -> usize {
        self.pages.iter().map(|page| page.cells.len()).sum()
    }

    /// All histories in the order of their addresses, each with its first address and its size in bytes.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (u64, u64, &History)> {
        let mut numbers: Vec<(u64, usize)> = self.places.iter().map(|(n, p)| (*n, *p)).collect();
        numbers.sort_unstable();
        numbers.into_iter().flat_map(|(number, place)| {
            let page = &self.pages[place];
            let start = number * PAGE_BYTES;
            let starts = (start..).step_by(1 << page.shift);
            starts
                .zip(&page.cells)
                .map(|(start, cell)| (start, 1 << page.shift, cell))
        })
    }

    fn place(&mut self, number: u64, shift: u32) -> usize {
        let pages = &mut self.pages;
        let place = *self.places.entry(number).or_insert_with(|| {
            pages.push(Page {
                shift,
                cells: vec![History::default(); PAGE_BYTES as usize >> shift],
            });
            pages.len() - 1
        });
        self.last = Some((number, place));
        place
    }
}

impl Page {
    fn divide(&mut self, shift: u32) {
        let parts = 1 << (self.shift - shift);
        let cells = std::mem::take(&mut self.cells).into_iter();
        self.cells = cells.flat_map(|cell| iter::repeat_n(cell, parts)).collect();
        self.shift = shift;
    }
}

/// A fast hash of one number. The keys are numbers such as addresses and block numbers, which no attacker chooses.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct NumberHasher(u64);

impl Hasher for NumberHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, number: u64) {
        let mixed = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = (mixed >> 64) as u64 ^ mixed as u64;
    }
}

impl BuildHasher for NumberHasher {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::clocks::{Known, Thread};
    use super::super::history::Record;
    use super::*;

    #[test]
    fn a_page_that_becomes_finer_keeps_its_histories() {
        let mut pages = Pages::default();
        assert_eq!(pages.cells(512 + 32, 16).len(), 1);
        let thread = Thread::new(3, 5);
        let record = Record::for_tests(thread, 7);
        pages.cells(512 + 32, 16)[0].write(record, (&Known::default()).into());
        assert_eq!(pages.cells(512 + 32, 4).len(), 1);
        assert_eq!(pages.cells(512 + 32, 16).len(), 4);
        assert_eq!(pages.cells(512 + 44, 1).len(), 1);
        assert_eq!(pages.cells(512 + 32, 16).len(), 16);
        let reader = Record::for_tests(Thread::new(0, 0), 1);
        let raced = |cell: &History| cell.race_with_read(reader, (&Known::default()).into());
        let found = |cells: &[History]| cells.iter().filter_map(raced).count();
        assert_eq!(found(pages.cells(512 + 32, 16)), 16);
        assert_eq!(found(pages.cells(512 + 48, 16)), 0);
    }
}
