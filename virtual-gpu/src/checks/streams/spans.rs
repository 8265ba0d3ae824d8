//! Sets of addresses, kept as ranges. The spans of a piece of work contain all bytes that it touches, and possibly other bytes: exact spans
//! would cost more. Work with disjoint spans cannot race.

use std::ops::Range;

/// A set of addresses: ordered ranges with gaps between them.
#[derive(Debug, Default)]
pub(crate) struct Spans(Vec<Range<u64>>);

impl Spans {
    /// The union of ranges, which may overlap and be in any order.
    pub(crate) fn new(mut ranges: Vec<Range<u64>>) -> Self {
        ranges.sort_unstable_by_key(|range| range.start);
        let mut spans: Vec<Range<u64>> = Vec::new();
        for range in ranges.into_iter().filter(|range| !range.is_empty()) {
            match spans.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => spans.push(range),
            }
        }
        Self(spans)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn ranges(&self) -> impl Iterator<Item = &Range<u64>> {
        self.0.iter()
    }

    /// Whether the two sets have an address in common.
    pub(super) fn meet(&self, other: &Self) -> bool {
        let (few, many) = match self.0.len() <= other.0.len() {
            true => (self, other),
            false => (other, self),
        };
        few.0.iter().any(|range| many.overlaps(range))
    }

    /// Removes addresses. Returns whether any of them was in the set.
    pub(super) fn remove(&mut self, range: &Range<u64>) -> bool {
        if !self.overlaps(range) {
            return false;
        }
        let spans = std::mem::take(&mut self.0).into_iter();
        let outside = |span: Range<u64>| {
            let below = span.start..span.end.min(range.start);
            let above = span.start.max(range.end)..span.end;
            [below, above].into_iter().filter(|part| !part.is_empty())
        };
        self.0 = spans.flat_map(outside).collect();
        true
    }

    fn overlaps(&self, range: &Range<u64>) -> bool {
        let first = self.0.partition_point(|span| span.end <= range.start);
        self.0.get(first).is_some_and(|span| span.start < range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacent_and_overlapping_ranges_are_merged() {
        let spans = Spans::new(vec![20..24, 0..8, 24..24, 8..12, 4..6]);
        assert_eq!(spans.0, [0..12, 20..24]);
    }

    #[test]
    fn sets_that_share_an_address_meet() {
        let spans = |ranges: &[Range<u64>]| Spans::new(ranges.to_vec());
        let set = spans(&[0..8, 16..24]);
        for (other, meet) in [
            (spans(std::slice::from_ref(&(8..16))), false),
            (spans(std::slice::from_ref(&(8..17))), true),
            (spans(std::slice::from_ref(&(24..30))), false),
            (spans(&[9..10, 12..13, 23..24]), true),
            (spans(&[]), false),
        ] {
            assert_eq!((set.meet(&other), other.meet(&set)), (meet, meet));
        }
    }

    #[test]
    fn removed_addresses_split_ranges() {
        let mut spans = Spans::new(vec![0..8, 16..24, 32..40]);
        assert!(!spans.remove(&(8..16)));
        assert!(spans.remove(&(6..20)));
        assert_eq!(spans.0, [0..6, 20..24, 32..40]);
        assert!(spans.remove(&(22..23)) && spans.remove(&(0..6)));
        assert_eq!(spans.0, [20..22, 23..24, 32..40]);
        assert!(spans.remove(&(0..100)) && spans.is_empty());
    }
}
