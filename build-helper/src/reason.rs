//! Why an operator or a kernel is refused, and advice on what to write instead.

use std::fmt;

/// Why an operator or a kernel is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It may panic. The text says in which case.
    Panics(&'static str),
    /// It calls a function that was not inlined.
    Calls(String),
    /// It needs local memory.
    LocalMemory,
    /// It uses a static, or a constant array as a table.
    Static(String),
    /// It has a loop that never ends.
    Endless,
    /// It does more than compute.
    Effect(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Panics(when) => {
                write!(f, "it panics {when}, and there is nobody to tell on a GPU")
            }
            Self::Calls(callee) => {
                write!(f, "it calls `{callee}`, which the compiler did not inline")
            }
            Self::LocalMemory => write!(
                f,
                "it needs local memory, which is slow: an array is indexed by a value known only at run time, is too long for registers, or is read as \
                 a number (`from_le_bytes`) where it begins at no multiple of 4 in its item"
            ),
            // A name that the compiler has made would not help the user.
            Self::Static(name) if name.starts_with("anon_") => write!(
                f,
                "it uses a constant array as a table, which kernels do not carry: it is indexed at run time, or in a loop that was not unrolled"
            ),
            Self::Static(name) => write!(
                f,
                "it uses `{name}`, a static or a table, which kernels do not carry"
            ),
            Self::Endless => write!(f, "it has a loop that never ends"),
            Self::Effect(instruction) => write!(
                f,
                "it does more than compute its result from its arguments: `{instruction}`"
            ),
        }
    }
}

impl Reason {
    /// What to write instead.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Panics(when) if when.contains("index") => {
                "index arrays by constants, or by `i % N` of a length N that is known"
            }
            Self::Panics(when) if when.contains("zero") => {
                "say what the result is for a divisor of zero: `checked_div`, `checked_rem`, or `if b == 0 { … }` before the division"
            }
            Self::Panics(when) if when.contains("overflow") => {
                "use `wrapping_…` or `checked_…` arithmetic"
            }
            Self::Panics(when) if when.contains("nothing") => {
                "give a value for that case: `unwrap_or(…)` or `match`"
            }
            Self::Panics(_) => "give a value for every case instead of a panic",
            Self::Calls(callee) if matches!(callee.as_str(), "memcmp" | "bcmp") => {
                "compare arrays element by element, and combine the answers with `&`: long ones are compared by a call"
            }
            Self::Calls(_) => {
                "mark it `#[inline(always)]`, and write it without recursion, function pointers and `dyn`; division of 128-bit integers is such a call too"
            }
            Self::LocalMemory => {
                "keep values in fields or in short arrays, and index them by constants: write the loop's turns out. Take bytes apart by a \
                 pattern before they become a number: `let [a, b, c, d] = item.field; f32::from_le_bytes([a, b, c, d])`; or lay the field at a \
                 multiple of 4"
            }
            Self::Static(_) => {
                "compute the value, or choose it by `match`; if a loop indexes a constant array, write the loop's turns out"
            }
            Self::Endless => "give every loop an exit that is reached",
            Self::Effect(_) => {
                "leave out volatile accesses, atomics and raw pointers to other memory"
            }
        }
    }
}
