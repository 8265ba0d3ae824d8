//! Narrow stores of what an instruction for floats has written. The compiler of CUDA 13.0, which driver 580 has too, makes an
//! integer of such a float and stores that, in the place of its low bits. (`warpfold-build` masks them in users' kernels.)

use std::collections::BTreeSet;

/// The first such store of an entry.
pub fn narrow_store_of_float(entry: &str) -> Option<&str> {
    let stores: Vec<(&str, BTreeSet<&str>)> = entry
        .lines()
        .filter(|line| line.contains("st."))
        .map(|line| (line, narrowed(line)))
        .filter(|(_, registers)| !registers.is_empty())
        .collect();
    if stores.is_empty() {
        return None;
    }
    let floats: BTreeSet<&str> = entry.lines().flat_map(written_as_float).collect();
    let found = stores
        .iter()
        .find(|(_, registers)| !registers.is_disjoint(&floats));
    found.map(|(line, _)| *line)
}

/// The registers of which a line stores the low bits alone.
fn narrowed(line: &str) -> BTreeSet<&str> {
    match instruction(line) {
        Some((opcode, operands)) if opcode.starts_with("st.") => {
            let values = operands.split_once(']').map_or("", |(_, values)| values);
            registers(values)
                .filter(|register| is_wider(register, opcode))
                .collect()
        }
        _ => BTreeSet::new(),
    }
}

/// The registers that a line writes, if it is an instruction for floats.
fn written_as_float(line: &str) -> impl Iterator<Item = &str> {
    let instruction = [".f16", ".bf16", ".f32", ".f64"]
        .iter()
        .any(|float| line.contains(float))
        .then(|| instruction(line))
        .flatten();
    let written = instruction.map_or("", |(_, operands)| match operands.split_once(',') {
        Some((written, _)) => written,
        None => operands,
    });
    registers(written)
}

/// Opcode and operands of a line, without a guard.
fn instruction(line: &str) -> Option<(&str, &str)> {
    let line = line.trim();
    let line = match line.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ')?.1,
        None => line,
    };
    line.trim_end_matches(';').split_once(char::is_whitespace)
}

/// The registers among operands.
fn registers(operands: &str) -> impl Iterator<Item = &str> {
    let operands = operands.split(|c: char| !(c.is_ascii_alphanumeric() || c == '%' || c == '_'));
    operands.filter(|operand| operand.starts_with('%'))
}

/// Whether a register has more bits than each value that a store writes.
fn is_wider(register: &str, store: &str) -> bool {
    let bits = match register.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "%rs" => 16,
        "%rd" => 64,
        _ => 32,
    };
    let stored = store
        .rsplit_once(".b")
        .and_then(|(_, bits)| bits.parse::<u32>().ok());
    stored.is_some_and(|stored| stored < bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_floats_low_bits_are_found() {
        let text = |store: &str| {
            format!("\tadd.rn.f32 \t%r3, %r1, %r2;\n\tand.b32 \t%r4, %r3, 255;\n\t{store};\n")
        };
        for (store, is_found) in [
            ("st.global.b8 \t[%rd1+3], %r3", true),
            ("@%p1 st.shared.v2.b16 \t[%rd1], {%r4, %r3}", true),
            ("st.global.b32 \t[%rd1], %r3", false),
            ("st.global.b8 \t[%rd1], %r4", false),
            ("st.global.b8 \t[%r3], %r4", false),
        ] {
            assert_eq!(
                narrow_store_of_float(&text(store)).is_some(),
                is_found,
                "{store}"
            );
        }
    }
}
