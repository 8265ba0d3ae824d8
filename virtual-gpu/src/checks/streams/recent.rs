//! Recent work, which is compared with new work by spans of addresses only.
//!
//! It is slow to divide the touched bytes of a launch into runs, and to record the runs. The runs are seldom needed: most later work
//! touches different memory or is ordered after the launch, and soon the host waits for everything. So recent work is compared by spans of
//! addresses that contain its accesses. When the spans show that a new piece of work may race with earlier work, all recent work moves to
//! the [`Shadow`], which records it byte by byte. A cleanup (`State::tidy` in `orders`) also moves recent work to the shadow.

use super::piece::Piece;
use super::shadow::{Mark, Shadow};
use super::spans::Spans;
use super::touched::{Run, Touched};
use std::ops::Range;
use std::sync::Arc;

/// The accesses of a piece of work: their spans, and a closure that makes the runs.
pub(crate) struct Raw {
    spans: Spans,
    cells: usize,
    divide: Box<dyn FnOnce() -> Touched + Send>,
}

impl Raw {
    /// Accesses within these spans. The closure `divide` makes the runs. Until it is called, it owns the histories of `cells` cells of
    /// memory.
    pub(crate) fn new(
        spans: Spans,
        cells: usize,
        divide: impl FnOnce() -> Touched + Send + 'static,
    ) -> Self {
        Self {
            spans,
            cells,
            divide: Box::new(divide),
        }
    }

    /// Divides the bytes into runs.
    pub(super) fn divide(self) -> Touched {
        (self.divide)()
    }
}

impl From<Touched> for Raw {
    fn from(touched: Touched) -> Self {
        let ranges: Vec<_> = touched.runs().map(Run::range).collect();
        Self::new(Spans::new(ranges), 0, move || touched)
    }
}

/// A piece of work that is not yet in the shadow.
struct Done {
    piece: Arc<Piece>,
    raw: Raw,
    /// Ranges that overlapped the spans and were freed or unregistered later, the oldest first.
    gone: Vec<Range<u64>>,
}

/// The recent work, in the order in which it was added. No two pieces of it race, and no piece races with the contents of the shadow.
#[derive(Default)]
pub(super) struct Recent {
    done: Vec<Done>,
    /// The number of cells whose histories the recent work owns.
    cells: usize,
}

impl Recent {
    /// Adds a piece of work that is known to be free of races.
    pub(super) fn push(&mut self, piece: &Arc<Piece>, raw: Raw) {
        self.cells += raw.cells;
        self.done.push(Done {
            piece: Arc::clone(piece),
            raw,
            gone: Vec::new(),
        });
    }

    pub(super) fn len(&self) -> usize {
        self.done.len()
    }

    /// The number of cells whose histories the recent work owns.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// Whether a new piece of work may race with recent work, judging by the spans.
    pub(super) fn may_race(&self, new: &Piece, raw: &Raw) -> bool {
        self.done
            .iter()
            .any(|old| !new.comes_after(&old.piece) && raw.spans.meet(&old.raw.spans))
    }

    /// Forgets accesses to memory that was freed or unregistered.
    pub(super) fn forget(&mut self, bytes: &Range<u64>) {
        self.retain(|old| {
            if old.raw.spans.remove(bytes) {
                old.gone.push(bytes.clone());
            }
            !old.raw.spans.is_empty()
        });
    }

    /// Forgets the work that `keeps` rejects.
    pub(super) fn retain_pieces(&mut self, keeps: impl Fn(&Piece) -> bool) {
        self.retain(|old| keeps(&old.piece));
    }

    fn retain(&mut self, keeps: impl FnMut(&mut Done) -> bool) {
        self.done.retain_mut(keeps);
        self.cells = self.done.iter().map(|old| old.raw.cells).sum();
    }

    /// Moves all work to the shadow.
    pub(super) fn settle(&mut self, shadow: &mut Shadow) {
        self.cells = 0;
        for old in self.done.drain(..) {
            // Recent work races neither with itself nor with the shadow, so there is no race to report.
            let _ = shadow.add_all(&old.piece, &old.raw.divide());
            for bytes in &old.gone {
                shadow.forget(bytes);
            }
        }
    }
}

impl Shadow {
    /// Whether a new piece of work may race with remembered accesses, judging by the spans of the new work.
    pub(super) fn may_race(&self, new: &Piece, raw: &Raw) -> bool {
        raw.spans
            .ranges()
            .flat_map(|range| self.marks_in(range))
            .any(|old| !new.comes_after(&old.piece))
    }

    /// Remembers all accesses of a piece of work. Returns the first race found: the remembered access, the new access, and the address.
    pub(super) fn add_all(
        &mut self,
        piece: &Arc<Piece>,
        touched: &Touched,
    ) -> Option<(Mark, Mark, u64)> {
        let mut first = None;
        for run in touched.runs() {
            let new = Mark {
                piece: Arc::clone(piece),
                run: *run,
            };
            if let Some((old, address)) = self.add(&new) {
                first.get_or_insert((old, new, address));
            }
        }
        first
    }
}
