//! The word of an mbarrier: the arrivals that each phase expects, pending arrivals, pending bytes, and the parity of the phase. The word is
//! opaque to programs.

/// The number of bits of a count of arrivals. The word has two such counts: expected and pending arrivals.
const COUNT_BITS: u32 = 20;
const COUNT: u64 = (1 << COUNT_BITS) - 1;
/// The number of bits of the signed count of bytes. Bytes may land before they are expected, and the count is then negative.
const BYTE_BITS: u32 = 21;

/// The word, decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word {
    /// Arrivals that each phase expects.
    pub expected: u64,
    /// Pending arrivals of this phase.
    pub pending: u64,
    /// Pending bytes of this phase.
    pub bytes: i64,
    pub phase: u64,
}

impl Word {
    /// The greatest number of arrivals that a phase can expect.
    pub(crate) const MOST_ARRIVALS: u64 = COUNT;

    pub(crate) fn new(expected: u64) -> Self {
        Self {
            expected,
            pending: expected,
            bytes: 0,
            phase: 0,
        }
    }

    /// The word as a number. Its highest bit marks a word that was initialised.
    pub(crate) fn encode(self) -> u64 {
        let bytes = self.bytes as u64 & ((1 << BYTE_BITS) - 1);
        self.expected
            | self.pending << COUNT_BITS
            | bytes << (2 * COUNT_BITS)
            | (self.phase & 1) << (2 * COUNT_BITS + BYTE_BITS)
            | 1 << 63
    }

    pub(crate) fn decode(word: u64) -> Option<Self> {
        let bytes = (word << (64 - 2 * COUNT_BITS - BYTE_BITS)) as i64 >> (64 - BYTE_BITS);
        (word >> 63 == 1).then_some(Self {
            expected: word & COUNT,
            pending: word >> COUNT_BITS & COUNT,
            bytes,
            phase: word >> (2 * COUNT_BITS + BYTE_BITS) & 1,
        })
    }

    pub(crate) fn arrive(&mut self, count: u64) -> Result<(), String> {
        if count > self.pending {
            return Err(format!(
                "{count} arrivals where {} are missing",
                self.pending
            ));
        }
        self.pending -= count;
        self.turn_over();
        Ok(())
    }

    pub(crate) fn turn_over(&mut self) {
        if self.pending == 0 && self.bytes == 0 {
            self.pending = self.expected;
            self.phase ^= 1;
        }
    }
}

/// The pending arrivals of a state: `mbarrier.pending_count`.
pub(crate) fn pending_count(state: u64) -> u32 {
    (state >> COUNT_BITS & COUNT) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_round_trip() {
        for bytes in [0, 1, -1, (1 << 20) - 1, -(1 << 20)] {
            let word = Word {
                expected: COUNT,
                pending: 3,
                bytes,
                phase: 1,
            };
            assert_eq!(Word::decode(word.encode()), Some(word));
        }
        assert_eq!(Word::decode(0), None);
        assert_eq!(pending_count(Word::new(7).encode()), 7);
    }

    #[test]
    fn a_phase_awaits_arrivals_and_bytes() {
        let mut word = Word::new(2);
        word.bytes += 64;
        assert_eq!(word.arrive(2), Ok(()));
        assert_eq!(word.phase, 0);
        word.bytes -= 64;
        word.turn_over();
        assert_eq!((word.phase, word.pending), (1, 2));
        assert!(word.arrive(3).is_err());
    }
}
