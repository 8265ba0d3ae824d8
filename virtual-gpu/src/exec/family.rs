//! A launch as a whole: the host's grid and all grids launched from it, at any depth.
//!
//! The schedule decides when a child grid starts: while its parent still runs, or after its parent has ended. Grids in the NULL stream of a
//! block run in order. When all blocks and children of a grid have ended, its tail launches run one after the other, each with its own
//! descendants. The parent and the host regard a grid as ended only when its tail launches have ended.
//!
//! Not modelled: two grids that take turns. A child runs to its end once it has started, so a child
//! that waits for a later action of its parent hangs.

use std::ops::Range;

use super::buffers::Buffers;
use super::grid;
use super::machine::Machine;
use super::task::Task;
use super::workspaces::Workspaces;
use crate::checks::{GridStart, Observer};
use crate::config::{DeviceConfig, RunOptions, Shape, Switch};
use crate::counters::Counters;
use crate::fault::Fault;
use crate::memory::Memory;
use crate::module::Kernel;
use crate::schedule::Schedule;

/// A launch that the device allows.
pub(crate) struct Launch<'a> {
    pub kernel: &'a Kernel,
    pub shape: &'a Shape,
    pub params: &'a [u8],
    pub memory: &'a Memory,
    pub device: &'a DeviceConfig,
    pub options: &'a RunOptions,
}

/// The outcome of a launch that was allowed.
pub(crate) type Ended = Result<Counters, Box<Fault>>;

/// Runs a launch to its end. Returns the outcome and the launch's observer.
pub(crate) fn run<O: Observer>(launch: &Launch<'_>, observer: O) -> (Ended, O) {
    let snapshot = launch.memory.snapshot();
    if launch.options.checks.init == Switch::Off {
        snapshot.trust();
    }
    let params = launch.params.to_vec();
    let compiled = launch.kernel.compiled();
    let mut machine = Machine {
        task: Task::new(compiled, *launch.shape, params, (0, 0)),
        kernel: launch.kernel,
        memory: launch.memory,
        snapshot,
        device: launch.device,
        options: launch.options,
        counters: Counters::default(),
        steps: 0,
        clock_ahead: 0,
        observer,
        place: 0,
        copier: 0,
        buffers: Buffers::new(launch.memory),
        workspaces: Workspaces::new(launch.memory),
        waiting: 0,
        next_block: 0,
    };
    let ended = with_descendants(&mut machine, &[]);
    (ended.map(|()| machine.counters), machine.observer)
}

/// Runs the machine's grid, the grids launched from it, and its tail launches. All these grids are
/// ordered after the blocks in `after`.
fn with_descendants<O: Observer>(
    machine: &mut Machine<'_, O>,
    after: &[Range<u64>],
) -> Result<(), Box<Fault>> {
    let first = machine.next_block;
    with_children(machine, after)?;
    let mut tails = std::mem::take(&mut machine.task.children.tails);
    tails.reverse();
    while let Some(tail) = tails.pop() {
        machine.waiting -= 1;
        let done = first..machine.next_block;
        let launcher = std::mem::replace(&mut machine.task, tail);
        with_children(machine, &[done])?;
        let tail = std::mem::replace(&mut machine.task, launcher);
        // The tail launches of a tail launch run before the next tail launch of the grid.
        tails.extend(tail.children.tails.into_iter().rev());
    }
    Ok(())
}

fn with_children<O: Observer>(
    machine: &mut Machine<'_, O>,
    after: &[Range<u64>],
) -> Result<(), Box<Fault>> {
    let task = &mut machine.task;
    task.first_block = machine.next_block;
    machine.next_block = task.first_block.saturating_add(task.block_count());
    machine.observer.grid_starts(&GridStart {
        number: task.number,
        first_block: task.first_block,
        shape: task.shape,
        program: &task.compiled.program,
        after,
    });
    let seed = machine.options.seed ^ u64::from(task.number) << 40;
    let mut schedule = Schedule::new(seed, machine.options.policy);
    grid::run(machine, &mut schedule)
}

/// Runs a child of the machine's grid.
pub(super) fn run_child<O: Observer>(
    machine: &mut Machine<'_, O>,
    schedule: &mut Schedule,
) -> Result<(), Box<Fault>> {
    let Some((stream, child)) = machine.task.children.take(schedule) else {
        return Ok(());
    };
    machine.waiting -= 1;
    let after = machine.task.children.before(stream).to_vec();
    let first = machine.next_block;
    let parent = std::mem::replace(&mut machine.task, child);
    with_descendants(machine, &after)?;
    machine.task = parent;
    let blocks = first..machine.next_block;
    machine.task.children.ended(stream, blocks);
    Ok(())
}
