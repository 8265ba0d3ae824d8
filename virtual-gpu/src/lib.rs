//! A CUDA device in Rust: it reads PTX and runs it, checking and counting as it goes.
//!
//! The crate knows nothing of any particular kernel: it would run anyone's PTX.
//!
//! * [`Memory`] is the global memory of a device.
//! * [`Module::load`] reads a PTX text; everything that is not supported is reported then.
//! * [`Kernel::launch`] runs a kernel and gives back its [`Counters`], or the [`Fault`] that
//!   stopped it.
//! * [`RunOptions`] say how: under which schedule ([`Policy`], a seed), with which [`Checks`], and
//!   whether it may begin before the work before it has ended ([`Dependence`]).
//! * [`driver`] is the CUDA driver API on such a device: a program that names this crate gets its
//!   `cu*` symbols, which hand each call on to the real driver where there is one.

mod alu;
mod checks;
mod config;
mod counters;
pub mod driver;
mod exec;
mod fault;
mod float;
mod launch;
mod lower;
mod memory;
mod module;
mod program;
mod ptx;
mod schedule;

pub use checks::{
    Checks, Doer, StreamKind, StreamName, StreamRace, StreamSide, Switch, ThreadPlace,
};
pub use config::{DeviceConfig, RunOptions, WARP_LANES};
pub use counters::{CLASS_COUNT, Class, Counters};
pub use driver::{Live, Mode, ModeError, Settings, inject, last_fault, live, mode, start};
pub use fault::{AccessKind, Conflict, Extent, Fault, FaultKind, Near, Side, Space};
pub use launch::{Dependence, LaunchError, Shape};
pub use memory::{ALLOCATION_ALIGN, Memory, MemoryError};
pub use module::{Kernel, LoadError, Module, Parameter, Problem, Variable};
pub use schedule::Policy;
