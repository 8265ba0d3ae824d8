//! Vector clocks. A clock has a number for each sequence, and covers the sequence's work up to that number. For example, one clock covers
//! the work that comes before a piece of work, and another clock covers the work that the host knows to be done.
//!
//! There are two kinds of sequences. In a CUDA stream, the pieces of work are numbered. In a chain of nodes of one graph, the number of a
//! node is its position in the chain.

/// For each sequence, the number up to which the clock covers it. A sequence that is not in the list is not covered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Sorted by sequence.
    times: Vec<(u64, u64)>,
}

impl Clock {
    fn find(&self, sequence: u64) -> Result<usize, usize> {
        self.times
            .binary_search_by_key(&sequence, |(sequence, _)| *sequence)
    }

    /// Whether the clock covers the sequence up to this number.
    pub(crate) fn covers(&self, sequence: u64, number: u64) -> bool {
        self.find(sequence)
            .is_ok_and(|place| self.times[place].1 >= number)
    }

    /// Whether this clock covers everything that the other clock covers.
    pub(crate) fn covers_all(&self, other: &Clock) -> bool {
        let mut times = other.times.iter();
        times.all(|&(sequence, number)| self.covers(sequence, number))
    }

    /// Makes the clock cover a sequence up to a number.
    pub(crate) fn learn(&mut self, sequence: u64, number: u64) {
        match self.find(sequence) {
            Ok(place) => self.times[place].1 = self.times[place].1.max(number),
            Err(place) => self.times.insert(place, (sequence, number)),
        }
    }

    /// For each sequence, takes the larger of the two clocks' numbers.
    pub(crate) fn join(&mut self, other: &Clock) {
        if self.times.is_empty() {
            self.times.clone_from(&other.times);
            return;
        }
        for &(sequence, number) in &other.times {
            self.learn(sequence, number);
        }
    }

    /// Keeps only what both clocks cover.
    pub(crate) fn meet(&mut self, other: &Clock) {
        self.times.retain_mut(|(sequence, number)| {
            let known = other.find(*sequence).map(|place| other.times[place].1);
            *number = known.map_or(0, |known| known.min(*number));
            *number > 0
        });
    }

    /// Forgets the sequences that `keeps` rejects.
    pub(crate) fn retain(&mut self, keeps: impl Fn(u64) -> bool) {
        self.times.retain(|(sequence, _)| keeps(*sequence));
    }

    /// The covered sequences, each with its number.
    pub(crate) fn times(&self) -> impl Iterator<Item = (u64, u64)> {
        self.times.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clock(times: &[(u64, u64)]) -> Clock {
        let mut clock = Clock::default();
        for &(sequence, number) in times {
            clock.learn(sequence, number);
        }
        clock
    }

    #[test]
    fn join_takes_the_later_time_and_meet_the_earlier() {
        let (a, b) = (clock(&[(3, 5), (1, 2)]), clock(&[(1, 7), (2, 1), (3, 4)]));
        let mut both = a.clone();
        both.join(&b);
        assert_eq!(both, clock(&[(1, 7), (2, 1), (3, 5)]));
        assert!(both.covers_all(&a) && both.covers_all(&b) && !a.covers_all(&b));
        both.meet(&a);
        assert_eq!(both, a);
        both.meet(&clock(&[(3, 1)]));
        assert_eq!(both, clock(&[(3, 1)]));
    }

    #[test]
    fn a_clock_covers_a_sequence_up_to_its_number() {
        let mut known = clock(&[(4, 6)]);
        known.learn(4, 5);
        let covered = [(4, 6), (4, 7), (5, 1)].map(|(s, n)| known.covers(s, n));
        assert_eq!(covered, [true, false, false]);
        known.retain(|sequence| sequence != 4);
        assert_eq!(known, Clock::default());
    }
}
