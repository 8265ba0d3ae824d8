#![doc = include_str!("../README.md")]
//!
//! # The API
//!
//! * [`Memory`] is the global memory of a device.
//! * [`Module::load`] reads a PTX text, and reports unsupported features ([`LIMITS`]).
//! * [`Kernel::launch`] runs a kernel and returns its [`Counters`], or the [`Fault`] that stopped it.
//! * [`RunOptions`] say how a kernel runs: the schedule ([`Policy`] and seed), the [`Checks`], the budget of warp instructions, and whether
//!   the launch may begin before earlier work has ended ([`Dependence`]).
//! * [`driver`] is the CUDA driver API on virtual devices. [`VARIABLES`] and [`start`] configure it,
//!   [`inject`] makes its calls fail, [`last_fault`] says why a kernel was stopped.

#![warn(clippy::missing_errors_doc)]

mod admission;
mod alu;
mod checks;
mod config;
mod counters;
pub mod driver;
mod exec;
mod fault;
mod float;
mod launch;
mod limits;
mod lower;
mod memory;
mod module;
mod program;
mod ptx;
mod schedule;
mod variables;

pub use admission::LaunchError;
pub use config::{Checks, Dependence, DeviceConfig, RunOptions, Shape, Switch, WARP_LANES};
pub use counters::{CLASS_COUNT, Class, Counters};
pub use driver::{Live, Mode, ModeError, Settings, inject, last_fault, live, mode, start};
pub use fault::{
    AccessKind, Conflict, Doer, Extent, Fault, FaultKind, Near, Side, Space, StreamKind,
    StreamName, StreamRace, StreamSide, ThreadPlace,
};
pub use limits::{LIMITS, Limit};
pub use lower::LoadError;
pub use memory::{ALLOCATION_ALIGN, Memory, MemoryError};
pub use module::{Kernel, Module, Variable};
pub use program::Parameter;
pub use ptx::Problem;
pub use schedule::Policy;
pub use variables::{EnvVariable, VARIABLES};
