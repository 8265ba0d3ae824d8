//! Several GPUs that work together: the results equal those of one GPU, bit for bit, for every number of ranks and
//! every division of the items; and the errors of each rank when another fails, makes another call, leaves, or never
//! arrives.
//!
//! On the virtual GPU there are four devices. On real GPUs, the ranks take the devices in turn, so every test also runs on one.

#![forbid(unsafe_code)]

mod bits;
#[path = "../common/child.rs"]
mod child;
#[path = "../common/data.rs"]
#[allow(dead_code, reason = "used in part")]
mod data;
#[path = "../common/device.rs"]
#[allow(dead_code, reason = "used in part")]
mod device;
mod faults;
mod host_slices;
mod injected;
mod processes;
mod ranks;
#[path = "../common/sweep.rs"]
mod sweep;
#[path = "../common/texts.rs"]
mod texts;
