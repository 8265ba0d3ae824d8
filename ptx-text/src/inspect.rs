//! Checks finished kernels, made by any compiler. A kernel must not contain anything that the caller forbids, nor an unmasked store of a
//! float's low bits. If the caller asks for it, a kernel must also have the same barriers as its source. The caller may also demand, or
//! forbid, that a kernel first waits for the preceding work of its stream. (With programmatic dependent launch, a kernel has to wait
//! first.)

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;

use crate::narrow::narrow_store;
use crate::statement::{Instruction, Statement, instructions};
use crate::text::Function;

/// Barriers, and how often each occurs. A barrier is written as an instruction with `%r` in place of each register.
pub type Barriers = BTreeMap<String, usize>;

/// How a compiler passes a barrier's number, and the number of its threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operands {
    /// As constants, if the compiler knows them. rustc does this.
    Known,
    /// In registers, if the barrier has both numbers. rust-cuda's compiler does this.
    InRegisters,
}

impl Operands {
    /// The barriers of `source` and the count of each, as the compiler writes them. In `source`, a barrier is written like `bar.sync 0` or
    /// `bar.arrive 1, 256`, with `%r` in place of a number that is not known.
    pub fn barriers(self, source: impl IntoIterator<Item = (String, usize)>) -> Barriers {
        let mut barriers = Barriers::new();
        for (barrier, count) in source {
            *barriers.entry(self.write(barrier)).or_default() += count;
        }
        barriers
    }

    /// How the compiler writes a barrier.
    fn write(self, barrier: String) -> String {
        match (self, barrier.split_once(' ')) {
            (Self::InRegisters, Some((operation, numbers))) if numbers.contains(',') => {
                format!("{operation} %r, %r")
            }
            _ => barrier,
        }
    }
}

/// Something that may be forbidden in a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Thing {
    /// A call.
    Call,
    /// An instruction at the end of a panic.
    Panic,
    /// Local memory of a thread.
    LocalMemory,
    /// A fused multiplication and addition, which rounds once.
    Fused,
    /// Arithmetic that flushes subnormal numbers to zero.
    Flushed,
    /// A variable other than the block's shared memory.
    Variable,
    /// A pragma other than `nounroll`. The text's PTX version may not have it.
    Pragma,
}

impl Thing {
    /// All things that may be forbidden.
    pub const ALL: [Self; 7] = [
        Self::Call,
        Self::Panic,
        Self::LocalMemory,
        Self::Fused,
        Self::Flushed,
        Self::Variable,
        Self::Pragma,
    ];

    /// Whether an instruction is this thing, or contains it.
    fn is_in(self, instruction: &Instruction, shared_array: &str) -> bool {
        let operation = instruction.operation();
        match self {
            Self::Call => operation == "call",
            Self::Panic => matches!(operation, "trap" | "exit"),
            Self::LocalMemory => instruction.has_part("local"),
            Self::Fused => operation == "fma",
            Self::Flushed => instruction.has_part("ftz"),
            // A directive, not an instruction.
            Self::Pragma => false,
            Self::Variable => {
                let mut operands = instruction.operands.iter();
                operands.any(|operand| names_variable(operand, shared_array))
            }
        }
    }

    /// Whether a directive is this thing.
    fn is_directive(self, directive: &str) -> bool {
        match self {
            Self::LocalMemory => directive.starts_with(".local"),
            Self::Pragma => directive.starts_with(".pragma") && !directive.contains("\"nounroll\""),
            _ => false,
        }
    }
}

impl fmt::Display for Thing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Call => "a call",
            Self::Panic => "a panic",
            Self::LocalMemory => "local memory",
            Self::Fused => "a fused operation",
            Self::Flushed => "flushed arithmetic",
            Self::Variable => "a variable",
            Self::Pragma => "a pragma",
        })
    }
}

/// Whether an operand is the symbol of a variable. Parameters and the array of shared memory do not count.
fn names_variable(operand: &str, shared_array: &str) -> bool {
    let name = operand.trim_matches(['[', ']']);
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && !name.contains("_param_")
        && !name.starts_with(shared_array)
}

/// The rules for a kernel.
#[derive(Debug, Clone)]
pub struct Rules<'a> {
    /// Forbidden contents.
    pub forbidden: &'a [Thing],
    /// The array that is the block's shared memory.
    pub shared_array: &'a str,
    /// The barriers in the kernel's source; `None` if they are not checked.
    pub barriers: Option<Barriers>,
    /// Whether the kernel must wait for preceding work, on every path and before it accesses memory. `None` if this is not
    /// checked.
    pub waits_first: Option<bool>,
}

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fault {
    /// The kernel contains something forbidden, in this statement.
    Has(Thing, String),
    /// The kernel stores the low bits of a float without a mask, by this instruction.
    NarrowStore(String),
    /// The kernel has other barriers than its source.
    Barriers {
        /// The kernel's barriers.
        found: Barriers,
        /// The source's barriers.
        expected: Barriers,
    },
    /// The kernel must wait first for preceding work, and does not; or it must not wait first, and does.
    Wait {
        /// Whether the kernel waits first.
        waits_first: bool,
    },
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Has(thing, statement) => write!(f, "has {thing}: {statement}"),
            Self::NarrowStore(store) => write!(f, "stores low bits of a float: {store}"),
            Self::Barriers { found, expected } => {
                write!(f, "has {found:?}, its source {expected:?}")
            }
            Self::Wait { waits_first } => write!(
                f,
                "and the work before it: begins early {}, waits first {waits_first}",
                !waits_first
            ),
        }
    }
}

impl Error for Fault {}

/// Checks a kernel.
pub fn inspect(kernel: &Function, rules: &Rules) -> Result<(), Fault> {
    for statement in &kernel.body {
        if let Some(thing) = forbidden(statement, rules) {
            return Err(Fault::Has(thing, statement.to_string()));
        }
    }
    if let Some(store) = narrow_store(&kernel.body) {
        return Err(Fault::NarrowStore(store.to_string()));
    }
    if let Some(expected) = &rules.barriers {
        let found = barriers(&kernel.body);
        if found != *expected {
            let expected = expected.clone();
            return Err(Fault::Barriers { found, expected });
        }
    }
    let waits_first = waits_first(&kernel.body);
    match rules.waits_first {
        Some(expected) if expected != waits_first => Err(Fault::Wait { waits_first }),
        _ => Ok(()),
    }
}

/// The number of instructions whose opcode begins with `opcode`.
pub fn count(kernel: &Function, opcode: &str) -> usize {
    let instructions = instructions(&kernel.body);
    instructions
        .filter(|instruction| instruction.opcode.starts_with(opcode))
        .count()
}

/// The first forbidden thing that a statement contains.
fn forbidden(statement: &Statement, rules: &Rules) -> Option<Thing> {
    let mut forbidden = rules.forbidden.iter().copied();
    match statement {
        Statement::Instruction(instruction) => {
            forbidden.find(|thing| thing.is_in(instruction, rules.shared_array))
        }
        Statement::Directive(directive) => forbidden.find(|thing| thing.is_directive(directive)),
        _ => None,
    }
}

/// The barriers of a kernel, except barriers of a single warp.
fn barriers(body: &[Statement]) -> Barriers {
    let mut barriers = Barriers::new();
    for instruction in instructions(body) {
        if instruction.operation().starts_with("bar") && !instruction.has_part("warp") {
            *barriers.entry(without_registers(instruction)).or_default() += 1;
        }
    }
    barriers
}

/// An instruction with `%r` in the place of each register.
fn without_registers(instruction: &Instruction) -> String {
    let operands = instruction.operands.iter().map(|operand| {
        let is_register = operand.starts_with('%');
        if is_register { "%r" } else { operand }
    });
    let operands: Vec<&str> = operands.collect();
    format!("{} {}", instruction.opcode, operands.join(", "))
}

/// Whether a kernel waits for preceding work, on every path and before it accesses memory.
fn waits_first(body: &[Statement]) -> bool {
    for instruction in instructions(body) {
        let mut operands = instruction.operands.iter();
        match instruction.operation() {
            "griddepcontrol" => return true,
            "bra" => return false,
            _ if operands.any(|operand| operand.starts_with("[%")) => return false,
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::parse;

    const REDUCE: &str =
        "griddepcontrol.wait; bar.sync 0; ld.global.b32 %r1, [%rd1]; bar.sync 0; bar.sync 0; ret;";

    fn rules() -> Rules<'static> {
        Rules {
            forbidden: &Thing::ALL,
            shared_array: "shared",
            barriers: Some(Operands::Known.barriers([("bar.sync 0".to_owned(), 3)])),
            waits_first: Some(true),
        }
    }

    fn inspected(body: &str, rules: &Rules) -> Result<(), Fault> {
        let kernel = Function {
            name: "reduce_x",
            parameters: Vec::new(),
            body: parse(body).unwrap(),
        };
        inspect(&kernel, rules)
    }

    #[test]
    fn a_good_kernel_passes() {
        inspected(REDUCE, &rules()).unwrap();
        let body = REDUCE.replace("ret;", "mov.b64 %rd1, shared; bar.warp.sync -1; ret;");
        inspected(&body, &rules()).unwrap();
    }

    #[test]
    fn forbidden_things_are_found() {
        for (before, after, thing) in [
            ("ret;", "call.uni f, (); ret;", Thing::Call),
            ("ret;", "st.local.b32 [%rd1], %r1; ret;", Thing::LocalMemory),
            (
                "griddep",
                ".local .align 4 .b8 __local_depot0[16]; griddep",
                Thing::LocalMemory,
            ),
            ("ret;", "mov.b64 %rd1, TABLE; ret;", Thing::Variable),
            ("ret;", "trap; ret;", Thing::Panic),
            (
                "ret;",
                ".pragma \"used_bytes_mask 240\"; ret;",
                Thing::Pragma,
            ),
            ("ret;", "add.ftz.f32 %f1, %f1, %f1; ret;", Thing::Flushed),
            ("ret;", "fma.rn.f32 %f1, %f1, %f1, %f1; ret;", Thing::Fused),
        ] {
            let spoilt = REDUCE.replace(before, after);
            let found = inspected(&spoilt, &rules());
            assert!(
                matches!(found, Err(Fault::Has(found, _)) if found == thing),
                "{spoilt}: {found:?}"
            );
            // The kernel passes if everything is allowed.
            let lenient = Rules {
                forbidden: &[],
                ..rules()
            };
            inspected(&spoilt, &lenient).unwrap();
        }
    }

    #[test]
    fn missing_additional_and_different_barriers_are_found() {
        for spoilt in [
            REDUCE.replacen("bar.sync 0;", "", 1),
            REDUCE.replacen("bar.sync 0;", "bar.sync 0; bar.sync 0;", 1),
            REDUCE.replacen("bar.sync 0;", "bar.sync 0; @%p1 bar.sync 0;", 1),
            REDUCE.replacen("bar.sync", "bar.arrive", 1),
        ] {
            let found = inspected(&spoilt, &rules());
            assert!(matches!(found, Err(Fault::Barriers { .. })), "{spoilt}");
        }
    }

    #[test]
    fn missing_and_late_waits_are_found() {
        for spoilt in [
            REDUCE.replace("griddepcontrol.wait;", ""),
            format!("ld.global.b32 %r1, [%rd1]; {REDUCE}"),
            format!("@%p1 bra $L_1; {REDUCE} $L_1: ret;"),
        ] {
            let fault = Fault::Wait { waits_first: false };
            assert_eq!(inspected(&spoilt, &rules()), Err(fault), "{spoilt}");
        }
        let rules = Rules {
            waits_first: Some(false),
            ..rules()
        };
        let fault = Fault::Wait { waits_first: true };
        assert_eq!(inspected(REDUCE, &rules), Err(fault));
    }

    #[test]
    fn a_narrow_store_of_a_float_is_found() {
        let spoilt = REDUCE.replace(
            "ret;",
            "add.rn.f32 %r1, %r1, %r1; st.shared.b8 [%rd1], %r1; ret;",
        );
        let found = inspected(&spoilt, &rules());
        assert!(matches!(found, Err(Fault::NarrowStore(_))), "{found:?}");
    }

    #[test]
    fn barriers_may_have_their_operands_in_registers() {
        let source = [
            ("bar.sync 0", 1),
            ("bar.sync 1, 256", 1),
            ("bar.sync %r, 64", 2),
        ];
        let source = source.map(|(barrier, count)| (barrier.to_owned(), count));
        let expected = Operands::InRegisters.barriers(source.clone());
        let body = "bar.sync 0; bar.sync %r7, %r31; bar.sync %r7, %r32; bar.sync %r8, %r31; ret;";
        assert_eq!(barriers(&parse(body).unwrap()), expected);
        assert_ne!(
            barriers(&parse(body).unwrap()),
            Operands::Known.barriers(source)
        );
    }
}
