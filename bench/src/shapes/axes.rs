//! Reductions and scans along axes. For rows: indices of the greatest items, moments, and logarithms of sums of exponentials. Along the
//! middle of three axes: sums and scans.

use anyhow::Result;
use bytemuck::Zeroable;
use warpfold::cust::memory::{CopyDestination, DeviceBuffer};
use warpfold::{ArgMax, LogSumExp, Moments, Sum, reduce, scan};

use super::one_pass::{first, is_near};
use super::{Buffers, Shape};
use crate::data::{Accumulator, Measured, Rounding};

/// Items of a row, and the number of rows. With `None`, there are as many rows as the items fill.
pub const ROWS: [(usize, Option<usize>); 3] = [(1024, None), (65_536, None), (202_048, Some(1))];

/// The lengths of the middle and of the innermost axis.
pub const LENGTH: usize = 1024;
pub const INNER: usize = 1024;

/// The items of the buffers as rows.
pub struct Rows<'a> {
    place: &'a Buffers<'a>,
    row_items: usize,
    rows: usize,
    places: DeviceBuffer<u64>,
    short_places: DeviceBuffer<u32>,
    moments: DeviceBuffer<Moments>,
}

impl<'a> Rows<'a> {
    /// Rows of this length and number, if there are enough items.
    pub fn new(
        place: &'a Buffers<'a>,
        (row_items, rows): (usize, Option<usize>),
    ) -> Result<Option<Self>> {
        let rows = rows.unwrap_or(place.item_count / row_items);
        if rows == 0 || rows * row_items > place.item_count {
            return Ok(None);
        }
        Ok(Some(Self {
            place,
            row_items,
            rows,
            places: DeviceBuffer::zeroed(rows)?,
            short_places: DeviceBuffer::zeroed(rows)?,
            moments: DeviceBuffer::from_slice(&vec![Moments::zeroed(); rows])?,
        }))
    }

    /// The indices of the greatest items (with 64 bits, and with 32 bits), the moments, and the logarithms of sums of exponentials. CUB is
    /// not measured with these calls.
    pub fn shapes<'b>(&'b self) -> Result<Vec<Shape<'b>>> {
        let Self {
            place,
            row_items,
            rows,
            ..
        } = *self;
        let items = rows * row_items;
        let name = match rows {
            1 => format!("one row of {row_items}"),
            _ => format!("rows of {row_items}"),
        };
        let places = Box::new(move || {
            Ok(reduce::<ArgMax, _>(&place.input.index(..items))
                .rows(row_items)
                .to(&mut self.places.index(..))
                .queue(place.gpu, place.stream)?)
        });
        let short_places = Box::new(move || {
            Ok(reduce::<ArgMax<u32>, _>(&place.input.index(..items))
                .rows(row_items)
                .to(&mut self.short_places.index(..))
                .queue(place.gpu, place.stream)?)
        });
        let exponentials = Box::new(move || {
            Ok(reduce::<LogSumExp, _>(&place.input.index(..items))
                .rows(row_items)
                .to(&mut place.output.index(..rows))
                .queue(place.gpu, place.stream)?)
        });
        let moments = Box::new(move || {
            Ok(reduce::<Moments, _>(&place.input.index(..items))
                .rows(row_items)
                .to(&mut self.moments.index(..))
                .queue(place.gpu, place.stream)?)
        });
        let bytes = 4 * items as u64;
        Ok(vec![
            Shape {
                name: format!("arg max, {name}"),
                bytes: bytes + 8 * rows as u64,
                // SAFETY: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(places, None, place.arguments()) }?,
                is_right: Box::new(|| self.are_places()),
            },
            Shape {
                name: format!("arg max of 32 bits, {name}"),
                bytes: bytes + 4 * rows as u64,
                // SAFETY: as above: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(short_places, None, place.arguments()) }?,
                is_right: Box::new(|| self.are_short_places()),
            },
            Shape {
                name: format!("log sum exp, {name}"),
                bytes: bytes + 4 * rows as u64,
                // SAFETY: as above: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(exponentials, None, place.arguments()) }?,
                is_right: Box::new(|| self.are_logarithms()),
            },
            Shape {
                name: format!("count, mean and variance, {name}"),
                bytes: bytes + 24 * rows as u64,
                // SAFETY: as above: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(moments, None, place.arguments()) }?,
                is_right: Box::new(|| self.are_moments()),
            },
        ])
    }

    /// The items of a row.
    fn row(&self, row: usize) -> Vec<f32> {
        let items = row * self.row_items..(row + 1) * self.row_items;
        items.map(|item| self.place.data.item(item)).collect()
    }

    /// A few rows. Only their results are checked.
    fn some(&self) -> [usize; 3] {
        [0, self.rows / 3, self.rows - 1]
    }

    fn are_places(&self) -> Result<bool> {
        let mut found = vec![0; self.rows];
        self.places.copy_to(&mut found)?;
        let is_first = |row: usize| found[row] == first(&self.row(row), |a, b| a > b);
        Ok(self.some().into_iter().all(is_first))
    }

    fn are_short_places(&self) -> Result<bool> {
        let mut found = vec![0; self.rows];
        self.short_places.copy_to(&mut found)?;
        let is_first = |row: usize| u64::from(found[row]) == first(&self.row(row), |a, b| a > b);
        Ok(self.some().into_iter().all(is_first))
    }

    fn are_logarithms(&self) -> Result<bool> {
        let mut found = vec![0.0f32; self.rows];
        self.place.output.index(..self.rows).copy_to(&mut found)?;
        let is_right = |row: usize| {
            let exponentials = self.row(row).into_iter().map(|item| f64::from(item).exp());
            is_near(f64::from(found[row]), exponentials.sum::<f64>().ln())
        };
        Ok(self.some().into_iter().all(is_right))
    }

    fn are_moments(&self) -> Result<bool> {
        let mut found = vec![Moments::zeroed(); self.rows];
        self.moments.copy_to(&mut found)?;
        let is_right = |row: usize| {
            let sum: f64 = self.row(row).into_iter().map(f64::from).sum();
            let count = self.row_items as u64;
            found[row].count() == count && is_near(found[row].mean(), sum / count as f64)
        };
        Ok(self.some().into_iter().all(is_right))
    }
}

/// The items of the buffers as an array of three axes.
pub struct Middle<'a> {
    place: &'a Buffers<'a>,
    outer: usize,
}

impl<'a> Middle<'a> {
    /// An array of as many whole matrices as the items fill. `None` if there are too few items for a matrix.
    pub fn new(place: &'a Buffers<'a>) -> Option<Self> {
        let outer = place.item_count / (LENGTH * INNER);
        (outer > 0).then_some(Self { place, outer })
    }

    /// The sums and the inclusive scans along the middle axis. CUB has neither call.
    pub fn shapes<'b>(&'b self) -> Result<Vec<Shape<'b>>> {
        let Self { place, outer } = *self;
        let sums = Box::new(move || {
            Ok(reduce::<Sum, _>(&place.input)
                .axis(outer, LENGTH, INNER)
                .to(&mut place.output.index(..outer * INNER))
                .queue(place.gpu, place.stream)?)
        });
        let scans = Box::new(move || {
            Ok(scan::<Sum, _>(&place.input)
                .axis(outer, LENGTH, INNER)
                .to(&mut place.output.index(..))
                .queue(place.gpu, place.stream)?)
        });
        let items = place.item_count as u64;
        let name = format!("{outer} × {LENGTH} × {INNER}");
        Ok(vec![
            Shape {
                name: format!("sums, middle axis, {name}"),
                bytes: 4 * (items + (outer * INNER) as u64),
                // SAFETY: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(sums, None, place.arguments()) }?,
                is_right: Box::new(|| self.are_sums(|matrix, column| matrix * INNER + column)),
            },
            Shape {
                name: format!("inclusive scans, middle axis, {name}"),
                bytes: 8 * items,
                // SAFETY: as above: without a call of CUB's, the arguments are not used.
                calls: unsafe { place.calls(scans, None, place.arguments()) }?,
                is_right: Box::new(|| {
                    self.are_sums(|matrix, column| ((matrix + 1) * LENGTH - 1) * INNER + column)
                }),
            },
        ])
    }

    /// Whether the output has the right sums of a few columns of matrices. `place_of` takes a matrix and a column, and returns the index of
    /// the sum.
    fn are_sums(&self, place_of: impl Fn(usize, usize) -> usize) -> Result<bool> {
        let rounding = Rounding {
            item_count: LENGTH,
            accumulator: Accumulator::Result,
        };
        for (matrix, column) in [(0, 0), (self.outer / 2, 7), (self.outer - 1, INNER - 1)] {
            let place = place_of(matrix, column);
            let mut found = [0.0f32];
            self.place
                .output
                .index(place..place + 1)
                .copy_to(&mut found)?;
            let items = (0..LENGTH).map(|row| (matrix * LENGTH + row) * INNER + column);
            let units = items.map(|item| Measured::units(self.place.data.item(item)));
            if !found[0].is_sum(units.sum(), rounding) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
