//! A whole text: its target, its variables, its kernels.

use std::collections::HashMap;

use super::body::lower_kernel;
use super::budget::Budget;
use super::error::LoadError;
use super::names::{Variable, VariableAddress};
use super::space::{Limits, Room, is_dynamic};
use super::variables::{self, Layout};
use crate::config::DeviceConfig;
use crate::memory::{Memory, MemoryError};
use crate::program::{AddressSpace, Program, kernel_address};
use crate::ptx::Problem;
use crate::ptx::ast::{self, Function, FunctionKind, Linkage, Module, StateSpace};

/// The names that are visible in every function of a module.
pub(super) struct ModuleNames<'a> {
    pub globals: HashMap<&'a str, Variable>,
    /// Shared variables that are declared outside functions. Each kernel that uses such a variable has its own copy.
    pub shared: HashMap<&'a str, &'a ast::Variable<'a>>,
    pub functions: HashMap<&'a str, &'a Function<'a>>,
    /// Kernels by name: their indices in the order of the text.
    pub kernels: HashMap<&'a str, usize>,
    pub limits: Limits,
}

impl ModuleNames<'_> {
    /// The address of a variable in global memory, or of a kernel.
    pub(super) fn address(&self, name: &str) -> Option<u64> {
        match self.globals.get(name) {
            Some(variable) => match variable.address {
                VariableAddress::Known(address) => Some(address),
                VariableAddress::DynamicShared => None,
            },
            None => self.kernels.get(name).copied().map(kernel_address),
        }
    }
}

/// A lowered text.
pub(crate) struct Lowered {
    pub kernels: Vec<(Program, ast::Limits)>,
    /// Name, address and size of each variable in global memory.
    pub variables: Vec<(String, u64, u64)>,
}

/// Lowers a parsed text, and places its variables in `memory`. `problems` are those that the parser found. If this fails, nothing stays
/// allocated.
pub(crate) fn lower(
    module: &Module<'_>,
    mut problems: Vec<Problem>,
    device: &DeviceConfig,
    memory: &Memory,
) -> Result<Lowered, LoadError> {
    check_target(module, device, &mut problems)?;
    let mut names = ModuleNames {
        globals: HashMap::new(),
        shared: HashMap::new(),
        functions: HashMap::new(),
        kernels: kernels(module).map(|f| f.name).zip(0..).collect(),
        limits: Limits::new(module.version, device),
    };
    let placed = place_variables(module, &mut names, memory, &mut problems);
    let outcome = placed.map(|()| lower_kernels(module, &mut names, &mut problems));
    let known = |variable: &Variable| match variable.address {
        VariableAddress::Known(address) => address,
        VariableAddress::DynamicShared => 0,
    };
    let variables: Vec<(String, u64, u64)> = names
        .globals
        .iter()
        .map(|(name, v)| ((*name).to_owned(), known(v), v.bytes))
        .collect();
    let failure = match outcome {
        Ok(kernels) if problems.is_empty() => return Ok(Lowered { kernels, variables }),
        Ok(_) => {
            problems.sort_by_key(|problem| problem.line);
            problems.dedup();
            LoadError::Invalid(problems)
        }
        Err(error) => error.into(),
    };
    for (_, address, _) in variables {
        memory.free(address)?;
    }
    Err(failure)
}

/// The kernels of a text, in the order of the text.
fn kernels<'a>(module: &'a Module<'a>) -> impl Iterator<Item = &'a Function<'a>> {
    let is_kernel = |f: &&Function<'_>| f.kind == FunctionKind::Entry && f.body.is_some();
    module.functions.iter().filter(is_kernel)
}

fn check_target(
    module: &Module<'_>,
    device: &DeviceConfig,
    problems: &mut Vec<Problem>,
) -> Result<(), LoadError> {
    if module.address_size.is_some_and(|size| size != 64) {
        problems.push(Problem {
            line: module.address_size_line,
            what: "addresses of 32 bits are not supported".into(),
        });
    }
    let mut problem = |what: String| {
        problems.push(Problem {
            line: module.target_line.max(1),
            what,
        });
    };
    let Some(target) = module.target.first() else {
        problem("no `.target`".into());
        return Ok(());
    };
    let name = target.strip_prefix("sm_").unwrap_or("");
    let digits = name.strip_suffix(['a', 'f']).unwrap_or(name);
    let Ok(number) = digits.parse::<u32>() else {
        problem(format!("the target `{target}` is not known"));
        return Ok(());
    };
    let (major, minor) = device.compute_capability;
    let own = major * 10 + minor;
    let fits = match name.strip_prefix(digits) {
        // `sm_90a` runs only on compute capability 9.0.
        Some("a") => number == own,
        // `sm_100f` runs on 10.0 and later members of its family.
        Some("f") => number <= own && number / 10 == major,
        _ => number <= own,
    };
    match fits {
        true => Ok(()),
        false => Err(LoadError::NoBinaryForDevice {
            target: (*target).to_owned(),
            device: device.compute_capability,
        }),
    }
}

/// Places and initialises the module's variables in global memory, and records its shared variables.
fn place_variables<'a>(
    module: &'a Module<'a>,
    names: &mut ModuleNames<'a>,
    memory: &Memory,
    problems: &mut Vec<Problem>,
) -> Result<(), MemoryError> {
    let mut placed = Vec::new();
    let mut constants = Room::of_constants();
    for variable in &module.variables {
        let checked = match variable.space {
            StateSpace::Shared => add_shared(variable, names).map(|()| None),
            _ => check_global(variable, names, &mut constants).map(Some),
        };
        match checked {
            Ok(None) => {}
            Ok(Some((layout, space))) => {
                let address = memory.alloc_zeros(layout.bytes)?;
                let entity = Variable {
                    space,
                    address: VariableAddress::Known(address),
                    bytes: layout.bytes,
                };
                names.globals.insert(variable.name, entity);
                placed.push((variable, layout, address));
            }
            Err(what) => problems.push(problem(variable, what)),
        }
    }
    // Initialisers come last, because they may contain addresses of other variables.
    for (variable, layout, address) in placed {
        match variables::contents(variable, layout, names) {
            Ok(bytes) => memory.write(address, &bytes)?,
            Err(what) => problems.push(problem(variable, what)),
        }
    }
    Ok(())
}

fn problem(variable: &ast::Variable<'_>, what: String) -> Problem {
    let line = variable.line;
    Problem { line, what }
}

/// Records a shared variable, which is placed in each kernel that uses it.
fn add_shared<'a>(
    variable: &'a ast::Variable<'a>,
    names: &mut ModuleNames<'a>,
) -> Result<(), String> {
    if !is_dynamic(variable) {
        let layout = variables::layout(variable)?;
        names.limits.check_shared(variable.name, layout)?;
    }
    names.shared.insert(variable.name, variable);
    Ok(())
}

/// Checks a variable in global memory. Returns its layout and its space.
fn check_global(
    variable: &ast::Variable<'_>,
    names: &ModuleNames<'_>,
    constants: &mut Room,
) -> Result<(Layout, AddressSpace), String> {
    let name = variable.name;
    if variable.linkage == Linkage::Extern {
        return Err(format!(
            "`{name}` is defined in another module: linking is not supported"
        ));
    }
    let layout = variables::layout(variable)?;
    if names.globals.contains_key(name) {
        return Err(format!("`{name}` is defined twice"));
    }
    match variable.space {
        StateSpace::Global => Ok((layout, AddressSpace::Global)),
        StateSpace::Const => {
            constants.take(name, layout)?;
            Ok((layout, AddressSpace::Constant))
        }
        _ => Err("such a variable outside a function".into()),
    }
}

fn lower_kernels<'a>(
    module: &'a Module<'a>,
    names: &mut ModuleNames<'a>,
    problems: &mut Vec<Problem>,
) -> Vec<(Program, ast::Limits)> {
    for function in &module.functions {
        if function.body.is_some() && names.functions.insert(function.name, function).is_some() {
            problems.push(Problem {
                line: function.line,
                what: format!("`{}` is defined twice", function.name),
            });
        }
    }
    let mut budget = Budget::new();
    let mut lowered = Vec::new();
    for function in kernels(module) {
        let program = lower_kernel(names, function, &mut budget, problems);
        lowered.push((program, function.limits));
        if let Some(what) = budget.problem() {
            let line = function.line;
            problems.push(Problem { line, what });
            break;
        }
    }
    lowered
}
