//! The calls, one function each. What a call is named and how its arguments stand is said here and nowhere else.

#[path = "calls/chosen.rs"]
mod chosen;
#[path = "calls/grouped.rs"]
mod grouped;
#[path = "calls/whole.rs"]
mod whole;

use cust::memory::{DeviceCopy, DevicePointer, DeviceSlice};
use cust::stream::Stream;
use warpfold::{Gpu, Result, cust};

use super::model::Model;
use super::{Place, Role};

/// A call: its arguments for this many items, the call itself, and what it writes.
pub struct Call {
    pub name: &'static str,
    pub roles: fn(usize) -> Vec<Role>,
    pub run: fn(&Gpu, End<'_>, &[Place]) -> Result<Answer>,
    pub model: Model,
    /// Whether there is no form of it that is queued.
    pub only_waits: bool,
}

/// How a call ends.
#[derive(Clone, Copy)]
pub enum End<'a> {
    Queued(&'a Stream),
    Waited,
}

/// What a call gives.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    Nothing,
    /// A number: a result, or how many items are chosen, or how many runs there are.
    Number(u64),
}

impl From<()> for Answer {
    fn from((): ()) -> Self {
        Answer::Nothing
    }
}

impl From<u32> for Answer {
    fn from(number: u32) -> Self {
        Answer::Number(number.into())
    }
}

impl From<u64> for Answer {
    fn from(number: u64) -> Self {
        Answer::Number(number)
    }
}

impl From<usize> for Answer {
    fn from(number: usize) -> Self {
        Answer::Number(number as u64)
    }
}

/// Queues a request, or waits for it.
macro_rules! end {
    ($gpu:ident, $end:ident, $request:expr) => {
        match $end {
            End::Queued(stream) => $request.queue($gpu, stream).map(Answer::from),
            End::Waited => $request.wait($gpu).map(Answer::from),
        }
    };
}
use end;

/// All calls.
pub fn all() -> Vec<&'static Call> {
    let lists = [whole::CALLS, grouped::CALLS, chosen::CALLS];
    lists.into_iter().flatten().collect()
}

/// The memory of a place as a slice of these items.
fn at<T: DeviceCopy>(place: &Place) -> DeviceSlice<T> {
    let start = DevicePointer::from_raw(place.address);
    // SAFETY: a place is in the arena, or the call has to refuse it.
    unsafe { DeviceSlice::from_raw_parts(start, place.items) }
}

const fn input(items: usize) -> Role {
    Role::read(4, items)
}

fn output(items: usize) -> Role {
    Role::written(4, items)
}

/// An output that is filled as far as it reaches.
fn room(items: usize) -> Role {
    Role::written(4, items).any_length()
}

fn count() -> Role {
    Role::written(8, 1)
}

fn count_read() -> Role {
    Role::read(8, 1).count()
}

fn offsets(items: usize) -> Role {
    Role::read(4, 9).offsets(items)
}
