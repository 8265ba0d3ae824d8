//! The recent work, for which it was not yet worked out which bytes it touched, and how.
//!
//! Dividing what a launch touched into runs, and remembering them byte by byte, is slow. Mostly nobody
//! needs the runs: other work touches other memory, or comes after the launch, and soon the host has
//! waited for all. So each piece of work is kept with the spans of addresses that it stays within, until
//! a piece comes that is not ordered after it and whose spans meet its own.

use super::piece::Piece;
use super::shadow::{Mark, Shadow};
use super::spans::Spans;
use super::touched::{Run, Touched};
use std::ops::Range;
use std::sync::Arc;

/// What a piece of work has touched, before it is divided into runs.
pub(crate) struct Raw {
    spans: Spans,
    cells: usize,
    divide: Box<dyn FnOnce() -> Touched + Send>,
}

impl Raw {
    /// Bytes within these spans, which `divide` divides into runs. It keeps the histories of `cells` cells
    /// of memory.
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

    /// The runs.
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
    /// Memory that is gone since, in the order in which it went.
    gone: Vec<Range<u64>>,
}

/// The recent work, in the order in which it was done. Nothing in it races with anything else in
/// it, nor with what the shadow holds.
#[derive(Default)]
pub(super) struct Recent {
    done: Vec<Done>,
    /// Cells whose histories are kept.
    cells: usize,
}

impl Recent {
    /// Adds a piece of work that races with nothing.
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

    /// Cells whose histories are kept.
    pub(super) fn cells(&self) -> usize {
        self.cells
    }

    /// Whether a new piece of work may race with one of these, for all that the spans tell.
    pub(super) fn may_race(&self, new: &Piece, raw: &Raw) -> bool {
        self.done
            .iter()
            .any(|old| !new.comes_after(&old.piece) && raw.spans.meet(&old.raw.spans))
    }

    /// Forgets what was done with memory that is gone.
    pub(super) fn forget(&mut self, bytes: &Range<u64>) {
        self.retain(|old| {
            if old.raw.spans.remove(bytes) {
                old.gone.push(bytes.clone());
            }
            !old.raw.spans.is_empty()
        });
    }

    /// Forgets all work but some.
    pub(super) fn retain_pieces(&mut self, keeps: impl Fn(&Piece) -> bool) {
        self.retain(|old| keeps(&old.piece));
    }

    fn retain(&mut self, keeps: impl FnMut(&mut Done) -> bool) {
        self.done.retain_mut(keeps);
        self.cells = self.done.iter().map(|old| old.raw.cells).sum();
    }

    /// Hands all work on to the shadow.
    pub(super) fn settle(&mut self, shadow: &mut Shadow) {
        self.cells = 0;
        for old in self.done.drain(..) {
            // Who raced with something is not among these.
            let _ = shadow.add_all(&old.piece, &old.raw.divide());
            for bytes in &old.gone {
                shadow.forget(bytes);
            }
        }
    }
}

impl Shadow {
    /// Whether a new piece of work may race with what is remembered, for all that its spans tell.
    pub(super) fn may_race(&self, new: &Piece, raw: &Raw) -> bool {
        raw.spans
            .ranges()
            .flat_map(|range| self.marks_in(range))
            .any(|old| !new.comes_after(&old.piece))
    }

    /// Remembers all that a piece of work has touched. Gives the first of it that races.
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
