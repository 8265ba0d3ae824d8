//! Finds which memory an address is in, and turns generic accesses into accesses of shared or of global memory.
//!
//! The compiler gets addresses as results of hooks' calls, so it does not know which memory they are in. It emits generic `ld` and `st`,
//! which are slow. So this module analyses the data flow of a function's 64-bit registers, in the forward direction. In a kernel, the
//! analysis begins where an address is made:
//!
//! ```text
//! mov.u64 %rd1, warpfold_shared;      shared
//! cvta.to.global.u64 %rd2, %rd3;      global
//! ```
//!
//! The analysis follows addresses through copies, sums, differences, selections and alignments. A register has one space for the whole
//! function: the join over all instructions that write it. In a kernel, an address with a known space is not generic: it is already an
//! address in that space. So `cvta.to` of such an address becomes a copy.
//!
//! Some addresses are not covered, such as addresses that pass through memory, and addresses that are in different spaces on different
//! paths. An access by an address that is not covered is an error.

use std::collections::HashMap;

use warpfold_ptx::direction;
use warpfold_ptx::statement::{Instruction, Statement};

/// The array whose name means the block's shared memory.
pub const SHARED_ARRAY: &str = "warpfold_shared";

/// The contents of a register.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// A null pointer, or contents that are not known yet, such as the result of a later instruction.
    Nothing,
    /// A number.
    Number,
    /// An address in shared memory.
    Shared,
    /// An address in global memory.
    Global,
    /// An address that the parameter of this index holds, in a function that is not a kernel.
    Parameter(usize),
    /// A kernel's parameter: a number, or an address that is not yet converted to global memory.
    Argument,
    /// Different contents on different paths, or a meaningless sum or difference of addresses.
    Mixed,
}

impl Space {
    fn is_address(self) -> bool {
        matches!(self, Self::Shared | Self::Global | Self::Parameter(_))
    }

    /// The contents of a register that may hold either of the two.
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, space) | (space, Self::Nothing) => space,
            (a, b) if a == b => a,
            // An operator may choose which of two parameters to read through. The join takes the smaller index. The last parameter points
            // to the result, so the join of two different parameters never counts as the address of the result.
            (Self::Parameter(a), Self::Parameter(b)) => Self::Parameter(a.min(b)),
            (Self::Argument, Self::Number) | (Self::Number, Self::Argument) => Self::Number,
            _ => Self::Mixed,
        }
    }

    /// The contents of the sum.
    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Mixed, _) | (_, Self::Mixed) => Self::Mixed,
            (a, b) if a.is_address() && b.is_address() => Self::Mixed,
            (a, _) if a.is_address() => a,
            (_, b) if b.is_address() => b,
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            _ => Self::Number,
        }
    }

    /// The contents of the difference.
    fn minus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, _) | (_, Self::Nothing) => Self::Nothing,
            (a, b) if a.is_address() && a == b => Self::Number,
            (_, b) if b.is_address() => Self::Mixed,
            (a, b) => a.plus(b),
        }
    }
}

/// A register: the scope that declares it, and its name.
type Register<'a> = (usize, &'a str);

/// The contents of a function's registers.
pub struct Spaces<'a> {
    known: HashMap<Register<'a>, Space>,
    scopes: Scopes<'a>,
    /// The common part of the parameters' names, before the index.
    parameter: String,
    /// The contents of the parameter with this index.
    argument: fn(usize) -> Space,
}

impl<'a> Spaces<'a> {
    /// Follows the addresses that the function of this name computes. `argument` returns the contents of a parameter.
    pub fn of(name: &str, body: &'a [Statement], argument: fn(usize) -> Space) -> Self {
        let mut spaces = Self {
            known: HashMap::new(),
            scopes: Scopes::of(body),
            parameter: format!("[{name}_param_"),
            argument,
        };
        let instructions = body
            .iter()
            .enumerate()
            .filter_map(|(at, statement)| match statement {
                Statement::Instruction(instruction) if may_make_address(instruction) => {
                    Some((at, instruction))
                }
                _ => None,
            });
        let instructions: Vec<(usize, &Instruction)> = instructions.collect();
        let mut changed = true;
        while changed {
            changed = false;
            for (at, instruction) in &instructions {
                changed |= spaces.step(*at, instruction);
            }
        }
        spaces
    }

    /// The contents of an operand of the statement at `at`.
    pub fn space(&self, at: usize, operand: &str) -> Space {
        if operand == SHARED_ARRAY {
            return Space::Shared;
        }
        if !operand.starts_with('%') {
            return match operand {
                "0" => Space::Nothing,
                _ => Space::Number,
            };
        }
        let register = (self.scopes.declaring(at, operand), operand);
        self.known.get(&register).copied().unwrap_or(Space::Nothing)
    }

    /// The space of the address in the operand of an access, such as `[%rd1+16]`.
    pub fn of_access(&self, at: usize, place: &str) -> Space {
        let place = place.trim_matches(['[', ']']);
        let end = place.find(['+', '-']).unwrap_or(place.len());
        match self.space(at, place[..end].trim()) {
            Space::Nothing => Space::Number,
            space => space,
        }
    }

    /// Updates the contents of an instruction's result. Returns whether anything changed.
    fn step(&mut self, at: usize, instruction: &'a Instruction) -> bool {
        let Some((result, operands)) = instruction.operands.split_first() else {
            return false;
        };
        let computed = match result == direction::REGISTER {
            true => Space::Number,
            false => self.computed(at, instruction, operands),
        };
        let register = (self.scopes.declaring(at, result), result.as_str());
        let before = self.known.get(&register).copied().unwrap_or(Space::Nothing);
        let after = before.join(computed);
        self.known.insert(register, after);
        after != before
    }

    fn computed(&self, at: usize, instruction: &Instruction, operands: &[String]) -> Space {
        let space = |i: usize| operands.get(i).map_or(Space::Number, |o| self.space(at, o));
        let is_wide = ["b64", "u64", "s64"]
            .iter()
            .any(|t| instruction.has_part(t));
        match instruction.operation() {
            "cvta" if instruction.has_part("global") => Space::Global,
            "cvta" if instruction.has_part("shared") => Space::Shared,
            "ld" if instruction.has_part("param") => self.argument(&operands[0]),
            "mad" if instruction.has_part("wide") || is_wide => space(2),
            _ if !is_wide => Space::Number,
            "mov" => space(0),
            "add" | "or" => space(0).plus(space(1)),
            "sub" => space(0).minus(space(1)),
            "and" if operands.get(1).is_some_and(|mask| mask.starts_with('-')) => space(0),
            "selp" | "min" | "max" => space(0).join(space(1)),
            _ => Space::Number,
        }
    }

    /// The contents of a parameter.
    fn argument(&self, place: &str) -> Space {
        let index = place.strip_prefix(&self.parameter);
        let index = index.and_then(|index| index.trim_end_matches(']').parse().ok());
        index.map_or(Space::Number, self.argument)
    }
}

/// Whether an instruction may write an address to its result. The compiler's registers `%r`, `%rs` and `%p` have fewer than 64 bits, and
/// hold no addresses.
fn may_make_address(instruction: &Instruction) -> bool {
    let Some(result) = instruction.operands.first() else {
        return false;
    };
    let is_narrow = |kind: &str| {
        let number = result.strip_prefix(kind);
        number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
    };
    result.starts_with('%')
        && !["%r", "%rs", "%p"].into_iter().any(is_narrow)
        && !matches!(instruction.operation(), "st" | "bra" | "red")
}

/// The scopes in a function's body, and the registers that they declare.
struct Scopes<'a> {
    /// For each scope, the index of the scope around it, and the names of the registers that are declared in it. The first scope is the
    /// function's body, whose names are not listed.
    all: Vec<(usize, Vec<&'a str>)>,
    /// The innermost scope around each statement.
    around: Vec<usize>,
}

impl<'a> Scopes<'a> {
    fn of(body: &'a [Statement]) -> Self {
        let mut scopes = Self {
            all: vec![(0, Vec::new())],
            around: Vec::with_capacity(body.len()),
        };
        let mut innermost = 0;
        for statement in body {
            match statement {
                Statement::Open => {
                    scopes.all.push((innermost, Vec::new()));
                    innermost = scopes.all.len() - 1;
                }
                Statement::Close => innermost = scopes.all[innermost].0,
                Statement::Directive(directive) if innermost > 0 => {
                    if let Some((_, list)) = directive.split_once(' ')
                        && directive.starts_with(".reg")
                    {
                        let names = list.split([',', ' ']).filter(|name| name.starts_with('%'));
                        scopes.all[innermost].1.extend(names);
                    }
                }
                _ => {}
            }
            scopes.around.push(innermost);
        }
        scopes
    }

    /// The scope of the declaration that `name` refers to in the statement at `at`.
    fn declaring(&self, at: usize, name: &str) -> usize {
        let mut scope = self.around[at];
        while scope > 0 && !self.all[scope].1.contains(&name) {
            scope = self.all[scope].0;
        }
        scope
    }
}

/// An access, or a conversion of an address, that the address's space does not allow.
#[derive(Debug)]
pub struct Stray {
    /// The instruction.
    pub instruction: String,
}

/// Adds the memory, `.shared` or `.global`, to the opcode of each generic access in a kernel. Replaces a conversion of an address by a copy
/// if the address's space is known.
pub fn resolve(name: &str, body: &mut [Statement]) -> Result<(), Stray> {
    let spaces = Spaces::of(name, body, |_| Space::Argument);
    let mut named = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        if let Statement::Instruction(instruction) = statement
            && let Some(opcode) = opcode(&spaces, at, instruction)?
        {
            named.push((at, opcode));
        }
    }
    for (at, opcode) in named {
        if let Statement::Instruction(instruction) = &mut body[at] {
            instruction.opcode = opcode;
        }
    }
    Ok(())
}

/// The new opcode of an instruction; `None` if the instruction keeps its opcode.
fn opcode(spaces: &Spaces, at: usize, instruction: &Instruction) -> Result<Option<String>, Stray> {
    let stray = || Stray {
        instruction: instruction.to_string(),
    };
    let copy = || Ok(Some("mov.b64".to_owned()));
    if let Some(to) = instruction.opcode.strip_prefix("cvta.to.") {
        let to_shared = to.starts_with("shared");
        return match spaces.space(at, &instruction.operands[1]) {
            Space::Shared if to_shared => copy(),
            Space::Global if !to_shared => copy(),
            Space::Argument if !to_shared => Ok(None),
            _ => Err(stray()),
        };
    }
    let Some(place) = generic_access(instruction) else {
        return Ok(None);
    };
    let space = match spaces.of_access(at, place) {
        Space::Shared => "shared",
        Space::Global => "global",
        _ => return Err(stray()),
    };
    let mut opcode = instruction.opcode.clone();
    // Reads of shared memory are volatile only so that the compiler does not merge them with reads of other memory. Barriers order them, so
    // `.volatile` is removed.
    if space == "shared" {
        opcode = opcode.replacen(".volatile", "", 1);
    }
    opcode.insert_str(instruction.operation().len(), &format!(".{space}"));
    Ok(Some(opcode))
}

/// The address operand of an access that names no memory.
pub fn generic_access(instruction: &Instruction) -> Option<&str> {
    let place = match instruction.operation() {
        "ld" => instruction.operands.get(1)?,
        "st" => instruction.operands.first()?,
        _ => return None,
    };
    let names_memory = ["param", "global", "shared", "local", "const"];
    (!names_memory.iter().any(|space| instruction.has_part(space))).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpfold_ptx::statement::parse;

    fn resolved(body: &str) -> Result<String, Stray> {
        let mut body = parse(body).unwrap();
        resolve("f", &mut body)?;
        let written: Vec<String> = body.iter().map(Statement::to_string).collect();
        Ok(written.join(" "))
    }

    /// Resolves `text`, which may use a shared address in `%rd1` and a global address in `%rd2`.
    fn after_addresses(text: &str) -> Result<String, Stray> {
        let before = "mov.u64 %rd1, warpfold_shared; cvta.to.global.u64 %rd2, %rd3;";
        let resolved = resolved(&format!("ld.param.b64 %rd3, [f_param_0]; {before} {text}"))?;
        Ok(resolved.split_once("%rd3; ").unwrap().1.to_owned())
    }

    #[test]
    fn accesses_name_the_memory_of_their_address() {
        for (access, named) in [
            ("ld.b32 %r1, [%rd1];", "ld.shared.b32 %r1, [%rd1];"),
            ("ld.b32 %r1, [%rd2+4];", "ld.global.b32 %r1, [%rd2+4];"),
            (
                "st.v2.b32 [%rd1], {%r1, %r2};",
                "st.shared.v2.b32 [%rd1], {%r1, %r2};",
            ),
        ] {
            assert_eq!(after_addresses(access).unwrap(), named);
        }
    }

    #[test]
    fn addresses_are_followed() {
        for derived in [
            "mov.b64 %rd4, %rd1;",
            "add.s64 %rd4, %rd1, 8;",
            "add.s64 %rd4, %rd9, %rd1;",
            "add.s64 %rd4, %rd3, %rd1;",
            "mad.lo.s64 %rd5, %rd9, %rd3, %rd3; min.u64 %rd5, %rd5, %rd9; add.s64 %rd4, %rd5, %rd1;",
            "sub.s64 %rd4, %rd1, %rd9;",
            "or.b64 %rd4, %rd1, 4;",
            "and.b64 %rd4, %rd1, -16;",
            "mad.wide.u32 %rd4, %r1, 16, %rd1;",
            "mad.lo.s64 %rd4, %rd9, 16, %rd1;",
            "selp.b64 %rd4, %rd1, 0, %p1;",
            "@%p1 mov.b64 %rd4, %rd1; @%p2 add.s64 %rd4, %rd4, 8;",
            "sub.s64 %rd5, %rd1, %rd1; add.s64 %rd4, %rd1, %rd5;",
            "mov.b64 %direction, 0; mov.b64 %rd5, %direction; sub.s64 %rd4, %rd1, %rd5;",
        ] {
            let text = format!("ld.param.b64 %rd9, [other]; {derived} st.b32 [%rd4], %r1;");
            let resolved = after_addresses(&text).unwrap();
            assert!(resolved.contains("st.shared.b32 [%rd4]"), "{resolved}");
        }
    }

    #[test]
    fn registers_that_are_written_later_are_followed_too() {
        let text = "bra $L_2; $L_1: add.s64 %rd5, %rd4, 8; ld.b32 %r1, [%rd5]; ret; \
            $L_2: add.s64 %rd4, %rd1, 16; bra $L_1;";
        assert!(after_addresses(text).unwrap().contains("ld.shared.b32 %r1"));
    }

    #[test]
    fn conversions_of_known_addresses_are_copies() {
        let text = "{ .reg .u64 %g; cvta.to.shared.u64 %g, %rd1; ld.shared.b32 %r1, [%g]; }";
        assert!(after_addresses(text).unwrap().contains("mov.b64 %g, %rd1;"));
    }

    #[test]
    fn registers_of_a_scope_are_its_own() {
        let text = "{ .reg .u64 %g, %s; mov.b64 %g, %rd1; ld.b32 %r1, [%g]; } \
            { .reg .u64 %g; mov.b64 %g, %rd2; ld.b32 %r1, [%g]; }";
        let resolved = after_addresses(text).unwrap();
        assert!(resolved.contains("ld.shared") && resolved.contains("ld.global"));
    }

    #[test]
    fn an_address_of_unknown_memory_is_an_error() {
        for text in [
            "ld.b32 %r1, [%rd9];",
            "ld.b32 %r1, [%rd3];",
            "mov.b64 %rd4, 64; ld.b32 %r1, [%rd4];",
            "ld.global.b64 %rd4, [%rd2]; ld.b32 %r1, [%rd4];",
            "selp.b64 %rd4, %rd1, %rd2, %p1; ld.b32 %r1, [%rd4];",
            "add.s64 %rd4, %rd1, %rd2; ld.b32 %r1, [%rd4];",
            "mul.lo.s64 %rd4, %rd1, 2; ld.b32 %r1, [%rd4];",
            "cvta.to.global.u64 %rd4, %rd1;",
        ] {
            assert!(after_addresses(text).is_err(), "{text}");
        }
    }
}
