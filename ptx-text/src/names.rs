//! Gives new numbers to the registers and labels of a text, so that the compressed text is small.
//!
//! A compiler gives each value a register of its own. Most values are only needed for a few statements, but their numbers are most of what
//! a compressed text has to store. With the new numbers, such values share registers:
//!
//! ```text
//! add.s64 %rd81, %rd7, 4;             add.s64 %rd0, %rd9, 4;
//! ld.global.b32 %r61, [%rd81];        ld.global.b32 %r0, [%rd0];
//! add.s64 %rd82, %rd7, 8;             add.s64 %rd0, %rd9, 8;
//! ld.global.b32 %r62, [%rd82];        ld.global.b32 %r1, [%rd0];
//! ```
//!
//! A *block* is the statements from one label to the next. It is only entered at its beginning. A *definition* of a register is a statement
//! that always writes the whole register and does not read it. A register is *local* if in each block that names the register, its first
//! occurrence is a definition. So no block reads what another block has written to a local register. Each definition of a local register
//! begins a *value*. The value ends with the last occurrence of the register before the next definition of the register, or before the end
//! of the block.
//!
//! Each value of a local register gets the lowest number that no other value has where this value begins. A statement never writes a
//! register that it reads, unless it did so with the old numbers. So the outputs of a hole are still different from its inputs. Each
//! register that is not local gets one number for all its values. These numbers come after the numbers of local registers, in the order in
//! which the registers appear. A local register is numbered like a register that is not local, if:
//!
//! - a store writes only the register's low bits to memory. Otherwise, the register could share its number with the result of a float
//!   instruction, and [`narrow`](mod@crate::narrow) would take its value for a float;
//! - the register may become a constant when a text gets its [`direction`](mod@crate::direction).
//!
//! The driver's compiler finds the values again. From the text with new numbers, it makes the same instructions for most kernels, and about
//! as many for all others.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use crate::direction;
use crate::error::Malformed;
use crate::fill::{HOLE, Hole};
use crate::narrow::{members, stored_in_part};
use crate::statement::{Instruction, Statement, parse};

/// Operations that always write their whole first operand, and write no other register.
const DEFINING: [&str; 36] = [
    "abs",
    "add",
    "and",
    "atom",
    "bfe",
    "bfi",
    "brev",
    "clz",
    "createpolicy",
    "cvt",
    "cvta",
    "div",
    "fma",
    "ld",
    "mad",
    "max",
    "min",
    "mov",
    "mul",
    "neg",
    "not",
    "or",
    "popc",
    "prmt",
    "redux",
    "rem",
    "selp",
    "setp",
    "shf",
    "shfl",
    "shl",
    "shr",
    "sqrt",
    "sub",
    "vote",
    "xor",
];

/// The start of a label, before its number.
const LABEL: &str = "$L__BB_";

/// The text of entries, or the body of a hole, with new numbers. A second renumbering changes nothing.
pub fn renumbered(text: &str) -> Result<String, Malformed> {
    let constants = direction::followers(text);
    let mut renumbered = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = scope_start(rest) {
        let (before, scope) = rest.split_at(start);
        let (scope, after) = scope.split_at(scope_length(scope).ok_or(Malformed::BreaksOff)?);
        let statements = statements(scope).ok_or(Malformed::BreaksOff)?;
        renumbered += before;
        renumbered += &replaced(scope, edits(scope, &statements, &constants));
        rest = after;
    }
    Ok(renumbered + rest)
}

/// The position after the first opening brace that is on a line of its own. That brace opens an entry, or the scope of a hole's body.
fn scope_start(text: &str) -> Option<usize> {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        if line.trim() == "{" {
            return Some(at);
        }
    }
    None
}

/// The length of the text up to the brace that closes a scope. The text begins within this scope, after the opening brace.
fn scope_length(text: &str) -> Option<usize> {
    let mut depth = 0usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' if depth == 0 => return Some(at),
            b'}' => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The statements of a scope, without braces. A label is a statement that ends in a colon. `None` if the text ends within a statement.
fn statements(scope: &str) -> Option<Vec<Range<usize>>> {
    let mut statements = Vec::new();
    let mut at = 0;
    while let Some(skipped) = scope[at..].find(|c: char| !c.is_whitespace() && c != '{' && c != '}')
    {
        let start = at + skipped;
        let text = &scope[start..];
        let word = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '$')?;
        let length = match text[word..].starts_with(':') {
            true => word,
            false => text.find(';')?,
        };
        at = start + length + 1;
        statements.push(start..at);
    }
    Some(statements)
}

/// A replacement for a part of a text.
type Edit = (Range<usize>, String);

/// The edits that give a scope new numbers.
fn edits(scope: &str, statements: &[Range<usize>], constants: &HashSet<&str>) -> Vec<Edit> {
    let classes = classes(scope, statements);
    let occurrences = occurrences(scope, statements, &classes);
    let mut apart: HashSet<&str> = constants.clone();
    apart.extend(
        statements
            .iter()
            .flat_map(|statement| in_part(&scope[statement.clone()])),
    );
    let (numbers, counts) = numbers(scope, &occurrences, &apart, classes.len());
    let mut edits = labels(scope);
    for (occurrence, number) in occurrences.iter().zip(numbers) {
        let prefix = classes[occurrence.class].prefix;
        edits.push((occurrence.at.clone(), format!("%{prefix}{number}")));
    }
    for (class, count) in classes.iter().zip(counts) {
        // PTX does not allow a declaration of 0 registers.
        edits.push((class.count.clone(), count.max(1).to_string()));
    }
    edits.sort_unstable_by_key(|(at, _)| at.start);
    edits
}

/// The text with these edits, which are in the order of their positions in the text.
fn replaced(text: &str, edits: Vec<Edit>) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, new) in edits {
        replaced += &text[copied..at.start];
        replaced += &new;
        copied = at.end;
    }
    replaced + &text[copied..]
}

/// A declaration of numbered registers: `.reg .b32 %r<70>;`.
struct Class<'a> {
    /// The name without a number: `r`.
    prefix: &'a str,
    /// The position of the declared count in the scope.
    count: Range<usize>,
}

/// The numbered registers that are declared in a scope, or in a scope within it. A prefix that is declared more than once is left out.
fn classes<'a>(scope: &'a str, statements: &[Range<usize>]) -> Vec<Class<'a>> {
    let directives = statements
        .iter()
        .filter(|at| scope[at.start..].starts_with(".reg "));
    let declared = directives.flat_map(|directive| {
        let names = words(&scope[directive.clone()], '%');
        names.filter_map(|name| {
            let (name, end) = (directive.start + name.start, directive.start + name.end);
            let count = scope[end..].strip_prefix('<')?.split_once('>')?.0;
            Some(Class {
                prefix: &scope[name + 1..end],
                count: end + 1..end + 1 + count.len(),
            })
        })
    });
    let mut classes: Vec<Class> = declared.collect();
    let prefixes: Vec<&str> = classes.iter().map(|class| class.prefix).collect();
    classes.retain(|class| {
        prefixes
            .iter()
            .filter(|prefix| **prefix == class.prefix)
            .count()
            == 1
    });
    classes
}

/// A place where a register is named.
struct Occurrence {
    at: Range<usize>,
    /// The index of the register's class.
    class: usize,
    /// The index of the statement.
    statement: usize,
    /// The number of labels before the statement.
    block: usize,
    /// Whether the statement defines the register.
    defines: bool,
}

/// The places where registers of these classes are named.
fn occurrences(scope: &str, statements: &[Range<usize>], classes: &[Class]) -> Vec<Occurrence> {
    let mut occurrences = Vec::new();
    let mut block = 0;
    for (index, statement) in statements.iter().enumerate() {
        let text = &scope[statement.clone()];
        if text.ends_with(':') {
            block += 1;
            continue;
        }
        let named =
            words(text, '%').filter_map(|word| Some((class(&text[word.clone()], classes)?, word)));
        let named: Vec<(usize, Range<usize>)> = named.collect();
        let written = written(text);
        for (class, word) in &named {
            let name = &text[word.clone()];
            let count = named
                .iter()
                .filter(|(_, other)| text[other.clone()] == *name)
                .count();
            occurrences.push(Occurrence {
                at: statement.start + word.start..statement.start + word.end,
                class: *class,
                statement: index,
                block,
                defines: count == 1 && written.iter().any(|register| register == name),
            });
        }
    }
    occurrences
}

/// The words of a text that begin with this sign.
fn words(text: &str, sign: char) -> impl Iterator<Item = Range<usize>> {
    text.match_indices(sign).map(move |(start, _)| {
        let word = &text[start + 1..];
        let length = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        start..start + 1 + length.unwrap_or(word.len())
    })
}

/// The index of a register's class; `None` if the word is no numbered register.
fn class(word: &str, classes: &[Class]) -> Option<usize> {
    let prefix = word[1..].trim_end_matches(|c: char| c.is_ascii_digit());
    let is_numbered = prefix.len() + 1 < word.len();
    let class = classes.iter().position(|class| class.prefix == prefix);
    class.filter(|_| is_numbered)
}

/// The registers that a statement always writes as a whole.
fn written(statement: &str) -> Vec<String> {
    if let Some(hole) = statement.strip_prefix(HOLE.trim_start()) {
        let outputs = Hole::parse(hole).map_or(Vec::new(), |hole| hole.outputs);
        return outputs.into_iter().map(str::to_owned).collect();
    }
    match instruction(statement) {
        Some(instruction)
            if instruction.guard.is_none() && DEFINING.contains(&instruction.operation()) =>
        {
            let first = instruction.operands.first().map_or("", String::as_str);
            let members = members(first).into_iter();
            members
                .flat_map(|member| member.split('|').map(str::to_owned).collect::<Vec<_>>())
                .collect()
        }
        _ => Vec::new(),
    }
}

/// The registers of which a statement stores only a part.
fn in_part(statement: &str) -> Vec<&str> {
    let stored =
        instruction(statement).map_or(Vec::new(), |instruction| stored_in_part(&instruction));
    let words = words(statement, '%').map(|word| &statement[word]);
    words
        .filter(|word| stored.iter().any(|register| register == word))
        .collect()
}

fn instruction(statement: &str) -> Option<Instruction> {
    match parse(statement)?.pop()? {
        Statement::Instruction(instruction) => Some(instruction),
        _ => None,
    }
}

/// The new number of each occurrence, and how many numbers each class needs.
fn numbers(
    scope: &str,
    occurrences: &[Occurrence],
    apart: &HashSet<&str>,
    class_count: usize,
) -> (Vec<u32>, Vec<u32>) {
    let values = values(scope, occurrences, apart);
    let mut last = HashMap::new();
    for (occurrence, value) in occurrences.iter().zip(&values) {
        last.insert(*value, occurrence.statement);
    }
    let mut counts = vec![0; class_count];
    let mut numbers = vec![0; occurrences.len()];
    let mut of_value = HashMap::new();
    let mut taken: Vec<Vec<bool>> = vec![Vec::new(); class_count];
    let mut ended: Vec<(usize, u32)> = Vec::new();
    let mut before = None;
    for ((occurrence, value), number) in occurrences.iter().zip(&values).zip(&mut numbers) {
        let (class, place) = (occurrence.class, (occurrence.block, occurrence.statement));
        if before.is_some_and(|before| before != place) {
            for (class, number) in ended.drain(..) {
                taken[class][number as usize] = false;
            }
        }
        before = Some(place);
        let Some(value) = *value else {
            continue;
        };
        *number = *of_value
            .entry(value)
            .or_insert_with(|| take_lowest(&mut taken[class]));
        if last[&Some(value)] == occurrence.statement {
            ended.push((class, *number));
        }
        counts[class] = counts[class].max(*number + 1);
    }
    let mut of_register = HashMap::new();
    for ((occurrence, value), number) in occurrences.iter().zip(&values).zip(&mut numbers) {
        if value.is_none() {
            let count = &mut counts[occurrence.class];
            *number = *of_register
                .entry(&scope[occurrence.at.clone()])
                .or_insert_with(|| {
                    *count += 1;
                    *count - 1
                });
        }
    }
    (numbers, counts)
}

/// Takes the lowest number that is not taken.
fn take_lowest(taken: &mut Vec<bool>) -> u32 {
    let free = taken.iter().position(|is_taken| !is_taken);
    let number = free.unwrap_or(taken.len());
    if number == taken.len() {
        taken.push(true);
    } else {
        taken[number] = true;
    }
    number as u32
}

/// For each occurrence, the number of the value that the register has there; `None` if the register is not local, or is in `apart`.
fn values(scope: &str, occurrences: &[Occurrence], apart: &HashSet<&str>) -> Vec<Option<usize>> {
    let name = |occurrence: &Occurrence| &scope[occurrence.at.clone()];
    let mut blocks: HashMap<&str, usize> = HashMap::new();
    let mut shared: HashSet<&str> = HashSet::new();
    for occurrence in occurrences {
        let name = name(occurrence);
        let is_first = blocks.insert(name, occurrence.block) != Some(occurrence.block);
        if apart.contains(name) || is_first && !occurrence.defines {
            shared.insert(name);
        }
    }
    let mut current: HashMap<&str, usize> = HashMap::new();
    let mut count = 0;
    let mut value = |occurrence: &Occurrence| {
        let name = name(occurrence);
        if shared.contains(name) {
            return None;
        }
        if occurrence.defines {
            current.insert(name, count);
            count += 1;
        }
        Some(current[name])
    };
    occurrences.iter().map(&mut value).collect()
}

/// Numbers the labels of a scope that begin with [`LABEL`], in the order in which they are first named.
fn labels(scope: &str) -> Vec<Edit> {
    let mut numbers: HashMap<&str, usize> = HashMap::new();
    let labels = words(scope, '$').filter(|word| scope[word.clone()].starts_with(LABEL));
    let edits = labels.map(|word| {
        let next = numbers.len();
        let number = *numbers.entry(&scope[word.clone()]).or_insert(next);
        (word, format!("{LABEL}{number}"))
    });
    edits.collect()
}

#[cfg(test)]
mod tests;
