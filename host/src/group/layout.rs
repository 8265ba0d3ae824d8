//! The layout of the ranks' shares, and which rank works on which items.
//!
//! The ranks hold consecutive items, cut at any place. The work is divided into units. A unit is a chunk of a reduction, or a tile of a
//! scan. A unit belongs to the rank that has its first item. So the units of a rank are consecutive, and only the last unit of a rank can
//! be **torn**. If a unit is torn, the rank that it belongs to has only the unit's first items. Later ranks have the other items, and send
//! them to this rank. A rank sends only items at the head of its share, and only to one rank.

use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// The index of each rank's first item, followed by the number of all items.
    starts: Vec<u64>,
    /// The number of items in a unit. The last unit may have fewer items.
    unit_items: u64,
}

impl Layout {
    /// Shares of these lengths. All items are cut into units of `unit_items(n)` items, where `n` is the number of all items. `None` if `n`
    /// overflows.
    pub fn new(
        lengths: impl Iterator<Item = u64>,
        unit_items: impl Fn(u64) -> u64,
    ) -> Option<Self> {
        let mut starts = vec![0u64];
        for length in lengths {
            starts.push(starts[starts.len() - 1].checked_add(length)?);
        }
        let unit_items = unit_items(starts[starts.len() - 1]).max(1);
        Some(Self { starts, unit_items })
    }

    pub fn ranks(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of all items.
    pub fn item_count(&self) -> u64 {
        self.starts[self.ranks()]
    }

    /// The items of a rank.
    pub fn share(&self, rank: usize) -> Range<u64> {
        self.starts[rank]..self.starts[rank + 1]
    }

    /// The units of a rank.
    pub fn units(&self, rank: usize) -> Range<u64> {
        let share = self.share(rank);
        share.start.div_ceil(self.unit_items)..share.end.div_ceil(self.unit_items)
    }

    /// The items of a unit.
    pub fn items(&self, unit: u64) -> Range<u64> {
        let start = unit.saturating_mul(self.unit_items);
        start..start.saturating_add(self.unit_items).min(self.item_count())
    }

    /// The ranks that have units, in order.
    pub fn owners(&self) -> Vec<usize> {
        (0..self.ranks())
            .filter(|&rank| !self.units(rank).is_empty())
            .collect()
    }

    /// The last unit of a rank, if it is torn.
    pub fn torn(&self, rank: usize) -> Option<u64> {
        let last = self.units(rank).last()?;
        (self.items(last).end > self.share(rank).end).then_some(last)
    }

    /// Whether any unit is torn.
    pub fn is_torn(&self) -> bool {
        (0..self.ranks()).any(|rank| self.torn(rank).is_some())
    }

    /// The head of a rank's share: the items at its start that belong to another rank's unit. Also returns the rank that has this unit.
    pub fn head(&self, rank: usize) -> Option<(usize, Range<u64>)> {
        let share = self.share(rank);
        let head = share.start
            ..share
                .end
                .min(self.units(rank).start.saturating_mul(self.unit_items));
        if head.is_empty() {
            return None;
        }
        let unit = head.start / self.unit_items;
        let owner = (0..rank).find(|&rank| self.units(rank).contains(&unit))?;
        Some((owner, head))
    }

    /// The heads that belong to this rank's last unit, in order, each with the rank that has the head.
    pub fn heads_of(&self, owner: usize) -> Vec<(usize, Range<u64>)> {
        let heads = (owner + 1..self.ranks()).filter_map(|rank| {
            let (of, items) = self.head(rank)?;
            (of == owner).then_some((rank, items))
        });
        heads.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Shares of these lengths, in units of ten items.
    fn layout(lengths: &[u64]) -> Layout {
        Layout::new(lengths.iter().copied(), |_| 10).unwrap()
    }

    #[test]
    fn every_item_is_in_one_unit_of_one_rank() {
        for lengths in [
            &[25, 0, 3, 40][..],
            &[0, 0, 7],
            &[10, 20, 30],
            &[5, 1, 1, 1, 30],
            &[9, 1, 1],
            &[0],
            &[1, 1, 1, 1, 1, 1, 1],
        ] {
            let layout = layout(lengths);
            let mut next_unit = 0;
            let mut next_item = 0;
            for rank in 0..layout.ranks() {
                let units = layout.units(rank);
                if units.is_empty() {
                    assert_eq!(layout.torn(rank), None);
                    assert_eq!(layout.heads_of(rank), []);
                    continue;
                }
                assert_eq!(units.start, next_unit, "{lengths:?}");
                next_unit = units.end;
                // First come the rank's own items from its first unit on, then the items that it receives.
                assert_eq!(next_item, layout.items(units.start).start);
                assert!(layout.share(rank).contains(&next_item));
                next_item = layout.share(rank).end;
                for (_, items) in layout.heads_of(rank) {
                    assert_eq!(items.start, next_item, "{lengths:?}");
                    next_item = items.end;
                }
                assert_eq!(next_item, layout.items(units.end - 1).end, "{lengths:?}");
            }
            assert_eq!(next_item, layout.item_count());
        }
    }

    #[test]
    fn one_unit_may_be_torn_across_many_ranks() {
        let layout = layout(&[15, 1, 0, 2, 30]);
        assert_eq!(layout.torn(0), Some(1));
        assert_eq!(layout.heads_of(0), [(1, 15..16), (3, 16..18), (4, 18..20)]);
        assert_eq!(layout.head(4), Some((0, 18..20)));
        assert_eq!(layout.owners(), [0, 4]);
        assert!(layout.is_torn());
    }

    #[test]
    fn shares_that_end_at_unit_boundaries_tear_no_unit() {
        let layout = layout(&[20, 10, 0, 5]);
        assert!(!layout.is_torn());
        assert_eq!(layout.owners(), [0, 1, 3]);
        assert_eq!(layout.head(3), None);
    }

    #[test]
    fn too_many_items_are_refused() {
        assert_eq!(Layout::new([u64::MAX, 1].into_iter(), |_| 10), None);
    }
}
