//! What one grid runs, and the grids that its threads have launched.

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
    /// Which grid of the launch this is: the host's is 0.
    pub number: u32,
    /// Grids that stand above this one.
    pub depth: u32,
    /// The number of its first block in the whole launch, once it has started.
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

/// Where a kernel launches a grid to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ChildStream {
    /// The NULL stream of a block: one grid after the other.
    OfBlock(u64),
    /// Ordered after nothing but its launch.
    FireAndForget,
}

/// The grids that the threads of a grid have launched.
#[derive(Debug, Default)]
pub(super) struct Children<'a> {
    waiting: Vec<(ChildStream, Task<'a>)>,
    /// They run when the grid and its children have ended, one after the other.
    pub tails: Vec<Task<'a>>,
    /// Blocks of grids that ran in the NULL stream of a block.
    finished: HashMap<u64, Vec<Range<u64>>>,
}

impl<'a> Children<'a> {
    pub(super) fn add(&mut self, stream: ChildStream, child: Task<'a>) {
        self.waiting.push((stream, child));
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Takes out one that may go next, as the schedule says.
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

    /// The blocks of the grids that a child in a stream comes after.
    pub(super) fn before(&self, stream: ChildStream) -> &[Range<u64>] {
        match stream {
            ChildStream::OfBlock(block) => self.finished.get(&block).map_or(&[], |all| all),
            ChildStream::FireAndForget => &[],
        }
    }

    /// A child has ended, with all that it launched.
    pub(super) fn ended(&mut self, stream: ChildStream, blocks: Range<u64>) {
        if let ChildStream::OfBlock(block) = stream {
            self.finished.entry(block).or_default().push(blocks);
        }
    }
}
