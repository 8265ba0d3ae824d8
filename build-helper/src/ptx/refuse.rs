//! Forbidden effects of an operator's functions, found in their PTX.
//!
//! Each function is compiled separately. Its items and accumulators are passed by pointer, and its result is written through the last
//! pointer. So the function may read through its pointers, read unnamed constants, write through the last pointer, and compute. Everything
//! else is a reason to refuse it: calls, panics, local memory, statics, endless loops, volatile accesses, accesses to other memory, and
//! effects such as barriers.

use std::collections::BTreeMap;

use super::control_flow::is_endless;
use super::hook::Hook;
use super::space::{Space, Spaces, generic_access};
use super::splice::splice;
use crate::error::Problem;
use crate::reason::Reason;
use warpfold_ptx::statement::{Instruction, Statement};
use warpfold_ptx::text::Function;

/// The reason to refuse an operator's function, if there is one.
pub fn reason(
    function: &Function,
    hooks: &BTreeMap<String, Hook>,
) -> Result<Option<Reason>, Problem> {
    let body = splice(&function.body, hooks)?;
    let found = calls(&body)
        .or_else(|| local_memory(&body))
        .or_else(|| is_endless(&body).then_some(Reason::Endless))
        .or_else(|| effects(function, &body));
    Ok(found)
}

/// The reason why a whole kernel is refused, if the operator is to blame. A kernel may be refused even if each of the operator's functions
/// is accepted by itself.
pub fn reason_of_kernel(body: &[Statement]) -> Option<Reason> {
    calls(body).or_else(|| local_memory(body))
}

/// Like [`reason_of_kernel`], for a compiler that turns a panic into a trap.
#[cfg(feature = "cuda_builder")]
pub fn reason_of_whole_kernel(body: &[Statement]) -> Option<Reason> {
    let traps = instructions(body).any(|(_, instruction)| instruction.operation() == "trap");
    reason_of_kernel(body).or_else(|| traps.then_some(Reason::Panics("for some items")))
}

fn instructions(body: &[Statement]) -> impl Iterator<Item = (usize, &Instruction)> {
    body.iter()
        .enumerate()
        .filter_map(|(at, statement)| match statement {
            Statement::Instruction(instruction) => Some((at, instruction)),
            _ => None,
        })
}

/// The first call that panics, or else the first call.
fn calls(body: &[Statement]) -> Option<Reason> {
    let callees: Vec<&str> = instructions(body)
        .filter(|(_, instruction)| instruction.operation() == "call")
        .map(|(_, instruction)| callee(instruction))
        .collect();
    let panic = callees.iter().find_map(|callee| panics(callee));
    panic.map(Reason::Panics).or_else(|| {
        let callee = callees.first()?;
        Some(Reason::Calls(readable(callee)))
    })
}

/// The called function: the operand that is not a list.
fn callee(instruction: &Instruction) -> &str {
    let names = instruction.operands.iter();
    names
        .map(String::as_str)
        .find(|operand| !operand.starts_with('('))
        .unwrap_or_default()
}

/// Says in which case the function with this symbol panics. `None` if the function is not known to panic.
fn panics(callee: &str) -> Option<&'static str> {
    const WHEN: [(&str, &str); 12] = [
        ("panic_bounds_check", "when an index is out of bounds"),
        ("slice_index", "when an index is out of bounds"),
        ("slice_start_index", "when an index is out of bounds"),
        ("slice_end_index", "when an index is out of bounds"),
        ("div_by_zero", "when it divides by zero"),
        ("rem_by_zero", "when it divides by zero"),
        ("overflow", "when an operation overflows"),
        ("unwrap_failed", "when it unwraps nothing"),
        ("expect_failed", "when it unwraps nothing"),
        ("len_mismatch", "when slices differ in length"),
        ("9panicking", "in some case"),
        ("warpfold_panics", "in some case"),
    ];
    let found = WHEN.iter().find(|(symbol, _)| callee.contains(symbol));
    found.map(|(_, when)| *when)
}

/// A symbol as a Rust path.
fn readable(symbol: &str) -> String {
    format!("{:#}", rustc_demangle::demangle(symbol))
}

fn local_memory(body: &[Statement]) -> Option<Reason> {
    let uses = body.iter().any(|statement| match statement {
        Statement::Directive(directive) => directive.starts_with(".local"),
        Statement::Instruction(instruction) => instruction.has_part("local"),
        _ => false,
    });
    uses.then_some(Reason::LocalMemory)
}

/// The first instruction that is a reason to refuse the function. Such an instruction names a variable (unless it reads an unnamed
/// constant), or has an effect other than writing the result, or loads from memory to which no parameter points.
fn effects(function: &Function, body: &[Statement]) -> Option<Reason> {
    let spaces = Spaces::of(function.name, body, Space::Parameter);
    let result = Space::Parameter(function.parameters.len() - 1);
    instructions(body).find_map(|(at, instruction)| {
        if let Some(symbol) = instruction.operands.iter().find_map(|o| symbol(o))
            && !is_constant_read(instruction, symbol)
        {
            return Some(Reason::Static(readable(symbol)));
        }
        let effect = || Some(Reason::Effect(instruction.to_string()));
        match instruction.operation() {
            "atom" | "red" | "membar" | "fence" | "bar" | "barrier" | "trap" | "exit" => {
                return effect();
            }
            _ if instruction.has_part("volatile") || instruction.has_part("mmio") => {
                return effect();
            }
            _ => {}
        }
        let space = spaces.of_access(at, generic_access(instruction)?);
        let is_own = match instruction.operation() {
            "st" => space == result,
            _ => matches!(space, Space::Parameter(_)),
        };
        if is_own { None } else { effect() }
    })
}

/// Whether the instruction reads a fixed part of an unnamed constant. When the function is inlined, that read becomes the constant's
/// value.
fn is_constant_read(instruction: &Instruction, symbol: &str) -> bool {
    instruction.operation() == "ld" && symbol.starts_with("anon_$_")
}

/// The symbol of a variable, if the operand names one.
fn symbol(operand: &str) -> Option<&str> {
    let name = operand.trim_matches(['[', ']']);
    let name = &name[..name.find(['+', '-']).unwrap_or(name.len())];
    let is_symbol = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !name.contains("_param_")
        && !name.starts_with("param")
        && !name.starts_with("retval")
        && !name.starts_with("WARP_SZ");
    is_symbol.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold_ptx::statement::parse;

    fn reason_of(body: &str) -> Option<Reason> {
        let function = Function {
            name: "f",
            parameters: vec![String::new(), String::new()],
            body: parse(body).unwrap(),
        };
        reason(&function, &BTreeMap::new()).unwrap()
    }

    #[test]
    fn functions_that_only_compute_are_accepted() {
        let body = "ld.param.b64 %rd1, [f_param_0]; ld.param.b64 %rd2, [f_param_1]; \
            ld.b32 %r1, [%rd1+4]; add.s64 %rd3, %rd2, 8; st.b32 [%rd3], %r1; ret;";
        assert_eq!(reason_of(body), None);
        let body = "ld.param.b64 %rd1, [f_param_0]; ld.param.b64 %rd2, [f_param_1]; \
            selp.b64 %rd3, %rd1, %rd2, %p1; ld.b32 %r1, [%rd3+4]; st.b32 [%rd2], %r1; ret;";
        assert_eq!(reason_of(body), None);
        let body = "ld.param.b64 %rd1, [f_param_1]; ld.global.b32 %r1, [anon_$_1f_$_0+4]; \
            st.b32 [%rd1], %r1; ret;";
        assert_eq!(reason_of(body), None);
    }

    #[test]
    fn each_reason_is_found() {
        let call = |symbol: &str| {
            reason_of(&format!(
                "{{ call.uni (retval0), {symbol}, (param0); }} ret;"
            ))
        };
        let index = "_RNvNtCs6tjNlu9bpJF_4core9panicking18panic_bounds_check";
        assert!(matches!(call(index), Some(Reason::Panics(when)) if when.contains("index")));
        let other = "_ZN4user6helper17h0123456789abcdefE";
        assert_eq!(call(other), Some(Reason::Calls("user::helper".to_owned())));
        let body = ".local .align 4 .b8 __local_depot0[16]; ret;";
        assert_eq!(reason_of(body), Some(Reason::LocalMemory));
        assert_eq!(reason_of("$L_1: bra.uni $L_1;"), Some(Reason::Endless));
        let body = "ld.global.b32 %r1, [TABLE+4]; ret;";
        assert_eq!(reason_of(body), Some(Reason::Static("TABLE".to_owned())));
    }

    #[test]
    fn effects_are_found() {
        for body in [
            "ld.param.b64 %rd1, [f_param_0]; st.b32 [%rd1], %r1; ret;",
            "ld.param.b64 %rd1, [f_param_0]; ld.b64 %rd2, [%rd1]; ld.b32 %r1, [%rd2]; ret;",
            "ld.param.b64 %rd1, [f_param_0]; ld.param.b64 %rd2, [f_param_1]; selp.b64 %rd3, %rd1, %rd2, %p1; \
                st.b32 [%rd3], %r1; ret;",
            "ld.param.b64 %rd1, [f_param_0]; ld.volatile.b32 %r1, [%rd1]; ret;",
            "mov.b64 %rd1, 16; st.b32 [%rd1], %r1; ret;",
            "atom.global.add.u32 %r1, [%rd1], 1; ret;",
            "trap; ret;",
        ] {
            let found = reason_of(body);
            assert!(
                matches!(found, Some(Reason::Effect(_))),
                "{body}: {found:?}"
            );
        }
    }
}
