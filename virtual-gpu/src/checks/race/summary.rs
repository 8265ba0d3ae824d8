//! The global memory that a launch touched, for comparison with other work. The pages are listed at the end of the launch, and the runs of
//! bytes only when they are needed.
//!
//! Each cell reports at most one write and one read: the write and the read that conflict with the most other accesses. If a later access
//! has replaced an earlier access in the history, the later access represents both.

use super::RaceDetector;
use super::grids::Grid;
use super::history::{History, Record};
use super::pages::Pages;
use crate::checks::streams::{self, Access, Gatherer, Raw, Spans, Thread, Touched};

impl RaceDetector {
    /// The grids of the launch, and the memory that they have touched so far.
    pub(crate) fn touched(self) -> (Vec<streams::Grid>, Raw) {
        let grids = self.grids.started().iter().map(Grid::told).collect();
        let pages = self.global;
        let spans = Spans::new(pages.ranges().collect());
        let raw = Raw::new(spans, pages.cell_count(), move || pages.touched());
        (grids, raw)
    }
}

impl Pages {
    /// The runs of bytes that were touched.
    fn touched(&self) -> Touched {
        let (mut writes, mut reads) = (Gatherer::default(), Gatherer::default());
        self.in_order().for_each(|(start, bytes, cell)| {
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
    /// The write and the read that are reported.
    #[inline]
    fn told(&self) -> [Option<Told>; 2] {
        let [mut write, mut read] = [None; 2];
        self.each_write(|record| write = Some(stricter(write, record)));
        self.each_read(|record| read = Some(stricter(read, record)));
        if let (Some((write, _)), Some((of_read, _))) = (write, read)
            && of_read.is_covered_by(write)
        {
            read = None;
        }
        [write, read]
    }
}

/// An access that is reported, and its record.
type Told = (Access, Record);

/// Chooses which of two accesses represents both: the access chosen so far, or a new access. If both have the flag `meets` and their widths
/// differ, neither represents the other. Then the result is marked as weak (`meets` is false): a third access has a width that differs from
/// at least one of the two widths, so it may race with at least one of the two accesses.
#[inline]
fn stricter(chosen: Option<Told>, record: Record) -> Told {
    let new = (record.access(), record);
    let Some((access, first)) = chosen else {
        return new;
    };
    let covers_new = new.0.is_covered_by(access);
    if access.is_covered_by(new.0) && (!covers_new || record.is_told_before(first)) {
        return new;
    }
    let meets = access.meets && covers_new;
    (Access { meets, ..access }, first)
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

    /// Breaks ties independently of the order in which accesses are stored.
    fn is_told_before(self, other: Record) -> bool {
        (self.place, self.thread()) < (other.place, other.thread())
    }
}
