//! Parses declarations with their initialisers: `.shared .align 4 .b8 name[256];`, `.reg .b32 %r<5>;`, `.param .u64 name`.

use super::ast::{Array, Initial, Linkage, StateSpace, Variable};
use super::lex::Kind;
use super::parse::{Parsed, Parser};

/// The greatest depth of nested braces in an initialiser.
const MAX_DEPTH: u32 = 8;

/// The part that all names of a declaration share.
struct Prefix<'a> {
    align: Option<u64>,
    vector: u64,
    ty: &'a str,
}

impl<'a> Parser<'a, '_> {
    /// Parses the rest of a declaration: from after its state space up to and including its `;`.
    pub(super) fn variables(
        &mut self,
        linkage: Linkage,
        space: StateSpace,
    ) -> Parsed<Vec<Variable<'a>>> {
        let prefix = self.prefix()?;
        let mut variables = Vec::new();
        loop {
            variables.push(self.variable(linkage, space, &prefix)?);
            if !self.accept(b',') {
                break;
            }
        }
        self.expect(b';')?;
        Ok(variables)
    }

    /// Parses the rest of a formal parameter, from after its state space.
    pub(super) fn formal(&mut self, space: StateSpace) -> Parsed<Variable<'a>> {
        let prefix = self.prefix()?;
        self.variable(Linkage::Internal, space, &prefix)
    }

    fn prefix(&mut self) -> Parsed<Prefix<'a>> {
        let (mut align, mut vector, mut ty) = (None, 1, None);
        while let Some(word) = self.directive() {
            self.advance();
            self.advance();
            match word {
                "align" => {
                    let value = self.integer()?;
                    // An alignment after `.ptr` belongs to the memory that the pointer refers to, not to the parameter.
                    if ty.is_none() {
                        align = Some(value);
                    }
                }
                "v2" => vector = 2,
                "v4" => vector = 4,
                "ptr" | "global" | "shared" | "local" | "const" | "attribute" => {}
                _ => ty = Some(word),
            }
        }
        match ty {
            Some(ty) => Ok(Prefix { align, vector, ty }),
            None => self.wrong("a type"),
        }
    }

    fn variable(
        &mut self,
        linkage: Linkage,
        space: StateSpace,
        prefix: &Prefix<'a>,
    ) -> Parsed<Variable<'a>> {
        let line = self.line();
        let name = self.word()?;
        let range = match self.accept(b'<') {
            false => None,
            true => {
                let count = self.integer()?;
                self.expect(b'>')?;
                Some(count)
            }
        };
        let mut array = self.array()?;
        let mut initializer = Vec::new();
        if self.accept(b'=') {
            self.initializer(&mut initializer, 0)?;
            if array == Array::Unsized {
                array = Array::Sized(initializer.len() as u64);
            }
        }
        Ok(Variable {
            line,
            linkage,
            space,
            align: prefix.align,
            ty: prefix.ty,
            vector: prefix.vector,
            name,
            range,
            array,
            initializer,
        })
    }

    fn initializer(&mut self, to: &mut Vec<Initial<'a>>, depth: u32) -> Parsed<()> {
        if !self.is(b'{') {
            to.push(self.initial()?);
            return Ok(());
        }
        if depth == MAX_DEPTH {
            return self.wrong("fewer braces within braces");
        }
        self.advance();
        while !self.is(b'}') {
            self.initializer(to, depth + 1)?;
            if !self.accept(b',') {
                break;
            }
        }
        self.expect(b'}')
    }

    fn initial(&mut self) -> Parsed<Initial<'a>> {
        if self.token().kind != Kind::Word {
            return Ok(Initial::Number(self.number()?));
        }
        let mut name = self.word()?;
        if name == "generic" && self.accept(b'(') {
            name = self.word()?;
            self.expect(b')')?;
        }
        let offset = match self.accept(b'+') || self.is(b'-') {
            true => self.signed()?,
            false => 0,
        };
        Ok(Initial::Symbol { name, offset })
    }

    fn array(&mut self) -> Parsed<Array> {
        let mut array = Array::Single;
        while self.accept(b'[') {
            if self.accept(b']') {
                array = Array::Unsized;
                continue;
            }
            let count = self.integer()?;
            self.expect(b']')?;
            array = match array {
                Array::Single => Array::Sized(count),
                Array::Sized(outer) => Array::Sized(outer.saturating_mul(count)),
                Array::Unsized => Array::Unsized,
            };
        }
        Ok(array)
    }
}
