//! The shape of a scan's tiles, as a type.

use core::marker::PhantomData;

use crate::contract::ScanShape;
use crate::element::Element;
use crate::op::Op;
use crate::scan::tuning;

/// A type that stands for the shape of a scan's tiles: [`Short`] for short scans, and [`Long`] for long scans.
pub trait Shape: Copy {
    /// The shape.
    const SHAPE: ScanShape;

    /// Warps that share a tile.
    const WARPS: u32 = Self::SHAPE.warps;

    /// Vectors of each thread.
    const ROWS: usize = Self::SHAPE.rows;

    /// Whether this is the shape of long scans.
    const IS_LONG: bool;

    /// The number of items of a vector, which is also the number of its results.
    const VECTOR_ITEMS: usize;

    /// Items of a tile.
    const TILE_ITEMS: u32 = (Self::SHAPE.vectors() * Self::VECTOR_ITEMS) as u32;
}

/// The shape of the tiles of a short scan, for items of type `T` and the operator `O`.
#[derive(Clone, Copy)]
pub struct Short<O, T>(PhantomData<(O, T)>);

/// The shape of the tiles of a long scan, for items of type `T` and the operator `O`.
#[derive(Clone, Copy)]
pub struct Long<O, T>(PhantomData<(O, T)>);

impl<O: Op<T>, T: Element> Shape for Short<O, T> {
    const SHAPE: ScanShape = tuning::tiles::<O, T>().short;
    const IS_LONG: bool = false;
    const VECTOR_ITEMS: usize = tuning::tiles::<O, T>().vector_items;
}

impl<O: Op<T>, T: Element> Shape for Long<O, T> {
    const SHAPE: ScanShape = tuning::tiles::<O, T>().long;
    const IS_LONG: bool = true;
    const VECTOR_ITEMS: usize = tuning::tiles::<O, T>().vector_items;
}
