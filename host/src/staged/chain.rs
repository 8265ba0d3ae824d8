//! A scan that several GPUs share: the prefixes of its pieces. The ranks publish the aggregates of each piece's tile groups. They may do so
//! for the pieces in any order. The prefix of a piece's first tile group is known when the aggregates of all earlier pieces are published.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The chain of a scan's pieces.
pub(crate) struct Chain<A> {
    combine: fn(A, A) -> A,
    state: Mutex<State<A>>,
    changed: Condvar,
}

struct State<A> {
    /// The prefixes that are known, by the pieces' indices. They are the prefixes of the first pieces, without a gap.
    prefixes: Vec<A>,
    /// The published aggregates of pieces whose prefixes are not known yet, by the pieces' indices.
    published: BTreeMap<usize, Vec<A>>,
    /// The rank whose turn it is to take shared resources.
    turn: usize,
    /// The first rank that gave up.
    failed: Option<usize>,
}

/// A rank of the scan. If the `Link` is dropped before its [`end`](Self::end), the rank has failed, and all other ranks stop waiting.
pub(super) struct Link<'chain, A> {
    chain: &'chain Chain<A>,
    rank: usize,
    has_ended: bool,
}

/// The first rank that gave up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Broken(pub usize);

impl<A: Copy> Chain<A> {
    pub fn new(identity: A, combine: fn(A, A) -> A) -> Self {
        Self {
            combine,
            state: Mutex::new(State {
                prefixes: vec![identity],
                published: BTreeMap::new(),
                turn: 0,
                failed: None,
            }),
            changed: Condvar::new(),
        }
    }

    pub(super) fn link(&self, rank: usize) -> Link<'_, A> {
        Link {
            chain: self,
            rank,
            has_ended: false,
        }
    }

    /// Waits until `answer` returns a value, or a rank has failed.
    fn wait<R>(&self, answer: impl Fn(&State<A>) -> Option<R>) -> Result<R, Broken> {
        let mut state = self.lock();
        loop {
            if let Some(rank) = state.failed {
                return Err(Broken(rank));
            }
            if let Some(answer) = answer(&state) {
                return Ok(answer);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn change(&self, change: impl FnOnce(&mut State<A>)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State<A>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<A> Link<'_, A> {
    pub fn end(mut self) {
        self.has_ended = true;
    }
}

impl<A: Copy> Link<'_, A> {
    /// Runs `take` after the `take` of all earlier ranks. So the ranks take shared resources in a fixed order, and simultaneous scans
    /// cannot deadlock.
    pub fn in_turn<R, E: From<Broken>>(&self, take: impl FnOnce() -> Result<R, E>) -> Result<R, E> {
        self.chain
            .wait(|state| (state.turn == self.rank).then_some(()))?;
        let taken = take()?;
        self.chain.change(|state| state.turn += 1);
        Ok(taken)
    }

    /// Publishes the aggregates of a piece's tile groups.
    pub fn publish(&self, piece: usize, groups: Vec<A>) {
        let combine = self.chain.combine;
        self.chain.change(|state| {
            state.published.insert(piece, groups);
            while let Some(groups) = state.published.remove(&(state.prefixes.len() - 1)) {
                let prefix = state.prefixes[state.prefixes.len() - 1];
                state
                    .prefixes
                    .push(groups.into_iter().fold(prefix, combine));
            }
        });
    }

    /// The prefix of a piece's first tile group.
    pub fn prefix(&self, piece: usize) -> Result<A, Broken> {
        self.chain.wait(|state| state.prefixes.get(piece).copied())
    }
}

impl<A> Drop for Link<'_, A> {
    fn drop(&mut self) {
        if !self.has_ended {
            let mut state = self
                .chain
                .state
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            state.failed.get_or_insert(self.rank);
            self.chain.changed.notify_all();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_prefix_waits_for_all_earlier_values() {
        let chain = Chain::new(1u64, |a, b| 10 * a + b);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let link = chain.link(1);
                let prefix = link.prefix(2);
                link.end();
                prefix
            });
            let link = chain.link(0);
            assert_eq!(link.prefix(0), Ok(1));
            link.publish(1, vec![4]);
            link.publish(0, vec![2, 3]);
            assert_eq!(waiting.join().unwrap(), Ok(1234));
            assert_eq!(link.prefix(1), Ok(123));
            link.end();
        });
    }

    #[test]
    fn a_dropped_link_breaks_the_chain() {
        let chain = Chain::new(0u32, |a, b| a + b);
        thread::scope(|scope| {
            let waiting = scope.spawn(|| chain.link(1).prefix(1));
            drop(chain.link(0));
            assert_eq!(waiting.join().unwrap(), Err(Broken(0)));
        });
        assert_eq!(
            chain.link(2).in_turn(|| Ok::<_, Broken>(())),
            Err(Broken(0))
        );
    }
}
