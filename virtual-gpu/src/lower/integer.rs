//! Integer arithmetic. `carry` handles instructions with a carry, and `packed` handles pairs of 16-bit integers.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::{by_integer, map1, map2, map3};
use super::types::{Kind, Type, U32};
use super::{carry, packed};
use crate::alu;
use crate::counters::Class;
use crate::program::{Map1, Map2, Map3, Op, Reg};
use crate::ptx::ast::Operand;

/// The part of a product that an instruction returns.
#[derive(Clone, Copy)]
enum ProductBits {
    Low,
    High,
    Wide,
}

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    if let Kind::Packed(part) = ty.kind {
        return packed::halves(body, opcode, operands, part, ty);
    }
    if opcode.has("cc") {
        return carry::lower(body, opcode, operands, ty);
    }
    match opcode.name {
        "mul" | "mad" | "mul24" | "mad24" => product(body, opcode, operands, ty),
        "sad" => {
            let f = by_integer!(ty, T => map3!(T, T, T, alu::sad));
            ternary(body, operands, f, ty)
        }
        "abs" | "neg" => {
            let f = match opcode.name {
                "abs" => by_integer!(ty, T => map1!(T, |a: T| if alu::Integer::widen(a) < 0 {
                    (0 as T).wrapping_sub(a)
                } else {
                    a
                })),
                _ => by_integer!(ty, T => map1!(T, |a: T| (0 as T).wrapping_sub(a))),
            };
            unary(body, operands, f, ty)
        }
        _ => {
            if opcode.takes("relu") {
                return rectified(body, opcode.name, operands, ty);
            }
            let f = match (opcode.name, opcode.takes("sat")) {
                ("add", false) => by_integer!(ty, T => map2!(T, T, |a: T, b: T| a.wrapping_add(b))),
                ("sub", false) => by_integer!(ty, T => map2!(T, T, |a: T, b: T| a.wrapping_sub(b))),
                ("add", true) => by_integer!(ty, T => map2!(T, T, alu::add_saturating)),
                ("sub", true) => by_integer!(ty, T => map2!(T, T, alu::sub_saturating)),
                ("div", false) => by_integer!(ty, T => map2!(T, T, alu::div)),
                ("rem", false) => by_integer!(ty, T => map2!(T, T, alu::rem)),
                ("min", false) => by_integer!(ty, T => map2!(T, T, |a: T, b: T| a.min(b))),
                ("max", false) => by_integer!(ty, T => map2!(T, T, |a: T, b: T| a.max(b))),
                (name, _) => return Err(format!("`{name}` with `.sat` is not supported")),
            };
            binary(body, operands, f, ty)
        }
    }
}

/// `min.relu` and `max.relu`: negative results become 0.
fn rectified<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let f = match (name, ty.is_signed(), ty.bits) {
        ("min", true, 32) => map2!(i32, i32, |a: i32, b: i32| a.min(b).max(0)),
        ("max", true, 32) => map2!(i32, i32, |a: i32, b: i32| a.max(b).max(0)),
        _ => return Err(format!("`{name}.relu` on {ty} is not supported")),
    };
    binary(body, operands, Some(f), ty)
}

fn none_for(ty: Type) -> String {
    format!("no such instruction on {ty}")
}

pub(super) fn unary<'a>(
    body: &mut Body<'a, '_>,
    operands: &[Operand<'a>],
    f: Option<Map1>,
    ty: Type,
) -> Result<(), String> {
    let f = f.ok_or_else(|| none_for(ty))?;
    let [d, a] = exactly(operands)?;
    let (d, a) = (body.target(d, ty)?, body.source(a, ty)?);
    body.emit(Op::Map1 { f, d, a }, class_of(ty));
    Ok(())
}

pub(super) fn binary<'a>(
    body: &mut Body<'a, '_>,
    operands: &[Operand<'a>],
    f: Option<Map2>,
    ty: Type,
) -> Result<(), String> {
    let f = f.ok_or_else(|| none_for(ty))?;
    let [d, a, b] = exactly(operands)?;
    let s = [body.source(a, ty)?, body.source(b, ty)?];
    let d = body.target(d, ty)?;
    body.emit(Op::Map2 { f, d, s }, class_of(ty));
    Ok(())
}

pub(super) fn ternary<'a>(
    body: &mut Body<'a, '_>,
    operands: &[Operand<'a>],
    f: Option<Map3>,
    ty: Type,
) -> Result<(), String> {
    let f = f.ok_or_else(|| none_for(ty))?;
    let [d, a, b, c] = exactly(operands)?;
    let s = [
        body.source(a, ty)?,
        body.source(b, ty)?,
        body.source(c, ty)?,
    ];
    let d = body.target(d, ty)?;
    body.emit(Op::Map3 { f, d, s }, class_of(ty));
    Ok(())
}

fn class_of(ty: Type) -> Class {
    if ty.is_float() {
        Class::Float
    } else {
        Class::Integer
    }
}

fn product<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let part = opcode.choice(&[
        ("lo", ProductBits::Low),
        ("hi", ProductBits::High),
        ("wide", ProductBits::Wide),
    ]);
    let Some(part) = part else {
        return Err(format!("`{}` without `.lo`, `.hi` or `.wide`", opcode.name));
    };
    if opcode.name.ends_with("24") && ty.bits != 32 {
        return Err(none_for(ty));
    }
    if opcode.takes("sat") {
        return saturated_product(body, opcode.name, operands, (part, ty));
    }
    match (opcode.name, part) {
        ("mul", ProductBits::Low) => {
            let f = by_integer!(ty, T => map2!(T, T, |a: T, b: T| a.wrapping_mul(b)));
            binary(body, operands, f, ty)
        }
        ("mul", ProductBits::High) => {
            let f = by_integer!(ty, T => map2!(T, T, alu::mul_hi));
            binary(body, operands, f, ty)
        }
        ("mad", ProductBits::Low) => {
            let f = by_integer!(ty, T => map3!(T, T, T, |a: T, b: T, c: T| {
                a.wrapping_mul(b).wrapping_add(c)
            }));
            ternary(body, operands, f, ty)
        }
        ("mad", ProductBits::High) => {
            let f = by_integer!(ty, T => map3!(T, T, T, alu::mad_hi));
            ternary(body, operands, f, ty)
        }
        ("mul24", ProductBits::Low) => {
            let f = by_integer!(ty, T => map2!(T, T, alu::mul24_lo));
            binary(body, operands, f, ty)
        }
        ("mul24", ProductBits::High) => {
            let f = by_integer!(ty, T => map2!(T, T, alu::mul24_hi));
            binary(body, operands, f, ty)
        }
        ("mad24", ProductBits::Low) => {
            let f = by_integer!(ty, T => map3!(T, T, T, |a: T, b: T, c: T| {
                alu::mul24_lo(a, b).wrapping_add(c)
            }));
            ternary(body, operands, f, ty)
        }
        ("mad24", ProductBits::High) => {
            let f = by_integer!(ty, T => map3!(T, T, T, |a: T, b: T, c: T| {
                alu::mul24_hi(a, b).wrapping_add(c)
            }));
            ternary(body, operands, f, ty)
        }
        (name, ProductBits::Wide) => wide_product(body, name, operands, ty),
        (name, _) => Err(format!("`{name}` is not supported")),
    }
}

/// `mad.hi.sat` and `mad24.hi.sat`: the upper 32 bits of the product, plus the third source. The sum is clamped to the type.
fn saturated_product<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    operands: &[Operand<'a>],
    (part, ty): (ProductBits, Type),
) -> Result<(), String> {
    let f = match (name, part, ty.is_signed(), ty.bits) {
        ("mad", ProductBits::High, true, 32) => {
            map3!(i32, i32, i32, |a: i32, b: i32, c: i32| {
                alu::mul_hi(a, b).saturating_add(c)
            })
        }
        ("mad24", ProductBits::High, true, 32) => {
            map3!(i32, i32, i32, |a: i32, b: i32, c: i32| {
                alu::mul24_hi(a, b).saturating_add(c)
            })
        }
        _ => return Err(format!("`{name}` with `.sat` on {ty} is not supported")),
    };
    ternary(body, operands, Some(f), ty)
}

fn wide_product<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let double = Type {
        bits: 2 * ty.bits,
        ..ty
    };
    match name {
        "mul" => {
            let f = match (ty.is_signed(), ty.bits) {
                (true, 16) => map2!(i16, i16, |a: i16, b: i16| i32::from(a) * i32::from(b)),
                (true, 32) => map2!(i32, i32, |a: i32, b: i32| i64::from(a) * i64::from(b)),
                (false, 16) => map2!(u16, u16, |a: u16, b: u16| u32::from(a) * u32::from(b)),
                (false, 32) => map2!(u32, u32, |a: u32, b: u32| u64::from(a) * u64::from(b)),
                _ => return Err(none_for(ty)),
            };
            let [d, a, b] = exactly(operands)?;
            let s = [body.source(a, ty)?, body.source(b, ty)?];
            let d = body.target(d, double)?;
            body.emit(Op::Map2 { f, d, s }, Class::Integer);
        }
        "mad" => {
            let f = match (ty.is_signed(), ty.bits) {
                (true, 16) => map3!(i16, i16, i32, |a: i16, b: i16, c: i32| {
                    (i32::from(a) * i32::from(b)).wrapping_add(c)
                }),
                (true, 32) => map3!(i32, i32, i64, |a: i32, b: i32, c: i64| {
                    (i64::from(a) * i64::from(b)).wrapping_add(c)
                }),
                (false, 16) => map3!(u16, u16, u32, |a: u16, b: u16, c: u32| {
                    (u32::from(a) * u32::from(b)).wrapping_add(c)
                }),
                (false, 32) => map3!(u32, u32, u64, |a: u32, b: u32, c: u64| {
                    (u64::from(a) * u64::from(b)).wrapping_add(c)
                }),
                _ => return Err(none_for(ty)),
            };
            let [d, a, b, c] = exactly(operands)?;
            let s = [
                body.source(a, ty)?,
                body.source(b, ty)?,
                body.source(c, double)?,
            ];
            let d = body.target(d, double)?;
            body.emit(Op::Map3 { f, d, s }, Class::Integer);
        }
        _ => return Err(format!("`{name}.wide` is not supported")),
    }
    Ok(())
}

/// A unary instruction whose result is a count or a position of 32 bits.
pub(super) fn counting<'a>(
    body: &mut Body<'a, '_>,
    operands: &[Operand<'a>],
    f: Option<Map1>,
    ty: Type,
) -> Result<(), String> {
    let f = f.ok_or_else(|| none_for(ty))?;
    let [d, a] = exactly(operands)?;
    let (d, a): (Reg, Reg) = (body.target(d, U32)?, body.source(a, ty)?);
    body.emit(Op::Map1 { f, d, a }, Class::Integer);
    Ok(())
}
