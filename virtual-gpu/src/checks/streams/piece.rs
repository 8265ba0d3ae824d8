//! Pieces of work, and their order.

use super::clock::Clock;
use super::touched::{Grid, Run};
use crate::fault::{Doer, StreamName, StreamSide, ThreadPlace};
use std::sync::Arc;

/// A piece of work of a stream, or one node of a graph that was launched in a stream.
#[derive(Debug)]
pub(crate) struct Piece {
    pub stream: StreamName,
    /// Unique over all streams, except that the nodes of one launch of a graph share a number.
    pub number: u64,
    /// Covers the work that comes before this piece, and the piece itself.
    pub clock: Arc<Clock>,
    /// The position in the graph, if this piece is a node.
    pub node: Option<NodePlace>,
    pub what: What,
}

/// The position of a node in its graph.
#[derive(Debug, Clone)]
pub(crate) struct NodePlace {
    /// The node's chain. The nodes of a graph are divided into chains.
    pub chain: u64,
    /// The node's place in its chain, from 1 on.
    pub place: u64,
    /// Covers the nodes that come before this node.
    pub before: Arc<Clock>,
}

/// The kind of a piece of work.
#[derive(Debug)]
pub(crate) enum What {
    /// A launch of the kernel with this name, and its grids.
    Kernel(String, Vec<Grid>),
    /// Work of a driver call with this name.
    Call(&'static str),
}

impl Piece {
    /// Whether this piece of work comes after another piece, or is that piece.
    pub(super) fn comes_after(&self, other: &Self) -> bool {
        if self.number != other.number {
            return self.clock.covers(other.stream.id, other.number);
        }
        match (&self.node, &other.node) {
            (Some(own), Some(other)) => {
                (own.chain, own.place) == (other.chain, other.place)
                    || own.before.covers(other.chain, other.place)
            }
            _ => true,
        }
    }

    /// The report of this piece's access to an address.
    pub(super) fn side(&self, run: &Run, address: u64) -> StreamSide {
        let by = match &self.what {
            What::Call(name) => Doer::Call {
                name,
                bytes: run.end - run.start,
            },
            What::Kernel(name, grids) => kernel(name, grids, run, address),
        };
        StreamSide {
            stream: self.stream,
            access: run.access.kind,
            by,
        }
    }
}

fn kernel(name: &str, grids: &[Grid], run: &Run, address: u64) -> Doer {
    let thread = run.thread(address);
    let of_block = |block: u64| {
        let behind = grids.partition_point(|grid| grid.first_block <= block);
        grids.get(behind.checked_sub(1)?)
    };
    let grid = thread.and_then(|thread| of_block(thread.block));
    // A launch has one grid, unless its kernel launches others.
    let program = grid.or(grids.first()).map(|grid| &grid.program);
    let place = program.and_then(|program| program.places.get(run.place as usize));
    let at = thread.zip(grid).map(|(thread, grid)| {
        // An asynchronous copy is reported as an access of its thread.
        let index = thread.index % grid.copiers.max(1);
        ThreadPlace {
            block: axes(grid.shape.grid, thread.block - grid.first_block),
            thread: axes(grid.shape.block, index.into()),
            index,
        }
    });
    Doer::Kernel {
        name: program.map_or_else(|| name.to_owned(), |program| program.name.clone()),
        bytes: run.access.bytes,
        at,
        line: place.map_or(0, |place| place.line),
        instruction: place.map(|place| place.text.clone()).unwrap_or_default(),
    }
}

/// Splits an index into x, y and z.
fn axes(extent: [u32; 3], index: u64) -> [u32; 3] {
    let [x, y, _] = extent.map(|n| u64::from(n.max(1)));
    [index % x, index / x % y, index / x / y].map(|n| n as u32)
}
