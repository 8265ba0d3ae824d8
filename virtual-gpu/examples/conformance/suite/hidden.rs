//! Code that hides values from the driver's compiler.
//!
//! The compiler of NVIDIA's driver (CUDA 13.0, for sm_90) compiles some legal PTX differently from the
//! PTX ISA, depending on the code around an instruction:
//!
//! * `set` and `testp` under a guard: the whole instruction, or its last step, is executed without the
//!   guard. A conversion to 8 bits under a guard does not change the upper half of its register.
//! * If an instruction reads the bits of a float instruction's result, the compiler still treats them as
//!   a float. A shift uses the float converted to an integer, and a store of 8 bits stores that integer.
//!   The absolute values of two halves are omitted if the float is positive.
//! * The minimum and the maximum of a value and itself become the value, and the quotient of a value and
//!   itself becomes one. This is wrong for NaNs and zeros.
//! * Two successive conversions become one, even if the first converts a NaN to an integer.
//! * A product may be computed too late, after a branch has overwritten its operand. An example is
//!   `%d5 = %d4 * (1 + 2^-52)`, with a later `%d4 = …` in the lanes of one side of a conditional: those
//!   lanes get the product of the new value. With seed 891, the device's product is that of the last
//!   `%d4` in all 128 threads, and this is wrong in 59 of them.
//!
//! The virtual GPU does none of this. To compare the two, operands are combined with a zero that is
//! only known at run time, and those guards are omitted. This does not hide everything: the compiler
//! finds out that two such copies of a value are equal. With full optimisation, ten kernels of the seeds
//! 1 to 1300 differ: nine in a minimum or maximum, and one in a product that is computed too late.
//! Without optimisation (`--optimise 0`) none differs.

use super::catalogue::Row;
use super::kind::{Kind, Width};

/// The offset of four zero bytes in a thread's record.
const ZERO_OFFSET: usize = 92;

/// Declares the zeros and loads them.
pub fn prologue() -> String {
    format!(
        ".reg .b16 %zero16; .reg .b32 %zero32; .reg .b64 %zero64;\n\
         ld.global.b32 %zero32, [%in+{ZERO_OFFSET}];\n\
         cvt.u16.u32 %zero16, %zero32; cvt.u64.u32 %zero64, %zero32;\n"
    )
}

/// Whether a kernel's statements use the zeros.
pub fn is_used(body: &str) -> bool {
    body.contains("%zero")
}

/// A line that copies a register without the compiler's knowledge, and the name of the copy, one of
/// four for each width.
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

/// The same for a register of 32 bits.
pub fn word(register: &str, number: usize) -> (String, String) {
    let copy = format!("%t{}", 3 + number);
    (format!("xor.b32 {copy}, {register}, %zero32;"), copy)
}

/// Whether an instruction may be guarded.
pub fn may_be_guarded(row: &Row) -> bool {
    let to_eight_bits = matches!(row.targets[0], Kind::U8 | Kind::S8);
    !row.opcode.starts_with("set.") && !row.opcode.starts_with("testp.") && !to_eight_bits
}
