//! Floating-point arithmetic as pure functions. Except for approximations, the results have the bits of NVIDIA hardware.
//!
//! * f32: a NaN result of arithmetic is `0x7fffffff`, except that `copysign` changes only the sign. With flushing (`.ftz`), subnormal
//!   operands and results count as zeros of their sign. With saturation (`.sat`), results are clamped to the range from 0 to 1, and NaN
//!   becomes +0. To decide whether a result is flushed, the exact result is rounded as if exponents were unlimited. If the magnitude of
//!   this rounded value is below the smallest normal number, the result is zero, even if IEEE rounding would give the smallest normal
//!   number.
//! * f64: the result for a NaN operand is this NaN, quieted. If several operands are NaN, the module `double` says which NaN is taken. If
//!   no operand is NaN, a NaN result is `0xfff8000000000000`. Exceptions: `min` and `max` of a NaN and a number give the number. `copysign`
//!   and `atom.add` on global memory do not quiet a NaN. All NaN results of `rcp.approx.ftz` and `rsqrt.approx.ftz` are
//!   `0x7fffffff00000000`.
//! * f16 and bf16: a NaN result of arithmetic is always `0x7fff`.
//! * Conversions treat NaN in several ways. Conversions from f64 to other floats keep the NaN's sign and the upper bits of its payload,
//!   unless they have `.sat` or `.relu`. Conversions to f64 keep the NaN's sign and its whole payload, unless they have `.sat` or convert
//!   an f32 with flushing. A conversion from bf16 to f32 changes no bit, unless it saturates.
//! * Operations on f32 and f64 that round to nearest use the host's arithmetic, which is IEEE 754. [`soft`] uses integer arithmetic. It
//!   computes operations on f32 and f64 with a directed rounding. It also computes sums, products and fused multiply-adds of f16 and bf16.
//! * Functions of one operand that the hardware approximates (`rcp.approx`, `sin.approx`, …) are computed in double precision and rounded
//!   (`approx`, `narrow`). `div.approx` and `div.full` divide as `div.rn` does. The results are more accurate than the hardware's, and
//!   **not** bit for bit the same.
//!
//! `tests/recorded.rs` compares the results with those of an H200, instruction by instruction. It does not compare approximations.

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
