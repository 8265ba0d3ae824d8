//! What a launch as a whole has touched in global memory, as other work sees it.
//!
//! Of each cell one write is told of and one read, those that conflict with most. The histories have forgotten
//! accesses for which a later one stands; it stands for them here as well.

use super::RaceDetector;
use super::grids::Grid;
use super::history::{History, Record};
use crate::checks::streams::{self, Access, Gatherer, Thread, Touched};

impl RaceDetector {
    /// What the launch has touched so far.
    pub(crate) fn touched(&self) -> Touched {
        let (mut writes, mut reads) = (Gatherer::default(), Gatherer::default());
        self.global.in_order().for_each(|(start, bytes, cell)| {
            let [write, read] = cell.told();
            for (told, runs) in [(write, &mut writes), (read, &mut reads)] {
                if let Some((access, record)) = told {
                    let how = (access, record.place);
                    runs.add(start..start + bytes, how, record.told_thread());
                }
            }
        });
        Touched {
            writes: writes.runs(),
            reads: reads.runs(),
            grids: self.grids.started().iter().map(Grid::told).collect(),
        }
    }
}

impl Grid {
    fn told(&self) -> streams::Grid {
        streams::Grid {
            first_block: self.first_block,
            program: self.program.clone(),
            shape: self.shape,
            copiers: self.copiers(),
        }
    }
}

impl History {
    /// The write and the read that are told of.
    fn told(&self) -> [Option<(Access, Record)>; 2] {
        let write = strictest(self.writes());
        let read = strictest(self.reads());
        let adds = |(read, _): &(Access, Record)| {
            write.is_none_or(|(write, _)| !read.is_covered_by(write))
        };
        [write, read.filter(adds)]
    }
}

/// An access for which the others need not be told. Where there is none, as they are of several widths, it
/// meets no other: whatever another's width is, it races with one of these.
fn strictest(records: impl Iterator<Item = Record>) -> Option<(Access, Record)> {
    let both = |(a, first): (Access, Record), (b, second): (Access, Record)| {
        if a.is_covered_by(b) && (!b.is_covered_by(a) || second.is_told_before(first)) {
            return (b, second);
        }
        let meets = a.meets && b.is_covered_by(a);
        (Access { meets, ..a }, first)
    };
    records.map(|record| (record.access(), record)).reduce(both)
}

impl Record {
    fn access(self) -> Access {
        Access {
            kind: self.kind(),
            bytes: self.bytes(),
            meets: self.is_wide(),
        }
    }

    fn told_thread(self) -> Thread {
        Thread {
            block: self.thread().block(),
            index: self.thread().index() as u32,
        }
    }

    /// A choice among equals that does not depend on the order in which a crowd is kept.
    fn is_told_before(self, other: Record) -> bool {
        (self.place, self.thread()) < (other.place, other.thread())
    }
}
