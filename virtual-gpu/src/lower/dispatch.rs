//! Finds the module that lowers an instruction.

use super::body::Body;
use super::opcode::Opcode;
use super::{
    atomic, bitwise, calls, carry, compare, convert, copy, floating, flow, integer, mbarrier,
    moves, packed, synchronise, transfer,
};
use crate::ptx::ast::Operand;

pub(super) fn lower<'a>(
    body: &mut Body<'a, '_>,
    opcode: &mut Opcode<'a>,
    operands: &[Operand<'a>],
) -> Result<(), String> {
    match opcode.name {
        "add" | "sub" | "mul" | "mad" | "mul24" | "mad24" | "sad" | "div" | "rem" | "abs"
        | "neg" | "min" | "max" => {
            let ty = opcode.ty()?;
            match ty.is_float() {
                true => floating::lower(body, opcode, operands, ty),
                false => integer::lower(body, opcode, operands, ty),
            }
        }
        "addc" | "subc" | "madc" => {
            let ty = opcode.ty()?;
            carry::lower(body, opcode, operands, ty)
        }
        "dp4a" | "dp2a" => packed::dot_product(body, opcode, operands),
        "fma" | "rcp" | "sqrt" | "rsqrt" | "sin" | "cos" | "lg2" | "ex2" | "tanh" | "copysign" => {
            let ty = opcode.ty()?;
            floating::lower(body, opcode, operands, ty)
        }
        "and" | "or" | "xor" | "not" | "cnot" | "lop3" | "shl" | "shr" | "shf" | "bfe" | "bfi"
        | "bmsk" | "bfind" | "brev" | "popc" | "clz" | "prmt" | "fns" | "szext" => {
            bitwise::lower(body, opcode, operands)
        }
        "set" | "setp" | "selp" | "slct" | "testp" => compare::lower(body, opcode, operands),
        "cvt" => convert::lower(body, opcode, operands),
        "mov" | "cvta" | "isspacep" => moves::lower(body, opcode, operands),
        "ld" | "ldu" | "st" | "prefetch" | "prefetchu" | "applypriority" | "discard"
        | "createpolicy" | "membar" | "fence" => transfer::lower(body, opcode, operands),
        "atom" | "red" => atomic::lower(body, opcode, operands),
        "mbarrier" => mbarrier::lower(body, opcode, operands),
        "cp" => copy::lower(body, opcode, operands),
        "shfl" | "vote" | "match" | "redux" | "activemask" | "elect" | "bar" | "barrier"
        | "griddepcontrol" => synchronise::lower(body, opcode, operands),
        "call" => calls::lower(body, opcode, operands),
        "bra" | "brx" | "ret" | "exit" | "trap" | "nanosleep" | "pmevent" | "setmaxnreg" => {
            flow::lower(body, opcode, operands)
        }
        "vabsdiff2" | "vabsdiff4" => packed::distances(body, opcode, operands),
        name => Err(format!("`{name}` is not supported")),
    }
}
