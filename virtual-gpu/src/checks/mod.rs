//! What watches a run, beside the checks of memory accesses, which are always on.
//!
//! The check of barriers and `*.sync` instructions sits where these are carried out, in
//! `exec/barrier.rs` and `exec/sync.rs`. The check for data races keeps its own state, as an
//! [`Observer`] of the launch; what a launch has touched as a whole is compared with other work in
//! `streams`. The check for uninitialised bytes keeps its state, [`Undefined`],
//! with the registers and the memories; `exec/init` fills it in. A launch is compiled once for each
//! combination of the two, so that what is off costs nothing.

mod observer;
mod race;
mod streams;
mod undefined;

pub(crate) use observer::{Accesses, Arrival, Element, GridStart, Observer, Unwatched};
pub(crate) use race::RaceDetector;
pub(crate) use streams::{Clock, Grid, NodePlace, Orders, Piece, Raw, Run, Touched, What};
pub(crate) use undefined::{ByteMasks, DEFINED, Origin, Undefined};
