//! Sums, differences and products wider than a register, as chains of instructions: `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
//!
//! The condition code is a register that the text cannot name.

use super::body::Body;
use super::opcode::Opcode;
use super::operand::exactly;
use super::rows::map_pair;
use super::types::Type;
use crate::alu;
use crate::counters::Class;
use crate::program::{MapPair, Op, Reg};
use crate::ptx::ast::Operand;

/// The kind of an instruction of a chain: a sum, a difference, or one half of a product, to which a third source is added.
#[derive(Clone, Copy)]
enum Term {
    Sum,
    Difference,
    LowProduct,
    HighProduct,
}

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
    ty: Type,
) -> Result<(), String> {
    let goes_on = opcode.name.ends_with('c');
    let term = match opcode.name.trim_end_matches('c') {
        "add" => Term::Sum,
        "sub" => Term::Difference,
        name => {
            let part = opcode.choice(&[("lo", Term::LowProduct), ("hi", Term::HighProduct)]);
            part.ok_or_else(|| format!("`{name}` without `.lo` or `.hi`"))?
        }
    };
    let f = function(term, ty).ok_or_else(|| format!("no such instruction on {ty}"))?;
    let nothing = body.constant(0);
    let carry_in = match goes_on {
        true => body.condition_code(),
        false => nothing,
    };
    let (d, a, b, c) = match term {
        Term::Sum | Term::Difference => {
            let [d, a, b] = exactly(operands)?;
            (d, a, b, nothing)
        }
        Term::LowProduct | Term::HighProduct => {
            let [d, a, b, c] = exactly(operands)?;
            (d, a, b, body.source(c, ty)?)
        }
    };
    let s = [body.source(a, ty)?, body.source(b, ty)?, c, carry_in];
    let carry_out: Reg = match opcode.takes("cc") {
        true => body.condition_code(),
        false => body.new_register(),
    };
    let d = [body.target(d, ty)?, carry_out];
    body.emit(Op::MapPair { f, d, s }, Class::Integer);
    Ok(())
}

fn function(term: Term, ty: Type) -> Option<MapPair> {
    macro_rules! of_width {
        ($unsigned:ident, $signed:ident) => {
            match (term, ty.is_signed()) {
                (Term::Sum, _) => {
                    map_pair!($unsigned, |[a, b, _, carry]| alu::add_with_carry(
                        a, b, carry
                    ))
                }
                (Term::Difference, _) => {
                    map_pair!($unsigned, |[a, b, _, borrow]| alu::sub_with_borrow(
                        a, b, borrow
                    ))
                }
                (Term::LowProduct, _) => {
                    map_pair!($unsigned, |[a, b, c, carry]: [$unsigned; 4]| {
                        alu::add_with_carry(a.wrapping_mul(b), c, carry)
                    })
                }
                (Term::HighProduct, false) => {
                    map_pair!($unsigned, |[a, b, c, carry]| {
                        alu::add_with_carry(alu::mul_hi(a, b), c, carry)
                    })
                }
                (Term::HighProduct, true) => {
                    map_pair!($unsigned, |[a, b, c, carry]| {
                        let high = alu::mul_hi(a as $signed, b as $signed);
                        alu::add_with_carry(high as $unsigned, c, carry)
                    })
                }
            }
        };
    }
    match (ty.is_integer(), ty.bits) {
        (true, 32) => Some(of_width!(u32, i32)),
        (true, 64) => Some(of_width!(u64, i64)),
        _ => None,
    }
}
