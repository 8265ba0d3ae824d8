//! Functions that the system defines: `vprintf`, `__assertfail`, and the two functions of the device runtime with which kernels launch
//! grids.

use super::body::Body;
use super::calls::{part, whole};
use super::names::{Entity, Variable};
use super::operand::describe;
use super::types::{Type, U32};
use crate::counters::Class;
use crate::program::{AddressSpace, LaunchGrid, Op, ParameterBuffer, Print, Reg};
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
            give(body, result, U32, print.d)
        }
        (
            "cudaGetParameterBufferV2" | "__cudaCDP2GetParameterBufferV2",
            [result],
            [kernel, grid, block, shared_bytes],
        ) => {
            let wish = ParameterBuffer {
                kernel: value(body, kernel, U64)?,
                grid: extent(body, grid)?,
                block: extent(body, block)?,
                shared_bytes: value(body, shared_bytes, U32)?,
                d: body.new_register(),
            };
            body.emit(Op::ParameterBuffer(wish), Class::Control);
            give(body, result, U64, wish.d)
        }
        ("cudaLaunchDeviceV2" | "__cudaCDP2LaunchDeviceV2", [result], [buffer, stream]) => {
            let launch = LaunchGrid {
                buffer: value(body, buffer, U64)?,
                stream: value(body, stream, U64)?,
                d: body.new_register(),
            };
            body.emit(Op::LaunchGrid(launch), Class::Control);
            give(body, result, U32, launch.d)
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

/// The variable that an actual parameter names. `None` if it does not name a variable for parameters of calls.
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

/// The register of an argument. If the argument is a variable for parameters of calls, the variable is loaded into a new register.
fn value<'a>(body: &mut Body<'a, '_>, actual: &Operand<'a>, ty: Type) -> Result<Reg, String> {
    let Some(variable) = variable(body, actual) else {
        return body.source(actual, ty);
    };
    let d = body.new_register();
    body.emit(Op::Load(whole(variable, ty, d)), Class::Memory);
    Ok(d)
}

/// The registers of an argument that consists of three numbers.
fn extent<'a>(body: &mut Body<'a, '_>, actual: &Operand<'a>) -> Result<[Reg; 3], String> {
    let variable = variable(body, actual).filter(|variable| variable.bytes >= 12);
    let Some(variable) = variable else {
        return Err(format!("{} where an extent is passed", describe(actual)));
    };
    Ok([0, 4, 8].map(|at| {
        let d = body.new_register();
        body.emit(Op::Load(part(variable, at, U32, d)), Class::Memory);
        d
    }))
}

/// Stores a result in the caller's variable.
fn give<'a>(
    body: &mut Body<'a, '_>,
    result: &Operand<'a>,
    ty: Type,
    from: Reg,
) -> Result<(), String> {
    let Some(variable) = variable(body, result) else {
        return Err("a result that is not a parameter variable".into());
    };
    body.emit(Op::Store(whole(variable, ty, from)), Class::Memory);
    Ok(())
}
