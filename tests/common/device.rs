//! Trait bounds for tests with `cust`'s buffers: `cust` can copy the items and the results.

use warpfold::cust::memory::DeviceCopy;
use warpfold::kind::Kind;

/// An item that `cust` copies.
pub trait Item: warpfold::Item + DeviceCopy {}

impl<T: warpfold::Item + DeviceCopy> Item for T {}

/// An operator that has a kernel, and results that `cust` copies.
pub trait Kernel<K: Kind, T: warpfold::Item>: warpfold::Kernel<K, T, Output: DeviceCopy> {}

impl<O, K: Kind, T: warpfold::Item> Kernel<K, T> for O where
    O: warpfold::Kernel<K, T, Output: DeviceCopy>
{
}
