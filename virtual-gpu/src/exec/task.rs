//! A grid to run, and the grids that its threads have launched.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::config::Shape;
use crate::module::Compiled;
use crate::program::{Program, Row};
use crate::schedule::Schedule;

/// A grid: a kernel, a shape and parameters.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub compiled: &'a Compiled,
    pub program: &'a Program,
    pub constants: Arc<[Row]>,
    pub shape: Shape,
    pub params: Vec<u8>,
    /// The grid's number in the launch. The grid that the host launched has number 0.
    pub number: u32,
    /// The depth of nesting, which is 0 for the host's grid.
    pub depth: u32,
    /// Once the grid has started: the number of its first block. These numbers count the blocks of all grids of the launch.
    pub first_block: u64,
    pub children: Children<'a>,
}

impl<'a> Task<'a> {
    pub(super) fn new(
        compiled: &'a Compiled,
        shape: Shape,
        params: Vec<u8>,
        (number, depth): (u32, u32),
    ) -> Self {
        let program: &'a Program = &compiled.program;
        Self {
            compiled,
            program,
            constants: program.constants.as_slice().into(),
            shape,
            params,
            number,
            depth,
            first_block: 0,
            children: Children::default(),
        }
    }

    pub(super) fn block_count(&self) -> u64 {
        self.shape.grid.iter().map(|&n| u64::from(n)).product()
    }
}

/// The stream of a grid that a kernel launches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChildStream {
    /// The NULL stream of the block with this number. The grids in this stream run one after the other.
    OfBlock(u64),
    /// Fire and forget: the grid is ordered after the call that launched it, and after nothing else.
    FireAndForget,
}

/// The grids that the threads of a grid have launched.
#[derive(Debug, Default)]
pub(super) struct Children<'a> {
    waiting: Vec<(ChildStream, Task<'a>)>,
    /// The grid's tail launches. They begin when the grid and its children have ended, and run one after the other.
    pub tails: Vec<Task<'a>>,
    /// For each block of this grid: the grids in the block's NULL stream that have ended. Each of these grids is given as a range of block
    /// numbers, which includes the blocks of its descendants.
    finished: HashMap<u64, Vec<Range<u64>>>,
}

impl<'a> Children<'a> {
    pub(super) fn add(&mut self, stream: ChildStream, child: Task<'a>) {
        self.waiting.push((stream, child));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Removes the grid that runs next, and returns it. The schedule chooses the grid.
    pub(super) fn take(&mut self, schedule: &mut Schedule) -> Option<(ChildStream, Task<'a>)> {
        let is_first = |index: &usize| {
            let (stream, _) = &self.waiting[*index];
            let same = |(other, _): &(ChildStream, Task<'_>)| other == stream;
            *stream == ChildStream::FireAndForget || !self.waiting[..*index].iter().any(same)
        };
        let able: Vec<usize> = (0..self.waiting.len()).filter(is_first).collect();
        let index = *able.get(schedule.choose(able.len()))?;
        Some(self.waiting.remove(index))
    }

    /// The blocks of the grids in this stream that have ended. A child that starts now is ordered after these blocks. For fire and forget,
    /// there are none.
    pub(super) fn before(&self, stream: ChildStream) -> &[Range<u64>] {
        match stream {
            ChildStream::OfBlock(block) => self.finished.get(&block).map_or(&[], |all| all),
            ChildStream::FireAndForget => &[],
        }
    }

    /// Records that a child and its descendants have ended.
    pub(super) fn ended(&mut self, stream: ChildStream, blocks: Range<u64>) {
        if let ChildStream::OfBlock(block) = stream {
            self.finished.entry(block).or_default().push(blocks);
        }
    }
}
