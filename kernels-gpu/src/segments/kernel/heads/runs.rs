//! Finds a work's chunks of several leaves from the window's words, and runs the steps for their leaves, nodes and roots. A thread looks at
//! 16 or 256 consecutive items at a time. It takes the leaves or nodes that begin at these items, or the root of a chunk that begins there.
//! For short chunks, see `short.rs`.
//!
//! In this file, an item's place is its distance from the window's first item. Only [`Chunk`] and [`Leaf`] count places as the work does
//! (see [`Work::begin`]).

use crate::contract::WARP_LANES;
use crate::element::{Accumulator, Element};
use crate::op::Op;
use crate::segments::tuning::SHORT_LEAF;
use crate::segments::{vector_items, Task, Work, FAN, NODE_ITEMS};
use crate::simt;

use super::super::items::Room;
use super::super::leaves::{Leaf, Node, Step};
use super::super::starts::Chunk;
use super::super::Launch;

/// Flags of a work. `HAS_LONG`: a chunk has more than one leaf. `HAS_ROOTS`: a chunk has at least [`NODE`] items. The values of such a
/// chunk's nodes are stored, even if there is only one node: its segment may go on in later windows. `HAS_NODES`: a chunk has more than one
/// leaf, but fewer than [`NODE`] items. `fold_whole_leaves` never sets `HAS_NODES`. It writes a list of these chunks instead.
pub const HAS_LONG: u32 = 1;
pub const HAS_ROOTS: u32 = 2;
pub const HAS_NODES: u32 = 4;

/// The number of items of a full node.
pub const NODE: u32 = NODE_ITEMS as u32;

/// A chunk, from place `start` to place `end`, exclusive. If `start` equals `end`, there is no chunk.
#[derive(Clone, Copy)]
pub struct Run {
    pub start: u32,
    pub end: u32,
}

impl Run {
    /// How many items the chunk has.
    #[inline(always)]
    pub fn length(self) -> u32 {
        self.end - self.start
    }
}

/// Two chunks near the 16 or 256 consecutive places from `first` on: the last chunk that begins before these places, and the last chunk
/// that begins at one of them.
#[derive(Clone, Copy)]
pub struct Around {
    pub first: u32,
    /// The last chunk that begins before these places. It may end at `first`, and then covers none of these places.
    pub over: Run,
    /// The last chunk that begins at one of these places.
    pub last: Run,
}

/// No chunk.
const NONE: Run = Run { start: 0, end: 0 };

impl Around {
    /// The chunks around the 16 places from `16 · block` on. If a leaf of a chunk of more than 16 items begins at these places, the chunk
    /// is `over` or `last`.
    ///
    /// # Safety
    /// The words are written, and cover these places.
    #[inline(always)]
    pub unsafe fn sixteen<T: Element, A: Accumulator>(room: Room<T, A>, block: u32) -> Self {
        let (number, shift) = (block / 2, block % 2 * FAN);
        // SAFETY: the words are written: this function's condition.
        let word = unsafe { room.word(number) };
        let first = block * FAN;
        let heads = word.heads >> shift & 0xffff;
        let lower = word.heads & ((1 << shift) - 1);
        let upper = word.heads >> shift >> FAN;
        let before = match lower {
            0 => word.before,
            _ => number * u32::BITS + u32::BITS - lower.leading_zeros(),
        };
        let after = match upper {
            0 => word.after,
            _ => first + FAN + upper.trailing_zeros(),
        };
        let end = match heads {
            0 => after,
            _ => first + heads.trailing_zeros(),
        };
        Self {
            first,
            over: match before {
                0 => NONE,
                _ => Run {
                    start: before - 1,
                    end,
                },
            },
            last: match heads {
                0 => NONE,
                _ => Run {
                    start: first + u32::BITS - 1 - heads.leading_zeros(),
                    end: after,
                },
            },
        }
    }

    /// The chunks around the 256 places from `256 · block` on. If a node of a chunk of at least 256 items begins at these places, the
    /// chunk is `over` or `last`.
    ///
    /// # Safety
    /// The words are written, and cover these places.
    #[inline(always)]
    unsafe fn node<T: Element, A: Accumulator>(room: Room<T, A>, block: u32) -> Self {
        let first = block * NODE;
        let number = first / u32::BITS;
        let last_number = number + NODE / u32::BITS - 1;
        // SAFETY: the words are written: this function's condition.
        let (word, last_word) = unsafe { (room.word(number), room.word(last_number)) };
        let end = match word.heads {
            0 => word.after,
            heads => first + heads.trailing_zeros(),
        };
        // One more than the start of the last chunk that begins before the end of these places; 0 if there is none.
        let last = match last_word.heads {
            0 => last_word.before,
            heads => last_number * u32::BITS + u32::BITS - heads.leading_zeros(),
        };
        Self {
            first,
            over: match word.before {
                0 => NONE,
                before => Run {
                    start: before - 1,
                    end,
                },
            },
            last: match last > first {
                false => NONE,
                true => Run {
                    start: last - 1,
                    end: last_word.after,
                },
            },
        }
    }

    /// The place at which a leaf (`size` is 16) or node (256) of chunk `run` begins, among the `size` places from `first` on. If the chunk
    /// ends earlier, the place at which its next leaf or node would begin.
    #[inline(always)]
    pub fn part_of(&self, run: Run, size: u32) -> u32 {
        self.first + (run.start.wrapping_sub(self.first) & (size - 1))
    }
}

/// Where a work begins and ends in its window.
#[derive(Clone, Copy)]
pub struct Places {
    pub begin: u32,
    pub end: u32,
}

impl Places {
    #[inline(always)]
    pub fn of(work: &Work) -> Self {
        Places {
            begin: work.begin.wrapping_sub(work.starts),
            end: work.end.wrapping_sub(work.starts),
        }
    }

    /// Whether a chunk belongs to the work, and has more than `least` items.
    #[inline(always)]
    pub fn have(&self, run: Run, least: u32) -> bool {
        run.length() > least && run.start >= self.begin && run.start < self.end
    }

    /// Chunk `run` as a [`Chunk`], with the places that its items have in the work. The chunk's number is the distance of its start from
    /// the work's begin. So a work's chunks have different numbers, and only its first chunk has number 0.
    #[inline(always)]
    pub fn chunk(&self, work: &Work, run: Run) -> Chunk {
        Chunk {
            number: run.start.wrapping_sub(self.begin),
            start: run.start.wrapping_add(work.starts),
            end: run.end.wrapping_add(work.starts),
        }
    }

    /// Divides the window's places into blocks of `size` places. Returns the number of the first block with items of the work, and the
    /// number of blocks with such items.
    #[inline(always)]
    pub fn blocks(&self, size: u32) -> (u32, u32) {
        let first = self.begin / size;
        (first, self.end.div_ceil(size) - first)
    }
}

impl<O: Op<T>, T: Element> Launch<O, T> {
    /// Runs step `S` for each leaf of the chunks that have several leaves. Each leaf has one thread. Returns the flags that the calling
    /// thread has found.
    ///
    /// # Safety
    /// 1. Convergent: the whole block. The words are written, and `work` is one of the block's works.
    /// 2. The conditions of `S::run` hold for each of these leaves.
    #[inline(always)]
    pub unsafe fn for_each_leaf_of_runs<S: Step<Leaf>>(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
    ) -> u32 {
        let places = Places::of(work);
        let (block, count) = places.blocks(FAN);
        let lane = simt::lane();
        let mut first = simt::warp() * WARP_LANES;
        let mut found = 0;
        while first < count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the words are written (condition 1), and cover the thread's 16 places. The whole warp takes part in the ballots,
            // since all lanes have the same `first`. Each leaf begins in one block of 16 places, and one thread looks at this block. The
            // step's other conditions hold by condition 2.
            unsafe {
                let around = Around::sixteen(room, block + Ord::min(first + lane, count - 1));
                let exists = first + lane < count;
                let has_leaf = |run: Run| {
                    exists && places.have(run, FAN) && around.part_of(run, FAN) < run.end
                };
                let (mut run, mut is_some) = (around.over, has_leaf(around.over));
                let mut is_next = has_leaf(around.last);
                if !is_some {
                    (run, is_some, is_next) = (around.last, is_next, false);
                }
                let mut some = simt::ballot(is_some);
                while some != 0 {
                    let _ = simt::opaque_one();
                    let chunk = places.chunk(work, run);
                    let begin = around.part_of(run, FAN).wrapping_add(work.starts);
                    let number = (begin - chunk.start) / FAN;
                    let end = Ord::min(begin + FAN, chunk.end);
                    let is_whole = end - begin == FAN && begin.is_multiple_of(vector_items::<T>());
                    let are_whole = Self::READS_VECTORS && simt::ballot(is_some && !is_whole) == 0;
                    let are_short = simt::ballot(is_some && end - begin > SHORT_LEAF) == 0;
                    if is_some {
                        let is_first = run.start == places.begin;
                        let before = if is_first { work.index } else { 0 };
                        let leaf = Leaf {
                            chunk,
                            number,
                            begin,
                            end,
                            index: before + (number * FAN) as u64,
                            are_whole,
                            are_short,
                        };
                        found |= match run.length() >= NODE {
                            true => HAS_LONG | HAS_ROOTS,
                            false => HAS_LONG | HAS_NODES,
                        };
                        S::run(self, work, room, leaf);
                    }
                    (run, is_some, is_next) = (around.last, is_next, false);
                    some = simt::ballot(is_some);
                }
            }
            first += step * self.threads();
        }
        found
    }

    /// Adds `found`, the flags that the calling thread has found, to a work's flags.
    ///
    /// # Safety
    /// The work's flags were cleared before the first call for this work.
    #[inline(always)]
    pub unsafe fn note(flags: *mut u32, found: u32) {
        if found != 0 {
            // SAFETY: the flags are in shared memory, and were cleared: this function's condition.
            unsafe { simt::or_shared(flags, found) };
        }
    }

    /// Runs step `S` for each chunk that has several leaves, but fewer than [`NODE`] items. Such a chunk is one node. Each has one thread.
    ///
    /// # Safety
    /// 1. The whole block. The words and the flags are written, and `work` is one of the block's works.
    /// 2. The conditions of `S::run` hold for each of these nodes.
    #[inline(always)]
    pub unsafe fn for_each_single_node<S: Step<Node>>(
        &self,
        work: &Work,
        room: Room<T, O::Accumulator>,
    ) {
        let places = Places::of(work);
        // A node belongs to the thread whose 16 places have the node's first item.
        let (block, count) = places.blocks(FAN);
        let mut number = simt::thread_index();
        while number < count {
            let step = simt::opaque_one() as u32;
            // SAFETY: the words are written (condition 1), and cover the thread's 16 places. Each chunk of more than 16 items is the last
            // one that begins in its block of 16 places, so each node has one thread. The step's other conditions hold by condition 2.
            unsafe {
                let run = Around::sixteen(room, block + number).last;
                if places.have(run, FAN) && run.length() < NODE {
                    let chunk = places.chunk(work, run);
                    let node = Node {
                        chunk,
                        number: 0,
                        leaf_count: chunk.leaf_count(),
                    };
                    S::run(self, work, room, node);
                }
            }
            number += step * self.threads();
        }
    }

    /// The node that the calling lane takes, among those of the chunks of at least [`NODE`] items. Each of these nodes has one lane of a
    /// warp.
    ///
    /// # Safety
    /// The words are written, and `work` is the window's work.
    #[inline(always)]
    pub unsafe fn stored_node(&self, work: &Work, room: Room<T, O::Accumulator>) -> Option<Node> {
        let places = Places::of(work);
        let (block, count) = places.blocks(NODE);
        // Each lane stands for 256 places, and for one node that may begin there. If the lane's number is less than `starts`, the node is
        // the first one of the last chunk that begins at these places. Otherwise, it is a later node of a chunk that begins before these
        // places. No lane below `starts` stands for places after the window, since chunks begin only in the window. No lane from `starts`
        // on stands for the work's first 256 places, since no chunk of the work begins before them. There are enough lanes, since a window
        // has at most 16 times 256 places, and a work ends before 256 further places.
        const { assert!(Room::<T, O::Accumulator>::WINDOW_WORDS * u32::BITS <= FAN * NODE) };
        let window = Room::<T, O::Accumulator>::WINDOW_WORDS * u32::BITS / NODE;
        let starts = Ord::min(window.saturating_sub(block), count);
        let number = simt::lane();
        if number + 1 >= starts + count {
            return None;
        }
        let starts_here = number < starts;
        let place = match starts_here {
            true => number,
            false => number - starts + 1,
        };
        // SAFETY: the words are written (this function's condition), and cover the 256 places. Each chunk of at least 256 items is the last
        // one that begins in its block of 256 places, so each node has one lane.
        let around = unsafe { Around::node(room, block + place) };
        let run = match starts_here {
            true => around.last,
            false => around.over,
        };
        let begin = around.part_of(run, NODE);
        if !places.have(run, NODE - 1) || begin >= run.end {
            return None;
        }
        let chunk = places.chunk(work, run);
        let number = (begin - run.start) / NODE;
        Some(Node {
            chunk,
            number,
            leaf_count: Ord::min(chunk.leaf_count() - number * FAN, FAN),
        })
    }

    /// Folds a node of a chunk of at least [`NODE`] items, and stores its value. A scan does not use the value of a node of fewer items,
    /// and stores the identity for it.
    ///
    /// # Safety
    /// The leaves' values are written if they are used. No other thread takes the node.
    #[inline(always)]
    pub unsafe fn fold_stored(&self, room: Room<T, O::Accumulator>, node: &Node) {
        let &Node {
            chunk,
            number,
            leaf_count,
        } = node;
        let items = chunk.end - chunk.start - number * NODE;
        // SAFETY: there is at least one leaf, and the values of the leaves are written if they are used. No other thread takes the node
        // (this function's conditions), and the values of different nodes do not overlap.
        unsafe {
            let value = match self.task == Task::Scan && items < NODE {
                true => O::identity(),
                false => self.fold_some(room.leaf(chunk.start, number * FAN), leaf_count),
            };
            room.node(chunk.start, number).write(value);
        }
    }
}
