//! Calls: the body of the called function is written in place of the call.
//!
//! If a variable is passed for a formal parameter of `.param` space, the parameter becomes another name for this variable. The calling
//! convention of PTX allows this: a function only reads its arguments, and only writes its results. A `ret` becomes a branch to the end of
//! the body.

use super::body::Body;
use super::builtin;
use super::names::{Entity, Label, Variable, VariableAddress};
use super::opcode::Opcode;
use super::operand::describe;
use super::rows::map1;
use super::types::Type;
use super::variables;
use crate::counters::Class;
use crate::program::{
    Address, AddressSpace, Extend, Op, PredSource, Reg, Scope, Strength, Transfer,
};
use crate::ptx::ast::{self, Function, Operand, StateSpace};

/// The greatest depth of nested calls.
const MAX_DEPTH: usize = 64;
/// The greatest number of calls that are expanded in one kernel. A call within a called function counts each time it is expanded.
const MAX_CALLS: u32 = 1 << 16;

/// A call that is being expanded.
pub(super) struct Call<'a> {
    pub name: &'a str,
    /// The end of the called function's body.
    pub end: Label,
}

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    opcode.takes("uni");
    let (results, name, arguments): (&[Operand<'a>], _, &[Operand<'a>]) = match operands {
        [Operand::Name(name)] => (&[], name, &[]),
        [Operand::Name(name), Operand::List(arguments)] => (&[], name, arguments),
        [Operand::List(results), Operand::Name(name)] => (results, name, &[]),
        [
            Operand::List(results),
            Operand::Name(name),
            Operand::List(arguments),
        ] => (results, name, arguments),
        _ => return Err("a call in this form (through a pointer?) is not supported".into()),
    };
    let Some(&function) = body.module.functions.get(name) else {
        return builtin::lower(body, name, results, arguments);
    };
    if body.calls.iter().any(|call| call.name == *name) {
        return Err(format!("`{name}` calls itself: recursion is not supported"));
    }
    if body.calls.len() == MAX_DEPTH {
        return Err(format!("more than {MAX_DEPTH} calls within calls"));
    }
    body.calls_written += 1;
    if body.calls_written > MAX_CALLS {
        return Err(format!(
            "more than {MAX_CALLS} calls, calls within calls written out"
        ));
    }
    let guard = body.guard();
    let behind = body.new_label();
    if guard != PredSource::TRUE {
        // Lanes with a false guard skip the body.
        body.set_guard(PredSource {
            flip: !guard.flip,
            ..guard
        });
        body.emit(Op::Branch { target: behind.0 }, Class::Control);
        body.set_guard(PredSource::TRUE);
    }
    write_out(body, function, results, arguments)?;
    body.place_label(behind);
    Ok(())
}

fn write_out<'a>(
    body: &mut Body<'a, '_>,
    function: &'a Function<'a>,
    results: &[Operand<'a>],
    arguments: &[Operand<'a>],
) -> Result<(), String> {
    if results.len() != function.returns.len() || arguments.len() != function.params.len() {
        return Err(format!(
            "`{}` takes {} arguments and gives {} results; here are {} and {}",
            function.name,
            function.params.len(),
            function.returns.len(),
            arguments.len(),
            results.len()
        ));
    }
    let mut bound = Vec::new();
    for (formal, actual) in function.params.iter().zip(arguments) {
        bound.push((formal.name, argument(body, formal, actual)?));
    }
    let mut copied_back = Vec::new();
    for (formal, actual) in function.returns.iter().zip(results) {
        let entity = result(body, formal, actual, &mut copied_back)?;
        bound.push((formal.name, entity));
    }
    let callers_scopes = body.first_scope;
    body.first_scope = body.push_scope();
    for (name, entity) in bound {
        body.define(name, entity);
    }
    let end = body.new_label();
    body.calls.push(Call {
        name: function.name,
        end,
    });
    body.statements(function.body.as_deref().unwrap_or(&[]));
    body.calls.pop();
    body.pop_scope();
    body.first_scope = callers_scopes;
    body.place_label(end);
    for (op, class) in copied_back {
        body.emit(op, class);
    }
    Ok(())
}

fn register_type(formal: &ast::Variable<'_>) -> Result<Type, String> {
    Type::parse(formal.ty).ok_or_else(|| format!("a parameter of type `.{}`", formal.ty))
}

fn argument<'a>(
    body: &mut Body<'a, '_>,
    formal: &'a ast::Variable<'a>,
    actual: &Operand<'a>,
) -> Result<Entity<'a>, String> {
    if formal.space == StateSpace::Reg {
        let ty = register_type(formal)?;
        let (a, d) = (body.source(actual, ty)?, body.new_register());
        let f = map1!(u64, |a: u64| a);
        body.emit(Op::Map1 { f, d, a }, Class::Move);
        return Ok(Entity::Register(d, ty));
    }
    if let Some(variable) = passed_variable(body, formal, actual)? {
        return Ok(Entity::Variable(variable));
    }
    let ty = register_type(formal)?;
    let a = body.source(actual, ty)?;
    let variable = body.place_local(formal, AddressSpace::CallParam)?;
    body.emit(Op::Store(whole(variable, ty, a)), Class::Memory);
    Ok(Entity::Variable(variable))
}

fn result<'a>(
    body: &mut Body<'a, '_>,
    formal: &'a ast::Variable<'a>,
    actual: &Operand<'a>,
    copied_back: &mut Vec<(Op, Class)>,
) -> Result<Entity<'a>, String> {
    if formal.space == StateSpace::Reg {
        let ty = register_type(formal)?;
        return Ok(Entity::Register(body.target(actual, ty)?, ty));
    }
    if let Some(variable) = passed_variable(body, formal, actual)? {
        return Ok(Entity::Variable(variable));
    }
    let ty = register_type(formal)?;
    let d = body.target(actual, ty)?;
    let variable = body.place_local(formal, AddressSpace::CallParam)?;
    copied_back.push((Op::Load(whole(variable, ty, d)), Class::Memory));
    Ok(Entity::Variable(variable))
}

/// The variable that an actual parameter names. `None` if it does not name a variable.
fn passed_variable<'a>(
    body: &mut Body<'a, '_>,
    formal: &ast::Variable<'_>,
    actual: &Operand<'a>,
) -> Result<Option<Variable>, String> {
    let Operand::Name(name) = actual else {
        return Ok(None);
    };
    let Some(Entity::Variable(variable)) = body.find(name) else {
        return Ok(None);
    };
    let needed = variables::layout(formal)?.bytes;
    match variable.space {
        AddressSpace::CallParam | AddressSpace::KernelParam if variable.bytes >= needed => {
            Ok(Some(variable))
        }
        _ => Err(format!(
            "{} does not fit the parameter `{}`",
            describe(actual),
            formal.name
        )),
    }
}

/// The transfer of a whole parameter to or from a register.
pub(super) fn whole(variable: Variable, ty: Type, reg: Reg) -> Transfer {
    part(variable, 0, ty, reg)
}

/// The transfer of a part of a parameter to or from a register.
pub(super) fn part(variable: Variable, at: i64, ty: Type, reg: Reg) -> Transfer {
    let offset = match variable.address {
        VariableAddress::Known(offset) => offset as i64 + at,
        VariableAddress::DynamicShared => at,
    };
    Transfer {
        address: Address {
            space: variable.space,
            base: None,
            offset,
            strength: Strength::Weak,
            scope: Scope::Block,
        },
        width: ty.bytes(),
        count: 1,
        extend: Extend::Zero,
        data: [reg; 4],
    }
}
