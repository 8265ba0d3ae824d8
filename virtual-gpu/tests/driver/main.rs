//! The driver API on the virtual device, called as from C, and through `cust`.
//!
//! The tests of a process run side by side on one machine: the virtual machine, unless `VIRTUAL_GPU` says otherwise. Most tests create
//! their own context. With `VIRTUAL_GPU=off` they run on a real device, which shows whether the virtual device behaves like NVIDIA's
//! driver. Parts that only hold on the virtual device, such as errors for stale handles, are skipped on a real device, with a message.

mod capture;
mod contexts;
mod devices;
mod events;
mod failures;
mod faults;
mod findings;
mod graphs;
mod handles;
mod kernels;
mod launches;
#[path = "../support/launching.rs"]
mod launching;
mod linking;
mod memory;
mod modules;
mod pools;
mod races;
mod raw;
mod rows;
mod setup;
mod spins;
mod streams;
mod support;
mod through_cust;
mod user_objects;
