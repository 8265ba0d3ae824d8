//! Narrow stores of results of float instructions.
//!
//! `st.global.b8 [%rd1], %r1` stores the low byte of a wider register. To store a float at an unaligned address, LLVM 22 emits one such
//! store for each byte. If a float instruction has written the register, the compiler of CUDA 13.0 (also in driver 580) converts the float
//! to an integer of 8 bits, and stores the integer. (The compiler of CUDA 13.5 stores the low byte.) Results of integer instructions are
//! stored correctly, so [`mask`] masks the bits by an integer instruction before the store. [`narrow_store`] finds a narrow store of a
//! float whose bits are not masked.

use std::collections::BTreeSet;

use crate::statement::{Instruction, Statement, instructions, register_width, split_list};

/// The modifiers of float instructions.
const FLOATS: [&str; 6] = ["f16", "f16x2", "bf16", "bf16x2", "f32", "f64"];

/// The body, with a mask before each narrow store of a float instruction's result.
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

/// The first narrow store that stores a float instruction's result without a mask.
pub fn narrow_store(body: &[Statement]) -> Option<&Instruction> {
    let is_narrow = |store: &&Instruction, floats: &BTreeSet<String>| {
        let values = store.operands.get(1).map_or(Vec::new(), |it| members(it));
        let mut values = values.iter();
        values.any(|value| low_bits(store, value, floats).is_some())
    };
    let mut stores = instructions(body)
        .filter(|instruction| instruction.operation() == "st")
        .filter(|store| stored_bits(store).is_some_and(|bits| bits < 64))
        .peekable();
    stores.peek()?;
    let floats = written_as_floats(body);
    stores.find(|store| is_narrow(store, &floats))
}

/// The registers that some float instruction writes.
fn written_as_floats(body: &[Statement]) -> BTreeSet<String> {
    let mut registers = BTreeSet::new();
    for instruction in instructions(body) {
        if FLOATS.iter().any(|float| instruction.has_part(float))
            && let Some(written) = instruction.operands.first()
        {
            registers.extend(members(written));
        }
    }
    registers
}

/// The store, preceded by statements that mask its values where that is necessary.
fn mask_store(store: &Instruction, floats: &BTreeSet<String>) -> Vec<Statement> {
    let [place, values] = &store.operands[..] else {
        return vec![Statement::Instruction(store.clone())];
    };
    let mut before = Vec::new();
    let mut stored = Vec::new();
    for (number, value) in members(values).into_iter().enumerate() {
        match low_bits(store, &value, floats) {
            Some(LowBits { bits, width }) => {
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
            None => stored.push(value),
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

/// A store of only the low bits of a float instruction's result.
struct LowBits {
    bits: u32,
    /// The width of the value's register, in bits.
    width: u32,
}

fn low_bits(store: &Instruction, value: &str, floats: &BTreeSet<String>) -> Option<LowBits> {
    let width = register_width(value)?;
    let bits = stored_bits(store).filter(|bits| *bits < width)?;
    floats.contains(value).then_some(LowBits { bits, width })
}

/// How many bits of each value a store writes.
fn stored_bits(store: &Instruction) -> Option<u32> {
    let (_, last) = store.opcode.rsplit_once('.')?;
    last.trim_start_matches(['b', 'u', 's', 'f']).parse().ok()
}

/// The registers of which a store writes only the low bits.
pub(crate) fn stored_in_part(store: &Instruction) -> Vec<String> {
    let Some(bits) = stored_bits(store).filter(|_| store.operation() == "st") else {
        return Vec::new();
    };
    let values = store.operands.get(1).map_or(Vec::new(), |it| members(it));
    let is_wider = |value: &String| register_width(value).is_some_and(|width| width > bits);
    values.into_iter().filter(is_wider).collect()
}

/// The operand itself or, for a vector, its members.
pub(crate) fn members(operand: &str) -> Vec<String> {
    split_list(operand.trim_matches(['{', '}']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::parse;

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
    fn only_the_floats_of_a_vector_are_masked() {
        assert_eq!(
            masked("max.f32 %r2, %r1, %r1; st.global.v2.b8 [%rd4], {%r1, %r2};"),
            "max.f32 %r2, %r1, %r1; { .reg .b32 %bits_1; and.b32 %bits_1, %r2, 255; \
             st.global.v2.b8 [%rd4], {%r1, %bits_1}; }"
        );
    }

    #[test]
    fn narrow_stores_of_floats_are_found() {
        for (store, is_found) in [
            ("st.global.b8 [%rd1+3], %r3;", true),
            ("@%p1 st.shared.v2.b16 [%rd1], {%r4, %r3};", true),
            ("st.global.b32 [%rd1], %r3;", false),
            ("st.global.b8 [%rd1], %r4;", false),
            ("st.global.b8 [%r3], %r4;", false),
        ] {
            let text = format!("add.rn.f32 %r3, %r1, %r2; and.b32 %r4, %r3, 255; {store}");
            let body = parse(&text).unwrap();
            assert_eq!(narrow_store(&body).is_some(), is_found, "{store}");
            assert_eq!(narrow_store(&mask(body)), None, "{store}");
        }
    }

    #[test]
    fn stores_of_other_values_are_unchanged() {
        for body in [
            "add.rn.f32 %r3, %r1, %r2; st.shared.b32 [%rd1], %r3;",
            "add.s32 %r3, %r1, %r2; st.shared.b8 [%rd1], %r3;",
            "add.rn.f32 %r3, %r1, %r2; st.shared.b8 [%rd1], 7;",
        ] {
            assert_eq!(masked(body), body);
        }
    }
}
