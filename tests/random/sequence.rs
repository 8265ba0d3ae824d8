//! Random sequences of calls on shared buffers, by several threads on several streams.
//!
//! Two calls conflict if one writes items that the other reads or writes. Conflicting calls take effect in the order of the sequence: a
//! thread makes a call only after the earlier calls that conflict with it have been made. On the device, a stream keeps the order of its
//! calls, and an event keeps the order of two queued calls on different streams. Calls without a conflict may run in any order. So if the
//! same calls are made one by one on the host, the buffers must have the same contents at the end.

#[path = "sequence/model.rs"]
mod model;
#[path = "sequence/order.rs"]
mod order;
#[path = "sequence/run.rs"]
mod run;
#[path = "sequence/step.rs"]
mod step;

use proptest::collection::vec;
use proptest::sample::select;
use proptest::strategy::Strategy;

use crate::contents::Contents;
use crate::schedule::Schedule;
use model::operators;
use step::Step;

/// How many threads make calls.
const THREADS: usize = 3;
/// How many streams there are, for all threads.
const STREAMS: usize = 3;
/// How many buffers there are, for all calls, and how many items each has.
const BUFFERS: usize = 3;
const BUFFER_ITEMS: usize = 12_000;

/// A sequence of calls.
#[derive(Debug, Clone)]
pub struct Plan {
    pub pace: Pace,
    pub item: ItemType,
    pub contents: Contents,
    pub steps: Vec<Step>,
    pub schedule: Schedule,
}

/// When threads make their calls.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pace {
    /// One call after the other. So a sequence runs in the same way each time.
    InTurn,
    /// A thread makes a call as soon as the earlier calls that conflict with it have been made.
    AtOnce,
}

/// The type of all items of a sequence.
#[derive(Debug, Clone, Copy)]
pub enum ItemType {
    U32,
    I64,
    U8,
    F32,
    F64,
    F16,
}

const ITEM_TYPES: &[ItemType] = &[
    ItemType::U32,
    ItemType::I64,
    ItemType::U8,
    ItemType::F32,
    ItemType::F64,
    ItemType::F16,
];

impl Plan {
    pub fn strategy() -> impl Strategy<Value = Self> {
        let steps = vec(Step::strategy(), 1..24);
        let pace = select(&[Pace::InTurn, Pace::AtOnce][..]);
        let item = select(ITEM_TYPES);
        let fields = (
            pace,
            item,
            Contents::strategy(),
            steps,
            Schedule::strategy(),
        );
        fields.prop_map(|(pace, item, contents, steps, schedule)| Self {
            pace,
            item,
            contents,
            steps,
            schedule,
        })
    }

    /// Makes the calls, and compares the buffers and the returned results with the model.
    pub fn check(&self) {
        match self.item {
            ItemType::U32 => run::check::<u32>(self, &operators!(u32)),
            ItemType::I64 => run::check::<i64>(self, &operators!(i64)),
            ItemType::U8 => run::check::<u8>(self, &operators!(u8)),
            ItemType::F32 => run::check::<f32>(self, &operators!(f32)),
            ItemType::F64 => run::check::<f64>(self, &operators!(f64)),
            ItemType::F16 => {
                run::check::<warpfold::cust_half::f16>(self, &operators!(warpfold::cust_half::f16))
            }
        }
    }
}
