//! Logic, shifts, bit fields, extensions (`szext`), permutations of bits and bytes, and instructions that count or find bits.

use super::body::Body;
use super::integer::{binary, counting, unary};
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::{by_integer, map1, map2, map3, map4, relate};
use super::types::{Kind, Type, U32};
use crate::alu;
use crate::counters::Class;
use crate::program::{Logic, Map3, Op, PredSource, Reg};
use crate::ptx::ast::{Number, Operand};

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    if opcode.name == "shf" {
        return funnel(body, opcode, operands);
    }
    let ty = opcode.ty()?;
    if ty.kind == Kind::Predicate {
        return predicates(body, opcode.name, operands);
    }
    if !ty.is_integer() {
        return Err(format!("no such instruction on {ty}"));
    }
    if ty.bits != 32 && matches!(opcode.name, "bmsk" | "prmt" | "lop3") {
        return Err(format!("no such instruction on {ty}"));
    }
    match opcode.name {
        "and" | "or" | "xor" | "not" | "cnot" | "brev" => bits(body, opcode.name, operands, ty),
        "popc" | "clz" | "bfind" => counts(body, opcode, operands, ty),
        "shl" | "shr" => shift(body, opcode.name, operands, ty),
        "bfe" | "bfi" => field(body, opcode.name, operands, ty),
        "bmsk" => {
            let f = match opcode.choice(&[("clamp", Edge::Clamp), ("wrap", Edge::Wrap)]) {
                Some(Edge::Clamp) => map2!(u32, u32, alu::bit_mask),
                Some(Edge::Wrap) => {
                    map2!(u32, u32, |a: u32, b: u32| { alu::bit_mask(a & 31, b & 31) })
                }
                None => return Err("`bmsk` without `.clamp` or `.wrap`".into()),
            };
            binary(body, operands, Some(f), ty)
        }
        "prmt" => {
            let f = permutation(opcode);
            super::integer::ternary(body, operands, Some(f), ty)
        }
        "fns" => find_nth(body, operands, ty),
        "szext" => {
            let edge = opcode.choice(&[("clamp", Edge::Clamp), ("wrap", Edge::Wrap)]);
            extend(
                body,
                operands,
                ty,
                edge.ok_or("`szext` without `.clamp` or `.wrap`")?,
            )
        }
        "lop3" => lookup(body, opcode, operands, ty),
        name => Err(format!("`{name}` is not supported")),
    }
}

/// Logic, and the reversal of bits.
fn bits<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    match name {
        "and" => binary(
            body,
            operands,
            by_integer!(ty, T => map2!(T, T, |a: T, b: T| a & b)),
            ty,
        ),
        "or" => binary(
            body,
            operands,
            by_integer!(ty, T => map2!(T, T, |a: T, b: T| a | b)),
            ty,
        ),
        "xor" => binary(
            body,
            operands,
            by_integer!(ty, T => map2!(T, T, |a: T, b: T| a ^ b)),
            ty,
        ),
        "not" => unary(
            body,
            operands,
            by_integer!(ty, T => map1!(T, |a: T| !a)),
            ty,
        ),
        "cnot" => {
            let f = by_integer!(ty, T => map1!(T, |a: T| T::from(a == 0)));
            unary(body, operands, f, ty)
        }
        _ => {
            let f = by_integer!(ty, T => map1!(T, |a: T| a.reverse_bits()));
            unary(body, operands, f, ty)
        }
    }
}

/// Instructions that count bits or find a bit. The result has 32 bits.
fn counts<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    match opcode.name {
        "popc" => counting(
            body,
            operands,
            by_integer!(ty, T => map1!(T, |a: T| a.count_ones())),
            ty,
        ),
        "clz" => {
            let f = by_integer!(ty, T => map1!(T, |a: T| a.leading_zeros()));
            counting(body, operands, f, ty)
        }
        _ => {
            let f = match opcode.takes("shiftamt") {
                false => by_integer!(ty, T => map1!(T, |a: T| alu::find_leading(a))),
                true => by_integer!(ty, T => map1!(T, |a: T| match alu::find_leading(a) {
                    u32::MAX => u32::MAX,
                    position => T::BITS - 1 - position,
                })),
            };
            counting(body, operands, f, ty)
        }
    }
}

/// The treatment of shift counts, positions and lengths: clamped to 32, or taken modulo 32.
#[derive(Clone, Copy)]
enum Edge {
    Clamp,
    Wrap,
}

fn predicates<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let (d, a, b) = match operands {
        [d, a] if name == "not" => (d, body.source_predicate(a)?, PredSource::TRUE),
        [d, a, b] => (d, body.source_predicate(a)?, body.source_predicate(b)?),
        _ => return Err(format!("{} operands of `{name}.pred`", operands.len())),
    };
    let f: Logic = match name {
        "and" => |a, b| a & b,
        "or" => |a, b| a | b,
        "xor" => |a, b| a ^ b,
        "not" => |a, _| !a,
        _ => return Err(format!("`{name}.pred` is not supported")),
    };
    if let Some(d) = body.target_predicate(d)? {
        body.emit(Op::Logic { f, d, a, b }, Class::Compare);
    }
    Ok(())
}

fn shift<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let f = match name {
        "shl" => by_integer!(ty, T => map2!(T, u32, |a: T, b: u32| a.checked_shl(b).unwrap_or(0))),
        _ => {
            by_integer!(ty, T => map2!(T, u32, |a: T, b: u32| a >> b.min(T::BITS - 1) >> u32::from(
                // One shift of Rust moves the bits by fewer than `BITS`, so a shift by `BITS` takes two.
                b >= T::BITS
            )))
        }
    };
    let f = f.ok_or_else(|| format!("no such instruction on {ty}"))?;
    let [d, a, b] = exactly(operands)?;
    let s = [body.source(a, ty)?, body.source(b, U32)?];
    let d = body.target(d, ty)?;
    body.emit(Op::Map2 { f, d, s }, Class::Integer);
    Ok(())
}

fn funnel<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let ty = opcode.ty()?;
    if !ty.is_integer() || ty.bits != 32 {
        return Err(format!("no such instruction on {ty}"));
    }
    let is_left = opcode.takes("l");
    let is_right = opcode.takes("r");
    let edge = opcode.choice(&[("clamp", Edge::Clamp), ("wrap", Edge::Wrap)]);
    let f = match (is_left, is_right, edge) {
        (true, false, Some(Edge::Wrap)) => {
            map3!(u32, u32, u32, |a: u32, b: u32, c: u32| alu::shift_funnel(
                a,
                b,
                c & 31
            ))
        }
        (true, false, Some(Edge::Clamp)) => {
            map3!(u32, u32, u32, |a: u32, b: u32, c: u32| alu::shift_funnel(
                a,
                b,
                c.min(32)
            ))
        }
        (false, true, Some(Edge::Wrap)) => {
            map3!(u32, u32, u32, |a: u32, b: u32, c: u32| alu::shift_funnel(
                a,
                b,
                32 - (c & 31)
            ))
        }
        (false, true, Some(Edge::Clamp)) => {
            map3!(u32, u32, u32, |a: u32, b: u32, c: u32| alu::shift_funnel(
                a,
                b,
                32 - c.min(32)
            ))
        }
        _ => return Err("`shf` takes `.l` or `.r`, and `.clamp` or `.wrap`".into()),
    };
    super::integer::ternary(body, operands, Some(f), ty)
}

fn field<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let unsupported = || format!("no such instruction on {ty}");
    if name == "bfe" {
        let f = by_integer!(ty, T => map3!(T, u32, u32, alu::bit_field_extract));
        let f = f.ok_or_else(unsupported)?;
        let [d, a, b, c] = exactly(operands)?;
        let s = [
            body.source(a, ty)?,
            body.source(b, U32)?,
            body.source(c, U32)?,
        ];
        let d = body.target(d, ty)?;
        body.emit(Op::Map3 { f, d, s }, Class::Integer);
        return Ok(());
    }
    let [d, a, b, position, length] = exactly(operands)?;
    let (a, b) = (body.source(a, ty)?, body.source(b, ty)?);
    let (position, length) = (body.source(position, U32)?, body.source(length, U32)?);
    let d = body.target(d, ty)?;
    let f = by_integer!(ty, T => map4!(T, T, u32, u32, alu::bit_field_insert));
    let f = f.ok_or_else(unsupported)?;
    let s = [a, b, position, length];
    body.emit(Op::Map4 { f, d, s }, Class::Integer);
    Ok(())
}

/// `prmt` in the mode that the opcode names, or without a mode.
fn permutation(opcode: &mut Opcode<'_>) -> Map3 {
    macro_rules! by_selector {
        ($mode:ident) => {
            map3!(u32, u32, u32, |a: u32, b: u32, c: u32| {
                alu::permute(a, b, alu::selector(alu::Permutation::$mode, c))
            })
        };
    }
    let mode = opcode.choice::<Map3>(&[
        ("f4e", by_selector!(ForwardExtract)),
        ("b4e", by_selector!(BackwardExtract)),
        ("rc8", by_selector!(ReplicateByte)),
        ("ecl", by_selector!(ClampLeft)),
        ("ecr", by_selector!(ClampRight)),
        ("rc16", by_selector!(ReplicateHalf)),
    ]);
    mode.unwrap_or(map3!(u32, u32, u32, alu::permute))
}

fn find_nth<'a>(body: &mut Body<'a, '_>, operands: &[Operand<'a>], ty: Type) -> Result<(), String> {
    if ty.bits != 32 {
        return Err(format!("no such instruction on {ty}"));
    }
    let [d, mask, base, offset] = exactly(operands)?;
    let signed = Type {
        kind: Kind::Signed,
        bits: 32,
    };
    let s = [
        body.source(mask, U32)?,
        body.source(base, U32)?,
        body.source(offset, signed)?,
    ];
    let d = body.target(d, U32)?;
    let f = map3!(u32, u32, i32, alu::find_nth_set);
    body.emit(Op::Map3 { f, d, s }, Class::Integer);
    Ok(())
}

fn extend<'a>(
    body: &mut Body<'a, '_>,
    operands: &[Operand<'a>],
    ty: Type,
    edge: Edge,
) -> Result<(), String> {
    let f = match (edge, ty.is_signed(), ty.bits) {
        (Edge::Clamp, false, 32) => map2!(u32, u32, alu::extend_low),
        (Edge::Clamp, true, 32) => map2!(i32, u32, alu::extend_low),
        (Edge::Wrap, false, 32) => map2!(u32, u32, |a: u32, b: u32| alu::extend_low(a, b & 31)),
        (Edge::Wrap, true, 32) => map2!(i32, u32, |a: i32, b: u32| alu::extend_low(a, b & 31)),
        _ => return Err(format!("no such instruction on {ty}")),
    };
    let [d, a, b] = exactly(operands)?;
    let s = [body.source(a, ty)?, body.source(b, U32)?];
    let d = body.target(d, ty)?;
    body.emit(Op::Map2 { f, d, s }, Class::Integer);
    Ok(())
}

/// `lop3`: any function of three bits, given as a table of eight bits. With `.and` or `.or` it also computes a predicate: whether any bit
/// of the result is set, combined with another predicate.
fn lookup<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let logic = opcode.choice::<Logic>(&[("and", |a, b| a & b), ("or", |a, b| a | b)]);
    let (d, any, [a, b, c, table]) = match (logic, operands) {
        (None, [d, rest @ ..]) => (d, None, exactly(rest)?),
        (Some(logic), [Operand::Pair(d, p), rest @ .., with]) => {
            let with = body.source_predicate(with)?;
            let p = body.target_predicate(p)?;
            (&**d, Some((p, (logic, with))), exactly(rest)?)
        }
        _ => return Err(format!("{} operands of this `lop3`", operands.len())),
    };
    let Operand::Number(Number::Integer(table)) = table else {
        return Err("the table of `lop3` must be a number".into());
    };
    let s = [
        body.source(a, ty)?,
        body.source(b, ty)?,
        body.source(c, ty)?,
        body.constant(table & 0xff),
    ];
    let d = body.target(d, ty)?;
    let f = map4!(u32, u32, u32, u32, alu::lookup);
    body.emit(Op::Map4 { f, d, s }, Class::Integer);
    if let Some((p, with)) = any {
        let op = Op::Compare {
            f: relate!(u32, |a: u32, b: u32| a != b),
            s: [d, body.constant(0)],
            d: p,
            inverse: None,
            with: Some(with),
        };
        body.emit(op, Class::Compare);
    }
    Ok(())
}
