//! The grids of a launch: their blocks, and the knowledge with which their threads start.

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::clocks::Known;
use super::threads::{BlockState, copiers};
use crate::checks::GridStart;
use crate::config::Shape;
use crate::program::Program;

/// One grid that has started.
#[derive(Debug)]
pub(super) struct Grid {
    pub first_block: u64,
    pub program: Arc<Program>,
    pub shape: Shape,
    known: Rc<Known>,
}

impl Grid {
    /// From this index on, the threads of a block represent asynchronous copies.
    pub(super) fn copiers(&self) -> u32 {
        copiers(self.threads_per_block())
    }

    fn threads_per_block(&self) -> u32 {
        self.shape.block.iter().product()
    }
}

/// The grids that have started, and the knowledge with which launched grids will start.
#[derive(Debug, Default)]
pub(super) struct Grids {
    /// Sorted by first block.
    started: Vec<Grid>,
    /// For each grid that is launched but has not started: the number of the grid, and the knowledge of the thread that launched it.
    launched: HashMap<u32, Rc<Known>>,
}

impl Grids {
    pub(super) fn start(&mut self, start: &GridStart<'_>) {
        let mut known = self.launched.remove(&start.number).unwrap_or_default();
        if !start.after.is_empty() {
            let known = Rc::make_mut(&mut known);
            start
                .after
                .iter()
                .for_each(|blocks| known.learn_all(blocks));
        }
        self.started.push(Grid {
            first_block: start.first_block,
            program: Arc::clone(start.program),
            shape: start.shape,
            known,
        });
    }

    pub(super) fn launch(&mut self, number: u32, known: Rc<Known>) {
        self.launched.insert(number, known);
    }

    /// The grid that a block belongs to.
    pub(super) fn of_block(&self, block: u64) -> Option<&Grid> {
        let behind = self.started.partition_point(|g| g.first_block <= block);
        self.started.get(behind.checked_sub(1)?)
    }

    /// All grids that have started.
    pub(super) fn started(&self) -> &[Grid] {
        &self.started
    }

    /// The first block of the grid that a block belongs to.
    pub(super) fn first_block(&self, block: u64) -> u64 {
        self.of_block(block).map_or(0, |grid| grid.first_block)
    }

    /// The state of a block that starts.
    pub(super) fn new_block(&self, number: u64) -> BlockState {
        match self.of_block(number) {
            Some(grid) => BlockState::new(number, grid.threads_per_block(), &grid.known),
            None => BlockState::new(number, 0, &Rc::default()),
        }
    }
}
