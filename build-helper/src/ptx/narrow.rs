//! Narrow stores of what an instruction for floats has computed.
//!
//! `st.global.b8 [%rd1], %r1` stores the low byte of a wider register: so LLVM 22 writes a byte of a float that has no alignment.
//! Where an instruction for floats has written the register, the compiler of CUDA 13.0, which driver 580 has too, takes it for
//! a float that is to become an integer of 8 bits, and stores that. (That of CUDA 13.5 stores the byte.) So the bits are
//! masked first: what an instruction for integers has written, it stores as it is.

use std::collections::BTreeSet;

use super::statement::{Instruction, Statement, register_width, split_list};

/// The modifiers that say that an instruction is for floats.
const FLOATS: [&str; 6] = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f64"];

/// The body with such stores made safe.
pub fn mask(body: Vec<Statement>) -> Vec<Statement> {
    let floats = written_as_floats(&body);
    let mut masked = Vec::with_capacity(body.len());
    for statement in body {
        match &statement {
            Statement::Instruction(store) if store.operation() == "st" => {
                masked.extend(mask_store(store, &floats));
            }
            _ => masked.push(statement),
        }
    }
    masked
}

/// The registers that an instruction for floats writes somewhere.
fn written_as_floats(body: &[Statement]) -> BTreeSet<String> {
    let mut registers = BTreeSet::new();
    for statement in body {
        if let Statement::Instruction(instruction) = statement
            && FLOATS.iter().any(|float| instruction.has_part(float))
            && let Some(written) = instruction.operands.first()
        {
            registers.extend(members(written));
        }
    }
    registers
}

/// A store, with what has to come before it.
fn mask_store(store: &Instruction, floats: &BTreeSet<String>) -> Vec<Statement> {
    let [place, values] = &store.operands[..] else {
        return vec![Statement::Instruction(store.clone())];
    };
    let mut before = Vec::new();
    let mut stored = Vec::new();
    for (number, value) in members(values).into_iter().enumerate() {
        let width = register_width(&value).filter(|_| floats.contains(&value));
        match (stored_bits(store), width) {
            (Some(bits), Some(width)) if bits < width => {
                let own = format!("%bits_{number}");
                let mask = (1u64 << bits) - 1;
                before.push(Statement::Directive(format!(".reg .b{width} {own}")));
                before.push(Statement::Instruction(Instruction {
                    guard: None,
                    opcode: format!("and.b{width}"),
                    operands: vec![own.clone(), value, mask.to_string()],
                }));
                stored.push(own);
            }
            _ => stored.push(value),
        }
    }
    if before.is_empty() {
        return vec![Statement::Instruction(store.clone())];
    }
    let values = match values.starts_with('{') {
        true => format!("{{{}}}", stored.join(", ")),
        false => stored.concat(),
    };
    let store = Instruction {
        operands: vec![place.clone(), values],
        ..store.clone()
    };
    before.insert(0, Statement::Open);
    before.push(Statement::Instruction(store));
    before.push(Statement::Close);
    before
}

/// Bits of each value that a store writes.
fn stored_bits(store: &Instruction) -> Option<u32> {
    let (_, last) = store.opcode.rsplit_once('.')?;
    last.trim_start_matches(['b', 'u', 's', 'f']).parse().ok()
}

/// An operand, or those of a vector.
fn members(operand: &str) -> Vec<String> {
    split_list(operand.trim_matches(['{', '}']))
}

#[cfg(test)]
mod tests {
    use super::super::statement::parse;
    use super::*;

    fn masked(body: &str) -> String {
        let statements = mask(parse(body).unwrap());
        let written: Vec<String> = statements.iter().map(Statement::to_string).collect();
        written.join(" ")
    }

    #[test]
    fn a_floats_low_byte_is_masked() {
        assert_eq!(
            masked("add.rn.f32 %r3, %r1, %r2; @%p1 st.shared.b8 [%rd1+3], %r3;"),
            "add.rn.f32 %r3, %r1, %r2; { .reg .b32 %bits_0; and.b32 %bits_0, %r3, 255; \
             @%p1 st.shared.b8 [%rd1+3], %bits_0; }"
        );
    }

    #[test]
    fn a_wide_floats_low_half_is_masked() {
        assert_eq!(
            masked("selp.f64 %rd3, %rd1, %rd2, %p1; st.global.b32 [%rd4], %rd3;"),
            "selp.f64 %rd3, %rd1, %rd2, %p1; { .reg .b64 %bits_0; and.b64 %bits_0, %rd3, 4294967295; \
             st.global.b32 [%rd4], %bits_0; }"
        );
    }

    #[test]
    fn of_a_vector_the_floats_are_masked() {
        assert_eq!(
            masked("max.f32 %r2, %r1, %r1; st.global.v2.b8 [%rd4], {%r1, %r2};"),
            "max.f32 %r2, %r1, %r1; { .reg .b32 %bits_1; and.b32 %bits_1, %r2, 255; \
             st.global.v2.b8 [%rd4], {%r1, %bits_1}; }"
        );
    }

    #[test]
    fn other_stores_stay() {
        for body in [
            "add.rn.f32 %r3, %r1, %r2; st.shared.b32 [%rd1], %r3;",
            "add.s32 %r3, %r1, %r2; st.shared.b8 [%rd1], %r3;",
            "add.rn.f32 %r3, %r1, %r2; st.shared.b8 [%rd1], 7;",
        ] {
            assert_eq!(masked(body), body);
        }
    }
}
