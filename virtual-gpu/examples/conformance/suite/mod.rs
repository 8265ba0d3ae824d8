//! Generated kernels: random kernels, and a kernel for each form of an instruction.

pub mod case;
pub mod catalogue;
pub mod compound;
pub mod generate;
pub mod hidden;
pub mod kernel;
pub mod kind;
pub mod memory_ops;
pub mod random;
pub mod record;
pub mod table;
pub mod virtual_machine;
