//! Device buffers for tests.

use crate::device::Item;
use cust::memory::{CopyDestination, DeviceBuffer, DeviceSlice};
use warpfold::cust;

use crate::data::{Random, Sample, assert_same_bits};

/// Random values, the same in every run.
pub fn values<V: Sample>(count: usize) -> Vec<V> {
    let mut random = Random::new(count as u64);
    (0..count).map(|_| V::any(&mut random)).collect()
}

/// A buffer of zeros.
pub fn zeros<T: Item>(count: usize) -> DeviceBuffer<T> {
    DeviceBuffer::from_slice(&vec![T::zeroed(); count]).unwrap()
}

/// Asserts that `found` begins with the items of `expected`, and that its other items are zero.
#[track_caller]
pub fn assert_begins<T: Item>(found: &DeviceSlice<T>, expected: &[T], what: &str) {
    let mut items = vec![T::zeroed(); found.len()];
    found.copy_to(&mut items).unwrap();
    let (first, rest) = items.split_at(expected.len());
    assert_same_bits(first, expected, what);
    assert_same_bits(rest, &vec![T::zeroed(); rest.len()], what);
}
