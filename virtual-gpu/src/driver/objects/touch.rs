//! Records in [`Orders`](crate::checks::Orders) which memory each piece of work touches, and reports races.

use crate::checks::{Clock, NodePlace, Piece, Raw, Run, Touched, What};
use crate::driver::code::{Code, Outcome};
use crate::driver::findings::Finding;
use crate::driver::launches::Enqueuer;
use crate::driver::objects::context::Context;
use crate::driver::objects::copy::{Copy, End, Extent3, Fill, Location, Pitch};
use crate::driver::objects::machine::machine;
use crate::{AccessKind, Extent, StreamName, StreamRace, Switch};
use std::sync::Arc;

/// A piece of work that is being done, and its order relative to other work.
#[derive(Clone, Copy)]
pub(super) struct Doing<'a> {
    pub(super) context: &'a Context,
    pub(super) stream: StreamName,
    pub(super) by: &'a Enqueuer,
    /// The driver call that enqueued the work. For a node of a graph: the driver call that added the node.
    pub(super) call: &'static str,
    pub(super) number: u64,
    pub(super) clock: &'a Arc<Clock>,
    pub(super) node: Option<&'a NodePlace>,
}

impl Doing<'_> {
    /// Records that the host knows that this piece of work, and all work before it, is done.
    pub(super) fn tell(&self) {
        self.context.device.orders.told(self.clock);
    }

    /// Called before a copy. If a race is reported, the copy is not carried out.
    pub(super) fn copies(&self, copy: &Copy) -> Outcome {
        let ends = [
            (&copy.from, AccessKind::Read),
            (&copy.to, AccessKind::Write),
        ];
        let mut touched = Touched::default();
        for (end, kind) in ends {
            if let Some(start) = start_of(end, copy.extent) {
                let runs = match kind {
                    AccessKind::Read => &mut touched.reads,
                    _ => &mut touched.writes,
                };
                runs.extend(rows(start, end.pitch, copy.extent, kind));
            }
        }
        self.calls(touched)
    }

    /// Called before a fill. If a race is reported, the fill is not carried out.
    pub(super) fn fills(&self, fill: &Fill) -> Outcome {
        let rows = rows(fill.address, fill.pitch, fill.extent, AccessKind::Write);
        self.calls(Touched {
            writes: rows.collect(),
            ..Touched::default()
        })
    }

    /// Called before memory is freed. If a race is reported, the memory is not freed.
    pub(super) fn frees(&self, extent: Extent) -> Outcome {
        let bytes = extent.base..extent.base + extent.bytes;
        self.calls(Touched {
            writes: vec![Run::of_call(bytes, AccessKind::Write)],
            ..Touched::default()
        })
    }

    fn calls(&self, touched: Touched) -> Outcome {
        match self.compare(What::Call(self.call), touched.into()) {
            None => Ok(()),
            Some(_) => Err(Code::LAUNCH_FAILED),
        }
    }

    /// Compares the accesses of this work with the accesses of other work. Reports and returns the first race.
    pub(super) fn compare(&self, what: What, raw: Raw) -> Option<Box<StreamRace>> {
        if self.by.options.checks.race == Switch::Off {
            return None;
        }
        let piece = Arc::new(Piece {
            stream: self.stream,
            number: self.number,
            clock: Arc::clone(self.clock),
            node: self.node.cloned(),
            what,
        });
        let mut race = self.context.device.orders.compare(&piece, raw)?;
        race.allocation = allocation(race.address);
        let race = Box::new(race);
        self.by.findings.report(Finding::StreamRace(race.clone()));
        Some(race)
    }
}

/// The first address of one end of a copy. `None` if this end is neither on a device nor in pinned memory: the race check ignores all other
/// memory.
fn start_of(end: &End, extent: Extent3) -> Option<u64> {
    match &end.place {
        Location::Device(_, address) => Some(*address),
        Location::Host(pointer) => {
            let bytes = extent.span(end.pitch).ok()?;
            let known = &machine().ok()?.known_memory;
            known.is_pinned(*pointer, bytes).then(|| pointer.address())
        }
        Location::Staged(_) => None,
    }
}

/// The rows that a fill writes, or that a copy accesses at one of its ends. If there are no gaps between the rows, they are joined to one
/// row.
fn rows(start: u64, pitch: Pitch, extent: Extent3, kind: AccessKind) -> impl Iterator<Item = Run> {
    let (width_bytes, extent) = match extent.is_contiguous(pitch) {
        true => (
            extent.width_bytes * extent.rows * extent.planes,
            Extent3::plane(0, 1),
        ),
        false => (extent.width_bytes, extent),
    };
    extent.starts(pitch).map(move |row| {
        let start = start + row as u64;
        Run::of_call(start..start + width_bytes as u64, kind)
    })
}

/// The memory that an address lies in.
fn allocation(address: u64) -> Option<Extent> {
    let machine = machine().ok()?;
    let on_device = machine
        .memory_at(address)
        .and_then(|memory| memory.find(address));
    on_device.or_else(|| {
        let (found, _) = machine.known_memory.find_host(address)?;
        Some(Extent {
            base: found.start,
            bytes: found.bytes,
        })
    })
}
