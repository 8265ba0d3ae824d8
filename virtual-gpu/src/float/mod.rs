//! Floating-point arithmetic as pure functions, with the bits that NVIDIA hardware gives.
//!
//! * f32: a NaN result is always `0x7fffffff`. With flushing (`.ftz`) subnormal operands and
//!   results count as zeros of their sign. With saturation (`.sat`) results are held in 0 to 1,
//!   NaN becoming +0.
//!   Flushing looks at the result rounded to the precision of normal numbers: where only the wider
//!   steps of subnormals round it up to the least normal number, it becomes zero.
//! * f64: a NaN operand comes back quieted (which one of several, `double` says); a NaN that arises
//!   from other operands is `0xfff8000000000000`.
//! * f16 and bf16: a NaN result is always `0x7fff`.
//! * Conversions are not so uniform: those from f64 keep a NaN's sign and the upper bits of its
//!   payload, and so do those to f64, except from f32 with flushing; bf16 to f32 changes no bit.
//! * Rounding to nearest uses the host's arithmetic, which is IEEE 754. The directed roundings are
//!   computed in integers by [`soft`].
//! * `approx` has the functions that the hardware approximates (`rcp.approx`, `sin.approx`, …).
//!   They are computed in double precision and rounded: closer to the truth than the hardware, and
//!   **not** bit for bit what it gives.
//!
//! All but these is held against what an H200 answered by `tests/recorded.rs`.

mod approx;
mod convert;
mod double;
mod eighth;
mod lanes;
mod mode;
mod narrow;
mod narrowing;
mod single;
pub(crate) mod soft;

pub(crate) use approx::*;
pub(crate) use convert::*;
pub(crate) use double::*;
pub(crate) use eighth::Eighth;
pub(crate) use lanes::{Lanes, Pair, Upper};
pub(crate) use mode::{Mode, Rounding};
pub(crate) use narrow::*;
pub(crate) use narrowing::*;
pub(crate) use single::*;
