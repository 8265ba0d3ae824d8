//! The items of the rungs.

use cust::memory::DeviceCopy;

/// An item of warpfold's that `cust` copies, too.
pub trait Item: warpfold::Item + DeviceCopy {}

impl<T: warpfold::Item + DeviceCopy> Item for T {}
