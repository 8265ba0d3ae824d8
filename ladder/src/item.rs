//! The items of the rungs.

use cust::memory::DeviceCopy;

/// A type that warpfold accepts as an item, and that `cust` can copy.
pub trait Item: warpfold::Item + DeviceCopy {}

impl<T: warpfold::Item + DeviceCopy> Item for T {}
