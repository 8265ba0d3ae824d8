//! The checks that can be switched off. The checks of the alignment and the bounds of accesses are always on.
//!
//! Barriers and `*.sync` instructions are checked where they are executed, in `exec/barrier.rs` and `exec/sync.rs`. The check for data
//! races is an [`Observer`] of the launch, and keeps its own state. At the end of a launch, `streams` compares the bytes that the launch
//! touched with the bytes that other work touched. The checks of copies and of leaks are in `driver`. The check for uninitialised bytes
//! keeps its state, [`Undefined`], next to the registers and the memories; `exec/init` updates it. The interpreter is compiled separately
//! for each type of observer. So the calls to an observer cost nothing in a launch that is not watched.

mod observer;
mod race;
mod streams;
mod undefined;

pub(crate) use observer::{Accesses, Arrival, Element, GridStart, Observer, Unwatched};
pub(crate) use race::RaceDetector;
pub(crate) use streams::{Clock, Grid, NodePlace, Orders, Piece, Raw, Run, Touched, What};
pub(crate) use undefined::{ByteMasks, DEFINED, Origin, Undefined};
