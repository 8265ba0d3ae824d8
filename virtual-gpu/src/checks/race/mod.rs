//! Finds data races. A data race is a pair of accesses to the same bytes by different threads. At least one of the two accesses is a write,
//! and nothing orders them.
//!
//! Only the orders of the PTX memory model count. Lanes of a warp are not assumed to run in step. Shuffles and votes order no accesses, and
//! neither does the interleaving of this run.
//!
//! * Everything that threads do before they arrive at a barrier comes before everything that the waiting
//!   threads do after the barrier. A `bar.warp.sync` orders lanes in the same way.
//! * A release is a releasing write, or a releasing fence and then a strong write. An acquire is an acquiring read, or a strong read and
//!   then an acquiring fence. A release and an acquire are paired if the acquire reads the written value, or a value that atomic operations
//!   made from it. Everything before the release comes before everything after the acquire. Scopes count: an order of block scope holds
//!   within a block only.
//! * A grid that a kernel launches comes after the launching instruction. A grid in the NULL stream of a block comes after the grids that
//!   the block launched into this stream earlier. A tail launch comes after the whole grid that launched it, and after that grid's children
//!   and earlier tail launches. The end of a child grid orders nothing else: its parent's later accesses are not ordered after the child
//!   grid.
//! * The asynchronous copies of a thread count as a separate thread. The copies come after everything that the thread did before it began
//!   them, and before everything that the thread does after waiting for them. If copies report to an mbarrier, and an acquiring test finds
//!   that the phase of this mbarrier is complete, the copies come before everything after the test. The copies of one thread are assumed to
//!   be in order among themselves.
//! * Two strong accesses to the same bytes do not race if the scope of each includes the thread of the other.
//! * A non-coherent read (`ld.global.nc`) races with every write since its grid started, ordered or not: the bytes must not change while
//!   the grid runs.
//!
//! Each thread has a time, which advances when the thread publishes something. Each thread also knows other threads up to certain times
//! (`clocks`, `threads`, `messages`). An access gets the time of its thread. It is ordered before a later access if the thread of the later
//! access knows the thread of the earlier access up to this time. Memory is divided into cells of a few bytes (`pages`). For each cell,
//! `history` holds the accesses that must be remembered.
//!
//! Every launch starts with empty histories. At the end of a launch, `summary` lists the global memory that the launch touched, for
//! `checks/streams` to compare with other work.
//!
//! Not modelled: proxies, and the difference between `fence.sc` and `fence.acq_rel`. Findings, and the absence of findings, hold for the
//! inputs and the schedule that ran.

mod clocks;
mod grids;
mod history;
mod log;
mod messages;
mod pages;
mod past;
mod summary;
mod threads;

use std::collections::HashMap;
use std::rc::Rc;

use super::{Accesses, Arrival, Element, GridStart, Observer};
use crate::config::Switch;
use crate::fault::{AccessKind, Conflict, FaultKind, Side, Space};
use crate::program::{LANES, Order, Scope, Strength};
use clocks::{Thread, View};
use grids::{Grid, Grids};
use history::{History, Record};
use messages::{Message, Messages};
use pages::{NumberHasher, Pages};
use past::{Past, Reader};
use threads::{BlockState, indices};

/// Watches a launch for data races, and can make reads return an older value.
#[derive(Debug)]
pub(crate) struct RaceDetector {
    grids: Grids,
    /// Whether races are faults.
    reports: Switch,
    place: u32,
    blocks: HashMap<u64, BlockState, NumberHasher>,
    global: Pages,
    messages: Messages,
    past: Option<Past>,
    /// Lanes whose next reported read returns an older value, each with the messages of that value.
    stale: Vec<(usize, Vec<Message>)>,
}

impl RaceDetector {
    pub(crate) fn new(reports: Switch) -> Self {
        Self {
            grids: Grids::default(),
            reports,
            place: 0,
            blocks: HashMap::default(),
            global: Pages::default(),
            messages: Messages::default(),
            past: None,
            stale: Vec::new(),
        }
    }

    /// The same detector, but reads of global memory may be stale.
    pub(crate) fn with_stale_reads(self, seed: u64) -> Self {
        Self {
            past: Some(Past::new(seed)),
            ..self
        }
    }

    fn block(&mut self, number: u64) -> &mut BlockState {
        let new = || self.grids.new_block(number);
        self.blocks.entry(number).or_insert_with(new)
    }

    /// Compares the accesses of all lanes with earlier accesses, in the order of the lanes. If races are faults, returns the first lane
    /// that races, the records of the earlier and of the new access, and why they race.
    fn compare(&mut self, accesses: &Accesses<'_>) -> Option<(usize, [Record; 2], Conflict)> {
        let unordered = |old: Option<Record>| old.map(|old| (old, Conflict::Unordered));
        let place = self.place;
        let stale = std::mem::take(&mut self.stale);
        let new_block = || self.grids.new_block(accesses.block);
        let block = self.blocks.entry(accesses.block);
        let block = block.or_insert_with(new_block);
        let ordering = (accesses.strength, accesses.scope);
        if let Some(address) = accesses.weak_read_of_one_address()
            && let Some(state) = block.common_state(accesses.warp, accesses.lanes)
        {
            let first = Thread::new(accesses.block, accesses.warp * LANES as u32);
            let when = (state.time, place);
            let new = Record::new(first, when, accesses.kind, accesses.bytes, ordering);
            let known = Rc::clone(&state.known);
            let pages = match accesses.space {
                Space::Shared => &mut block.shared,
                _ => &mut self.global,
            };
            let cells = pages.cells(address, accesses.bytes);
            // Without writes there is no race. Then the lanes' reads are remembered together, which is faster than one by one.
            if cells.iter().all(History::is_unwritten) {
                for cell in cells {
                    cell.read_by_lanes(new, accesses.lanes, View::from(&*known));
                }
                return None;
            }
        }
        let (pages, messages) = match accesses.space {
            Space::Shared => (&mut block.shared, &mut block.messages),
            _ => (&mut self.global, &mut self.messages),
        };
        for index in indices(accesses.warp, accesses.lanes) {
            let lane = (index % 32) as usize;
            let address = accesses.addresses[lane];
            let thread = Thread::new(accesses.block, index);
            let Some(state) = block.threads.get_mut(index as usize) else {
                continue;
            };
            if accesses.kind != AccessKind::Write && accesses.is_strong() {
                let older = stale.iter().find(|(stale, _)| *stale == lane);
                let lying = older.map_or_else(|| messages.at(address), |(_, older)| older);
                Messages::hear(state, accesses, lying);
            }
            let when = (state.time, place);
            let new = Record::new(thread, when, accesses.kind, accesses.bytes, ordering);
            let known = state.view();
            for cell in pages.cells(address, accesses.bytes) {
                let raced = match (accesses.kind, accesses.strength) {
                    (AccessKind::Read, Strength::ReadOnly) => cell
                        .write_since(self.grids.first_block(accesses.block))
                        .map(|old| (old, Conflict::ReadOnly))
                        .or_else(|| unordered(cell.race_with_read(new, known))),
                    (AccessKind::Read, _) => unordered(cell.race_with_read(new, known)),
                    _ => unordered(cell.race_with_write(new, known)),
                };
                if let Some((old, conflict)) = raced
                    && self.reports == Switch::On
                {
                    return Some((lane, [old, new], conflict));
                }
                match accesses.kind {
                    AccessKind::Read => cell.read(new, known),
                    _ => cell.write(new, known),
                }
            }
            if accesses.kind != AccessKind::Read {
                messages.leave(thread, state, accesses, address);
            }
        }
        None
    }

    fn time_of(&mut self, element: &Element) -> u32 {
        let threads = &self.block(element.block).threads;
        let state = threads.get(element.thread as usize);
        state.map_or(0, |state| state.time)
    }

    fn side(&self, record: Record) -> Side {
        let block = record.thread().block();
        let grid = self.grids.of_block(block);
        let place = grid.and_then(|grid| grid.program.places.get(record.place as usize));
        Side {
            access: record.kind(),
            bytes: record.bytes(),
            block: block.wrapping_sub(grid.map_or(0, |grid| grid.first_block)),
            // Copies are reported as accesses of the thread that began them.
            thread: record.thread().index() as u32 % grid.map_or(u32::MAX, Grid::copiers),
            line: place.map_or(0, |place| place.line),
            instruction: place.map(|place| place.text.clone()).unwrap_or_default(),
        }
    }
}

impl Observer for RaceDetector {
    const WATCHES: bool = true;

    fn grid_starts(&mut self, start: &GridStart<'_>) {
        self.grids.start(start);
    }

    fn launches(&mut self, block: u64, thread: u32, grid: u32) {
        let state = self.block(block);
        let launcher = state.thread(thread);
        if let Some(state) = state.threads.get_mut(thread as usize) {
            let known = state.publish(launcher);
            self.grids.launch(grid, known);
        }
    }

    fn at(&mut self, place: u32) {
        self.place = place;
    }

    fn accesses(&mut self, accesses: &Accesses<'_>) -> Result<(), (usize, FaultKind)> {
        if !matches!(accesses.space, Space::Global | Space::Shared) {
            // Local memory belongs to one thread, and parameters of the kernel never change.
            return Ok(());
        }
        match self.compare(accesses) {
            None => Ok(()),
            Some((lane, [old, new], conflict)) => {
                let kind = FaultKind::Race {
                    space: accesses.space,
                    address: accesses.addresses[lane],
                    conflict,
                    earlier: Box::new(self.side(old)),
                    later: Box::new(self.side(new)),
                };
                Err((lane, kind))
            }
        }
    }

    fn fence(&mut self, block: u64, warp: u32, lanes: u32, (order, scope): (Order, Scope)) {
        let state = self.block(block);
        for index in indices(warp, lanes) {
            let thread = state.thread(index);
            let Some(state) = state.threads.get_mut(index as usize) else {
                continue;
            };
            if order != Order::Release {
                for message in std::mem::take(&mut state.seen) {
                    if message.reaches(block, scope) {
                        state.learn(&message.known);
                    }
                }
            }
            if order == Order::Acquire {
                continue;
            }
            let known = state.publish(thread);
            state.fenced = Some(Message {
                known,
                block,
                scope,
            });
        }
    }

    fn warp_sync(&mut self, block: u64, warp: u32, lanes: u32) {
        self.block(block).meet(warp, lanes);
    }

    fn arrive(&mut self, block: u64, number: u32, arrival: &Arrival) {
        self.block(block).arrive(number, arrival);
    }

    fn barrier(&mut self, block: u64, number: u32, waiting: &[Arrival]) {
        self.block(block).complete(number, waiting);
    }

    fn copies_begin(&mut self, block: u64, warp: u32, lanes: u32) {
        self.block(block).copies_begin(warp, lanes);
    }

    fn copies_end(&mut self, block: u64, warp: u32, lanes: u32) {
        self.block(block).copies_end(warp, lanes);
    }

    fn block_ends(&mut self, block: u64) {
        self.blocks.remove(&block);
    }

    fn remembers(&self) -> bool {
        self.past.is_some()
    }

    fn overwrites(&mut self, element: &Element, before: Option<u64>) {
        let time = self.time_of(element);
        if let Some(past) = &mut self.past {
            let messages = self.messages.at(element.address);
            let by = (Thread::new(element.block, element.thread), time);
            past.write((element.address, element.width), before, messages, by);
        }
    }

    fn reads_older(&mut self, element: &Element) -> Option<u64> {
        let new_block = || self.grids.new_block(element.block);
        let block = self.blocks.entry(element.block).or_insert_with(new_block);
        let state = block.threads.get(element.thread as usize)?;
        let reader = Reader {
            thread: Thread::new(element.block, element.thread),
            time: state.time,
            known: state.view(),
        };
        let past = self.past.as_mut()?;
        let (older, messages) = past.read((element.address, element.width), reader)?;
        let lane = (element.thread % 32) as usize;
        self.stale.push((lane, messages.to_vec()));
        Some(older)
    }
}
