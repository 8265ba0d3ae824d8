//! Several small integers in one register: `dp4a`, `dp2a`, `add.u16x2` and its like, and the video
//! instructions on halves and bytes (`vadd2`, `vabsdiff4`, …), without masks and selectors.

use super::body::Body;
use super::integer::{binary, ternary};
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::{map2, map3, map4};
use super::types::{Part, Type, U32};
use crate::alu::{self, Form, Video};
use crate::counters::Class;
use crate::program::{Map2, Map3, Op, Reg};
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

/// Arithmetic on two integers of 16 bits.
pub(super) fn halves<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    part: Part,
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
        ("min", Part::Unsigned, false) => by_half!(u16::min),
        ("max", Part::Unsigned, false) => by_half!(u16::max),
        ("min", _, false) => by_half!(|a, b| (a as i16).min(b as i16) as u16),
        ("max", _, false) => by_half!(|a, b| (a as i16).max(b as i16) as u16),
        ("min", Part::Signed, true) => by_half!(|a, b| (a as i16).min(b as i16).max(0) as u16),
        ("max", Part::Signed, true) => by_half!(|a, b| (a as i16).max(b as i16).max(0) as u16),
        (name, ..) => return Err(format!("`{name}` on {ty} is not supported")),
    };
    binary(body, operands, Some(f), ty)
}

const VIDEO: [(&str, Video); 7] = [
    ("vadd", Video::Add),
    ("vsub", Video::Subtract),
    ("vavrg", Video::Average),
    ("vabsdiff", Video::AbsoluteDifference),
    ("vmin", Video::Least),
    ("vmax", Video::Greatest),
    ("vset", Video::Compare),
];

/// The relations of `vset`: whether less, equal and greater hold, from bit 0 on.
const HOLDS: [(&str, u32); 6] = [
    ("lt", 0b001),
    ("eq", 0b010),
    ("le", 0b011),
    ("gt", 0b100),
    ("ne", 0b101),
    ("ge", 0b110),
];

/// The video instruction of that name, and the bits of its parts.
pub(super) fn video_name(name: &str) -> Option<(Video, u32)> {
    let width = match name.as_bytes().last()? {
        b'2' => 16,
        b'4' => 8,
        _ => return None,
    };
    let stem = &name[..name.len() - 1];
    let found = VIDEO.iter().find(|(name, _)| *name == stem)?;
    Some((found.1, width))
}

pub(super) fn video<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    (what, width): (Video, u32),
) -> Result<(), String> {
    let d = match what {
        Video::Compare => U32,
        _ => opcode.ty()?,
    };
    let (a, b) = (opcode.ty()?, opcode.ty()?);
    if [d, a, b].iter().any(|ty| !ty.is_integer() || ty.bits != 32) {
        return Err(format!("`{}` takes `.u32` and `.s32`", opcode.name));
    }
    let holds = match what {
        Video::Compare => opcode.choice(&HOLDS).ok_or("`vset` without a relation")?,
        _ => 0,
    };
    let form = Form {
        what,
        width,
        signed_a: a.is_signed(),
        signed_b: b.is_signed(),
        signed_d: d.is_signed(),
        saturates: opcode.takes("sat"),
        adds_up: opcode.takes("add"),
        holds,
    };
    let [d, a, b, c] = exactly(operands)?;
    let s: [Reg; 4] = [
        body.source(a, U32)?,
        body.source(b, U32)?,
        body.source(c, U32)?,
        body.constant(form.encode().into()),
    ];
    let d = body.target(d, U32)?;
    let f = map4!(u32, u32, u32, u32, alu::video);
    body.emit(Op::Map4 { f, d, s }, Class::Integer);
    Ok(())
}
