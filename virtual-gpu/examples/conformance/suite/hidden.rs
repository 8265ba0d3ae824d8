//! What the driver's compiler must not see.
//!
//! Some of what the compiler of NVIDIA's driver (CUDA 13.0, for sm_90) makes of legal PTX is not what
//! the PTX ISA says, and depends on what stands around an instruction:
//!
//! * `set` and `testp` under a guard: their last step, or all of them, is done without it.
//! * The minimum, the maximum and the quotient of a value and itself are taken to be the value, and
//!   one: wrong for NaNs, and for zeros.
//! * Two conversions after one another become one, also where the first makes a NaN an integer, or
//!   where the second takes the bits for another type.
//! * A store of 8 bits from a register that a float was computed in stores the float, converted.
//!
//! The virtual GPU does none of this. To compare the two, operands of such instructions are combined
//! with a zero that only turns out to be one when the kernel runs, and the guards are left out.

use super::catalogue::Row;
use super::kind::Width;

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

/// A line that copies a register unseen, and the name of the copy. Copies of up to three words, or
/// one of another width, can be had at a time.
pub fn copy(register: &str, width: Width, number: usize) -> Option<(String, String)> {
    let (copy, bits) = match width {
        Width::Half => ("%g3", 16),
        Width::Word => return Some(word(register, number)),
        Width::Double => ("%q3", 64),
        Width::Predicate => return None,
    };
    let line = format!("xor.b{bits} {copy}, {register}, %zero{bits};");
    Some((line, copy.to_owned()))
}

/// The same for a word.
pub fn word(register: &str, number: usize) -> (String, String) {
    let copy = format!("%t{}", 3 + number);
    (format!("xor.b32 {copy}, {register}, %zero32;"), copy)
}

/// Whether an instruction may be guarded.
pub fn may_be_guarded(row: &Row) -> bool {
    !row.opcode.starts_with("set.") && !row.opcode.starts_with("testp.")
}

/// The sources of an instruction that must be hidden.
pub fn sources(row: &Row) -> std::ops::Range<usize> {
    let count = row.sources.len();
    let starts_with = |name: &&str| row.opcode.starts_with(*name);
    match () {
        () if row.opcode.starts_with("cvt") => 0..count,
        () if row.sources[0].is_float() && ["min", "max", "div"].iter().any(starts_with) => {
            count - 1..count
        }
        () => 0..0,
    }
}
