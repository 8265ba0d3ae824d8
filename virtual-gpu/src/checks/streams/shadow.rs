//! The remembered accesses: which work accessed which bytes. Accesses that no later work can race with are forgotten, at once or at the
//! next cleanup.
//!
//! Addresses are divided into segments whose bytes have the same history. A later access *replaces* an earlier access to the same bytes if
//! both of these conditions hold:
//!
//! * The later access conflicts with every access that the earlier access conflicts with.
//! * The later access is ordered after the earlier access, or both belong to the same piece of work.
//!
//! A replaced access is forgotten. This loses no race: pending work that is unordered with the earlier access is also unordered with the
//! later access. If the pending work were ordered after the later access, it would be ordered after the earlier access too. The pending
//! work cannot be ordered before the later access, because the later access is already done. A chain of launches that write the same bytes
//! therefore leaves one access.

use super::piece::Piece;
use super::touched::Run;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// A remembered access.
#[derive(Debug, Clone)]
pub(super) struct Mark {
    pub piece: Arc<Piece>,
    pub run: Run,
}

#[derive(Debug)]
struct Segment {
    end: u64,
    marks: Vec<Mark>,
}

/// The accesses that are remembered.
#[derive(Debug, Default)]
pub(super) struct Shadow {
    /// The segments, by their first addresses. Segments do not overlap.
    segments: BTreeMap<u64, Segment>,
}

impl Shadow {
    /// How many segments there are.
    pub(super) fn len(&self) -> usize {
        self.segments.len()
    }

    /// All remembered accesses.
    pub(super) fn marks(&self) -> impl Iterator<Item = &Mark> {
        self.segments.values().flat_map(|segment| &segment.marks)
    }

    /// Remembers an access. Returns the first remembered access that races with it, and the address of the race.
    pub(super) fn add(&mut self, new: &Mark) -> Option<(Mark, u64)> {
        let mut found = None;
        let mut parts: Vec<(u64, Segment)> = Vec::new();
        let mut at = new.run.start;
        for (start, mut segment) in self.take(new.run.start, new.run.end) {
            if at < start {
                push(&mut parts, at, start, vec![new.clone()]);
            }
            let races = |old: &&Mark| old.races_with(new);
            if found.is_none()
                && let Some(old) = segment.marks.iter().find(races)
            {
                found = Some((old.clone(), start));
            }
            segment.marks.retain(|old| !old.is_replaced_by(new));
            segment.marks.push(new.clone());
            push(&mut parts, start, segment.end, segment.marks);
            at = segment.end;
        }
        if at < new.run.end {
            push(&mut parts, at, new.run.end, vec![new.clone()]);
        }
        self.segments.extend(parts);
        found
    }

    /// The remembered accesses to some bytes.
    pub(super) fn marks_in(&self, bytes: &Range<u64>) -> impl Iterator<Item = &Mark> {
        let before = self.segments.range(..bytes.start).next_back();
        let reaching = before.filter(|(_, segment)| segment.end > bytes.start);
        let inside = self.segments.range(bytes.clone());
        let all = reaching.into_iter().chain(inside);
        all.flat_map(|(_, segment)| &segment.marks)
    }

    /// Forgets the accesses to some bytes.
    pub(super) fn forget(&mut self, bytes: &Range<u64>) {
        self.take(bytes.start, bytes.end);
    }

    /// Forgets the accesses that `keeps` rejects.
    pub(super) fn retain(&mut self, keeps: impl Fn(&Mark) -> bool) {
        self.segments.retain(|_, segment| {
            segment.marks.retain(&keeps);
            !segment.marks.is_empty()
        });
    }

    /// Removes and returns the segments of some bytes. A segment that lies only partly within these bytes is split first.
    fn take(&mut self, start: u64, end: u64) -> Vec<(u64, Segment)> {
        self.divide(start);
        self.divide(end);
        let inside = self.segments.range(start..end);
        let starts: Vec<u64> = inside.map(|(start, _)| *start).collect();
        let taken = starts.into_iter();
        taken
            .filter_map(|start| self.segments.remove_entry(&start))
            .collect()
    }

    fn divide(&mut self, at: u64) {
        let Some((_, segment)) = self.segments.range_mut(..at).next_back() else {
            return;
        };
        if segment.end > at {
            let behind = Segment {
                end: segment.end,
                marks: segment.marks.clone(),
            };
            segment.end = at;
            self.segments.insert(at, behind);
        }
    }
}

/// Appends a segment. If the last segment is adjacent and both hold the same single access, they are merged.
fn push(parts: &mut Vec<(u64, Segment)>, start: u64, end: u64, marks: Vec<Mark>) {
    if let Some((_, last)) = parts.last_mut()
        && last.end == start
        && (last.marks.len(), marks.len()) == (1, 1)
    {
        last.end = end;
        return;
    }
    parts.push((start, Segment { end, marks }));
}

impl Mark {
    /// Whether a new access conflicts with this access and is not ordered after it.
    fn races_with(&self, new: &Mark) -> bool {
        self.run.access.conflicts(new.run.access) && !new.piece.comes_after(&self.piece)
    }

    fn is_replaced_by(&self, new: &Mark) -> bool {
        self.run.access.is_covered_by(new.run.access) && new.piece.comes_after(&self.piece)
    }
}

#[cfg(test)]
mod tests {
    use super::super::clock::Clock;
    use super::super::piece::What;
    use super::*;
    use crate::fault::AccessKind::{self, Read, Write};
    use crate::fault::{StreamKind, StreamName};

    fn piece(stream: u64, number: u64, before: &[(u64, u64)]) -> Arc<Piece> {
        let mut clock = Clock::default();
        clock.learn(stream, number);
        for &(stream, number) in before {
            clock.learn(stream, number);
        }
        let kind = StreamKind::Blocking;
        Arc::new(Piece {
            stream: StreamName { id: stream, kind },
            number,
            clock: Arc::new(clock),
            node: None,
            what: What::Call("a call"),
        })
    }

    fn mark(piece: &Arc<Piece>, start: u64, end: u64, kind: AccessKind) -> Mark {
        Mark {
            piece: Arc::clone(piece),
            run: Run::of_call(start..end, kind),
        }
    }

    #[test]
    fn the_first_racing_byte_is_found_and_adjacent_ranges_pass() {
        let mut shadow = Shadow::default();
        let (a, b) = (piece(1, 1, &[]), piece(2, 2, &[]));
        assert!(shadow.add(&mark(&a, 100, 108, Write)).is_none());
        assert!(shadow.add(&mark(&b, 108, 120, Write)).is_none());
        assert!(shadow.add(&mark(&b, 90, 100, Read)).is_none());
        let (old, address) = shadow.add(&mark(&b, 95, 103, Read)).expect("a race");
        assert_eq!((old.piece.number, address), (1, 100));
        let c = piece(2, 3, &[(1, 1)]);
        assert!(shadow.add(&mark(&c, 90, 120, Write)).is_none());
    }

    #[test]
    fn a_chain_of_work_leaves_one_segment() {
        let mut shadow = Shadow::default();
        for number in 1..100 {
            let piece = piece(1, number, &[]);
            let start = 512 + number % 7 * 4;
            shadow.add(&mark(&piece, start, start + 64, Write));
            shadow.add(&mark(&piece, 500, 600, Read));
            shadow.add(&mark(&piece, 500, 600, Write));
        }
        assert_eq!((shadow.len(), shadow.marks().count()), (1, 1));
        shadow.forget(&(510..530));
        let left: Vec<_> = shadow.segments.iter().map(|(s, g)| (*s, g.end)).collect();
        assert_eq!(left, [(500, 510), (530, 600)]);
    }

    #[test]
    fn readers_of_several_streams_are_all_kept() {
        let mut shadow = Shadow::default();
        let readers = [piece(1, 1, &[]), piece(2, 2, &[]), piece(3, 3, &[])];
        for reader in &readers {
            assert!(shadow.add(&mark(reader, 0, 64, Read)).is_none());
        }
        let behind_two = piece(4, 4, &[(1, 1), (3, 3)]);
        let (old, _) = shadow
            .add(&mark(&behind_two, 8, 12, Write))
            .expect("a race");
        assert_eq!(old.piece.number, 2);
    }
}
