//! Finds data races: two accesses to the same bytes by different threads, one of them a write, with
//! nothing that orders them.
//!
//! Threads are ordered by what the PTX memory model says, and by nothing else: lanes of a warp are
//! not taken to run in step, and shuffles, votes and the order in which this run happened to
//! interleave order nothing.
//!
//! * A barrier orders what its threads did before against what those that waited do after;
//!   `bar.warp.sync` does the same for lanes.
//! * A release (or a fence and then a strong write) orders what came before against what comes
//!   after an acquire (or a strong read and then a fence) that reads what was written, or what an
//!   atomic operation made of it. Scopes count: an order of block scope holds within a block.
//! * Two accesses that are both strong, of scopes that reach each other, and to the same bytes, are
//!   no race.
//!
//! Not modelled: orders between launches (every launch starts anew), proxies, and the difference
//! between `fence.sc` and `fence.acq_rel`. A finding holds for the inputs and the schedule that
//! ran, and so does the absence of one.

use std::collections::HashMap;
use std::rc::Rc;

use super::clocks::{Known, Thread};
use super::{Access, Arrival, Observer};
use crate::fault::{AccessKind, FaultKind, Space};
use crate::program::{Program, Scope, Strength};

/// Bytes of a cell, for which accesses are remembered together.
const CELL_BYTES: u64 = 4;

/// A cell of memory: of the device, or of one block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Cell {
    /// The block, for shared memory.
    block: Option<u64>,
    number: u64,
}

/// One thread's access to a cell.
#[derive(Debug, Clone)]
struct Record {
    thread: Thread,
    time: u32,
    kind: AccessKind,
    /// Where the whole access starts, and its bytes.
    address: u64,
    bytes: u32,
    strength: Strength,
    scope: Scope,
    place: u32,
}

#[derive(Debug, Default)]
struct History {
    writes: Vec<Record>,
    /// Since the last write that all of them were before; the last of each thread.
    reads: HashMap<Thread, Record>,
}

/// What a write made known to those who read it.
#[derive(Debug, Clone)]
struct Message {
    known: Rc<Known>,
    block: u64,
    scope: Scope,
}

impl Message {
    /// Whether it reaches a block through an access of a scope.
    fn reaches(&self, block: u64, scope: Scope) -> bool {
        self.block == block || self.scope.min(scope) >= Scope::Device
    }
}

#[derive(Debug, Default)]
struct ThreadState {
    time: u32,
    known: Rc<Known>,
    /// What the last fence lets strong writes make known.
    fenced: Option<Message>,
    /// What strong reads have seen, for the next fence to make use of.
    seen: Vec<Message>,
}

/// Watches a launch for data races.
#[derive(Debug)]
pub(crate) struct RaceDetector<'p> {
    program: &'p Program,
    threads_per_block: u32,
    place: u32,
    threads: HashMap<Thread, ThreadState>,
    cells: HashMap<Cell, History>,
    messages: HashMap<Cell, Vec<Message>>,
    /// What those who arrived at a barrier that is not complete have brought.
    gathered: HashMap<(u64, u32), Known>,
}

impl<'p> RaceDetector<'p> {
    pub(crate) fn new(program: &'p Program, threads_per_block: u32) -> Self {
        Self {
            program,
            threads_per_block,
            place: 0,
            threads: HashMap::new(),
            cells: HashMap::new(),
            messages: HashMap::new(),
            gathered: HashMap::new(),
        }
    }

    fn state(&mut self, thread: Thread) -> &mut ThreadState {
        self.threads.entry(thread).or_insert_with(|| ThreadState {
            time: 1,
            ..ThreadState::default()
        })
    }

    /// All that a thread knows, itself included, up to now; what it does next is later.
    fn publish(&mut self, thread: Thread) -> Rc<Known> {
        let state = self.state(thread);
        let time = state.time;
        Rc::make_mut(&mut state.known).learn(thread, time);
        state.time += 1;
        Rc::clone(&state.known)
    }

    fn learn(&mut self, thread: Thread, known: &Known) {
        Rc::make_mut(&mut self.state(thread).known).join(known);
    }

    /// The other of two accesses that race, if there is one.
    fn find_race(&self, cell: Cell, new: &Record) -> Option<&Record> {
        let history = self.cells.get(&cell)?;
        let races = |old: &&Record| self.races(old, new);
        let write = history.writes.iter().find(races);
        match new.kind {
            AccessKind::Read => write,
            _ => write.or_else(|| {
                let racing = history.reads.values().filter(races);
                racing.min_by_key(|read| read.thread)
            }),
        }
    }

    fn races(&self, old: &Record, new: &Record) -> bool {
        let apart = old.address + u64::from(old.bytes) <= new.address
            || new.address + u64::from(new.bytes) <= old.address;
        if old.thread == new.thread || apart {
            return false;
        }
        let both_strong = old.strength != Strength::Weak && new.strength != Strength::Weak;
        let same_bytes = (old.address, old.bytes) == (new.address, new.bytes);
        let within_reach =
            old.thread.block == new.thread.block || old.scope.min(new.scope) >= Scope::Device;
        if both_strong && same_bytes && within_reach {
            return false;
        }
        let known = self
            .threads
            .get(&new.thread)
            .map(|state| state.known.time_of(old.thread));
        known.unwrap_or(0) < old.time
    }

    fn remember(&mut self, cell: Cell, new: &Record) {
        let history = self.cells.entry(cell).or_default();
        if new.kind == AccessKind::Read {
            history.reads.insert(new.thread, new.clone());
            return;
        }
        let covers = |old: &Record| {
            new.address <= old.address
                && old.address + u64::from(old.bytes) <= new.address + u64::from(new.bytes)
        };
        // Whoever is ordered after the new write is ordered after these.
        let state = self.threads.get(&new.thread);
        let before = |old: &Record| {
            old.thread == new.thread
                || state.is_some_and(|state| state.known.time_of(old.thread) >= old.time)
        };
        history.writes.retain(|old| !(covers(old) && before(old)));
        history.reads.retain(|_, old| !(covers(old) && before(old)));
        history.writes.push(new.clone());
    }

    /// What an access hears from earlier writes, and makes known to later readers.
    fn communicate(&mut self, thread: Thread, access: &Access) {
        let location = Cell {
            block: (access.space == Space::Shared).then_some(access.block),
            number: access.address,
        };
        if access.kind != AccessKind::Write && access.strength != Strength::Weak {
            let heard: Vec<Message> = self.messages.get(&location).map_or(Vec::new(), |all| {
                let reaches = |m: &&Message| m.reaches(access.block, access.scope);
                all.iter().filter(reaches).cloned().collect()
            });
            let acquires = matches!(
                access.strength,
                Strength::Acquire | Strength::AcquireRelease
            );
            for message in heard {
                if acquires {
                    self.learn(thread, &message.known);
                }
                let seen = &mut self.state(thread).seen;
                if !seen.iter().any(|m| Rc::ptr_eq(&m.known, &message.known)) {
                    seen.push(message);
                }
            }
        }
        if access.kind == AccessKind::Read {
            return;
        }
        let releases = matches!(
            access.strength,
            Strength::Release | Strength::AcquireRelease
        );
        let message = match access.strength {
            Strength::Weak => None,
            _ if releases => Some(Message {
                known: self.publish(thread),
                block: access.block,
                scope: access.scope,
            }),
            _ => self.state(thread).fenced.clone().map(|fenced| Message {
                scope: fenced.scope.min(access.scope),
                ..fenced
            }),
        };
        let messages = self.messages.entry(location).or_default();
        if access.kind == AccessKind::Write {
            // An atomic operation hands on what was there; a write does not.
            messages.clear();
        }
        if let Some(message) = message {
            let alike = |m: &&mut Message| {
                m.block == message.block && m.scope == message.scope
                    || m.scope.min(message.scope) >= Scope::Device
            };
            match messages.iter_mut().find(alike) {
                Some(old) => Rc::make_mut(&mut old.known).join(&message.known),
                None => messages.push(message),
            }
        }
    }

    fn describe(&self, record: &Record) -> String {
        let place = &self.program.places[record.place as usize];
        format!(
            "{} of {} bytes by thread {} of block {} at line {}: {}",
            record.kind,
            record.bytes,
            record.thread.index,
            record.thread.block,
            place.line,
            place.text
        )
    }

    fn lanes(block: u64, warp: u32, lanes: u32) -> impl Iterator<Item = Thread> {
        let held = (0..32).filter(move |lane| lanes >> lane & 1 == 1);
        held.map(move |lane| Thread {
            block,
            index: warp * 32 + lane,
        })
    }
}

impl Observer for RaceDetector<'_> {
    const WATCHES: bool = true;

    fn at(&mut self, place: u32) {
        self.place = place;
    }

    fn access(&mut self, access: &Access) -> Result<(), FaultKind> {
        let block = match access.space {
            Space::Global => None,
            Space::Shared => Some(access.block),
            // A thread's own.
            Space::Local | Space::Param => return Ok(()),
        };
        let thread = Thread {
            block: access.block,
            index: access.warp * 32 + access.lane,
        };
        // What an acquire hears orders this very access too.
        self.communicate(thread, access);
        let new = Record {
            thread,
            time: self.state(thread).time,
            kind: access.kind,
            address: access.address,
            bytes: access.bytes,
            strength: access.strength,
            scope: access.scope,
            place: self.place,
        };
        let last = access.address + u64::from(access.bytes) - 1;
        for number in access.address / CELL_BYTES..=last / CELL_BYTES {
            let cell = Cell { block, number };
            if let Some(old) = self.find_race(cell, &new) {
                let what = format!(
                    "at {} address {:#x}, nothing orders the {} and the {}",
                    access.space,
                    access.address,
                    self.describe(old),
                    self.describe(&new)
                );
                return Err(FaultKind::Race { what });
            }
            self.remember(cell, &new);
        }
        Ok(())
    }

    fn fence(&mut self, block: u64, warp: u32, lanes: u32, scope: Scope) {
        for thread in Self::lanes(block, warp, lanes) {
            for message in std::mem::take(&mut self.state(thread).seen) {
                if message.reaches(block, scope) {
                    self.learn(thread, &message.known);
                }
            }
            let known = self.publish(thread);
            self.state(thread).fenced = Some(Message {
                known,
                block,
                scope,
            });
        }
    }

    fn warp_sync(&mut self, block: u64, warp: u32, lanes: u32) {
        let mut together = Known::default();
        for thread in Self::lanes(block, warp, lanes) {
            together.join(&self.publish(thread));
        }
        let together = Rc::new(together);
        for thread in Self::lanes(block, warp, lanes) {
            self.state(thread).known = Rc::clone(&together);
        }
    }

    fn arrive(&mut self, block: u64, number: u32, arrival: &Arrival) {
        let mut gathered = self.gathered.remove(&(block, number)).unwrap_or_default();
        for thread in Self::lanes(block, arrival.warp, arrival.lanes) {
            gathered.join(&self.publish(thread));
        }
        self.gathered.insert((block, number), gathered);
    }

    fn barrier(&mut self, block: u64, number: u32, waiting: &[Arrival]) {
        let gathered = Rc::new(self.gathered.remove(&(block, number)).unwrap_or_default());
        for arrival in waiting {
            for thread in Self::lanes(block, arrival.warp, arrival.lanes) {
                self.state(thread).known = Rc::clone(&gathered);
            }
        }
    }

    fn block_ends(&mut self, block: u64) {
        self.cells.retain(|cell, _| cell.block != Some(block));
        self.messages.retain(|cell, _| cell.block != Some(block));
        self.gathered.retain(|(of, _), _| *of != block);
        for index in 0..self.threads_per_block {
            self.threads.remove(&Thread { block, index });
        }
    }
}
