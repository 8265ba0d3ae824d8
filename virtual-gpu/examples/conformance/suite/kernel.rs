//! A random kernel as a tree of statements, and its text.
//!
//! Each region of the tree has a register with the mask of the lanes that execute the region: `%m0` for the outermost region, `%m1` one
//! level deeper, and so on. The `*.sync` instructions of the region use this mask. Before a branch that may diverge, a ballot or a match
//! splits the mask. So the kernel stays legal if a statement is removed, or a branch is replaced by its contents.

use super::hidden;
use super::record::{BLOCK_THREADS, PLACES, RECORD_BYTES};
use std::fmt::Write;

/// The placeholder for the register with the mask of the line's region.
pub const MEMBERS: &str = "$m";

/// One statement.
#[derive(Debug, Clone)]
pub enum Statement {
    /// Lines of PTX that stay together.
    Lines(Vec<String>),
    /// A branch on a predicate, which may differ between lanes.
    If {
        predicate: &'static str,
        then: Vec<Statement>,
        otherwise: Vec<Statement>,
    },
    /// A branch on which all threads of a block agree.
    IfBlock { number: u32, then: Vec<Statement> },
    /// A loop with the same number of rounds in all lanes.
    Repeat { times: u32, body: Vec<Statement> },
    /// A loop whose number of rounds is in the two low bits of a register. The number may differ between lanes.
    RepeatBy {
        register: &'static str,
        body: Vec<Statement>,
    },
    /// Selects a case by the two low bits of a register.
    Switch {
        register: &'static str,
        cases: [Vec<Statement>; 4],
    },
}

impl Statement {
    /// The nested lists of statements.
    pub fn children(&self) -> Vec<&Vec<Statement>> {
        match self {
            Statement::Lines(_) => vec![],
            Statement::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            Statement::IfBlock { then, .. } => vec![then],
            Statement::Repeat { body, .. } | Statement::RepeatBy { body, .. } => vec![body],
            Statement::Switch { cases, .. } => cases.iter().collect(),
        }
    }

    /// The nested lists of statements.
    pub fn children_mut(&mut self) -> Vec<&mut Vec<Statement>> {
        match self {
            Statement::Lines(_) => vec![],
            Statement::If {
                then, otherwise, ..
            } => vec![then, otherwise],
            Statement::IfBlock { then, .. } => vec![then],
            Statement::Repeat { body, .. } | Statement::RepeatBy { body, .. } => vec![body],
            Statement::Switch { cases, .. } => cases.iter_mut().collect(),
        }
    }
}

/// Functions that the kernels of a module may call.
pub const FUNCTIONS: &str = "\
.func (.param .b32 result) mix(.param .b32 a, .param .b64 b)
{
  .reg .b32 %x<4>; .reg .b64 %y;
  ld.param.b32 %x0, [a]; ld.param.b64 %y, [b];
  cvt.u32.u64 %x1, %y; shr.u64 %y, %y, 32; cvt.u32.u64 %x2, %y;
  mad.lo.u32 %x3, %x0, %x1, %x2; xor.b32 %x3, %x3, 0x2545f491;
  st.param.b32 [result], %x3;
  ret;
}
.func (.param .b64 result) choose(.param .b64 a, .param .b64 b)
{
  .reg .pred %z; .reg .b64 %x<3>;
  ld.param.b64 %x0, [a]; ld.param.b64 %x1, [b];
  setp.lt.s64 %z, %x0, %x1;
  @%z bra LESS;
  sub.s64 %x2, %x0, %x1;
  st.param.b64 [result], %x2;
  ret;
LESS:
  st.param.b64 [result], %x1;
  ret;
}
";

/// The text of the kernel. Each thread loads the registers that the statements use, runs the statements, and stores these registers. The
/// registers are loaded from the thread's input record, and stored to its output record.
pub fn text(entry: &str, statements: &[Statement]) -> String {
    let mut writer = Writer::default();
    writer.statements(statements, 0);
    let body = writer.text;
    let used: Vec<_> = PLACES
        .iter()
        .filter(|place| body.contains(place.register))
        .collect();
    let mut text = format!(
        ".visible .entry {entry}(.param .u64 input, .param .u64 output)\n{{\n\
         .reg .pred %p<4>, %s<3>; .reg .b16 %h<4>, %g<7>; .reg .b32 %r<8>, %t<8>, %m<6>, %i<6>;\n\
         .reg .b64 %d<6>, %q<7>, %in, %out; .reg .b32 %thread, %slot;\n"
    );
    if body.contains("%slot") || body.contains("slots") {
        let bytes = BLOCK_THREADS * 16;
        _ = writeln!(text, ".shared .align 16 .b8 slots[{bytes}];");
    }
    if body.contains("stack") {
        text.push_str(".local .align 16 .b8 stack[16];\n");
    }
    _ = write!(
        text,
        "ld.param.u64 %in, [input]; ld.param.u64 %out, [output];\n\
         mov.u32 %thread, %tid.x; mov.u32 %t0, %ctaid.x;\n\
         mad.lo.u32 %t0, %t0, {BLOCK_THREADS}, %thread; mul.wide.u32 %q0, %t0, {RECORD_BYTES};\n\
         add.u64 %in, %in, %q0; add.u64 %out, %out, %q0; mov.u32 %m0, 0xffffffff;\n"
    );
    if body.contains("%slot") {
        text.push_str("mov.u32 %t0, slots; mad.lo.u32 %slot, %thread, 16, %t0;\n");
    }
    if hidden::is_used(&body) {
        text.push_str(&hidden::prologue());
    }
    for place in &used {
        text.push_str(&place.load());
        text.push('\n');
    }
    text.push_str("// begin\n");
    text.push_str(&body);
    text.push_str("// end\n");
    for place in &used {
        text.push_str(&place.store());
        text.push('\n');
    }
    text.push_str("ret;\n}\n");
    text
}

#[derive(Default)]
struct Writer {
    text: String,
    labels: u32,
}

impl Writer {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn label(&mut self) -> u32 {
        self.labels += 1;
        self.labels
    }

    fn statements(&mut self, statements: &[Statement], depth: usize) {
        for statement in statements {
            self.statement(statement, depth);
        }
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let (outer, inner) = (format!("%m{depth}"), format!("%m{}", depth + 1));
        let count = format!("%i{depth}");
        let n = self.label();
        match statement {
            Statement::Lines(lines) => {
                for line in lines {
                    self.line(&line.replace(MEMBERS, &outer));
                }
            }
            Statement::If {
                predicate,
                then,
                otherwise,
            } => {
                self.line(&format!(
                    "vote.sync.ballot.b32 {inner}, {predicate}, {outer};"
                ));
                self.line(&format!("@!{predicate} bra ELSE{n};"));
                self.statements(then, depth + 1);
                self.line(&format!("bra DONE{n};\nELSE{n}:"));
                if !otherwise.is_empty() {
                    self.line(&format!("xor.b32 {inner}, {inner}, {outer};"));
                    self.statements(otherwise, depth + 1);
                }
                self.line(&format!("DONE{n}:"));
            }
            Statement::IfBlock { number, then } => {
                self.line(&format!("mov.u32 {inner}, {outer};"));
                self.line(&format!(
                    "mov.u32 %t0, %ctaid.x; setp.ne.u32 %s0, %t0, {number};"
                ));
                self.line(&format!("@%s0 bra DONE{n};"));
                self.statements(then, depth + 1);
                self.line(&format!("DONE{n}:"));
            }
            Statement::Repeat { times, body } => {
                self.line(&format!("mov.u32 {inner}, {outer}; mov.u32 {count}, 0;"));
                self.line(&format!("LOOP{n}:"));
                self.statements(body, depth + 1);
                self.line(&format!("add.u32 {count}, {count}, 1;"));
                self.line(&format!("setp.lt.u32 %s0, {count}, {times};"));
                self.line(&format!("@%s0 bra LOOP{n};"));
            }
            Statement::RepeatBy { register, body } => {
                self.line(&format!(
                    "mov.u32 {inner}, {outer}; and.b32 {count}, {register}, 3;"
                ));
                self.line(&format!("LOOP{n}:\nsetp.ne.u32 %s0, {count}, 0;"));
                self.line(&format!("vote.sync.ballot.b32 {inner}, %s0, {inner};"));
                self.line(&format!("@!%s0 bra DONE{n};"));
                self.statements(body, depth + 1);
                self.line(&format!("sub.u32 {count}, {count}, 1;"));
                self.line(&format!("bra LOOP{n};\nDONE{n}:"));
            }
            Statement::Switch { register, cases } => {
                self.line(&format!("and.b32 %t0, {register}, 3;"));
                self.line(&format!("match.any.sync.b32 {inner}, %t0, {outer};"));
                let labels: Vec<_> = (0..cases.len()).map(|i| format!("CASE{n}_{i}")).collect();
                self.line(&format!("CASES{n}: .branchtargets {};", labels.join(", ")));
                self.line(&format!("brx.idx %t0, CASES{n};"));
                for (label, case) in labels.iter().zip(cases) {
                    self.line(&format!("{label}:"));
                    self.statements(case, depth + 1);
                    self.line(&format!("bra DONE{n};"));
                }
                self.line(&format!("DONE{n}:"));
            }
        }
    }
}
