//! What the driver's compiler must not see.
//!
//! Some of what the compiler of NVIDIA's driver (CUDA 13.0, for sm_90) makes of legal PTX is not what
//! the PTX ISA says, and depends on what stands around an instruction:
//!
//! * `set` and `testp` under a guard: their last step, or all of them, is done without it. A
//!   conversion to 8 bits under a guard leaves the upper half of its register as it was.
//! * A value that a float instruction computed is taken for a float where an instruction reads its
//!   bits as something else: a shift is by the float made an integer, a store of 8 bits stores that
//!   integer, the absolute values of two halves are left out if the float is positive.
//! * The minimum, the maximum and the quotient of a value and itself are taken to be the value, and
//!   one: wrong for NaNs, and for zeros.
//! * Two conversions after one another become one, also where the first makes a NaN an integer.
//! * A product may be taken after its operand was written anew in a branch, of the new value: of
//!   `%d5 = %d4 * (1 + 2^-52)` and a later `%d4 = …` in the lanes of one side of a conditional,
//!   those lanes get the product of what they wrote (seed 891: in all its 128 threads the device's
//!   product is that of the last `%d4`, in 59 of them a wrong one).
//!
//! The virtual GPU does none of this. To compare the two, operands are combined with a zero that only
//! turns out to be one when the kernel runs, and those guards are left out. That does not hide all:
//! two such copies of one value are seen to be equal. Of the kernels of the seeds 1 to 1300, ten differ
//! when the compiler does all it can, nine of them in a minimum or maximum and one in a product moved;
//! without optimisation (`--optimise 0`) none does.

use super::catalogue::Row;
use super::kind::{Kind, Width};

/// Where in a thread's record there are four bytes that are zero.
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

/// A line that copies a register unseen, and the name of the copy: one of four of a width.
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

/// The same for a word.
pub fn word(register: &str, number: usize) -> (String, String) {
    let copy = format!("%t{}", 3 + number);
    (format!("xor.b32 {copy}, {register}, %zero32;"), copy)
}

/// Whether an instruction may be guarded.
pub fn may_be_guarded(row: &Row) -> bool {
    let to_eight_bits = matches!(row.targets[0], Kind::U8 | Kind::S8);
    !row.opcode.starts_with("set.") && !row.opcode.starts_with("testp.") && !to_eight_bits
}
