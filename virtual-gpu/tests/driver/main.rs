//! The driver API on the virtual device, as C sees it and as `cust` does.
//!
//! The tests run side by side on one machine, the virtual one unless `VIRTUAL_GPU` says otherwise.
//! Each has a context of its own. What holds of a real device too runs there as it does here, so
//! that `VIRTUAL_GPU=off` shows whether the virtual device answers as NVIDIA's driver does; where
//! it alone is meant (work is done lazily, handles of nothing are errors) the test says so and
//! leaves the rest out.

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
mod streams;
mod support;
mod through_cust;
mod user_objects;
