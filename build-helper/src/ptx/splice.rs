//! Replaces calls of hooks by their instructions.
//!
//! The back end writes a call as a block:
//!
//! ```text
//! { .param .b64 param0; .param .align 8 .b8 retval0[8];
//!   st.param.b64 [param0], %rd2;
//!   call.uni (retval0), warpfold_hook_load_word, (param0);
//!   ld.param.b64 %rd3, [retval0]; }
//! ```
//!
//! The block's registers become the operands of the hook's instructions. Calls of other functions stay as they are. The back end may load
//! one of the kernel's own parameters inside the block; such a load is placed before the hook's instructions. If a load at that place would
//! overwrite an argument of the call, the call stays as it is.

use std::collections::BTreeMap;

use super::hook::{Class, Hook, Operand};
use crate::error::Problem;
use warpfold_ptx::statement::{Instruction, Statement, register_width, split_list};

/// The body with the hooks' instructions in place of their calls.
pub fn splice(
    body: &[Statement],
    hooks: &BTreeMap<String, Hook>,
) -> Result<Vec<Statement>, Problem> {
    let mut spliced = Vec::with_capacity(body.len());
    let mut at = 0;
    while at < body.len() {
        let call = Call::read(&body[at..]);
        match call.as_ref().and_then(|call| hooks.get(call.callee)) {
            Some(hook) => {
                let call = call.as_ref().expect("a hook was called");
                spliced.extend(call.replacement(hook)?);
                at += call.length;
            }
            None => {
                spliced.push(body[at].clone());
                at += 1;
            }
        }
    }
    Ok(spliced)
}

/// A block that calls a function.
struct Call<'a> {
    callee: &'a str,
    /// The number of statements of the block.
    length: usize,
    /// For each parameter's name, the register or number that is stored to the parameter.
    arguments: BTreeMap<String, String>,
    /// For each result that is loaded, its offset and the register.
    results: Vec<(usize, &'a str)>,
    /// The parameters in the order of the call.
    parameters: Vec<String>,
    /// Loads of the kernel's own parameters.
    loads: Vec<Statement>,
}

impl<'a> Call<'a> {
    /// Reads the block at the start of the statements, if the block is a call.
    fn read(statements: &'a [Statement]) -> Option<Self> {
        if statements.first() != Some(&Statement::Open) {
            return None;
        }
        let end = statements.iter().position(|s| *s == Statement::Close)?;
        let mut call = Call {
            callee: "",
            length: end + 1,
            arguments: BTreeMap::new(),
            results: Vec::new(),
            parameters: Vec::new(),
            loads: Vec::new(),
        };
        for statement in &statements[1..end] {
            match statement {
                Statement::Directive(declaration) if declaration.starts_with(".param") => {}
                Statement::Instruction(instruction) => call.take(instruction)?,
                _ => return None,
            }
        }
        (!call.callee.is_empty()).then_some(call)
    }

    /// Reads an instruction of the block.
    fn take(&mut self, instruction: &'a Instruction) -> Option<()> {
        let operands = &instruction.operands;
        match (instruction.operation(), &operands[..]) {
            ("st", [place, value]) if instruction.has_part("param") => {
                self.arguments.insert(place.clone(), value.clone());
            }
            ("ld", [register, place]) if instruction.has_part("param") => match offset(place) {
                Some(offset) => self.results.push((offset, register)),
                // The argument is the register's value before this load. If the load were placed before the call, it would overwrite
                // the argument.
                None if self.arguments.values().any(|passed| passed == register) => return None,
                None => self.loads.push(Statement::Instruction(instruction.clone())),
            },
            ("call", [.., callee, list]) => {
                self.callee = callee;
                self.parameters = split_list(list.trim_matches(['(', ')']));
            }
            _ => return None,
        }
        Some(())
    }

    /// The hook's instructions, with the call's registers.
    fn replacement(&self, hook: &Hook) -> Result<Vec<Statement>, Problem> {
        let mut operands = BTreeMap::new();
        let mut before = Vec::new();
        let mut after = Vec::new();
        for (input, parameter) in hook.inputs.iter().zip(&self.parameters) {
            let argument = self.arguments.get(&format!("[{parameter}]"));
            let argument = argument.ok_or_else(|| self.problem(input))?;
            let (operand, statements) = self.input(input, argument)?;
            before.extend(statements);
            operands.insert(input.name.as_str(), operand);
        }
        for (at, output) in hook.output_offsets() {
            let (operand, begin, end) = self.output(at, output);
            before.extend(begin);
            after.extend(end);
            operands.insert(output.name.as_str(), operand);
        }
        let mut statements = before;
        statements.extend(hook.instantiate(&operands)?);
        statements.extend(after);
        if statements
            .iter()
            .any(|s| matches!(s, Statement::Directive(d) if d.starts_with(".reg")))
        {
            statements.insert(0, Statement::Open);
            statements.push(Statement::Close);
        }
        statements.splice(0..0, self.loads.iter().cloned());
        Ok(statements)
    }

    /// The operand for an input, and the instructions that must come before the hook's.
    fn input(&self, input: &Operand, argument: &str) -> Result<(String, Vec<Statement>), Problem> {
        let bits = register_bits(input.class);
        let own = format!("%in_{}", input.name);
        let convert = match register_width(argument) {
            None if input.class == Class::Constant || input.class == Class::Number => None,
            None => Some(format!("mov.b{bits}")),
            _ if input.class == Class::Constant => return Err(self.problem(input)),
            Some(given) if given == bits => None,
            Some(given) => Some(format!("cvt.u{bits}.u{given}")),
        };
        Ok(match convert {
            None => (argument.to_owned(), Vec::new()),
            Some(opcode) => {
                let converted = instruction(&opcode, [&own, argument]);
                (own.clone(), vec![declaration(bits, &own), converted])
            }
        })
    }

    /// The operand for an output, and the instructions that must come before and after the hook's.
    fn output(&self, at: usize, output: &Operand) -> (String, Vec<Statement>, Vec<Statement>) {
        let bits = register_bits(output.class);
        let registers = self.results.iter().filter(|(offset, _)| *offset == at);
        let registers: Vec<(&str, Option<u32>)> = registers
            .map(|(_, register)| (*register, register_width(register)))
            .collect();
        if let [(register, Some(given))] = registers[..]
            && given == bits
        {
            return (register.to_owned(), Vec::new(), Vec::new());
        }
        let own = format!("%out_{}", output.name);
        let moved = registers.iter().map(|(register, given)| {
            let opcode = match given {
                Some(given) if *given != bits => format!("cvt.u{given}.u{bits}"),
                _ => format!("mov.b{bits}"),
            };
            instruction(&opcode, [register, &own])
        });
        (own.clone(), vec![declaration(bits, &own)], moved.collect())
    }

    fn problem(&self, operand: &Operand) -> Problem {
        Problem::unexpected(format!(
            "the call of {} passes `{}` in a way that is not known",
            self.callee, operand.name
        ))
    }
}

/// Bits of the registers of a class.
fn register_bits(class: Class) -> u32 {
    match class {
        Class::Reg16 => 16,
        Class::Reg32 | Class::Number => 32,
        Class::Reg64 | Class::Constant => 64,
    }
}

/// The offset in bytes in `[retval0+8]`.
fn offset(place: &str) -> Option<usize> {
    let place = place.strip_prefix("[retval0")?.strip_suffix(']')?;
    match place.strip_prefix('+') {
        Some(offset) => offset.parse().ok(),
        None if place.is_empty() => Some(0),
        None => None,
    }
}

fn declaration(bits: u32, register: &str) -> Statement {
    Statement::Directive(format!(".reg .b{bits} {register}"))
}

fn instruction(opcode: &str, operands: [&str; 2]) -> Statement {
    Statement::Instruction(Instruction {
        guard: None,
        opcode: opcode.to_owned(),
        operands: operands.map(str::to_owned).to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::hook::hooks;
    use super::*;
    use warpfold_ptx::statement::parse;
    use warpfold_ptx::text::Text;

    fn spliced(body: &str, descriptions: &[&str]) -> Result<String, Problem> {
        let arrays = descriptions
            .iter()
            .map(|description| ("a", format!("warpfold hook {description}").into_bytes()));
        let text = Text {
            functions: Vec::new(),
            arrays: arrays.collect(),
        };
        let statements = splice(&parse(body).unwrap(), &hooks(&text)?)?;
        let written: Vec<String> = statements.iter().map(Statement::to_string).collect();
        Ok(written.join(" "))
    }

    const ADD: &str =
        "add\nin reg32 a\nin reg64 b\nout reg64 c\nout reg32 d\nadd {c}, {a}, {b}, {d};\n";

    #[test]
    fn a_call_becomes_the_hooks_instructions() {
        let body = "{ .param .b32 param0; .param .b64 param1; st.param.b64 [param1], %rd1; \
            st.param.b32 [param0], %r1; call.uni (retval0), warpfold_hook_add, (param0, param1); \
            ld.param.b64 %rd2, [retval0]; ld.param.b32 %r2, [retval0+8]; } ret;";
        assert_eq!(
            spliced(body, &[ADD]).unwrap(),
            "add %rd2, %r1, %rd1, %r2; ret;"
        );
    }

    #[test]
    fn numbers_are_moved_and_unused_results_declared() {
        let body = "{ st.param.b32 [param0], 7; st.param.b64 [param1], %rd1; \
            call.uni (retval0), warpfold_hook_add, (param0, param1); ld.param.b64 %rd2, [retval0]; }";
        assert_eq!(
            spliced(body, &[ADD]).unwrap(),
            "{ .reg .b32 %in_a; mov.b32 %in_a, 7; .reg .b32 %out_d; add %rd2, %in_a, %rd1, %out_d; }"
        );
    }

    #[test]
    fn operands_of_16_bits_are_converted() {
        let hook = "half\nin reg16 a\nout reg16 b\nf {b}, {a};\n";
        let body = "{ st.param.b32 [param0], %r1; call.uni (retval0), warpfold_hook_half, (param0); \
            ld.param.b32 %r2, [retval0]; ld.param.b32 %rd3, [retval0]; }";
        assert_eq!(
            spliced(body, &[hook]).unwrap(),
            "{ .reg .b16 %in_a; cvt.u16.u32 %in_a, %r1; .reg .b16 %out_b; f %out_b, %in_a; \
             cvt.u32.u16 %r2, %out_b; cvt.u64.u16 %rd3, %out_b; }"
        );
    }

    #[test]
    fn a_part_of_a_wide_register_is_converted() {
        let body = "{ st.param.b32 [param0], %rd7; st.param.b64 [param1], %rd1; \
            call.uni (retval0), warpfold_hook_add, (param0, param1); \
            ld.param.b64 %rd2, [retval0]; ld.param.b32 %r2, [retval0+8]; }";
        assert_eq!(
            spliced(body, &[ADD]).unwrap(),
            "{ .reg .b32 %in_a; cvt.u32.u64 %in_a, %rd7; add %rd2, %in_a, %rd1, %r2; }"
        );
    }

    #[test]
    fn numbers_stay_where_the_hook_accepts_them() {
        let hook = "bar\nin number a\nbar.sync {a};\n";
        let body = "{ st.param.b32 [param0], 2; call.uni warpfold_hook_bar, (param0); }";
        assert_eq!(spliced(body, &[hook]).unwrap(), "bar.sync 2;");
        let hook = "copy\nin constant a\ncp {a};\n";
        let body = "{ st.param.b64 [param0], %rd1; call.uni warpfold_hook_copy, (param0); }";
        assert!(spliced(body, &[hook]).is_err());
    }

    #[test]
    fn a_load_of_a_parameter_within_the_block_comes_first() {
        let hook = "copy\nin reg64 a\nout reg64 b\nf {b}, {a};\n";
        let body = "{ .param .b64 param0; ld.param.b64 %rd1, [scan_param_3]; st.param.b64 [param0], %rd1; \
            call.uni (retval0), warpfold_hook_copy, (param0); ld.param.b64 %rd4, [scan_param_5]; \
            ld.param.b64 %rd2, [retval0]; }";
        assert_eq!(
            spliced(body, &[hook]).unwrap(),
            "ld.param.b64 %rd1, [scan_param_3]; ld.param.b64 %rd4, [scan_param_5]; f %rd2, %rd1;"
        );
        // Before the call, this load would overwrite the argument, so the call must stay.
        let late = body.replace("%rd4", "%rd1");
        assert!(spliced(&late, &[hook]).unwrap().contains("call.uni"));
    }

    #[test]
    fn calls_of_other_functions_stay() {
        let body = "{ call.uni other, (); } ret;";
        assert_eq!(spliced(body, &[ADD]).unwrap(), body);
    }
}
