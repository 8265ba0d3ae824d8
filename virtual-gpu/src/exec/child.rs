//! Grids launched by kernels: `cudaGetParameterBufferV2` and `cudaLaunchDeviceV2`.
//!
//! Error codes are the CUDA runtime's. As on a real device, a failed launch does not stop the kernel: the call returns a code, and no grid
//! starts. There is one exception: if the check for uninitialised bytes is on, an undefined parameter or operand is a fault, which stops
//! the kernel.

use super::block::Shared;
use super::buffers::Prepared;
use super::machine::{Finding, Machine};
use super::task::{ChildStream, Task};
use super::warp::Warp;
use crate::admission::LaunchError;
use crate::checks::Observer;
use crate::config::Shape;
use crate::fault::FaultKind;
use crate::module::Kernel;
use crate::program::{LaunchGrid, ParameterBuffer, kernel_index, lanes};

/// The greatest depth of nesting. The depth of the host's grid is 0.
const MAX_DEPTH: u32 = 24;

const INVALID_VALUE: u64 = 1;
const INVALID_CONFIGURATION: u64 = 9;
const MAX_DEPTH_EXCEEDED: u64 = 65;
const PENDING_COUNT_EXCEEDED: u64 = 69;
const INVALID_RESOURCE_HANDLE: u64 = 400;

/// The streams with fixed handles: NULL (three handles), tail launch, fire and forget.
const NULL_STREAMS: std::ops::RangeInclusive<u64> = 0..=2;
const TAIL_LAUNCH: u64 = 3;
const FIRE_AND_FORGET: u64 = 4;

/// Why a launch failed: a code that the call returns, or a fault that stops the kernel.
enum Refusal {
    Code(u64),
    Fault(FaultKind),
}

impl Warp {
    /// Allocates a buffer for each lane. A lane gets null if it passes an address that is not a kernel's, or
    /// if memory is short.
    pub(super) fn parameter_buffers<O>(
        &mut self,
        machine: &mut Machine<'_, O>,
        wish: &ParameterBuffer,
        active: u32,
    ) {
        let row = |reg| *self.registers.row(reg);
        let (kernels, shared_bytes) = (row(wish.kernel), row(wish.shared_bytes));
        let (grid, block) = (wish.grid.map(row), wish.block.map(row));
        let mut buffers = [0; 32];
        for lane in lanes(active) {
            let Some(index) = kernel_index(kernels[lane]) else {
                continue;
            };
            let Some(kernel) = machine.kernel.sibling(index) else {
                continue;
            };
            let prepared = Prepared {
                kernel: index,
                shape: Shape {
                    grid: [0, 1, 2].map(|axis| grid[axis][lane] as u32),
                    block: [0, 1, 2].map(|axis| block[axis][lane] as u32),
                    dynamic_shared_bytes: shared_bytes[lane] as u32,
                },
            };
            let (bytes, snapshot) = (kernel.parameter_bytes(), &mut machine.snapshot);
            let buffer = machine.buffers.add(snapshot, bytes, prepared);
            buffers[lane] = buffer.unwrap_or(0);
        }
        self.registers.keep(wish.d, &buffers, active);
    }

    /// Launches a grid from each lane.
    pub(super) fn launch_grids<O: Observer>(
        &mut self,
        machine: &mut Machine<'_, O>,
        shared: &Shared,
        launch: &LaunchGrid,
        active: u32,
    ) -> Result<(), Finding> {
        let [buffers, streams] = [launch.buffer, launch.stream].map(|reg| *self.registers.row(reg));
        let mut codes = [0; 32];
        for lane in lanes(active) {
            let thread = (shared.index, self.id * 32 + lane as u32);
            codes[lane] = match launch_grid(machine, thread, (buffers[lane], streams[lane])) {
                Ok(()) => 0,
                Err(Refusal::Code(code)) => code,
                Err(Refusal::Fault(kind)) => return Err(Finding { kind, lane }),
            };
        }
        self.registers.keep(launch.d, &codes, active);
        Ok(())
    }
}

fn launch_grid<O: Observer>(
    machine: &mut Machine<'_, O>,
    (block, thread): (u64, u32),
    (buffer, stream): (u64, u64),
) -> Result<(), Refusal> {
    let invalid = Refusal::Code(INVALID_VALUE);
    let Some(Prepared { kernel, shape }) = machine.buffers.get(buffer) else {
        return Err(invalid);
    };
    let siblings = machine.kernel.siblings();
    let (Some(compiled), Some(kernel)) = (siblings.get(kernel), machine.kernel.sibling(kernel))
    else {
        return Err(invalid);
    };
    let mut params = vec![0; kernel.parameter_bytes() as usize];
    let checked = kernel.check_launch(&shape, &params, machine.device);
    checked.map_err(|error| match error {
        LaunchError::Grid { .. } | LaunchError::Block { .. } => {
            Refusal::Code(INVALID_CONFIGURATION)
        }
        _ => Refusal::Code(INVALID_VALUE),
    })?;
    if !NULL_STREAMS.contains(&stream) && stream != TAIL_LAUNCH && stream != FIRE_AND_FORGET {
        return Err(Refusal::Code(INVALID_RESOURCE_HANDLE));
    }
    // A tail launch replaces its launcher, so its depth is the launcher's.
    let deeper = u32::from(stream != TAIL_LAUNCH);
    let depth = machine.task.depth + deeper;
    if depth > MAX_DEPTH {
        return Err(Refusal::Code(MAX_DEPTH_EXCEEDED));
    }
    if machine.waiting >= machine.device.max_pending_launches {
        return Err(Refusal::Code(PENDING_COUNT_EXCEEDED));
    }
    if O::WATCHES && !machine.is_trusted() {
        check_parameters(machine, &kernel, buffer)?;
    }
    let read = machine.memory.read(buffer, &mut params);
    read.map_err(|_| invalid)?;
    machine.buffers.remove(&mut machine.snapshot, buffer);
    machine.waiting += 1;
    machine.counters.device_launches += 1;
    let number = machine.counters.device_launches as u32;
    machine.observer.launches(block, thread, number);
    let child = Task::new(compiled, shape, params, (number, depth));
    let children = &mut machine.task.children;
    match stream {
        TAIL_LAUNCH => children.tails.push(child),
        FIRE_AND_FORGET => children.add(ChildStream::FireAndForget, child),
        _ => children.add(ChildStream::OfBlock(block), child),
    }
    Ok(())
}

/// Fails if a parameter is undefined. For a parameter larger than 8 bytes, one defined byte is enough, as the rest may be padding.
fn check_parameters<O>(
    machine: &Machine<'_, O>,
    kernel: &Kernel,
    buffer: u64,
) -> Result<(), Refusal> {
    for (number, parameter) in kernel.parameters().iter().enumerate() {
        let start = buffer + u64::from(parameter.offset);
        let is_short = |at: u64, bytes: u32| {
            let unwritten = machine.memory.first_unwritten(at, bytes.into());
            unwritten.is_ok_and(|first| first.is_some())
        };
        let missing = match parameter.bytes {
            0..=8 => is_short(start, parameter.bytes),
            bytes => (0..u64::from(bytes)).all(|k| is_short(start + k, 1)),
        };
        if missing {
            let what = format!(
                "parameter {number} of the grid of `{}` that is launched was never written",
                kernel.name()
            );
            return Err(Refusal::Fault(FaultKind::Uninitialised { what }));
        }
    }
    Ok(())
}
