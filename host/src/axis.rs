//! Parts along an axis of an array. Each part is reduced to one result, or scanned by itself. In code, a part is a `group`. Rows of the
//! array may have gaps between them.

use std::ops::Range;

use crate::error::{Error, Result};
use crate::segments::row_count;

/// The parts of a request, before the number of items is known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axis {
    groups: Groups,
    /// Items from the start of a row to the start of the next row. `None` if no pitch is set: then the rows have no gaps.
    pitch: Option<usize>,
}

#[derive(Debug, Clone, Copy)]
enum Groups {
    /// Rows of this many items.
    Rows(usize),
    /// This many columns.
    Columns(usize),
    /// Parts along the middle axis of three axes.
    Along { extents: [usize; 3] },
}

/// Where the parts of an array lie. The array is a sequence of matrices, and their columns are the parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Layout {
    /// The number of matrices.
    pub outer: usize,
    /// Items of a part. This is also the number of rows of a matrix.
    pub length: usize,
    /// Columns of a matrix.
    pub inner: usize,
    /// Items from the start of a row to the start of the next row of the matrix.
    pub row_pitch: usize,
    /// Items from the start of a matrix to the start of the next matrix.
    pub matrix_pitch: usize,
}

impl Axis {
    pub fn rows(row_items: usize) -> Self {
        Self::of(Groups::Rows(row_items))
    }

    pub fn columns(columns: usize) -> Self {
        Self::of(Groups::Columns(columns))
    }

    pub fn along(outer: usize, length: usize, inner: usize) -> Self {
        Self::of(Groups::Along {
            extents: [outer, length, inner],
        })
    }

    fn of(groups: Groups) -> Self {
        Self {
            groups,
            pitch: None,
        }
    }

    pub fn with_pitch(self, pitch: usize) -> Self {
        Self {
            pitch: Some(pitch),
            ..self
        }
    }

    /// Whether this was made by [`Self::columns`].
    pub fn is_of_columns(&self) -> bool {
        matches!(self.groups, Groups::Columns(_))
    }

    /// The layout of the parts in `item_count` items, or an error if the shape does not fit that number.
    pub fn layout(&self, item_count: usize) -> Result<Layout> {
        match self.groups {
            Groups::Rows(row_items) => {
                let (rows, pitch) = self.row_count(item_count, row_items)?;
                Ok(Layout::of_rows(rows, row_items, pitch))
            }
            Groups::Columns(columns) => {
                let (rows, pitch) = self.row_count(item_count, columns)?;
                Ok(Layout::of_columns(1, rows, columns, pitch))
            }
            Groups::Along { extents } => self.along_layout(item_count, extents),
        }
    }

    /// The number of rows of `row_items` items each, and their pitch. The gap after the last row may be missing, wholly or in part.
    fn row_count(&self, item_count: usize, row_items: usize) -> Result<(usize, usize)> {
        let Some(pitch) = self.pitch else {
            return Ok((row_count(item_count, row_items)?, row_items));
        };
        check_pitch(pitch, row_items)?;
        let last_items = item_count.checked_rem(pitch).unwrap_or(item_count);
        if row_items == 0 || (last_items > 0 && last_items < row_items) {
            return Err(Error::UnevenRows {
                item_count,
                row_items,
            });
        }
        Ok((item_count.div_ceil(pitch), pitch))
    }

    fn along_layout(&self, item_count: usize, extents: [usize; 3]) -> Result<Layout> {
        let [outer, length, inner] = extents;
        let (rows, row_items) = match inner {
            1 => (Some(outer), length),
            _ => (outer.checked_mul(length), inner),
        };
        let pitch = self.pitch.unwrap_or(row_items);
        check_pitch(pitch, row_items)?;
        // The gap after the last row may be missing, wholly or in part.
        let most = rows.and_then(|rows| rows.checked_mul(pitch));
        let lacks_at_most = pitch - row_items;
        let fits = most.is_some_and(|most| {
            item_count <= most && most.saturating_sub(lacks_at_most) <= item_count
        });
        // The number of parts, `outer · inner`, must fit into a `usize`.
        if !fits || outer.checked_mul(inner).is_none() {
            return Err(Error::UnevenAxes {
                item_count,
                extents,
                pitch: self.pitch,
            });
        }
        Ok(match inner {
            1 => Layout::of_rows(outer, length, pitch),
            _ => Layout::of_columns(outer, length, inner, pitch),
        })
    }
}

/// Checks that rows do not overlap.
fn check_pitch(pitch: usize, row_items: usize) -> Result<()> {
    match pitch < row_items {
        true => Err(Error::PitchTooShort { pitch, row_items }),
        false => Ok(()),
    }
}

impl Layout {
    /// The layout of rows: each row is a matrix of one column.
    fn of_rows(rows: usize, row_items: usize, pitch: usize) -> Self {
        Self {
            outer: rows,
            length: row_items,
            inner: 1,
            row_pitch: 1,
            matrix_pitch: pitch,
        }
    }

    fn of_columns(matrices: usize, rows: usize, columns: usize, pitch: usize) -> Self {
        Self {
            outer: matrices,
            length: rows,
            inner: columns,
            row_pitch: pitch,
            // If this saturates, there is at most one matrix, so `matrix_pitch` has no effect.
            matrix_pitch: rows.saturating_mul(pitch),
        }
    }

    /// The layout of the columns of one matrix. An error if `columns` is 0, or if the last row is not complete.
    pub fn columns_of(item_count: usize, columns: usize) -> Result<Self> {
        Axis::columns(columns).layout(item_count)
    }

    pub fn group_count(&self) -> usize {
        self.outer * self.inner
    }

    /// Whether no part has an item.
    pub fn has_no_items(&self) -> bool {
        self.length == 0 || self.group_count() == 0
    }

    /// Whether the parts are rows with no gaps between them.
    pub fn is_of_dense_rows(&self) -> bool {
        let is_dense = self.outer <= 1 || self.matrix_pitch == self.length;
        self.inner == 1 && self.row_pitch == 1 && is_dense
    }

    /// The indices of a part's items.
    pub fn items_of(&self, group: usize) -> impl Iterator<Item = usize> + use<> {
        let first = group / self.inner * self.matrix_pitch + group % self.inner;
        let row_pitch = self.row_pitch;
        (0..self.length).map(move |row| first + row * row_pitch)
    }

    /// Copies the result of each item, and skips the gaps between rows. A result has `result_bytes` bytes.
    pub fn copy_rows(&self, from: &[u8], to: &mut [u8], result_bytes: usize) {
        for row in self.rows() {
            let bytes = row.start * result_bytes..row.end * result_bytes;
            to[bytes.clone()].copy_from_slice(&from[bytes]);
        }
    }

    /// The range of each row's items. Together the ranges contain exactly the items of all parts.
    fn rows(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let (count, items, pitch) = match self.inner {
            1 if self.row_pitch == 1 => (self.outer, self.length, self.matrix_pitch),
            _ => (self.outer * self.length, self.inner, self.row_pitch),
        };
        (0..count).map(move |row| row * pitch..row * pitch + items)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_and_rows_have_the_same_items() {
        for (axis, item_count) in [
            (Axis::along(3, 4, 5), 60),
            (Axis::along(3, 4, 5).with_pitch(7), 3 * 4 * 7 - 2),
            (Axis::along(3, 4, 1).with_pitch(6), 16),
            (Axis::columns(5).with_pitch(6), 23),
            (Axis::columns(1).with_pitch(2), 9),
            (Axis::rows(5).with_pitch(6), 29),
            (Axis::along(2, 0, 3), 0),
            (Axis::along(0, 2, 3), 0),
        ] {
            let layout = axis.layout(item_count).unwrap();
            let groups = 0..layout.group_count();
            let mut of_groups: Vec<_> = groups.flat_map(|group| layout.items_of(group)).collect();
            of_groups.sort_unstable();
            let of_rows: Vec<_> = layout.rows().flatten().collect();
            assert_eq!(of_groups, of_rows, "{axis:?}");
            assert!(of_rows.last().is_none_or(|&last| last < item_count));
        }
    }

    #[test]
    fn uneven_axes_and_short_pitches_are_refused() {
        let uneven = |axis: Axis, item_count| {
            matches!(axis.layout(item_count), Err(Error::UnevenAxes { .. }))
        };
        assert!(uneven(Axis::along(3, 4, 5), 59) && uneven(Axis::along(3, 4, 5), 61));
        assert!(uneven(Axis::along(3, 4, 5).with_pitch(7), 3 * 4 * 7 - 3));
        assert!(uneven(Axis::along(3, 4, 5).with_pitch(7), 3 * 4 * 7 + 1));
        assert!(uneven(Axis::along(usize::MAX, 2, 3), 6));
        assert!(uneven(Axis::along(usize::MAX, 0, 3), 0));
        assert!(uneven(Axis::along(0, 2, 3), 1));
        let short = |axis: Axis| matches!(axis.layout(60), Err(Error::PitchTooShort { .. }));
        assert!(short(Axis::along(3, 4, 5).with_pitch(4)) && short(Axis::rows(6).with_pitch(5)));
        assert!(short(Axis::along(3, 20, 1).with_pitch(19)));
        assert!(short(Axis::columns(6).with_pitch(0)));
        assert!(Axis::rows(0).with_pitch(3).layout(6).is_err());
        assert!(Axis::rows(0).with_pitch(0).layout(0).is_err());
        assert!(Axis::rows(5).with_pitch(7).layout(18).is_err());
    }
}
