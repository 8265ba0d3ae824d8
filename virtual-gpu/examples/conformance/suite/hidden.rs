//! Code that hides values from the driver's compiler.
//!
//! The compiler of NVIDIA's driver (CUDA 13.0, for sm_90) compiles some legal PTX incorrectly, depending on the code around an instruction:
//!
//! * A guarded `set` or `testp`: the whole instruction, or its last step, is executed without the guard. A guarded conversion to 8 bits
//!   does not write the upper half of its destination register.
//! * An integer instruction that reads the bits of a float result: the compiler still treats the operand as a float. Instead of the bits of
//!   the float, a shift and an 8-bit store use the float converted to an integer. The instruction `abs` on two packed halves is omitted if
//!   the float that consists of the same bits is positive.
//! * `min(x, x)` and `max(x, x)` become `x`, and `x / x` becomes 1. All three are wrong for NaNs. The quotient is also wrong for zeros and
//!   infinities.
//! * Two successive conversions become a single conversion, even if the first converts a NaN to an integer.
//! * A product may be computed too late, after a branch has overwritten its operand. An example is `%d5 = %d4 * (1 + 2^-52)`, followed by a
//!   branch in which some lanes assign `%d4`. These lanes multiply the new `%d4`. In the kernel of seed 891, all 128 threads on the device
//!   multiply the final value of `%d4`, and 59 of them get a wrong product.
//!
//! The virtual GPU does none of this. So that the outputs agree, random kernels omit the guards above, and combine operands with a zero
//! that is only known at run time. This does not hide everything: if a value is combined with the zero twice, the compiler recognises that
//! both results are equal. With full optimisation, ten kernels of the seeds 1 to 1300 still differ: nine in a minimum or maximum, one in a
//! product that is computed too late. Without optimisation (`--optimise 0`) no kernel differs.

use super::catalogue::Row;
use super::kind::{Kind, Width};

/// In the record of each thread, the four bytes at this offset are zero.
const ZERO_OFFSET: usize = 92;

/// Declares the registers that hold zero, and sets them from the record.
pub fn prologue() -> String {
    format!(
        ".reg .b16 %zero16; .reg .b32 %zero32; .reg .b64 %zero64;\n\
         ld.global.b32 %zero32, [%in+{ZERO_OFFSET}];\n\
         cvt.u16.u32 %zero16, %zero32; cvt.u64.u32 %zero64, %zero32;\n"
    )
}

/// Whether a kernel's statements use a register that [`prologue`] declares.
pub fn is_used(body: &str) -> bool {
    body.contains("%zero")
}

/// A line that copies a register, and the name of the copy. The compiler does not recognise that the copy has the same value. `number` is
/// below 4, and distinguishes the copies of one width. `None` for a predicate.
pub fn copy(register: &str, width: Width, number: usize) -> Option<(String, String)> {
    let (copy, bits) = match width {
        Width::Half => (format!("%g{}", 3 + number), 16),
        Width::Word => return Some(word(register, number)),
        Width::Double => (format!("%q{}", 3 + number), 64),
        Width::Predicate => return None,
    };
    let line = format!("xor.b{bits} {copy}, {register}, %zero{bits};");
    Some((line, copy))
}

/// Like [`copy`], for a register of 32 bits.
pub fn word(register: &str, number: usize) -> (String, String) {
    let copy = format!("%t{}", 3 + number);
    (format!("xor.b32 {copy}, {register}, %zero32;"), copy)
}

/// Whether an instruction may be guarded.
pub fn may_be_guarded(row: &Row) -> bool {
    let to_eight_bits = matches!(row.targets[0], Kind::U8 | Kind::S8);
    !row.opcode.starts_with("set.") && !row.opcode.starts_with("testp.") && !to_eight_bits
}
