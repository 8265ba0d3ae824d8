//! The shape of a scan's tiles, as a type.

use core::marker::PhantomData;

use crate::contract::{scan_long_shape, scan_short_shape, vector_items, ScanShape, Wider};
use crate::element::Element;

/// The shape of the tiles of a scan of one length.
pub trait Shape: Copy {
    /// The shape.
    const SHAPE: ScanShape;

    /// Warps that share a tile.
    const WARPS: u32 = Self::SHAPE.warps;

    /// Vectors of each thread.
    const ROWS: usize = Self::SHAPE.rows;

    /// Whether it is that of long scans.
    const IS_LONG: bool;

    /// Items of a vector, and results.
    const VECTOR_ITEMS: usize;

    /// Items of a tile.
    const TILE_ITEMS: u32 = (Self::SHAPE.vectors() * Self::VECTOR_ITEMS) as u32;
}

/// The shape of a short scan of items of type `T` to results of type `U`.
#[derive(Clone, Copy)]
pub struct Short<T, U>(PhantomData<(T, U)>);

/// The shape of a long scan of items of type `T` to results of type `U`.
#[derive(Clone, Copy)]
pub struct Long<T, U>(PhantomData<(T, U)>);

impl<T: Element, U: Element> Shape for Short<T, U> {
    const SHAPE: ScanShape = scan_short_shape::<Wider<T, U>>();
    const IS_LONG: bool = false;
    const VECTOR_ITEMS: usize = vector_items::<Wider<T, U>>();
}

impl<T: Element, U: Element> Shape for Long<T, U> {
    const SHAPE: ScanShape = scan_long_shape::<Wider<T, U>>();
    const IS_LONG: bool = true;
    const VECTOR_ITEMS: usize = vector_items::<Wider<T, U>>();
}
