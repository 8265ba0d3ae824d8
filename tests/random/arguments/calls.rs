//! All calls, with their names and the roles of their arguments.

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
use super::{Extent, Role};

/// A call. Its functions give the roles of the arguments for a number of items, make the call, and compute the results that the call must
/// have.
pub struct Call {
    pub name: &'static str,
    pub roles: fn(usize) -> Vec<Role>,
    pub run: fn(&Gpu, End<'_>, &[Extent]) -> Result<Answer>,
    pub model: Model,
    /// Whether the call cannot be queued.
    pub only_waits: bool,
}

/// The last step of a call: `queue` or `wait`.
#[derive(Clone, Copy)]
pub enum End<'a> {
    Queued(&'a Stream),
    Waited,
}

/// The value that a call returns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Answer {
    Nothing,
    /// A result, a total, the number of selected items, or the number of runs.
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

/// An argument's memory, as a slice of items of type `T`.
fn at<T: DeviceCopy>(place: &Extent) -> DeviceSlice<T> {
    let start = DevicePointer::from_raw(place.address);
    // SAFETY: the arena outlives the call. A slice outside of the arena is refused, or the call accesses none of its items.
    unsafe { DeviceSlice::from_raw_parts(start, place.items) }
}

const fn input(items: usize) -> Role {
    Role::read(4, items)
}

fn output(items: usize) -> Role {
    Role::written(4, items)
}

/// An output that may be too short for the results. If it is too short, the call fills it to its end.
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
