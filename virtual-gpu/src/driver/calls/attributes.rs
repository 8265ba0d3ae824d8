//! `cuDeviceGetAttribute`: the properties of a device.
//!
//! Clock rates, bus widths and cache sizes are not modelled, so their values are invented. Attributes that this table does not list are 0.

use crate::WARP_LANES;
use crate::driver::abi::Out;
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::machine::{Device, machine};

/// The highest number of an attribute in CUDA 13.5.
const HIGHEST: i32 = 161;

pub(crate) fn attribute(value: Out<i32>, attribute: i32, device: i32) -> Outcome {
    let machine = machine()?;
    let device = machine.device(device)?;
    if !(1..=HIGHEST).contains(&attribute) {
        return Err(Code::INVALID_VALUE);
    }
    value.write(value_of(attribute, device))
}

fn value_of(attribute: i32, device: &Device) -> i32 {
    let config = &device.config;
    let (major, minor) = config.compute_capability;
    let value = match attribute {
        1 => config.max_threads_per_block,
        2 => config.max_block_dim[0],
        3 => config.max_block_dim[1],
        4 => config.max_block_dim[2],
        5 => config.max_grid_dim[0],
        6 => config.max_grid_dim[1],
        7 => config.max_grid_dim[2],
        8 => config.shared_bytes_per_block,
        9 => 64 << 10,         // constant memory
        10 => WARP_LANES,      // warp size
        11 => i32::MAX as u32, // pitch
        12 => config.registers_per_block,
        13 => 1_000_000, // clock rate in kHz
        14 => 512,       // texture alignment
        15 => 1,         // copies overlap with kernels
        16 => config.multiprocessors,
        19 => 1,                                  // kernels reach pinned host memory
        31 => 1,                                  // concurrent kernels
        33 => device.ordinal.cast_unsigned() + 1, // PCI bus
        36 => 1_000_000,                          // memory clock rate in kHz
        37 => 1024,                               // width of the memory bus
        38 => 4 << 20,                            // L2 cache
        39 => config.max_threads_per_multiprocessor,
        40 => 1,  // copy engines
        41 => 1,  // unified addressing
        51 => 32, // texture pitch alignment
        75 => major,
        76 => minor,
        78 => 1,      // stream priorities
        79 | 80 => 1, // global and local memory are cached in L1
        81 => config.shared_bytes_per_multiprocessor,
        82 => config.registers_per_multiprocessor,
        83 => 1, // managed memory
        87 => 2, // ratio of speeds, single to double precision
        89 => 1, // the host may use managed memory while kernels run
        90 => 1, // compute preemption
        95 => 1, // cooperative launches
        97 => config.shared_bytes_per_block_optin,
        99 => 1, // host registration
        106 => config.max_blocks_per_multiprocessor,
        111 => config.reserved_shared_bytes_per_block,
        115 => 1, // stream-ordered allocation
        _ => 0,
    };
    i32::try_from(value).unwrap_or(i32::MAX)
}
