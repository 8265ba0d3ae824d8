//! Builds the syntax tree. After a mistake the parser skips some text and continues, so that one run reports many mistakes.
//!
//! Debug directives (`.loc`, `.file`, `.section`) and pragmas are skipped.

use super::Problem;
use super::ast::{
    Function, FunctionKind, Guard, Instruction, Limits, Linkage, Module, Number, Sense, StateSpace,
    Statement, Variable,
};
use super::lex::{Kind, Token, lex};

/// The greatest depth of nested blocks.
const MAX_DEPTH: u32 = 64;

/// Parses a whole text. Mistakes are added to `problems`.
pub(crate) fn parse<'a>(text: &'a str, problems: &mut Vec<Problem>) -> Module<'a> {
    let tokens = lex(text, problems);
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        problems,
    };
    parser.module()
}

pub(super) struct Parser<'a, 'p> {
    pub(super) text: &'a str,
    tokens: Vec<Token<'a>>,
    pub(super) at: usize,
    problems: &'p mut Vec<Problem>,
}

/// A parsed part of the text, or a mistake.
pub(super) type Parsed<T> = Result<T, Problem>;

impl<'a> Parser<'a, '_> {
    pub(super) fn token(&self) -> Token<'a> {
        self.peek(0)
    }

    pub(super) fn peek(&self, ahead: usize) -> Token<'a> {
        let last = self.tokens.len() - 1;
        self.tokens[(self.at + ahead).min(last)]
    }

    pub(super) fn line(&self) -> u32 {
        self.token().line
    }

    pub(super) fn advance(&mut self) -> Token<'a> {
        let token = self.token();
        self.at += 1;
        token
    }

    pub(super) fn is(&self, punct: u8) -> bool {
        self.token().kind == Kind::Punct(punct)
    }

    pub(super) fn accept(&mut self, punct: u8) -> bool {
        let found = self.is(punct);
        self.at += usize::from(found);
        found
    }

    pub(super) fn wrong<T>(&self, expected: &str) -> Parsed<T> {
        let token = self.token();
        let found = match token.kind {
            Kind::End => "the end of the text".to_owned(),
            _ => format!("`{}`", token.text),
        };
        Err(Problem {
            line: token.line,
            what: format!("expected {expected}, found {found}"),
        })
    }

    pub(super) fn expect(&mut self, punct: u8) -> Parsed<()> {
        if self.accept(punct) {
            return Ok(());
        }
        self.wrong(&format!("`{}`", char::from(punct)))
    }

    pub(super) fn word(&mut self) -> Parsed<&'a str> {
        if self.token().kind == Kind::Word {
            return Ok(self.advance().text);
        }
        self.wrong("a name")
    }

    pub(super) fn integer(&mut self) -> Parsed<u64> {
        if let Kind::Number(Number::Integer(value)) = self.token().kind {
            self.at += 1;
            return Ok(value);
        }
        self.wrong("a whole number")
    }

    /// The word of the directive at the cursor, without its dot. `None` if no directive is there. The cursor does not move.
    pub(super) fn directive(&self) -> Option<&'a str> {
        (self.is(b'.') && self.peek(1).kind == Kind::Word).then(|| self.peek(1).text)
    }

    pub(super) fn accept_directive(&mut self, word: &str) -> bool {
        let found = self.directive() == Some(word);
        self.at += 2 * usize::from(found);
        found
    }

    /// Records the problem. Then continues after the next `;` or at the next brace, whichever comes first. The braces around a vector
    /// operand do not count.
    fn recover(&mut self, problem: Problem) {
        self.problems.push(problem);
        loop {
            match self.token().kind {
                Kind::Punct(b'{') if self.is_vector() => {
                    while !self.accept(b'}') {
                        self.at += 1;
                    }
                }
                Kind::End | Kind::Punct(b'{' | b'}') => return,
                Kind::Punct(b';') => {
                    self.at += 1;
                    return;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Whether the brace at the cursor opens a vector: there is no `;` and no further brace inside.
    fn is_vector(&self) -> bool {
        let rest = &self.tokens[self.at + 1..];
        let end = |t: &&Token<'_>| matches!(t.kind, Kind::Punct(b';' | b'{' | b'}') | Kind::End);
        rest.iter()
            .find(end)
            .is_some_and(|t| t.kind == Kind::Punct(b'}'))
    }

    fn module(&mut self) -> Module<'a> {
        let mut module = Module::default();
        while self.token().kind != Kind::End {
            let start = self.at;
            if let Err(problem) = self.module_item(&mut module) {
                self.recover(problem);
            }
            // A stray brace must not stop the parser.
            self.at += usize::from(self.at == start);
        }
        module
    }

    fn module_item(&mut self, module: &mut Module<'a>) -> Parsed<()> {
        if self.accept(b';') {
            return Ok(());
        }
        if self.accept_directive("version") {
            let parts = self.token().text.split_once('.');
            let number = |digits: &str| digits.parse().ok();
            module.version =
                parts.and_then(|(major, minor)| Some((number(major)?, number(minor)?)));
            return match self.advance().kind {
                Kind::Number(_) => Ok(()),
                _ => self.wrong("a version"),
            };
        }
        if self.directive() == Some("target") {
            module.target_line = self.line();
            self.at += 2;
            module.target.push(self.word()?);
            while self.accept(b',') {
                module.target.push(self.word()?);
            }
            return Ok(());
        }
        if self.directive() == Some("address_size") {
            module.address_size_line = self.line();
            self.at += 2;
            module.address_size = Some(self.integer()?);
            return Ok(());
        }
        if self.skip_debug() {
            return Ok(());
        }
        let mut linkage = Linkage::Internal;
        loop {
            match self.directive() {
                Some("visible" | "weak" | "common") => linkage = Linkage::Visible,
                Some("extern") => linkage = Linkage::Extern,
                _ => break,
            }
            self.at += 2;
        }
        match self.directive() {
            Some("entry") => {
                let function = self.function(FunctionKind::Entry)?;
                module.functions.push(function);
            }
            Some("func") => {
                let function = self.function(FunctionKind::Device)?;
                module.functions.push(function);
            }
            _ => {
                let Some(space) = self.state_space() else {
                    return self.wrong("a directive of a module");
                };
                module.variables.extend(self.variables(linkage, space)?);
            }
        }
        Ok(())
    }

    /// Skips a debug directive or a pragma at the cursor, if there is one.
    fn skip_debug(&mut self) -> bool {
        match self.directive() {
            Some("file" | "loc") => {
                let line = self.line();
                while self.line() == line && self.token().kind != Kind::End {
                    self.at += 1;
                }
            }
            Some("section") => {
                while !matches!(self.token().kind, Kind::End | Kind::Punct(b'}')) {
                    self.at += 1;
                }
                self.at += usize::from(self.is(b'}'));
            }
            Some("pragma") => {
                while !matches!(self.token().kind, Kind::End | Kind::Punct(b';')) {
                    self.at += 1;
                }
                self.at += usize::from(self.is(b';'));
            }
            _ => return false,
        }
        true
    }

    fn function(&mut self, kind: FunctionKind) -> Parsed<Function<'a>> {
        let line = self.line();
        self.at += 2;
        let returns = match self.is(b'(') {
            true => self.formals()?,
            false => Vec::new(),
        };
        let name = self.word()?;
        let params = match self.is(b'(') {
            true => self.formals()?,
            false => Vec::new(),
        };
        let limits = self.limits()?;
        let body = match self.accept(b';') {
            true => None,
            false => {
                self.expect(b'{')?;
                Some(self.statements(0))
            }
        };
        Ok(Function {
            line,
            kind,
            name,
            returns,
            params,
            limits,
            body,
        })
    }

    fn formals(&mut self) -> Parsed<Vec<Variable<'a>>> {
        self.expect(b'(')?;
        let mut formals = Vec::new();
        while !self.is(b')') {
            let Some(space) = self.state_space() else {
                return self.wrong("`.param` or `.reg`");
            };
            formals.push(self.formal(space)?);
            if !self.accept(b',') {
                break;
            }
        }
        self.expect(b')')?;
        Ok(formals)
    }

    fn limits(&mut self) -> Parsed<Limits> {
        let mut limits = Limits::default();
        while let Some(word) = self.directive() {
            self.at += 2;
            match word {
                "maxntid" => limits.max_block_dim = Some(self.extent()?),
                "reqntid" => limits.required_block_dim = Some(self.extent()?),
                "minnctapersm" => limits.min_blocks_per_multiprocessor = Some(self.small()?),
                "maxnreg" | "maxclusterrank" => {
                    self.integer()?;
                }
                "noreturn" => {}
                "pragma" => {
                    while !matches!(self.token().kind, Kind::End | Kind::Punct(b';' | b'{')) {
                        self.at += 1;
                    }
                    self.accept(b';');
                }
                _ => {
                    self.at -= 2;
                    return self.wrong("a directive of a function");
                }
            }
        }
        Ok(limits)
    }

    fn small(&mut self) -> Parsed<u32> {
        let at = self.at;
        let value = self.integer()?;
        u32::try_from(value).or_else(|_| {
            self.at = at;
            self.wrong("a number below 2^32")
        })
    }

    fn extent(&mut self) -> Parsed<[u32; 3]> {
        let mut extent = [1; 3];
        extent[0] = self.small()?;
        for side in &mut extent[1..] {
            if !self.accept(b',') {
                break;
            }
            *side = self.small()?;
        }
        Ok(extent)
    }

    /// The statements up to and including the closing brace.
    fn statements(&mut self, depth: u32) -> Vec<Statement<'a>> {
        let mut statements = Vec::new();
        loop {
            let start = self.at;
            if self.accept(b'}') {
                return statements;
            }
            if self.token().kind == Kind::End {
                let line = self.line();
                self.problems.push(Problem {
                    line,
                    what: "a body that does not end".into(),
                });
                return statements;
            }
            if let Err(problem) = self.statement(&mut statements, depth) {
                self.recover(problem);
                self.at += usize::from(self.at == start);
            }
        }
    }

    fn statement(&mut self, to: &mut Vec<Statement<'a>>, depth: u32) -> Parsed<()> {
        if self.accept(b';') || self.skip_debug() {
            return Ok(());
        }
        if self.is(b'{') {
            if depth == MAX_DEPTH {
                return self.wrong("fewer blocks within blocks");
            }
            self.at += 1;
            to.push(Statement::Block(self.statements(depth + 1)));
            return Ok(());
        }
        if let Some(space) = self.state_space() {
            let variables = self.variables(Linkage::Internal, space)?;
            to.extend(variables.into_iter().map(Statement::Variable));
            return Ok(());
        }
        if self.token().kind == Kind::Word && self.peek(1).kind == Kind::Punct(b':') {
            let (label, line) = (self.word()?, self.line());
            self.at += 1;
            if !self.accept_directive("branchtargets") {
                to.push(Statement::Label(label, line));
                return Ok(());
            }
            let mut targets = vec![self.word()?];
            while self.accept(b',') {
                targets.push(self.word()?);
            }
            self.expect(b';')?;
            to.push(Statement::BranchTargets { label, targets });
            return Ok(());
        }
        let instruction = self.instruction()?;
        to.push(Statement::Instruction(instruction));
        Ok(())
    }

    fn instruction(&mut self) -> Parsed<Instruction<'a>> {
        let (line, start) = (self.line(), self.token().at);
        let guard = match self.accept(b'@') {
            false => None,
            true => {
                let sense = match self.accept(b'!') {
                    true => Sense::Negated,
                    false => Sense::Plain,
                };
                let predicate = self.word()?;
                Some(Guard { predicate, sense })
            }
        };
        let mut opcode = vec![self.word()?];
        while self.accept(b'.') {
            opcode.push(self.word()?);
        }
        let mut operands = Vec::new();
        if !self.is(b';') {
            operands.push(self.operand()?);
            while self.accept(b',') {
                operands.push(self.operand()?);
            }
        }
        let end = self.token().at;
        self.expect(b';')?;
        Ok(Instruction {
            line,
            text: self.text[start..end].trim_end(),
            guard,
            opcode,
            operands,
        })
    }

    fn state_space(&mut self) -> Option<StateSpace> {
        let space = match self.directive()? {
            "reg" => StateSpace::Reg,
            "global" => StateSpace::Global,
            "const" => StateSpace::Const,
            "shared" | "shared::cta" => StateSpace::Shared,
            "local" => StateSpace::Local,
            "param" => StateSpace::Param,
            _ => return None,
        };
        self.at += 2;
        Some(space)
    }
}
