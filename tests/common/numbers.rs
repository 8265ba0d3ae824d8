//! Items to test with: random, the same in every run.

/// A generator of numbers: SplitMix64.
pub struct Numbers(u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number from −1 to 1.
    pub fn float(&mut self) -> f32 {
        (self.next() as i32) as f32 / i32::MIN as f32
    }
}

/// So many items.
pub fn items<T>(length: usize, item: fn(&mut Numbers) -> T) -> Vec<T> {
    let mut numbers = Numbers(length as u64);
    (0..length).map(|_| item(&mut numbers)).collect()
}
