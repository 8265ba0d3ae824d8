//! The numbers: from a file, or made up.

use std::fs;
use std::ops::Range;
use std::path::Path;

use crate::failure::Failure;

/// Numbers. Each rank takes a share of them.
pub enum Numbers {
    OfFile(Vec<u64>),
    /// This many made-up numbers.
    MadeUp(usize),
}

impl Numbers {
    pub fn made_up(count: usize) -> Self {
        Self::MadeUp(count)
    }

    pub fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = fs::read(path).map_err(|error| Failure::Unreadable {
            path: path.to_owned(),
            error,
        })?;
        let (numbers, rest) = bytes.as_chunks();
        match rest {
            [] => Ok(Self::OfFile(
                numbers.iter().copied().map(u64::from_le_bytes).collect(),
            )),
            _ => Err(Failure::Ragged {
                path: path.to_owned(),
                bytes: bytes.len(),
            }),
        }
    }

    /// How many numbers there are.
    pub fn count(&self) -> usize {
        match self {
            Self::OfFile(numbers) => numbers.len(),
            Self::MadeUp(count) => *count,
        }
    }

    /// The numbers of a range.
    pub fn some(&self, range: Range<usize>) -> Result<Vec<u64>, Failure> {
        // The caller may add one more number.
        let mut some = room_for(range.len().saturating_add(1))?;
        match self {
            Self::OfFile(numbers) => some.extend_from_slice(&numbers[range]),
            Self::MadeUp(_) => some.extend(range.map(made_up)),
        }
        Ok(some)
    }

    /// The sum of a range, on the CPU. It wraps around.
    pub fn sum(&self, range: Range<usize>) -> u64 {
        match self {
            Self::OfFile(numbers) => numbers[range].iter().copied().fold(0, u64::wrapping_add),
            Self::MadeUp(_) => range.map(made_up).fold(0, u64::wrapping_add),
        }
    }
}

/// An empty vector with room for this many numbers.
pub fn room_for(count: usize) -> Result<Vec<u64>, Failure> {
    let mut room = Vec::new();
    match room.try_reserve_exact(count) {
        Ok(()) => Ok(room),
        Err(_) => Err(Failure::NoRoom { count }),
    }
}

/// The made-up number with the index `place`.
pub fn made_up(place: usize) -> u64 {
    (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40
}
