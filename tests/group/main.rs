//! Several GPUs that work together. The results equal those of one GPU, bit for bit, for every number of ranks and
//! every division of the items. If a rank fails, makes a different call from the others, leaves or never arrives, each rank gets the right
//! error.
//!
//! In tests with several ranks, the virtual GPU has four devices. With real GPUs, several ranks may share a device. So only the tests over
//! NCCL need more than one GPU.

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
#[path = "../common/skip.rs"]
mod skip;
#[path = "../common/sweep.rs"]
mod sweep;
#[path = "../common/texts.rs"]
mod texts;
