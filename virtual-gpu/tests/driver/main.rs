//! The driver API on the virtual device, as C sees it and as `cust` does.
//!
//! The tests run side by side on one virtual machine. Each has a context of its own.

mod capture;
mod contexts;
mod events;
mod failures;
mod faults;
mod kernels;
mod memory;
mod modules;
mod raw;
mod streams;
mod through_cust;
