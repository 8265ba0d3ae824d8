//! The memory spaces of a text: the limits on declared variables, and the places of parameters, local variables and shared variables.
//!
//! The limits are `ptxas`'s, except that the device's configuration limits shared memory. Sums saturate, so huge declarations do not
//! overflow. A declaration beyond the limit is reported, and checking continues as if the memory were exactly full.

use super::body::Body;
use super::names::{Entity, Variable, VariableAddress};
use super::variables::{self, Layout};
use crate::config::DeviceConfig;
use crate::program::{AddressSpace, Parameter};
use crate::ptx::ast::{self, Array, Function, Linkage};

/// The most bytes that all `.const` variables of a text may have together.
const MAX_CONSTANT_BYTES: u64 = 64 << 10;
/// The most bytes of local memory that a kernel and the functions that it calls may declare together. Every device has at least this much
/// local memory for each thread.
const MAX_LOCAL_BYTES: u64 = 512 << 10;
/// The most bytes that the parameters of a kernel may have together. The next two constants are the first version of PTX with this limit,
/// and the limit of older versions.
const MAX_PARAMETER_BYTES: u64 = 32_764;
const LARGE_PARAMETERS: (u32, u32) = (8, 1);
const OLD_MAX_PARAMETER_BYTES: u64 = 4352;

/// The limits of one text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    shared_bytes: u64,
    parameter_bytes: u64,
}

impl Limits {
    pub(super) fn new(version: Option<(u32, u32)>, device: &DeviceConfig) -> Self {
        let is_old = version.is_some_and(|version| version < LARGE_PARAMETERS);
        Self {
            shared_bytes: device.shared_bytes_per_block.into(),
            parameter_bytes: match is_old {
                true => OLD_MAX_PARAMETER_BYTES,
                false => MAX_PARAMETER_BYTES,
            },
        }
    }

    /// Refuses a shared variable that is declared outside functions, if it alone exceeds the limit.
    pub(super) fn check_shared(&self, name: &str, layout: Layout) -> Result<(), String> {
        Room::new("shared memory", self.shared_bytes)
            .take(name, layout)
            .map(drop)
    }
}

/// One kind of memory, and how many of its bytes are taken.
#[derive(Debug)]
pub(super) struct Room {
    what: &'static str,
    taken: u64,
    limit: u64,
}

impl Room {
    fn new(what: &'static str, limit: u64) -> Self {
        let taken = 0;
        Self { what, taken, limit }
    }

    /// Room for the `.const` variables of a text.
    pub(super) fn of_constants() -> Self {
        Self::new("constant memory", MAX_CONSTANT_BYTES)
    }

    /// Room in the local memory of a thread.
    pub(super) fn of_locals() -> Self {
        Self::new("local memory", MAX_LOCAL_BYTES)
    }

    /// Room in the shared memory of a block.
    pub(super) fn of_shared(limits: &Limits) -> Self {
        Self::new("shared memory", limits.shared_bytes)
    }

    /// Bytes that are taken.
    pub(super) fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes room for a variable after the previous variables, and returns its offset.
    pub(super) fn take(&mut self, name: &str, layout: Layout) -> Result<u64, String> {
        let offset = self.taken.checked_next_multiple_of(layout.align);
        let offset = offset.unwrap_or(u64::MAX);
        let end = offset.saturating_add(layout.bytes);
        self.taken = end.min(self.limit);
        if end <= self.limit {
            return Ok(offset);
        }
        let (bytes, what, limit) = (layout.bytes, self.what, self.limit);
        Err(match bytes == end {
            true => format!("`{name}` has {bytes} bytes of {what}, of which there are {limit}"),
            false => format!(
                "`{name}` of {bytes} bytes takes the {what} to {end} bytes, of which there are {limit}"
            ),
        })
    }
}

impl<'a> Body<'a, '_> {
    pub(super) fn kernel_parameters(&mut self, function: &'a Function<'a>) -> Vec<Parameter> {
        let mut parameters = Vec::new();
        let mut room = Room::new("parameters", self.module.limits.parameter_bytes);
        for formal in &function.params {
            let placed = variables::layout(formal)
                .and_then(|layout| Ok((room.take(formal.name, layout)?, layout)));
            let (offset, layout) = match placed {
                Ok(placed) => placed,
                Err(what) => {
                    self.problem(formal.line, what);
                    continue;
                }
            };
            parameters.push(Parameter {
                offset: offset as u32,
                bytes: layout.bytes as u32,
                align: layout.align as u32,
            });
            let variable = Variable {
                space: AddressSpace::KernelParam,
                address: VariableAddress::Known(offset),
                bytes: layout.bytes,
            };
            self.define(formal.name, Entity::Variable(variable));
        }
        parameters
    }

    /// Places a variable in each thread's own memory.
    pub(super) fn place_local(
        &mut self,
        declared: &ast::Variable<'_>,
        space: AddressSpace,
    ) -> Result<Variable, String> {
        let layout = variables::layout(declared)?;
        let offset = self.local.take(declared.name, layout)?;
        Ok(Variable {
            space,
            address: VariableAddress::Known(offset),
            bytes: layout.bytes,
        })
    }

    pub(super) fn place_shared(
        &mut self,
        declared: &ast::Variable<'_>,
    ) -> Result<Variable, String> {
        if is_dynamic(declared) {
            return Ok(Variable {
                space: AddressSpace::Shared,
                address: VariableAddress::DynamicShared,
                bytes: 0,
            });
        }
        let layout = variables::layout(declared)?;
        let offset = self.shared.take(declared.name, layout)?;
        Ok(Variable {
            space: AddressSpace::Shared,
            address: VariableAddress::Known(offset),
            bytes: layout.bytes,
        })
    }

    /// A shared variable of the module. Its first use in a kernel places it in this kernel's shared memory. If there is no room for the
    /// variable, this is reported once for each kernel, not at every use.
    pub(super) fn find_shared(&mut self, name: &'a str) -> Option<Variable> {
        if let Some(variable) = self.shared_variables.get(name) {
            return Some(*variable);
        }
        let declared = *self.module.shared.get(name)?;
        let variable = self.place_shared(declared).unwrap_or_else(|what| {
            self.problem(declared.line, what);
            Variable {
                space: AddressSpace::Shared,
                address: VariableAddress::Known(0),
                bytes: 0,
            }
        });
        self.shared_variables.insert(name, variable);
        Some(variable)
    }
}

/// Whether a shared variable is the start of dynamic shared memory.
pub(super) fn is_dynamic(declared: &ast::Variable<'_>) -> bool {
    let is_open = matches!(declared.array, Array::Unsized | Array::Sized(0));
    declared.linkage == Linkage::Extern && is_open
}
