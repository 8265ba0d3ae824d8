//! Finds data races between pieces of work: launches, copies and fills that touch the same bytes, where at least
//! one of them writes and nothing orders them.
//!
//! A piece of work comes after another if
//!
//! * both are of one stream, and it was enqueued later;
//! * one is of the legacy default stream and the other of a blocking stream of the same context, and it
//!   was enqueued later;
//! * it was enqueued after its stream was told to wait for an event, and the other before that event was
//!   recorded; what counts is the recording at the time of the call that waits;
//! * it was enqueued after the host learned that the other is done (below);
//! * both are nodes of one launch of a graph, and edges lead from the other to it;
//! * both are of launches of one executable graph, and it was launched later;
//! * it comes after a third that comes after the other.
//!
//! The host learns that work is done by a call that waits for its stream, an event after it or its context; by a
//! question that is answered with "done"; by the time between two events; by a copy that returns only when it
//! is done; by a call that waits because it frees memory; and as a host function begins, which comes after
//! what is before it in its stream. Destroying a stream tells the host nothing.
//!
//! All accesses of the grids that a kernel launches are its own. A programmatic launch counts as coming
//! after all work before it in its stream: that its threads wait for that is another check's business.
//!
//! Two atomic operations do not race, nor do other strong accesses, if both are of device scope or wider
//! and of the same bytes. Accesses are compared byte by byte. What is compared is device memory, and
//! page-locked host memory. Memory that is freed in a stream's order counts as written then.
//!
//! The verdict does not depend on the order in which work happens to be done, nor on the thread that does
//! it: each piece is compared with all that was done before, in whatever order (`shadow`), and what
//! decides is what was known when it was enqueued (`clock`, `piece`). The work that is done later reports
//! the race: a kernel at its end, as only then it is known what it touches, or when it is stopped for
//! something else; a copy or a fill before it begins.
//!
//! Not seen:
//!
//! * Work that is not done: what nobody waits for may be left until its stream or its context is
//!   destroyed.
//! * The host's own loads and stores: of a buffer in page-locked memory that it fills again while a copy
//!   from it waits in a queue, or reads before the copy to it is done.
//! * Orders among the host's threads. They synchronise in ways that the driver does not see, so what one of them
//!   has learned, all are taken to know. A race that only exists because they do not goes unseen.
//! * Copies from pageable memory count as done when the call returns, although a real driver may
//!   still be on the way to the device then.
//! * Where a host function is a node of a graph, the whole launch of the graph counts as known to the host
//!   from then on.
//! * Memory that is allocated in a stream's order and used in another without an order.
//!
//! Two orders are not seen, so that work counts as unordered which has one:
//!
//! * A host that learns that work is done from a word of page-locked memory, which it keeps reading between
//!   its calls.
//! * Kernels of two streams that pass a flag from one to the other while both run.
//!
//! Most work races with nothing, and to remember it byte by byte is slow. So recent work is kept as spans of
//! addresses (`spans`, `recent`). It is remembered byte by byte (`touched`, `shadow`) only when work comes that is
//! not ordered after it and whose spans meet its own. Mostly the host has waited for all before that, and all
//! is forgotten.
//!
//! The memory for this grows with the bytes touched and with the streams that are not ordered, not with the
//! number of launches. Work that comes before everything that can still happen is forgotten.

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
