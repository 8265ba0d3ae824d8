//! The checks that can be switched off. Those of memory accesses are always on.
//!
//! Barriers and `*.sync` instructions are checked where they are carried out, in `exec/barrier.rs`
//! and `exec/sync.rs`. The check for data races is an [`Observer`] of the launch with state of its
//! own. At the end of a launch `streams` compares the bytes that it touched with those of other
//! work. The check for uninitialised bytes keeps its state, [`Undefined`], beside the registers and
//! the memories; `exec/init` updates it. The interpreter is compiled once for each combination of
//! the two checks, so a check that is off costs nothing.

mod observer;
mod race;
mod streams;
mod undefined;

pub(crate) use observer::{Accesses, Arrival, Element, GridStart, Observer, Unwatched};
pub(crate) use race::RaceDetector;
pub(crate) use streams::{Clock, Grid, NodePlace, Orders, Piece, Raw, Run, Touched, What};
pub(crate) use undefined::{ByteMasks, DEFINED, Origin, Undefined};
