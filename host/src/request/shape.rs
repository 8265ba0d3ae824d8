//! In what shape the items of a request belong together.
//!
//! The methods of a request choose these types, and the compiler's messages name them. A program names one only if it keeps a request in a
//! type of its own: [`Written`](super::Written) has an example.

use std::marker::PhantomData;

use super::bounds::Forward;
#[doc(hidden)]
pub use crate::launch::ScanOrder;

use crate::kernel::kind::{self, Kind};

/// All items belong together.
#[derive(Debug)]
pub enum Whole {}

/// As [`Whole`], of as many items as the device says.
#[derive(Debug)]
pub enum WholeCounted {}

/// All items belong together, and are combined in their order.
#[derive(Debug)]
pub enum InOrder {}

/// As [`InOrder`], of as many items as the device says.
#[derive(Debug)]
pub enum InOrderCounted {}

/// As [`Whole`], of a scan with an initial value or a place for its total.
#[derive(Debug)]
pub enum WholeWith {}

/// Items belong together by offsets.
#[derive(Debug)]
pub enum Segments {}

/// Items belong together by rows of a row-major matrix.
#[derive(Debug)]
pub enum Rows {}

/// Items belong together by columns of a row-major matrix.
#[derive(Debug)]
pub enum Columns {}

/// Items belong together along the middle axis of three.
#[derive(Debug)]
pub enum Axis {}

/// As [`Rows`], [`Columns`] or [`Axis`], where rows lie apart.
#[derive(Debug)]
pub enum Pitched {}

/// Items belong together by runs of keys of type `K`, equal by `E`.
#[derive(Debug)]
pub struct ByKey<E, K>(PhantomData<fn() -> (E, K)>);

/// As [`ByKey`], with a place for where the runs start and how many there are.
#[derive(Debug)]
pub struct ByKeyTo<E, K>(PhantomData<fn() -> (E, K)>);

/// In what shape the items belong together.
pub trait Shape {
    /// The same, of as many items or groups as the device says.
    type Counted;
    /// The same, with a place for where the runs of keys start.
    type Located;
}

macro_rules! shapes {
    ($([$($parameter:ident)*] $shape:ty: $counted:ty, $located:ty;)*) => {$(
        impl<$($parameter),*> Shape for $shape {
            type Counted = $counted;
            type Located = $located;
        }
    )*};
}

shapes! {
    [] Whole: WholeCounted, Whole;
    [] WholeCounted: WholeCounted, WholeCounted;
    [] WholeWith: WholeWith, WholeWith;
    [] InOrder: InOrderCounted, InOrder;
    [] InOrderCounted: InOrderCounted, InOrderCounted;
    [] Segments: Segments, Segments;
    [] Rows: Rows, Rows;
    [] Columns: Columns, Columns;
    [] Axis: Axis, Axis;
    [] Pitched: Pitched, Pitched;
    [E K] ByKey<E, K>: ByKey<E, K>, ByKeyTo<E, K>;
    [E K] ByKeyTo<E, K>: ByKeyTo<E, K>, ByKeyTo<E, K>;
}

/// A shape of several groups of items, each with a result.
pub trait Several {
    /// The kernels that reduce each group.
    type Reduce: Kind;
    /// The kernels that scan each group.
    type Scan: Kind;
}

impl Several for Segments {
    type Reduce = kind::segmented_reduce;
    type Scan = kind::segmented_scan;
}

impl Several for Rows {
    type Reduce = kind::segmented_reduce;
    type Scan = kind::segmented_scan;
}

impl Several for Columns {
    type Reduce = kind::columns_reduce;
    type Scan = kind::columns_scan;
}

/// Each item is part of its result.
#[derive(Debug)]
pub enum Inclusive {}

/// Each item's result is of those before it.
#[derive(Debug)]
pub enum Exclusive {}

/// As `D`, from the last item to the first.
#[derive(Debug)]
pub struct Reversed<D>(PhantomData<fn() -> D>);

/// Whether an item is part of its result, [`Inclusive`] or [`Exclusive`], and from which end the items are combined.
pub trait Order {
    /// The kernels that scan all items.
    type Scan: Kind;
    #[doc(hidden)]
    const ORDER: ScanOrder;
}

impl Order for Inclusive {
    type Scan = kind::inclusive_scan;
    const ORDER: ScanOrder = ScanOrder {
        is_exclusive: false,
        is_reversed: false,
    };
}

impl Order for Exclusive {
    type Scan = kind::exclusive_scan;
    const ORDER: ScanOrder = ScanOrder {
        is_exclusive: true,
        is_reversed: false,
    };
}

impl<D: Forward> Order for Reversed<D> {
    type Scan = D::Scan;
    const ORDER: ScanOrder = ScanOrder {
        is_reversed: true,
        ..D::ORDER
    };
}
