//! A type error, which the compiler refuses.

pub fn mistyped() -> u32 {
    "not a number"
}
