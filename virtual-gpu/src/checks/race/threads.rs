//! The time and the knowledge of each thread in the running blocks.

use std::collections::HashMap;
use std::rc::Rc;

use super::clocks::{Known, Thread};
use super::messages::{Message, Messages};
use super::pages::Pages;
use crate::checks::Arrival;

/// One thread.
#[derive(Debug, Clone)]
pub(super) struct ThreadState {
    pub time: u32,
    pub known: Rc<Known>,
    /// The knowledge that strong writes publish, if they follow a fence that releases.
    pub fenced: Option<Message>,
    /// The messages that strong reads have received. They take effect at the next fence that acquires.
    pub seen: Vec<Message>,
    /// The knowledge that `follow` joined last.
    followed: Option<Rc<Known>>,
}

impl ThreadState {
    fn new(known: &Rc<Known>) -> Self {
        Self {
            time: 1,
            known: Rc::clone(known),
            fenced: None,
            seen: Vec::new(),
            followed: None,
        }
    }

    /// Joins the knowledge of another thread, unless the last join was of the same knowledge.
    fn follow(&mut self, known: &Rc<Known>) {
        let is_same = |last: &Rc<Known>| Rc::ptr_eq(last, known);
        if !self.followed.as_ref().is_some_and(is_same) {
            self.learn(known);
            self.followed = Some(Rc::clone(known));
        }
    }

    /// Returns all that the thread knows, including its own accesses, and advances its time.
    pub(super) fn publish(&mut self, thread: Thread) -> Rc<Known> {
        Rc::make_mut(&mut self.known).learn(thread, self.time);
        self.time += 1;
        Rc::clone(&self.known)
    }

    pub(super) fn learn(&mut self, known: &Known) {
        Rc::make_mut(&mut self.known).join(known);
    }

    /// Receives a message that a strong read has found. It takes effect at the thread's next fence that acquires.
    pub(super) fn hear(&mut self, message: &Message) {
        let is_new = |m: &Message| !Rc::ptr_eq(&m.known, &message.known);
        if self.seen.iter().all(is_new) {
            self.seen.push(message.clone());
        }
    }
}

/// One running block: its threads, and the histories of its shared memory.
#[derive(Debug)]
pub(super) struct BlockState {
    pub number: u64,
    /// The block's threads. If the block makes asynchronous copies, entries for the copies of each
    /// thread follow.
    pub threads: Vec<ThreadState>,
    thread_count: u32,
    pub shared: Pages,
    pub messages: Messages,
    /// For each incomplete barrier, the knowledge of the threads that have arrived.
    gathered: HashMap<u32, Gathering>,
}

/// The joint knowledge of several threads.
#[derive(Debug, Default)]
struct Gathering {
    known: Known,
    /// The joined [`Known`]s, in order. Threads that have met share a `Known`, so a `Known` that is one of the last two in this list is not
    /// joined again.
    taken: Vec<Rc<Known>>,
}

impl BlockState {
    /// A block whose threads all have the same knowledge.
    pub(super) fn new(number: u64, thread_count: u32, known: &Rc<Known>) -> Self {
        Self {
            number,
            threads: vec![ThreadState::new(known); thread_count as usize],
            thread_count,
            shared: Pages::default(),
            messages: Messages::default(),
            gathered: HashMap::new(),
        }
    }

    pub(super) fn thread(&self, index: u32) -> Thread {
        Thread::new(self.number, index)
    }

    /// Lanes met: each of these lanes now knows everything that any of them knew.
    pub(super) fn meet(&mut self, warp: u32, lanes: u32) {
        let mut together = Gathering::default();
        together.take_in(self.number, &mut self.threads, warp, lanes);
        self.hand_out(&Rc::new(together.known), warp, lanes);
    }

    pub(super) fn arrive(&mut self, barrier: u32, arrival: &Arrival) {
        let gathering = self.gathered.entry(barrier).or_default();
        gathering.take_in(self.number, &mut self.threads, arrival.warp, arrival.lanes);
    }

    pub(super) fn complete(&mut self, barrier: u32, waiting: &[Arrival]) {
        let gathered = self.gathered.remove(&barrier).unwrap_or_default();
        let known = Rc::new(gathered.known);
        for arrival in waiting {
            self.hand_out(&known, arrival.warp, arrival.lanes);
        }
    }

    /// Lanes began copies: the copies of each lane now know what this lane knows.
    pub(super) fn copies_begin(&mut self, warp: u32, lanes: u32) {
        let copiers = copiers(self.thread_count);
        if self.threads.len() < 2 * copiers as usize {
            let new = ThreadState::new(&Rc::default());
            self.threads.resize(2 * copiers as usize, new);
        }
        for index in indices(warp, lanes) {
            let thread = self.thread(index);
            let (threads, copies) = self.threads.split_at_mut(copiers as usize);
            let pair = (
                threads.get_mut(index as usize),
                copies.get_mut(index as usize),
            );
            if let (Some(state), Some(copies)) = pair {
                copies.follow(&state.known);
                Rc::make_mut(&mut copies.known).learn(thread, state.time);
                state.time += 1;
            }
        }
    }

    /// Lanes waited for all or some of their copies. Of what the copies know, only their own accesses are new to the lanes.
    pub(super) fn copies_end(&mut self, warp: u32, lanes: u32) {
        let copiers = copiers(self.thread_count);
        for index in indices(warp, lanes) {
            let copier = self.thread(index + copiers);
            let Some(copies) = self.threads.get_mut(copier.index()) else {
                continue;
            };
            let time = copies.time;
            copies.time += 1;
            if let Some(state) = self.threads.get_mut(index as usize) {
                Rc::make_mut(&mut state.known).learn(copier, time);
            }
        }
    }

    fn hand_out(&mut self, known: &Rc<Known>, warp: u32, lanes: u32) {
        for index in indices(warp, lanes) {
            if let Some(state) = self.threads.get_mut(index as usize) {
                state.known = Rc::clone(known);
            }
        }
    }
}

impl Gathering {
    fn take_in(&mut self, block: u64, threads: &mut [ThreadState], warp: u32, lanes: u32) {
        for index in indices(warp, lanes) {
            let Some(state) = threads.get_mut(index as usize) else {
                continue;
            };
            let taken = self.taken.iter().rev();
            if !taken.take(2).any(|taken| Rc::ptr_eq(taken, &state.known)) {
                self.known.join(&state.known);
                self.taken.push(Rc::clone(&state.known));
            }
            self.known.learn(Thread::new(block, index), state.time);
            state.time += 1;
        }
    }
}

/// The index of the first thread that represents copies: the thread count, rounded up to whole
/// warps.
pub(super) fn copiers(thread_count: u32) -> u32 {
    thread_count.next_multiple_of(32)
}

/// The indices in the block of some lanes of a warp.
pub(super) fn indices(warp: u32, lanes: u32) -> impl Iterator<Item = u32> {
    let held = (0..32).filter(move |lane| lanes >> lane & 1 == 1);
    held.map(move |lane| warp * 32 + lane)
}
