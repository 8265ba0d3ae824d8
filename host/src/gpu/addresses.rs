//! Maps whose keys are addresses of the process, or handles of the driver's. No outsider chooses the keys, so a fast hash suffices.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A map from addresses or handles.
pub(super) type AddressMap<V> = HashMap<usize, V, BuildHasherDefault<AddressHasher>>;

/// Multiplies by an odd number, and folds the product's halves, so that all bits of an aligned address reach all bits of the hash.
#[derive(Debug, Default)]
pub(super) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn write_usize(&mut self, address: usize) {
        // 2^64 by the golden ratio, as in Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4).
        const FACTOR: u128 = 0x9E37_79B9_7F4A_7C15;
        let product = u128::from(self.0 ^ address as u64) * FACTOR;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_usize(byte.into());
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
