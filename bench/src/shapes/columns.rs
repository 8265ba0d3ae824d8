//! The columns of matrices.

use anyhow::Result;
use warpfold::cust::memory::CopyDestination;
use warpfold::{Sum, reduce, scan};

use super::{Buffers, Shape};
use crate::data::{Accumulator, Measured, Rounding};

/// Numbers of columns of the matrices. CUB has no calls for columns.
pub const COLUMNS: [usize; 3] = [32, 1024, 65_536];

/// The items of the buffers as a matrix.
pub struct Matrix<'a> {
    place: &'a Buffers<'a>,
    columns: usize,
}

impl<'a> Matrix<'a> {
    /// The matrix with this many columns, if there are enough items for a row.
    pub fn new(place: &'a Buffers<'a>, columns: usize) -> Option<Self> {
        (columns <= place.item_count).then_some(Self { place, columns })
    }

    fn rows(&self) -> usize {
        self.place.item_count / self.columns
    }

    /// The sums and the inclusive scans of the columns.
    pub fn shapes<'b>(&'b self) -> Result<Vec<Shape<'b>>> {
        let Self { place, columns } = *self;
        let sums = Box::new(move || {
            Ok(reduce::<Sum, _>(&place.input)
                .columns(columns)
                .to(&mut place.output.index(..columns))
                .queue(place.gpu, place.stream)?)
        });
        let scans = Box::new(move || {
            Ok(scan::<Sum, _>(&place.input)
                .columns(columns)
                .to(&mut place.output.index(..))
                .queue(place.gpu, place.stream)?)
        });
        let items = place.item_count as u64;
        Ok(vec![
            Shape {
                name: format!("sums, {columns} columns"),
                bytes: 4 * (items + columns as u64),
                // SAFETY: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(sums, None, place.arguments()) }?,
                is_right: Box::new(|| self.are_sums(0)),
            },
            Shape {
                name: format!("inclusive scans, {columns} columns"),
                bytes: 8 * items,
                // SAFETY: as above: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(scans, None, place.arguments()) }?,
                is_right: Box::new(move || self.are_sums((self.rows() - 1) * columns)),
            },
        ])
    }

    /// Whether the output has the right sums of some columns. The sums of all columns begin at the index `begin`.
    fn are_sums(&self, begin: usize) -> Result<bool> {
        let columns = self.columns;
        let mut found = vec![0.0f32; columns];
        let output = self.place.output.index(begin..begin + columns);
        output.copy_to(&mut found)?;
        let rounding = Rounding {
            item_count: self.rows(),
            accumulator: Accumulator::Result,
        };
        let is_sum = |column: usize| {
            let items = (0..self.rows()).map(|row| self.place.data.item(row * columns + column));
            found[column].is_sum(items.map(Measured::units).sum(), rounding)
        };
        Ok([0, columns / 3, columns - 1].into_iter().all(is_sum))
    }
}
