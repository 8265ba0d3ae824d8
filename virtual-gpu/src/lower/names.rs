//! The meanings of names in a body, by scope.

use std::collections::HashMap;

use super::types::Type;
use crate::program::{AddressSpace, Pred, Reg};

/// A label, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Label(pub u32);

/// The meaning of a name.
#[derive(Debug, Clone)]
pub(super) enum Entity<'a> {
    Register(Reg, Type),
    Predicate(Pred),
    Variable(Variable),
    Label(Label),
    /// Labels that a `brx.idx` chooses from.
    Targets(&'a [&'a str]),
}

/// A variable, and where it lies in its space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Variable {
    pub space: AddressSpace,
    pub address: VariableAddress,
    pub bytes: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableAddress {
    Known(u64),
    /// Where dynamic shared memory starts: after the kernel's other shared memory.
    DynamicShared,
}

/// The names that a declaration such as `%r<5>` makes. Each of them gets a register at its first use.
#[derive(Debug)]
pub(super) struct Range {
    pub count: u64,
    pub ty: Type,
}

/// The names of one block of statements.
#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub names: HashMap<&'a str, Entity<'a>>,
    pub ranges: HashMap<&'a str, Range>,
}

impl Scope<'_> {
    /// The type of a name that belongs to a range.
    pub(super) fn in_range(&self, name: &str) -> Option<Type> {
        let prefix = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let range = self.ranges.get(prefix)?;
        let index: u64 = name[prefix.len()..].parse().ok()?;
        (index < range.count).then_some(range.ty)
    }
}
