//! Random items for tests. They are the same each time that a test runs.

#[path = "random.rs"]
mod random;

pub use random::Random;

/// `length` items, each made by `item`.
pub fn items<T>(length: usize, item: fn(&mut Random) -> T) -> Vec<T> {
    let mut numbers = Random::new(length as u64);
    (0..length).map(|_| item(&mut numbers)).collect()
}
