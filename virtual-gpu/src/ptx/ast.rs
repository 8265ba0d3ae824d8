//! The syntax tree of a PTX text. Names are slices of the text.

/// A whole text.
#[derive(Debug, Default)]
pub(crate) struct Module<'a> {
    /// `.version`, major and minor.
    pub version: Option<(u32, u32)>,
    pub target: Vec<&'a str>,
    pub target_line: u32,
    pub address_size: Option<u64>,
    pub address_size_line: u32,
    pub variables: Vec<Variable<'a>>,
    pub functions: Vec<Function<'a>>,
}

/// The state space of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StateSpace {
    Reg,
    Global,
    Const,
    Shared,
    Local,
    Param,
}

/// Whether a name is private, visible to other texts, or `.extern`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linkage {
    Internal,
    Visible,
    Extern,
}

/// A variable, a register or a range of registers, or a formal parameter.
#[derive(Debug, Clone)]
pub(crate) struct Variable<'a> {
    pub line: u32,
    pub linkage: Linkage,
    pub space: StateSpace,
    pub align: Option<u64>,
    /// The type without its dot: `b32`.
    pub ty: &'a str,
    /// The number of elements of a vector type, or 1.
    pub vector: u64,
    pub name: &'a str,
    /// `%r<5>` declares `%r0` to `%r4`.
    pub range: Option<u64>,
    pub array: Array,
    pub initializer: Vec<Initial<'a>>,
}

/// Whether a variable is an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Array {
    /// Not an array.
    Single,
    /// The number of elements: all dimensions multiplied.
    Sized(u64),
    /// `name[]`.
    Unsized,
}

/// One element of an initialiser.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Initial<'a> {
    Number(Number),
    /// The address of a symbol, plus an offset.
    Symbol {
        name: &'a str,
        offset: i64,
    },
}

/// A literal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number {
    /// Two's complement.
    Integer(u64),
    /// `0f` and eight digits.
    Single(u32),
    /// `0d` and sixteen digits, or a decimal float.
    Double(u64),
}

/// The kind of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionKind {
    Entry,
    Device,
}

/// An `.entry` or a `.func`.
#[derive(Debug)]
pub(crate) struct Function<'a> {
    pub line: u32,
    pub kind: FunctionKind,
    pub name: &'a str,
    pub returns: Vec<Variable<'a>>,
    pub params: Vec<Variable<'a>>,
    pub limits: Limits,
    /// Absent in a declaration.
    pub body: Option<Vec<Statement<'a>>>,
}

/// The performance directives whose values are kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Limits {
    pub max_block_dim: Option<[u32; 3]>,
    pub required_block_dim: Option<[u32; 3]>,
    pub min_blocks_per_multiprocessor: Option<u32>,
}

/// One statement of a body.
#[derive(Debug)]
pub(crate) enum Statement<'a> {
    Label(&'a str, u32),
    Variable(Variable<'a>),
    Block(Vec<Statement<'a>>),
    Instruction(Instruction<'a>),
    /// `label: .branchtargets a, b;`
    BranchTargets {
        label: &'a str,
        targets: Vec<&'a str>,
    },
}

/// One instruction.
#[derive(Debug)]
pub(crate) struct Instruction<'a> {
    pub line: u32,
    pub text: &'a str,
    pub guard: Option<Guard<'a>>,
    /// The opcode, cut at its dots: `ld`, `global`, `v4`, `b32`.
    pub opcode: Vec<&'a str>,
    pub operands: Vec<Operand<'a>>,
}

/// `@p` or `@!p`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Guard<'a> {
    pub predicate: &'a str,
    pub sense: Sense,
}

/// Whether a predicate is used as it is or negated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sense {
    Plain,
    Negated,
}

/// One operand.
#[derive(Debug, Clone)]
pub(crate) enum Operand<'a> {
    /// A register, a special register, a variable, a label, a function or `_`.
    Name(&'a str),
    Number(Number),
    /// A variable's address plus an offset.
    Offset(&'a str, i64),
    /// `[base+offset]`; without a base the offset is the address.
    Address(Option<&'a str>, i64),
    /// `{a, b}`
    Vector(Vec<Operand<'a>>),
    /// `a|b`
    Pair(Box<Operand<'a>>, Box<Operand<'a>>),
    /// `!p`
    Not(&'a str),
    /// `(a, b)` of a call.
    List(Vec<Operand<'a>>),
}
