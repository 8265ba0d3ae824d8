//! Finds data races between pieces of work: launches, copies, fills and stream-ordered frees. Two of them race if they touch the same
//! bytes, at least one writes, and nothing orders them.
//!
//! Work B comes after work A if
//!
//! * both are in one stream, and B was enqueued later;
//! * one is in the legacy default stream and the other in a blocking stream of the same context, and B was
//!   enqueued later;
//! * A was enqueued in a stream, then an event was recorded in this stream, then B's stream was told to wait for the event, and then B was
//!   enqueued. If the event was recorded several times, the last recording before the wait call counts;
//! * B was enqueued after the host learned that A is done (below);
//! * both are nodes of one launch of a graph, and edges lead from A to B;
//! * A and B belong to two launches of one executable graph, and B's launch is later;
//! * B comes after a third piece of work, which comes after A.
//!
//! The host learns that work is done
//!
//! * from a call that waits for the work's stream, for an event that was recorded after the work, or for the context;
//! * from a query that answers "done", or from a call that returns the time between two events;
//! * from a copy that returns only when it is done (between two contexts, such a copy waits for all work of both);
//! * from a call that waits before it frees memory, unregisters memory or unloads a module;
//! * from an allocation that waits because memory is short;
//! * from the start of a host function that is ordered after the work.
//!
//! Destroying a stream tells the host nothing.
//!
//! If a kernel launches grids, their accesses count as accesses of this kernel. A programmatic launch counts as ordered after all earlier
//! work of its stream: another check makes sure that its threads wait for that work.
//!
//! Two strong accesses, such as atomic operations, do not race if they access the same bytes and both have device scope or wider. Accesses
//! are compared byte by byte, in device memory and in page-locked host memory. Stream-ordered freeing counts as a write.
//!
//! Whether two pieces race does not depend on the order in which they happen to be done, nor on the host threads that do them. Each piece
//! is compared with all pieces done before it (`shadow`). Two pieces are ordered if their order was known when the later piece was enqueued
//! (`clock`, `piece`). The piece that is done later reports the race. A kernel reports at its end or when a fault stops it, because its
//! accesses are not known earlier. A copy, a fill or a stream-ordered free reports before it begins.
//!
//! Not seen:
//!
//! * Races of work that is never done. Work that nobody waits for may stay queued until its stream or its context is destroyed.
//! * Races with the host's own loads and stores. For example, the host refills a page-locked buffer while a copy from it is queued, or
//!   reads a buffer before the copy to it is done.
//! * Missing synchronisation between host threads. The driver does not see how they synchronise, so every host thread counts as knowing
//!   what any host thread has learned.
//! * Races with the end of a copy from pageable memory. On a real driver, the last part of the copy may still be under way when its call
//!   returns.
//! * Races with the launch of a graph that contains a host function. When this function begins, the host counts as knowing that the whole
//!   launch is done.
//! * The use of stream-ordered memory on a stream that is not ordered after the allocation.
//!
//! Two kinds of order are not seen, so ordered work may be reported as a race:
//!
//! * A host that polls a word of page-locked memory to learn that work is done.
//! * Kernels of two streams that pass a flag from one to the other while both run.
//!
//! Most work races with nothing, and recording it byte by byte is slow. So recent work is kept as spans of addresses (`spans`, `recent`).
//! It is recorded byte by byte (`touched`, `shadow`) when unordered work with overlapping spans arrives, or at a cleanup. Usually the host
//! waits for all work before such work arrives, and the spans are dropped.
//!
//! The memory for these records grows with the number of bytes touched and with the number of streams that nothing orders, not with the
//! number of launches. From time to time, a cleanup forgets the work that is ordered before everything that can still happen.

mod clock;
mod orders;
mod piece;
mod recent;
mod shadow;
mod spans;
mod touched;

pub(crate) use clock::Clock;
pub(crate) use orders::Orders;
pub(crate) use piece::{NodePlace, Piece, What};
pub(crate) use recent::Raw;
pub(crate) use spans::Spans;
pub(crate) use touched::{Access, Gatherer, Grid, Run, Thread, Touched};
