//! Random kernels.
//!
//! The PTX ISA specifies the result of each random kernel. No statement divides by zero, depends on the order of atomic operations, or runs
//! a `*.sync` instruction on lanes outside the mask of that instruction. Statements also avoid most mistakes of the driver's compiler
//! ([`hidden`]). NaNs with unspecified bits are replaced by the canonical NaN, unless [`Nans::AsTheyAre`] is chosen.

use super::case::Case;
use super::catalogue::{Catalogue, LastSource, NanBits, Row};
use super::kernel::{self, Statement};
use super::kind::{Kind, Width};
use super::random::Random;
use super::record::{self, BLOCK_THREADS, BLOCKS, PLACES, RECORD_BYTES};
use super::{compound, hidden, memory_ops};

/// The treatment of NaNs whose bits the PTX ISA leaves unspecified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Nans {
    /// Replace these NaNs by the canonical NaN of their type.
    Replaced,
    AsTheyAre,
}

/// The threads that execute a part of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// Some lanes of a warp.
    Lanes,
    /// All threads of a block.
    Block,
}

/// Makes kernels out of a stream of random numbers.
pub struct Generator<'a> {
    pub random: Random,
    pub catalogue: &'a Catalogue,
    nans: Nans,
}

/// The greatest depth of nested branches and loops.
const DEPTH: usize = 3;

/// The statements of a random kernel.
pub fn statements(seed: u64, catalogue: &Catalogue, nans: Nans) -> Vec<Statement> {
    let mut generator = Generator {
        random: Random::new(seed),
        catalogue,
        nans,
    };
    let count = 12 + generator.random.below(28);
    generator.statements(count, Extent::Block, 0)
}

/// The kernel of these statements. Its input is random, from this seed.
pub fn case(seed: u64, statements: &[Statement]) -> Case {
    let entry = format!("random_{seed}");
    Case {
        name: format!("random {seed}"),
        text: kernel::text(&entry, statements),
        entry,
        input: record::input(&mut Random::new(!seed)),
        output_bytes: (BLOCKS * BLOCK_THREADS) as usize * RECORD_BYTES,
        blocks: BLOCKS,
        threads: BLOCK_THREADS,
    }
}

impl Generator<'_> {
    fn statements(&mut self, count: usize, extent: Extent, depth: usize) -> Vec<Statement> {
        (0..count).map(|_| self.statement(extent, depth)).collect()
    }

    fn statement(&mut self, extent: Extent, depth: usize) -> Statement {
        match self.random.below(20) {
            0..=1 if depth < DEPTH => self.branch(extent, depth),
            2..=5 => Statement::Lines(compound::lines(self, extent)),
            6..=7 => Statement::Lines(memory_ops::lines(self, extent)),
            _ => {
                let row = self.random.pick(&self.catalogue.rows);
                Statement::Lines(self.instruction(row))
            }
        }
    }

    fn branch(&mut self, extent: Extent, depth: usize) -> Statement {
        let count = 1 + self.random.below(5);
        match self.random.below(6) {
            0 => Statement::IfBlock {
                number: self.random.below(BLOCKS as usize) as u32,
                then: self.statements(count, extent, depth + 1),
            },
            1 => Statement::Repeat {
                times: 1 + self.random.below(4) as u32,
                body: self.statements(count, extent, depth + 1),
            },
            2 => Statement::RepeatBy {
                register: self.register(Kind::U32),
                body: self.statements(count, Extent::Lanes, depth + 1),
            },
            3 => {
                let register = self.register(Kind::U32);
                let mut case = || self.statements(1 + count / 2, Extent::Lanes, depth + 1);
                let cases = [case(), case(), case(), case()];
                Statement::Switch { register, cases }
            }
            _ => {
                let predicate = self.register(Kind::Predicate);
                let then = self.statements(count, Extent::Lanes, depth + 1);
                let others = self.random.below(4);
                let otherwise = self.statements(others, Extent::Lanes, depth + 1);
                Statement::If {
                    predicate,
                    then,
                    otherwise,
                }
            }
        }
    }

    /// A random register of the kind's width. For a float kind, the register usually holds a float. For another kind, it usually does not
    /// hold a float.
    pub fn register(&mut self, kind: Kind) -> &'static str {
        let wide: Vec<_> = PLACES
            .iter()
            .filter(|p| p.kind.width() == kind.width())
            .collect();
        let alike: Vec<_> = wide
            .iter()
            .copied()
            .filter(|p| p.kind.is_float() == kind.is_float())
            .collect();
        if alike.is_empty() || self.random.once_in(4) {
            return self.random.pick(&wide).register;
        }
        self.random.pick(&alike).register
    }

    /// A random literal of a kind. `None` for some kinds: their operands stay registers.
    fn literal(&mut self, kind: Kind) -> Option<String> {
        let value = kind.random_value(&mut self.random);
        match kind {
            Kind::U16 | Kind::U32 | Kind::U64 | Kind::Lane => Some(value.to_string()),
            // The driver's compiler refuses literals above 255 as operands of this kind.
            Kind::Amount => Some((value & 0xff).to_string()),
            Kind::S16 => Some((value as i16).to_string()),
            Kind::S32 => Some((value as i32).to_string()),
            Kind::S64 => Some((value as i64).to_string()),
            Kind::B16 | Kind::B32 | Kind::B64 => Some(format!("{value:#x}")),
            Kind::F32 => Some(format!("0f{:08x}", value as u32)),
            Kind::F64 => Some(format!("0d{value:016x}")),
            _ => None,
        }
    }

    /// An instruction with random operands, sometimes guarded by a predicate.
    fn instruction(&mut self, row: &Row) -> Vec<String> {
        let mut lines = Vec::new();
        let mut sources: Vec<String> = Vec::new();
        for &kind in &row.sources {
            sources.push(self.register(kind).to_owned());
        }
        let last = row.sources.len() - 1;
        let kind = row.sources[last];
        let may_be_literal = last > 0
            && row.last_source == LastSource::Any
            && !row.opcode.starts_with("cvt")
            && self.random.once_in(6);
        if may_be_literal && let Some(literal) = self.literal(kind) {
            sources[last] = literal;
        }
        if row.last_source == LastSource::NotZero {
            let (safe, bits) = spare(kind.width());
            lines.push(format!("or.{bits} {safe}, {}, 1;", sources[last]));
            sources[last] = safe.to_owned();
        }
        for (source, kind) in sources.iter_mut().zip(&row.sources) {
            if *kind == Kind::Lane && source.starts_with('%') {
                lines.push(format!("and.b32 %t1, {source}, 31;"));
                *source = "%t1".to_owned();
            }
        }
        let mut targets: Vec<String> = Vec::new();
        for &kind in &row.targets {
            let mut target = self.register(kind);
            while targets.iter().any(|other| other == target) {
                target = self.register(kind);
            }
            targets.push(target.to_owned());
        }
        for (number, (source, kind)) in sources.iter_mut().zip(&row.sources).enumerate() {
            let copy = match source.starts_with('%') {
                true => hidden::copy(source, kind.width(), number),
                false => None,
            };
            if let Some((line, copy)) = copy {
                lines.push(line);
                *source = copy;
            }
        }
        let guard = match self.random.below(12) {
            _ if !hidden::may_be_guarded(row) => String::new(),
            0 => format!("@{} ", self.register(Kind::Predicate)),
            1 => format!("@!{} ", self.register(Kind::Predicate)),
            _ => String::new(),
        };
        lines.push(format!("{guard}{}", row.text(&targets, &sources)));
        if row.nan_bits == NanBits::Open {
            lines.extend(self.replace_nan(row.targets[0], &targets[0]));
        }
        lines
    }

    /// Lines that replace a NaN in a register by the canonical NaN. No lines if NaNs are kept, or if the kind is not a float.
    pub fn replace_nan(&self, kind: Kind, register: &str) -> Vec<String> {
        if self.nans == Nans::AsTheyAre {
            return vec![];
        }
        let replace = |register: &str, ty: &str, bits: &str, nan: &str| {
            format!("setp.nan.{ty} %s1, {register}, {register}; @%s1 mov.{bits} {register}, {nan};")
        };
        let both = |ty: &str| {
            vec![
                format!("mov.b32 {{%g0, %g1}}, {register};"),
                replace("%g0", ty, "b16", "0x7fff"),
                replace("%g1", ty, "b16", "0x7fff"),
                format!("mov.b32 {register}, {{%g0, %g1}};"),
            ]
        };
        match kind {
            Kind::F64 => vec![replace(register, "f64", "b64", "0x7ff8000000000000")],
            Kind::F32 => vec![replace(register, "f32", "b32", "0x7fffffff")],
            Kind::F16 => vec![replace(register, "f16", "b16", "0x7fff")],
            Kind::Bf16 => vec![replace(register, "bf16", "b16", "0x7fff")],
            Kind::F16x2 => both("f16"),
            Kind::Bf16x2 => both("bf16"),
            _ => vec![],
        }
    }
}

/// A register for an intermediate value, and the type of the register. The register has no place in the record.
fn spare(width: Width) -> (&'static str, &'static str) {
    match width {
        Width::Half => ("%g2", "b16"),
        Width::Double => ("%q1", "b64"),
        Width::Word | Width::Predicate => ("%t2", "b32"),
    }
}
