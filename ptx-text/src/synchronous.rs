//! Replaces instructions that compute capability 7.0 lacks by instructions that it has.
//!
//! ```text
//! cp.async.cg.shared.global [%s], [%g], 16;      ld.global.L1::no_allocate.v4.b32 {…}, [%g]; … st.shared.v4.b32 [%s], {…};
//! cp.async.wait_all;                             (nothing: the copies are done)
//! cp.async.commit_group;                         (nothing)
//! cp.async.wait_group 1;                         (nothing: the copies are done)
//! createpolicy.fractional… %n, 1.0;              mov.b64 %n, 0;
//! min.NaN.f32 %a, %b, %c;                        min.f32, and a selection where an operand is NaN
//! cvt.rn.bf16.f32 %a, %b;                        integer arithmetic
//! mov.b32 %at_once, 0;                           mov.b32 %at_once, 1;
//! ```
//!
//! `%at_once` tells a kernel whether copies are synchronous. The text sets it to a literal number, so it is a constant for the driver's
//! compiler.
//!
//! For a run of consecutive copies, the new text has first all loads and then all stores, so that the loads overlap. A run has at most
//! `MOST_COPIES` copies. These statements do not end a run:
//! - operations in `ARITHMETIC` without a predicate;
//! - braces of scopes, and declarations of registers;
//! - instructions of the table above, unless they end a group of copies or wait for copies.
//!
//! Any other statement ends the run. If that statement is not removed, it comes after the run's stores.

use std::fmt::Write;

use crate::statement::{Instruction, Statement, parse};

/// The statements that tell a kernel whether copies are synchronous: the original, and its replacement.
const LATER: &str = "mov.b32 %at_once, 0;";
const AT_ONCE: &str = "mov.b32 %at_once, 1;";

/// Instructions that end a group of copies, or wait for copies.
const WAITS: [&str; 3] = [
    "cp.async.wait_all",
    "cp.async.commit_group",
    "cp.async.wait_group",
];

/// A run of copies has at most this many copies. Their loads fill at most 64 registers before the first store.
const MOST_COPIES: usize = 16;

/// Arithmetic that does not end a run of copies.
const ARITHMETIC: [&str; 14] = [
    "add", "sub", "mul", "mad", "mov", "shl", "shr", "and", "or", "xor", "cvt", "cvta", "min",
    "max",
];

/// Parts of opcodes that 7.0 lacks: operations and modifiers.
const LACKED: [&str; 10] = [
    "cp",
    "createpolicy",
    "griddepcontrol",
    "redux",
    "mbarrier",
    "NaN",
    "xorsign",
    "bf16",
    "bf16x2",
    "L2::cache_hint",
];

/// One of the copies in a run. Its load has been written to the text, and its store has not.
struct Loaded {
    bytes: u32,
}

/// A kernel's text in instructions of 7.0. `None` if it has an instruction that 7.0 lacks and for which there is no rule.
pub fn synchronous(text: &str) -> Option<String> {
    let text = &text.replace(LATER, AT_ONCE);
    let mut rewriting = Rewriting {
        out: String::with_capacity(text.len() + text.len() / 4),
        run: Vec::new(),
        has_copies: false,
    };
    let mut lines = text.lines();
    for line in lines.by_ref() {
        let _ = writeln!(rewriting.out, "{line}");
        if line == "{" {
            break;
        }
    }
    let body = rewriting.out.len();
    for line in lines {
        if has_several(line) {
            for statement in parse(line)? {
                rewriting.line(&format!("\t{statement}"))?;
            }
        } else {
            rewriting.line(line)?;
        }
    }
    if rewriting.has_copies {
        let (slots, words) = (MOST_COPIES, 4 * MOST_COPIES);
        rewriting.out.insert_str(
            body,
            &format!("\t.reg .b64 %slot<{slots}>;\n\t.reg .b32 %word<{words}>;\n\t.reg .b64 %long<{slots}>;\n"),
        );
    }
    Some(rewriting.out)
}

/// A text that is being rewritten.
struct Rewriting {
    out: String,
    run: Vec<Loaded>,
    has_copies: bool,
}

impl Rewriting {
    /// Rewrites the next line, which has at most one statement.
    fn line(&mut self, line: &str) -> Option<()> {
        let Self {
            out,
            run,
            has_copies,
        } = self;
        let instruction = match run.is_empty() && !is_suspect(line) {
            true => None,
            false => instruction(line),
        };
        if let Some(instruction) = &instruction {
            if WAITS.contains(&instruction.opcode.as_str()) {
                store(run, out);
                return Some(());
            }
            if let Some(bytes) = copied_bytes(instruction)? {
                if run.len() == MOST_COPIES {
                    store(run, out);
                }
                load(instruction, run.len(), bytes, out)?;
                run.push(Loaded { bytes });
                *has_copies = true;
                return Some(());
            }
            if let Some(rewritten) = rewritten(instruction)? {
                out.push_str(&rewritten);
                return Some(());
            }
        }
        let goes_on = match &instruction {
            Some(instruction) => {
                instruction.guard.is_none() && ARITHMETIC.contains(&instruction.operation())
            }
            None => is_scope(line),
        };
        if !goes_on {
            store(run, out);
        }
        let _ = writeln!(out, "{line}");
        Some(())
    }
}

/// Whether a line has more than one statement.
fn has_several(line: &str) -> bool {
    let code = line.trim();
    let has_scope = code.starts_with('{') && code.len() > 1;
    has_scope || code.find(';').is_some_and(|end| end + 1 < code.len())
}

/// Whether a line's opcode has a part that 7.0 lacks.
fn is_suspect(line: &str) -> bool {
    let code = line.trim_start();
    let code = match code.strip_prefix('@') {
        Some(guarded) => guarded.split_once(' ').map_or("", |(_, code)| code),
        None => code,
    };
    lacks(code.split([' ', ';']).next().unwrap_or_default())
}

/// Whether an opcode has a part that 7.0 lacks.
pub fn lacks(opcode: &str) -> bool {
    opcode.split('.').any(|part| LACKED.contains(&part))
}

/// The instruction in a line, if it has one.
fn instruction(line: &str) -> Option<Instruction> {
    let code = line.trim_start();
    if !code.starts_with(|c: char| c.is_ascii_lowercase() || c == '@') {
        return None;
    }
    match parse(code)?.pop()? {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    }
}

/// Whether a line opens or closes a scope, or declares registers.
fn is_scope(line: &str) -> bool {
    let code = line.trim();
    code == "{" || (code == "}" && line != "}") || code.starts_with(".reg ")
}

/// The number of bytes that an instruction copies asynchronously. `Some(None)` if the instruction is no asynchronous copy; `None` if there
/// is no rule for the copy.
fn copied_bytes(instruction: &Instruction) -> Option<Option<u32>> {
    let is_copy = instruction.opcode.starts_with("cp.async.c");
    if !is_copy {
        return Some(None);
    }
    let (from, to) = (instruction.operands.get(1)?, instruction.operands.first()?);
    let bytes: u32 = instruction.operands.get(2)?.parse().ok()?;
    let is_known = instruction.guard.is_none()
        && [4, 8, 16].contains(&bytes)
        && [from, to].into_iter().all(|place| place.starts_with("[%"));
    is_known.then_some(Some(bytes))
}

/// Writes the instructions that load the data of `copy` into registers. In its run, the copy has the number `at`.
fn load(copy: &Instruction, at: usize, bytes: u32, out: &mut String) -> Option<()> {
    let [to, from, ..] = &copy.operands[..] else {
        return None;
    };
    let (base, offset) = place(to)?;
    let _ = match offset {
        None => writeln!(out, "\tmov.b64 %slot{at}, {base};"),
        Some(offset) => writeln!(out, "\tadd.s64 %slot{at}, {base}, {offset};"),
    };
    // A copy of 16 bytes bypasses L1, as `cp.async.cg` does.
    let caching = match bytes {
        16 => ".L1::no_allocate",
        _ => "",
    };
    let _ = writeln!(
        out,
        "\tld.global{caching}.{} {}, {from};",
        kind(bytes),
        registers(at, bytes)
    );
    Some(())
}

/// The register and the offset of an operand such as `[%s+16]`.
fn place(operand: &str) -> Option<(&str, Option<&str>)> {
    let inner = operand.strip_prefix('[')?.strip_suffix(']')?;
    Some(match inner.split_once('+') {
        Some((base, offset)) => (base, Some(offset)),
        None => (inner, None),
    })
}

/// Writes the stores of the copies in a run, and ends the run.
fn store(run: &mut Vec<Loaded>, out: &mut String) {
    for (at, Loaded { bytes }) in run.drain(..).enumerate() {
        let (kind, registers) = (kind(bytes), registers(at, bytes));
        let _ = writeln!(out, "\tst.shared.{kind} [%slot{at}], {registers};");
    }
}

/// The type modifier of loads and stores of this many bytes.
fn kind(bytes: u32) -> &'static str {
    match bytes {
        4 => "b32",
        8 => "b64",
        _ => "v4.b32",
    }
}

/// The registers for the data of the copy that has the number `at` in its run.
fn registers(at: usize, bytes: u32) -> String {
    let first = 4 * at;
    match bytes {
        4 => format!("%word{first}"),
        8 => format!("%long{at}"),
        _ => format!(
            "{{%word{first}, %word{}, %word{}, %word{}}}",
            first + 1,
            first + 2,
            first + 3
        ),
    }
}

/// The replacement of an instruction that 7.0 lacks: `Some(None)` if 7.0 has the instruction, `None` if there is no rule.
fn rewritten(instruction: &Instruction) -> Option<Option<String>> {
    if !lacks(&instruction.opcode) {
        return Some(None);
    }
    if instruction.guard.is_some() {
        return None;
    }
    let operands: Vec<&str> = instruction.operands.iter().map(String::as_str).collect();
    Some(Some(match (instruction.opcode.as_str(), &operands[..]) {
        (opcode, [policy, _]) if opcode.starts_with("createpolicy.fractional.") => {
            format!("\tmov.b64 {policy}, 0;\n")
        }
        ("min.NaN.f32", [result, a, b]) => extreme("min", result, a, b),
        ("max.NaN.f32", [result, a, b]) => extreme("max", result, a, b),
        ("cvt.rn.bf16.f32", [narrow, value]) => rounded(narrow, value),
        _ => return None,
    }))
}

/// A minimum or maximum that is NaN if an operand is NaN. As with the original instruction, −0.0 is less than +0.0.
fn extreme(operation: &str, result: &str, a: &str, b: &str) -> String {
    format!(
        "\t{{\n\t.reg .pred %nan;\n\t.reg .b32 %number;\n\
         \tsetp.nan.f32 %nan, {a}, {b};\n\
         \t{operation}.f32 %number, {a}, {b};\n\
         \tselp.b32 {result}, 0x7FFFFFFF, %number, %nan;\n\t}}\n"
    )
}

/// The nearest `bf16`, ties to even. The instructions add half a unit in the last place, or slightly less if the truncated value is even.
/// A NaN becomes `0x7fff`.
fn rounded(narrow: &str, value: &str) -> String {
    format!(
        "\t{{\n\t.reg .pred %nan;\n\t.reg .b32 %bits;\n\
         \tsetp.nan.f32 %nan, {value}, {value};\n\
         \tshr.u32 %bits, {value}, 16;\n\
         \tand.b32 %bits, %bits, 1;\n\
         \tadd.s32 %bits, %bits, {value};\n\
         \tadd.s32 %bits, %bits, 32767;\n\
         \tshr.u32 %bits, %bits, 16;\n\
         \tselp.b32 %bits, 32767, %bits, %nan;\n\
         \tcvt.u16.u32 {narrow}, %bits;\n\t}}\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = ".target sm_70\n.visible .entry k(\n\t.param .u64 k_param_0\n)\n{\n";

    fn body(body: &str) -> Option<String> {
        let text = synchronous(&format!("{HEAD}{body}}}\n"))?;
        let rest = text.strip_prefix(HEAD).unwrap();
        Some(rest.strip_suffix("}\n").unwrap().to_owned())
    }

    #[test]
    fn what_the_device_lacks_is_refused() {
        for line in [
            "add.rn.bf16 %h1, %h2, %h3;",
            "ld.global.L2::cache_hint.b32 %r1, [%rd1], %rd2;",
        ] {
            assert_eq!(body(&format!("\t{line}\n")), None, "{line}");
        }
        let line = "\tadd.rn.f16 %h1, %h2, %h3;\n";
        assert_eq!(body(line).as_deref(), Some(line));
    }

    #[test]
    fn copies_load_together_and_store_before_the_barrier() {
        let copied = body(
            "\t{\n\t.reg .u64 %g, %s;\n\tmov.b64 %s, %rd2;\n\
             \tcp.async.cg.shared.global.L2::cache_hint [%s], [%g], 16, %rd9;\n\t}\n\
             \tadd.s64 %rd2, %rd2, 512;\n\
             \tcp.async.ca.shared.global [%rd2+8], [%rd1], 8;\n\
             \tcp.async.wait_all;\n\
             \tbar.sync 0;\n",
        );
        let expected = "\t.reg .b64 %slot<16>;\n\t.reg .b32 %word<64>;\n\t.reg .b64 %long<16>;\n\
             \t{\n\t.reg .u64 %g, %s;\n\tmov.b64 %s, %rd2;\n\
             \tmov.b64 %slot0, %s;\n\
             \tld.global.L1::no_allocate.v4.b32 {%word0, %word1, %word2, %word3}, [%g];\n\t}\n\
             \tadd.s64 %rd2, %rd2, 512;\n\
             \tadd.s64 %slot1, %rd2, 8;\n\
             \tld.global.b64 %long1, [%rd1];\n\
             \tst.shared.v4.b32 [%slot0], {%word0, %word1, %word2, %word3};\n\
             \tst.shared.b64 [%slot1], %long1;\n\
             \tbar.sync 0;\n";
        assert_eq!(copied.as_deref(), Some(expected));
    }

    #[test]
    fn a_line_may_have_several_statements() {
        let copied = body(
            "\t{ .reg .u64 %g, %s; cvta.to.global.u64 %g, %rd1; cvta.to.shared.u64 %s, %rd2;\n\
             cp.async.ca.shared.global [%s], [%g], 4; }\n\
             \tadd.s64 %rd2, %rd2, 512;\n\
             \t{ .reg .b64 %n; createpolicy.fractional.L2::evict_normal.b64 %n, 1.0; mov.b64 %rd3, %n; }\n\
             \tret;\n",
        );
        let expected = "\t.reg .b64 %slot<16>;\n\t.reg .b32 %word<64>;\n\t.reg .b64 %long<16>;\n\
             \t{\n\t.reg .u64 %g, %s;\n\tcvta.to.global.u64 %g, %rd1;\n\tcvta.to.shared.u64 %s, %rd2;\n\
             \tmov.b64 %slot0, %s;\n\
             \tld.global.b32 %word0, [%g];\n\t}\n\
             \tadd.s64 %rd2, %rd2, 512;\n\
             \t{\n\t.reg .b64 %n;\n\tmov.b64 %n, 0;\n\tmov.b64 %rd3, %n;\n\t}\n\
             \tst.shared.b32 [%slot0], %word0;\n\tret;\n";
        assert_eq!(copied.as_deref(), Some(expected));
    }

    #[test]
    fn at_once_is_set_to_1() {
        let changed =
            body("\t{ .reg .b32 %at_once; mov.b32 %at_once, 0; mov.b32 %r1, %at_once; }\n");
        let expected =
            "\t{\n\t.reg .b32 %at_once;\n\tmov.b32 %at_once, 1;\n\tmov.b32 %r1, %at_once;\n\t}\n";
        assert_eq!(changed.as_deref(), Some(expected));
    }

    #[test]
    fn branches_labels_and_stores_end_a_run_of_copies() {
        let copy = "\tcp.async.ca.shared.global [%rd2], [%rd1], 4;\n";
        for end in [
            "\tbra.uni $L__BB0_1;\n",
            "$L__BB0_1:\n",
            "\tst.shared.b32 [%rd2], 0;\n",
            "\t@%p1 bra $L__BB0_1;\n",
        ] {
            let text = body(&format!("{copy}{end}")).unwrap();
            assert!(
                text.ends_with(&format!("\tst.shared.b32 [%slot0], %word0;\n{end}")),
                "{text}"
            );
        }
        let most = body(&copy.repeat(MOST_COPIES + 1)).unwrap();
        let (first, second) = most
            .rsplit_once("\tld.global.b32 %word0, [%rd1];\n")
            .unwrap();
        assert_eq!(first.matches("st.shared").count(), MOST_COPIES);
        assert_eq!(second, "\tst.shared.b32 [%slot0], %word0;\n");
    }

    #[test]
    fn instructions_without_a_rule_are_refused() {
        for line in [
            "redux.sync.add.s32 %r1, %r2, %r3;",
            "min.NaN.f16 %rs1, %rs2, %rs3;",
            "cp.async.cg.shared.global [a], [%g], 16;",
        ] {
            assert_eq!(body(&format!("\t{line}\n")), None, "{line}");
        }
        let plain = "\tadd.s32 %r1, %r2, %r3;\n\t@%p1 bra $L__BB0_1;\n$L__BB0_1:\n\tret;\n";
        assert_eq!(body(plain).as_deref(), Some(plain));
    }
}
