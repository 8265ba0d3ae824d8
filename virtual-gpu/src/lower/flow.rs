//! Branches, returns, exits and traps, and the instructions `nanosleep`, `setmaxnreg` and `pmevent`.

use super::body::Body;
use super::names::Entity;
use super::opcode::Opcode;
use super::operand::{describe, exactly};
use super::types::U32;
use crate::counters::Class;
use crate::program::Op;
use crate::ptx::ast::Operand;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    let op = match opcode.name {
        "bra" => {
            opcode.takes("uni");
            let [target] = exactly(operands)?;
            let target = label(body, target)?;
            Op::Branch { target }
        }
        "brx" => {
            opcode.takes("uni");
            if !opcode.takes("idx") {
                return Err("`brx` without `.idx`".into());
            }
            let [index, list] = exactly(operands)?;
            let index = body.source(index, U32)?;
            let Operand::Name(name) = list else {
                return Err(format!("{} where a list of labels is read", describe(list)));
            };
            let Some(Entity::Targets(names)) = body.find(name) else {
                return Err(format!("`{name}` is not a list of labels"));
            };
            if !body.budget.spend(names.len()) {
                return Ok(());
            }
            let targets = names.iter().map(|name| label(body, &Operand::Name(name)));
            Op::Switch {
                index,
                targets: targets.collect::<Result<_, _>>()?,
            }
        }
        "ret" => {
            opcode.takes("uni");
            let [] = exactly(operands)?;
            match body.calls.last() {
                Some(call) => Op::Branch { target: call.end.0 },
                None => Op::Exit,
            }
        }
        "exit" => {
            let [] = exactly(operands)?;
            Op::Exit
        }
        "trap" => {
            let [] = exactly(operands)?;
            Op::Trap
        }
        "nanosleep" => {
            opcode.ty()?;
            let [time] = exactly(operands)?;
            body.source(time, U32)?;
            Op::Yield
        }
        "setmaxnreg" => {
            opcode.takes("inc");
            opcode.takes("dec");
            opcode.takes("sync");
            opcode.takes("aligned");
            opcode.ty()?;
            Op::Nothing
        }
        _ => {
            opcode.takes("mask");
            Op::Nothing
        }
    };
    body.emit(op, Class::Control);
    Ok(())
}

/// The number of a label. When the whole kernel has been lowered, the index of the label's instruction replaces this number.
fn label<'a>(body: &mut Body<'a, '_>, operand: &Operand<'a>) -> Result<u32, String> {
    let Operand::Name(name) = operand else {
        return Err(format!("{} where a label is read", describe(operand)));
    };
    match body.find(name) {
        Some(Entity::Label(label)) => Ok(label.0),
        _ => Err(format!("`{name}` is not a label here")),
    }
}
