//! Builds the program of one kernel: turns statements into instructions, and assigns registers,
//! constants, labels and memory.

use std::collections::HashMap;

use super::budget::{Budget, MAX_INSTRUCTIONS, MAX_PROBLEMS, MAX_REGISTERS};
use super::calls::Call;
use super::module::ModuleNames;
use super::names::{Entity, Label, Range, Scope, Variable};
use super::opcode::Opcode;
use super::space::Room;
use super::types::{Kind, Type};
use super::{dispatch, order, sharing};
use crate::counters::Class;
use crate::program::{
    AddressSpace, CONSTANT, Instruction, LANES, Op, Parameter, Pred, PredSource, Program, Reg,
    SourceLine,
};
use crate::ptx::Problem;
use crate::ptx::ast::{self, Function, Sense, StateSpace, Statement};

pub(super) struct Body<'a, 'm> {
    pub(super) module: &'m ModuleNames<'a>,
    problems: &'m mut Vec<Problem>,
    pub(super) budget: &'m mut Budget,
    code: Vec<Instruction>,
    places: Vec<SourceLine>,
    guard: PredSource,
    scopes: Vec<Scope<'a>>,
    /// The function that is being lowered does not see scopes below this index: they belong to its callers.
    pub(super) first_scope: usize,
    /// For each label, the index of its instruction, once the index is known.
    labels: Vec<Option<u32>>,
    constants: Vec<u64>,
    constant_of: HashMap<u64, Reg>,
    /// The constant that holds the start of dynamic shared memory.
    dynamic_shared: Option<Reg>,
    /// The register of the condition code.
    condition_code: Option<Reg>,
    register_count: u32,
    predicate_count: u32,
    pub(super) shared: Room,
    pub(super) shared_variables: HashMap<&'a str, Variable>,
    pub(super) local: Room,
    /// The calls that are being expanded, outermost first.
    pub(super) calls: Vec<Call<'a>>,
    /// The number of calls that were expanded so far.
    pub(super) calls_written: u32,
}

/// Makes the program of a kernel. Problems are added to the list. If any are added, or if the budget is used up, the program must not be
/// used.
pub(super) fn lower_kernel<'a>(
    module: &ModuleNames<'a>,
    function: &'a Function<'a>,
    budget: &mut Budget,
    problems: &mut Vec<Problem>,
) -> Program {
    let mut body = Body {
        module,
        problems,
        budget,
        code: Vec::new(),
        places: Vec::new(),
        guard: PredSource::TRUE,
        scopes: vec![Scope::default()],
        first_scope: 0,
        labels: Vec::new(),
        constants: Vec::new(),
        constant_of: HashMap::new(),
        dynamic_shared: None,
        condition_code: None,
        register_count: 0,
        predicate_count: 1,
        shared: Room::of_shared(&module.limits),
        shared_variables: HashMap::new(),
        local: Room::of_locals(),
        calls: Vec::new(),
        calls_written: 0,
    };
    let parameters = body.kernel_parameters(function);
    body.statements(function.body.as_deref().unwrap_or(&[]));
    body.at(function.line, "the end of the body");
    body.emit(Op::Exit, Class::Control);
    if body.register_count > MAX_REGISTERS {
        let (name, count) = (function.name, body.register_count);
        let what = format!("`{name}` has {count} registers; {MAX_REGISTERS} are supported");
        body.problem(function.line, what);
    }
    body.finish(function.name, parameters)
}

impl<'a> Body<'a, '_> {
    pub(super) fn problem(&mut self, line: u32, what: String) {
        let what = match self.problems.len() {
            MAX_PROBLEMS => "more problems, which are not listed".into(),
            listed if listed > MAX_PROBLEMS => return,
            _ => what,
        };
        self.problems.push(Problem { line, what });
    }

    /// Sets the place in the text for the next instructions.
    fn at(&mut self, line: u32, text: &str) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        self.places.push(SourceLine { line, text });
    }

    pub(super) fn statements(&mut self, statements: &'a [Statement<'a>]) {
        if !self.budget.spend(statements.len()) {
            return;
        }
        self.scopes.push(Scope::default());
        for statement in statements {
            match statement {
                Statement::Label(name, line) => {
                    let label = self.new_label();
                    if self.scope().names.contains_key(name) {
                        self.problem(*line, format!("`{name}` is defined twice"));
                    }
                    self.define(name, Entity::Label(label));
                }
                Statement::BranchTargets { label, targets } => {
                    self.define(label, Entity::Targets(targets));
                }
                _ => {}
            }
        }
        for statement in statements {
            match statement {
                Statement::Label(name, _) => {
                    if let Some(Entity::Label(label)) = self.scope().names.get(name) {
                        self.place_label(*label);
                    }
                }
                Statement::BranchTargets { .. } => {}
                Statement::Block(inner) => self.statements(inner),
                Statement::Variable(variable) => {
                    if let Err(what) = self.declare(variable) {
                        self.problem(variable.line, what);
                    }
                }
                Statement::Instruction(instruction) => {
                    if let Err(what) = self.instruction(instruction) {
                        self.problem(instruction.line, what);
                    }
                }
            }
        }
        self.scopes.pop();
    }

    fn instruction(&mut self, instruction: &'a ast::Instruction<'a>) -> Result<(), String> {
        if self.code.len() > MAX_INSTRUCTIONS {
            // An earlier instruction exceeded the limit, and was reported.
            return Ok(());
        }
        self.at(instruction.line, instruction.text);
        self.guard = match &instruction.guard {
            None => PredSource::TRUE,
            Some(guard) => self.predicate(guard.predicate, guard.sense)?,
        };
        let mut opcode = Opcode::new(&instruction.opcode);
        let done = dispatch::lower(self, &mut opcode, &instruction.operands);
        self.guard = PredSource::TRUE;
        done?;
        opcode.finish()?;
        match self.code.len() > MAX_INSTRUCTIONS {
            true => Err(format!(
                "more than {MAX_INSTRUCTIONS} instructions, calls written out"
            )),
            false => Ok(()),
        }
    }

    /// Adds an instruction with the current guard.
    pub(super) fn emit(&mut self, op: Op, class: Class) {
        self.code.push(Instruction {
            op,
            guard: self.guard,
            class,
            place: self.places.len() as u32 - 1,
        });
    }

    pub(super) fn guard(&self) -> PredSource {
        self.guard
    }

    pub(super) fn set_guard(&mut self, guard: PredSource) {
        self.guard = guard;
    }

    pub(super) fn new_label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() as u32 - 1)
    }

    pub(super) fn place_label(&mut self, label: Label) {
        self.labels[label.0 as usize] = Some(self.code.len() as u32);
    }

    fn scope(&self) -> &Scope<'a> {
        &self.scopes[self.scopes.len() - 1]
    }

    fn scope_mut(&mut self) -> &mut Scope<'a> {
        let last = self.scopes.len() - 1;
        &mut self.scopes[last]
    }

    pub(super) fn push_scope(&mut self) -> usize {
        self.scopes.push(Scope::default());
        self.scopes.len() - 1
    }

    pub(super) fn pop_scope(&mut self) {
        self.scopes.pop();
    }

    pub(super) fn define(&mut self, name: &'a str, entity: Entity<'a>) {
        self.scope_mut().names.insert(name, entity);
    }

    /// The meaning of a name in the current scopes. If the scopes do not define the name, the result is the module's variable of this name.
    /// If the module has no such variable, the result is `None`.
    pub(super) fn find(&mut self, name: &'a str) -> Option<Entity<'a>> {
        for index in (self.first_scope..self.scopes.len()).rev() {
            if let Some(entity) = self.scopes[index].names.get(name) {
                return Some(entity.clone());
            }
            if let Some(ty) = self.scopes[index].in_range(name) {
                let entity = self.new_entity(ty);
                self.scopes[index].names.insert(name, entity.clone());
                return Some(entity);
            }
        }
        if let Some(variable) = self.module.globals.get(name) {
            return Some(Entity::Variable(*variable));
        }
        self.find_shared(name).map(Entity::Variable)
    }

    fn new_entity(&mut self, ty: Type) -> Entity<'a> {
        match ty.kind {
            Kind::Predicate => Entity::Predicate(self.new_predicate()),
            // Two registers, the lower half first.
            _ if ty.bits == 128 => {
                let low = self.new_register();
                self.new_register();
                Entity::Register(low, ty)
            }
            _ => Entity::Register(self.new_register(), ty),
        }
    }

    pub(super) fn new_register(&mut self) -> Reg {
        self.register_count += 1;
        Reg(self.register_count - 1)
    }

    pub(super) fn new_predicate(&mut self) -> Pred {
        self.predicate_count += 1;
        Pred(self.predicate_count - 1)
    }

    pub(super) fn constant(&mut self, value: u64) -> Reg {
        let next = Reg(self.constants.len() as u32 | CONSTANT);
        let reg = *self.constant_of.entry(value).or_insert(next);
        if reg == next {
            self.constants.push(value);
        }
        reg
    }

    /// The register of the condition code. One register is enough, because calls are expanded in place.
    pub(super) fn condition_code(&mut self) -> Reg {
        let reg = match self.condition_code {
            Some(reg) => reg,
            None => self.new_register(),
        };
        self.condition_code = Some(reg);
        reg
    }

    /// The constant with the start of dynamic shared memory.
    pub(super) fn dynamic_shared(&mut self) -> Reg {
        let next = Reg(self.constants.len() as u32 | CONSTANT);
        let reg = *self.dynamic_shared.get_or_insert(next);
        if reg == next {
            self.constants.push(0);
        }
        reg
    }

    fn declare(&mut self, declared: &'a ast::Variable<'a>) -> Result<(), String> {
        let entity = match declared.space {
            StateSpace::Reg => {
                let ty = Type::parse(declared.ty).filter(|_| declared.vector == 1);
                let Some(ty) = ty else {
                    return Err(format!(
                        "registers of type `.{}` are not supported",
                        declared.ty
                    ));
                };
                if let Some(count) = declared.range {
                    self.scope_mut()
                        .ranges
                        .insert(declared.name, Range { count, ty });
                    return Ok(());
                }
                self.new_entity(ty)
            }
            StateSpace::Local => Entity::Variable(self.place_local(declared, AddressSpace::Local)?),
            StateSpace::Param => {
                Entity::Variable(self.place_local(declared, AddressSpace::CallParam)?)
            }
            StateSpace::Shared => Entity::Variable(self.place_shared(declared)?),
            StateSpace::Global | StateSpace::Const => {
                return Err("a global variable inside a function is not supported".into());
            }
        };
        self.define(declared.name, entity);
        Ok(())
    }

    /// A predicate by name.
    pub(super) fn predicate(&mut self, name: &'a str, sense: Sense) -> Result<PredSource, String> {
        match self.find(name) {
            Some(Entity::Predicate(pred)) => Ok(PredSource {
                pred,
                flip: if sense == Sense::Negated { u32::MAX } else { 0 },
            }),
            Some(_) => Err(format!("`{name}` is not a predicate")),
            None => Err(format!("`{name}` is not declared")),
        }
    }

    fn finish(mut self, name: &str, parameters: Vec<Parameter>) -> Program {
        // Dynamic shared memory starts after the kernel's other shared memory, aligned for every type.
        let shared_bytes = match self.dynamic_shared {
            Some(reg) => {
                let start = self.shared.taken().next_multiple_of(16);
                self.constants[(reg.0 & !CONSTANT) as usize] = start;
                start
            }
            None => self.shared.taken(),
        };
        let end = self.code.len() as u32 - 1;
        let resolve = |label: &mut u32| {
            *label = self.labels[*label as usize].unwrap_or(end).min(end);
        };
        for instruction in &mut self.code {
            match &mut instruction.op {
                Op::Branch { target } => resolve(target),
                Op::Switch { targets, .. } => targets.iter_mut().for_each(resolve),
                _ => {}
            }
        }
        let leaders = order::leaders(&self.code);
        let graph = order::Graph::new(&self.code, &leaders);
        let row_count = sharing::share_rows(&mut self.code, &graph, self.register_count);
        Program {
            name: name.to_owned(),
            instructions: self.code,
            ranks: order::ranks(&graph),
            leaders,
            places: self.places,
            constants: self.constants.iter().map(|&value| [value; LANES]).collect(),
            register_count: self.register_count,
            row_count,
            predicate_count: self.predicate_count,
            parameters,
            static_shared_bytes: shared_bytes as u32,
            local_bytes: self.local.taken().next_multiple_of(16) as u32,
        }
    }
}
