//! The time and the knowledge of each thread in the running blocks.

use std::collections::HashMap;
use std::rc::Rc;

use super::clocks::{Known, Thread, View};
use super::messages::{Message, Messages};
use super::pages::Pages;
use crate::checks::Arrival;

/// One thread, or the asynchronous copies of one thread.
#[derive(Debug)]
pub(super) struct ThreadState {
    pub time: u32,
    pub known: Rc<Known>,
    /// For a thread: the thread that represents its asynchronous copies. For copies: the thread that began them.
    partner: Thread,
    /// The time up to which the partner is known. This time is not added to `known` at once, so that threads with copies can share a
    /// `Known`, too. It is added when the thread passes its knowledge to other threads.
    partner_time: u32,
    /// The thread's knowledge at its last fence that releases. The strong writes after the fence publish it.
    pub fenced: Option<Message>,
    /// The messages that strong reads have received. They take effect at the next fence that acquires.
    pub seen: Vec<Message>,
    /// For copies: the `known` of their thread, as it was last added to the `known` of the copies.
    followed: Rc<Known>,
}

impl ThreadState {
    fn new(known: &Rc<Known>, partner: Thread) -> Self {
        Self {
            time: 1,
            known: Rc::clone(known),
            partner,
            partner_time: 0,
            fenced: None,
            seen: Vec::new(),
            followed: Rc::clone(known),
        }
    }

    /// What the thread knows.
    pub(super) fn view(&self) -> View<'_> {
        View {
            known: &self.known,
            partner: self.partner,
            partner_time: self.partner_time,
        }
    }

    /// Copies begin: they learn everything that their thread knows, and its accesses up to `time`.
    fn follow(&mut self, known: &Rc<Known>, time: u32) {
        self.partner_time = time;
        if Rc::ptr_eq(&self.followed, known) {
            return;
        }
        // The thread's knowledge only grows, so its new `known` includes `followed`.
        match Rc::ptr_eq(&self.followed, &self.known) {
            true => self.known = Rc::clone(known),
            false => self.learn(known),
        }
        self.followed = Rc::clone(known);
    }

    /// Returns all that the thread knows, including its own accesses, and advances its time.
    pub(super) fn publish(&mut self, thread: Thread) -> Rc<Known> {
        let known = Rc::make_mut(&mut self.known);
        known.learn(thread, self.time);
        if self.partner_time > 0 {
            known.learn(self.partner, self.partner_time);
        }
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
    /// The block's threads. If the block makes asynchronous copies, entries for the copies of each thread follow.
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
        let copiers = copiers(thread_count);
        let partner = |index| Thread::new(number, index + copiers);
        let threads = (0..thread_count).map(|index| ThreadState::new(known, partner(index)));
        Self {
            number,
            threads: threads.collect(),
            thread_count,
            shared: Pages::default(),
            messages: Messages::default(),
            gathered: HashMap::new(),
        }
    }

    pub(super) fn thread(&self, index: u32) -> Thread {
        Thread::new(self.number, index)
    }

    /// The state of the lowest of these lanes, if all of them are at the same time and know the same.
    pub(super) fn common_state(&self, warp: u32, lanes: u32) -> Option<&ThreadState> {
        let mut states = indices(warp, lanes).map(|index| self.threads.get(index as usize));
        let first = states.next()??;
        let is_like = |state: Option<&ThreadState>| {
            state.is_some_and(|state| {
                state.time == first.time
                    && state.partner_time == 0
                    && Rc::ptr_eq(&state.known, &first.known)
            })
        };
        (first.partner_time == 0 && states.all(is_like)).then_some(first)
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
        let nothing = Rc::default();
        for index in self.threads.len() as u32..2 * copiers {
            let partner = self.thread(index % copiers);
            self.threads.push(ThreadState::new(&nothing, partner));
        }
        for index in indices(warp, lanes) {
            let (threads, copies) = self.threads.split_at_mut(copiers as usize);
            let pair = (
                threads.get_mut(index as usize),
                copies.get_mut(index as usize),
            );
            if let (Some(state), Some(copies)) = pair {
                copies.follow(&state.known, state.time);
                state.time += 1;
            }
        }
    }

    /// Lanes waited for all or some of their copies. The lanes learn only the accesses of the copies: everything else that the copies know,
    /// the lanes know already.
    pub(super) fn copies_end(&mut self, warp: u32, lanes: u32) {
        let copiers = copiers(self.thread_count) as usize;
        for index in indices(warp, lanes).map(|index| index as usize) {
            let Some(copies) = self.threads.get_mut(index + copiers) else {
                continue;
            };
            let time = copies.time;
            copies.time += 1;
            self.threads[index].partner_time = time;
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
            if state.partner_time > 0 {
                self.known.learn(state.partner, state.partner_time);
            }
            state.time += 1;
        }
    }
}

/// The index of the first thread that represents copies: the thread count, rounded up to whole warps.
pub(super) fn copiers(thread_count: u32) -> u32 {
    thread_count.next_multiple_of(32)
}

/// The indices that these lanes of a warp have in their block.
pub(super) fn indices(warp: u32, lanes: u32) -> impl Iterator<Item = u32> {
    let held = (0..32).filter(move |lane| lanes >> lane & 1 == 1);
    held.map(move |lane| warp * 32 + lane)
}
