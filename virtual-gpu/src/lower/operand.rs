//! Turns operands into registers, predicates and addresses.

use super::body::Body;
use super::names::{Entity, Variable, VariableAddress};
use super::special;
use super::types::{Kind, Type};
use super::variables::literal;
use crate::counters::Class;
use crate::program::{
    Address, AddressSpace, Op, Pred, PredSource, Reg, Scope, Strength, kernel_address,
};
use crate::ptx::ast::{Number, Operand, Sense};

impl<'a> Body<'a, '_> {
    /// A source operand. Its register must be as wide as the type.
    pub(super) fn source(&mut self, operand: &Operand<'a>, ty: Type) -> Result<Reg, String> {
        let (reg, bits) = self.loose_source(operand, ty)?;
        match bits {
            Some(bits) if bits != ty.bits => Err(format!(
                "{} of {bits} bits where {ty} is read",
                describe(operand)
            )),
            _ => Ok(reg),
        }
    }

    /// A source operand whose register may be wider than the type. Only the low bits are used.
    pub(super) fn wide_source(&mut self, operand: &Operand<'a>, ty: Type) -> Result<Reg, String> {
        let (reg, bits) = self.loose_source(operand, ty)?;
        match bits {
            Some(bits) if bits < ty.bits => Err(format!(
                "{} of {bits} bits where {ty} is read",
                describe(operand)
            )),
            _ => Ok(reg),
        }
    }

    fn loose_source(
        &mut self,
        operand: &Operand<'a>,
        ty: Type,
    ) -> Result<(Reg, Option<u32>), String> {
        match operand {
            Operand::Number(number) => Ok((self.literal(*number, ty)?, None)),
            Operand::Name(name) => match self.find(name) {
                Some(Entity::Register(_, declared)) if declared.bits > 64 => Err(format!(
                    "`{name}` of {} bits where {ty} is read",
                    declared.bits
                )),
                Some(Entity::Register(reg, declared)) => Ok((reg, Some(declared.bits))),
                Some(Entity::Variable(variable)) => Ok((self.address_of(variable, 0), None)),
                Some(_) => Err(format!("`{name}` is not a value")),
                None => match self.module.kernels.get(name) {
                    Some(&index) => Ok((self.constant(kernel_address(index)), None)),
                    None => self.special(name),
                },
            },
            Operand::Offset(name, offset) => match self.find(name) {
                Some(Entity::Variable(variable)) => Ok((self.address_of(variable, *offset), None)),
                _ => Err(format!("`{name}` is not a variable")),
            },
            _ => Err(format!("{} where a value is read", describe(operand))),
        }
    }

    fn literal(&mut self, number: Number, ty: Type) -> Result<Reg, String> {
        // Literals for the 16-bit formats are bit patterns.
        let is_format = ty.kind == Kind::Float && ty.bits >= 32;
        if is_format && matches!(number, Number::Integer(_)) {
            return Err(format!("a whole number where {ty} is read"));
        }
        if ty.kind == Kind::Predicate {
            return Err("a number where a predicate is read".into());
        }
        Ok(self.constant(literal(number, ty)))
    }

    fn special(&mut self, name: &str) -> Result<(Reg, Option<u32>), String> {
        let Some((which, bits)) = special::parse(name) else {
            return Err(format!("`{name}` is not declared"));
        };
        let d = self.new_register();
        self.emit(Op::Special { d, which }, Class::Move);
        Ok((d, Some(bits)))
    }

    /// The constant or register that holds the address of a variable plus `offset`, within the variable's space.
    fn address_of(&mut self, variable: Variable, offset: i64) -> Reg {
        match variable.address {
            VariableAddress::Known(address) => self.constant(address.wrapping_add(offset as u64)),
            VariableAddress::DynamicShared if offset == 0 => self.dynamic_shared(),
            VariableAddress::DynamicShared => {
                let (start, offset) = (self.dynamic_shared(), self.constant(offset as u64));
                let d = self.new_register();
                let f = super::rows::map2!(u64, u64, u64::wrapping_add);
                let s = [start, offset];
                self.emit(Op::Map2 { f, d, s }, Class::Integer);
                d
            }
        }
    }

    /// A destination that is as wide as the type.
    pub(super) fn target(&mut self, operand: &Operand<'a>, ty: Type) -> Result<Reg, String> {
        match self.wide_target(operand, ty)? {
            (reg, bits) if bits == ty.bits => Ok(reg),
            (_, bits) => Err(format!(
                "{} of {bits} bits where {ty} is written",
                describe(operand)
            )),
        }
    }

    /// A destination that may be wider than the type, with its width.
    pub(super) fn wide_target(
        &mut self,
        operand: &Operand<'a>,
        ty: Type,
    ) -> Result<(Reg, u32), String> {
        let Operand::Name(name) = operand else {
            return Err(format!("{} where a register is written", describe(operand)));
        };
        if *name == "_" {
            return Ok((self.new_register(), ty.bits));
        }
        match self.find(name) {
            Some(Entity::Register(reg, declared))
                if declared.bits >= ty.bits && declared.bits <= 64 =>
            {
                Ok((reg, declared.bits))
            }
            Some(Entity::Register(_, declared)) => Err(format!(
                "`{name}` of {} bits where {ty} is written",
                declared.bits
            )),
            Some(_) => Err(format!("`{name}` is not a register")),
            None => Err(format!("`{name}` is not declared")),
        }
    }

    /// The halves of a register of 128 bits, which may be a source or a destination. The lower half comes first.
    pub(super) fn halves(&mut self, operand: &Operand<'a>) -> Result<[Reg; 2], String> {
        let Operand::Name(name) = operand else {
            return Err(format!("{} where .b128 stands", describe(operand)));
        };
        match self.find(name) {
            Some(Entity::Register(low, Type { bits: 128, .. })) => Ok([low, Reg(low.0 + 1)]),
            None if *name == "_" => Ok([self.new_register(), self.new_register()]),
            _ => Err(format!("`{name}` is not a register of 128 bits")),
        }
    }

    /// A destination that is a predicate. `None` if the operand is `_`.
    pub(super) fn target_predicate(
        &mut self,
        operand: &Operand<'a>,
    ) -> Result<Option<Pred>, String> {
        let Operand::Name(name) = operand else {
            return Err(format!(
                "{} where a predicate is written",
                describe(operand)
            ));
        };
        if *name == "_" {
            return Ok(None);
        }
        Ok(Some(self.predicate(name, Sense::Plain)?.pred))
    }

    /// A source that is read as a predicate. The operand is the name of a predicate, plain or negated, or it is a number. A number is true
    /// unless it is zero.
    pub(super) fn source_predicate(&mut self, operand: &Operand<'a>) -> Result<PredSource, String> {
        match operand {
            Operand::Name(name) => self.predicate(name, Sense::Plain),
            Operand::Not(name) => self.predicate(name, Sense::Negated),
            Operand::Number(Number::Integer(0)) => Ok(PredSource::FALSE),
            Operand::Number(Number::Integer(_)) => Ok(PredSource::TRUE),
            _ => Err(format!("{} where a predicate is read", describe(operand))),
        }
    }

    /// An address operand in a space. The access is weak, unless the caller changes the address's strength.
    pub(super) fn address(
        &mut self,
        operand: &Operand<'a>,
        space: AddressSpace,
    ) -> Result<Address, String> {
        let Operand::Address(base, offset) = operand else {
            return Err(format!("{} where an address is read", describe(operand)));
        };
        let at = |space, base, offset| Address {
            space,
            base,
            offset,
            strength: Strength::Weak,
            scope: Scope::Device,
        };
        let Some(name) = base else {
            return Ok(at(space, None, *offset));
        };
        match self.find(name) {
            Some(Entity::Register(reg, ty)) if ty.bits >= 32 => Ok(at(space, Some(reg), *offset)),
            Some(Entity::Variable(variable)) => {
                let fits = match space {
                    AddressSpace::Generic => true,
                    AddressSpace::KernelParam | AddressSpace::CallParam => matches!(
                        variable.space,
                        AddressSpace::KernelParam | AddressSpace::CallParam
                    ),
                    other => other == variable.space,
                };
                if !fits {
                    return Err(format!("`{name}` does not lie in that space"));
                }
                Ok(match variable.address {
                    VariableAddress::Known(address) => {
                        let offset = (address as i64).wrapping_add(*offset);
                        at(variable.space, None, offset)
                    }
                    VariableAddress::DynamicShared => {
                        at(variable.space, Some(self.dynamic_shared()), *offset)
                    }
                })
            }
            Some(_) => Err(format!("`{name}` is not an address")),
            None => Err(format!("`{name}` is not declared")),
        }
    }
}

/// Describes an operand, for messages.
pub(super) fn describe(operand: &Operand<'_>) -> String {
    match operand {
        Operand::Name(name) | Operand::Offset(name, _) => format!("`{name}`"),
        Operand::Not(name) => format!("`!{name}`"),
        Operand::Number(_) => "a number".into(),
        Operand::Address(..) => "an address".into(),
        Operand::Vector(_) => "a vector".into(),
        Operand::Pair(..) => "a pair".into(),
        Operand::List(_) => "a list".into(),
    }
}

/// The operands as an array. Fails unless there are `N` operands.
pub(super) fn exactly<'o, 'a, const N: usize>(
    operands: &'o [Operand<'a>],
) -> Result<&'o [Operand<'a>; N], String> {
    operands
        .try_into()
        .map_err(|_| format!("{} operands where {N} are taken", operands.len()))
}
