//! Several small integers in one register: `dp4a`, `dp2a`, arithmetic on pairs (`add.u16x2`), and the two video instructions that compilers
//! emit (`vabsdiff2`, `vabsdiff4`).

use super::body::Body;
use super::integer::{binary, ternary};
use super::opcode::Opcode;
use super::rows::{map2, map3};
use super::types::{PackedElement, Type, U32};
use crate::alu;
use crate::program::{Map2, Map3, Reg};
use crate::ptx::ast::Operand;

/// A dot product of small integers.
pub(super) fn dot_product<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    macro_rules! by_signs {
        ($a:expr, $b:expr, $f:ident $(, $first:literal)?) => {
            match ($a.is_signed(), $b.is_signed()) {
                (false, false) => map3!(u32, u32, u32, alu::$f::<false, false $(, $first)?>),
                (false, true) => map3!(u32, u32, u32, alu::$f::<false, true $(, $first)?>),
                (true, false) => map3!(u32, u32, u32, alu::$f::<true, false $(, $first)?>),
                (true, true) => map3!(u32, u32, u32, alu::$f::<true, true $(, $first)?>),
            }
        };
    }
    let is_low = opcode.takes("lo");
    let is_high = opcode.takes("hi");
    let (a, b) = (opcode.ty()?, opcode.ty()?);
    if !a.is_integer() || !b.is_integer() || a.bits != 32 || b.bits != 32 {
        return Err(format!("`{}` on {a} and {b}", opcode.name));
    }
    let f: Map3 = match (opcode.name, is_low, is_high) {
        ("dp4a", false, false) => by_signs!(a, b, dot4),
        ("dp2a", true, false) => by_signs!(a, b, dot2, 0),
        ("dp2a", false, true) => by_signs!(a, b, dot2, 2),
        _ => return Err("`dp2a` takes `.lo` or `.hi`, and `dp4a` neither".into()),
    };
    ternary(body, operands, Some(f), U32)
}

/// Arithmetic on pairs of 16-bit integers.
pub(super) fn halves<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    part: PackedElement,
    ty: Type,
) -> Result<(), String> {
    macro_rules! by_half {
        ($f:expr) => {
            map2!(u32, u32, |a: u32, b: u32| alu::halves(a, b, $f))
        };
    }
    let rectifies = opcode.takes("relu");
    let f: Map2 = match (opcode.name, part, rectifies) {
        ("add", _, false) => by_half!(u16::wrapping_add),
        ("min", PackedElement::Unsigned, false) => by_half!(u16::min),
        ("max", PackedElement::Unsigned, false) => by_half!(u16::max),
        ("min", _, false) => by_half!(|a, b| (a as i16).min(b as i16) as u16),
        ("max", _, false) => by_half!(|a, b| (a as i16).max(b as i16) as u16),
        ("min", PackedElement::Signed, true) => {
            by_half!(|a, b| (a as i16).min(b as i16).max(0) as u16)
        }
        ("max", PackedElement::Signed, true) => {
            by_half!(|a, b| (a as i16).max(b as i16).max(0) as u16)
        }
        (name, ..) => return Err(format!("`{name}` on {ty} is not supported")),
    };
    binary(body, operands, Some(f), ty)
}

/// `vabsdiff2` and `vabsdiff4` in the forms that compilers emit: unsigned, with or without `.add`.
pub(super) fn distances<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    for _ in 0..3 {
        let ty = opcode.ty()?;
        if ty != U32 {
            return Err(format!("`{}` takes `.u32`, not {ty}", opcode.name));
        }
    }
    let f: Map3 = match (opcode.name, opcode.takes("add")) {
        ("vabsdiff2", false) => map3!(u32, u32, u32, |a, b, _c| alu::distances::<16>(a, b)),
        ("vabsdiff4", false) => map3!(u32, u32, u32, |a, b, _c| alu::distances::<8>(a, b)),
        ("vabsdiff2", true) => map3!(u32, u32, u32, alu::sum_of_distances::<16>),
        _ => map3!(u32, u32, u32, alu::sum_of_distances::<8>),
    };
    ternary(body, operands, Some(f), U32)
}
