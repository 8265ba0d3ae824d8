//! What the compiler refuses: a type that does not fit.

pub fn mistyped() -> u32 {
    "not a number"
}
