//! Functions that the system defines: `vprintf` and `__assertfail`.

use super::body::Body;
use super::calls::whole;
use super::names::{Entity, Variable};
use super::types::{Type, U32};
use crate::counters::Class;
use crate::program::{AddressSpace, Op, Print, Reg};
use crate::ptx::ast::Operand;

const U64: Type = Type::unsigned(64);

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    name: &str,
    results: &[Operand<'a>],
    arguments: &[Operand<'a>],
) -> Result<(), String> {
    match (name, results, arguments) {
        ("vprintf", [result], [format, values]) => {
            let print = Print {
                format: value(body, format, U64)?,
                values: value(body, values, U64)?,
                d: body.new_register(),
            };
            body.emit(Op::Print(print), Class::Control);
            give(body, result, print.d)
        }
        ("__assertfail", [], [message, file, line, function, _]) => {
            let op = Op::AssertFails {
                message: value(body, message, U64)?,
                file: value(body, file, U64)?,
                line: value(body, line, U32)?,
                function: value(body, function, U64)?,
            };
            body.emit(op, Class::Control);
            Ok(())
        }
        _ => Err(format!("`{name}` is called and not defined")),
    }
}

/// The variable that an actual parameter names, if it is one.
fn variable<'a>(body: &mut Body<'a, '_>, actual: &Operand<'a>) -> Option<Variable> {
    let Operand::Name(name) = actual else {
        return None;
    };
    match body.find(name) {
        Some(Entity::Variable(variable)) if variable.space == AddressSpace::CallParam => {
            Some(variable)
        }
        _ => None,
    }
}

/// An argument in a register.
fn value<'a>(body: &mut Body<'a, '_>, actual: &Operand<'a>, ty: Type) -> Result<Reg, String> {
    let Some(variable) = variable(body, actual) else {
        return body.source(actual, ty);
    };
    let d = body.new_register();
    body.emit(Op::Load(whole(variable, ty, d)), Class::Memory);
    Ok(d)
}

/// A result where the caller wants it.
fn give<'a>(body: &mut Body<'a, '_>, result: &Operand<'a>, from: Reg) -> Result<(), String> {
    let Some(variable) = variable(body, result) else {
        return Err("a result that is not a parameter variable".into());
    };
    body.emit(Op::Store(whole(variable, U32, from)), Class::Memory);
    Ok(())
}
