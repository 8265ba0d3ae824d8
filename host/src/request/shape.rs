//! In what shape the items of a request belong together.

use std::marker::PhantomData;

use super::memory::{Device, Host, Place};
use crate::kernel::kind::{self, Kind};

/// All items belong together.
#[derive(Debug)]
pub enum Whole {}

/// All items belong together, and are combined in their order.
#[derive(Debug)]
pub enum InOrder {}

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

/// Items belong together by runs of keys of type `K`, equal by `E`.
#[derive(Debug)]
pub struct Keys<E, K>(PhantomData<fn() -> (E, K)>);

/// As [`Keys`], with a place for where the runs start and how many there are.
#[derive(Debug)]
pub struct KeysTo<E, K>(PhantomData<fn() -> (E, K)>);

/// A shape of several groups of items, each with a result.
pub trait Several {}

impl Several for Segments {}
impl Several for Rows {}
impl Several for Columns {}

/// A place of which the items themselves are in one array, so that they can be cut into groups.
pub trait Single: Place {}

impl Single for Device {}
impl Single for Host {}

/// Each item is part of its result.
#[derive(Debug)]
pub enum Inclusive {}

/// Each item's result is of those before it.
#[derive(Debug)]
pub enum Exclusive {}

/// Whether an item is part of its result: [`Inclusive`] or [`Exclusive`].
pub trait Order {
    /// The kernels that scan all items.
    type Scan: Kind;
    #[doc(hidden)]
    const IS_EXCLUSIVE: bool;
}

impl Order for Inclusive {
    type Scan = kind::inclusive_scan;
    const IS_EXCLUSIVE: bool = false;
}

impl Order for Exclusive {
    type Scan = kind::exclusive_scan;
    const IS_EXCLUSIVE: bool = true;
}
