//! The items of the rungs.

use cust::memory::DeviceCopy;

/// An item of warpfold's that `cust` can copy.
pub trait Item: warpfold::Item + DeviceCopy {}

impl<T: warpfold::Item + DeviceCopy> Item for T {}
