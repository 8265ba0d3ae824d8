//! Which of a call's launches one is.

use std::ops::Range;

/// Where a launch stands among those of its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    First,
    Middle,
    Last,
}

impl Part {
    /// The part that the units of work in `range` are, of a call's `count`.
    pub fn new(range: &Range<u64>, count: u64) -> Self {
        match (range.start == 0, range.end == count) {
            (true, true) => Part::Whole,
            (true, false) => Part::First,
            (false, true) => Part::Last,
            (false, false) => Part::Middle,
        }
    }

    pub fn is_first(self) -> bool {
        matches!(self, Part::Whole | Part::First)
    }
}
