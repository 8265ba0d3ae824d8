//! Values in messages: their bytes and, for most values that consist of floats, also the floats as decimal numbers.

use std::fmt;
use std::ops::Deref;

use bytemuck::bytes_of;

use super::floats::Floats;
use crate::kernel::Item;

/// A value's bytes, lowest address first. They are printed as hexadecimal words of at most 32 bits. Floats and arrays of floats are printed
/// as numbers too, and so are most results of operators that round.
///
/// ```
/// let bytes = warpfold::Bytes::of(&1.5f32);
/// assert_eq!(bytes.to_string(), "0x3fc00000 (1.5)");
/// assert_eq!(*bytes, 1.5f32.to_le_bytes());
/// ```
#[derive(Clone)]
pub struct Bytes(Box<Value>);

/// The contents of [`Bytes`]. They are boxed to keep an [`OperatorFlaw`](super::OperatorFlaw) small, since a flaw has up to five `Bytes`.
#[derive(Clone)]
struct Value {
    bytes: Box<[u8]>,
    rounds: bool,
    /// [`Floats::of`] for the value's type. The function is called only when the value is printed: a check has many values, and prints few
    /// of them.
    floats: fn(bool) -> Option<Floats>,
}

impl Bytes {
    /// The bytes of a value.
    pub fn of<R: Item>(value: &R) -> Self {
        Self::of_operator(value, false)
    }

    /// The bytes of a result. `rounds` says whether its operator rounds.
    pub(super) fn of_operator<R: Item>(value: &R, rounds: bool) -> Self {
        Self(Box::new(Value {
            bytes: bytes_of(value).into(),
            rounds,
            floats: Floats::of::<R>,
        }))
    }

    fn floats(&self) -> Option<Floats> {
        (self.0.floats)(self.0.rounds)
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0.bytes
    }
}

impl PartialEq for Bytes {
    fn eq(&self, other: &Self) -> bool {
        self[..] == other[..]
    }
}

impl Eq for Bytes {}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = self.chunks(4);
        for (place, word) in words.enumerate() {
            f.write_str(if place == 0 { "0x" } else { "_" })?;
            for byte in word.iter().rev() {
                write!(f, "{byte:02x}")?;
            }
        }
        if let Some(floats) = self.floats() {
            f.write_str(" (")?;
            floats.write(self, f)?;
            f.write_str(")")?;
        }
        Ok(())
    }
}

/// Advice if results that should be the same differ only in the bits of NaNs.
pub(super) fn hint(left: &Bytes, right: &Bytes) -> &'static str {
    let floats = left
        .floats()
        .filter(|floats| floats.differ_by_nan(left, right));
    match floats {
        Some(_) => "; both are NaN: make every NaN the same one in `lower`",
        None => "",
    }
}
