//! Finds data races between pieces of work: launches, copies and fills that touch the same bytes, one of
//! them writing, with nothing that orders them.
//!
//! A piece of work comes after another if
//!
//! * both are of one stream, and it was enqueued later;
//! * one is of the legacy default stream and the other of a blocking stream of the same context, and it
//!   was enqueued later;
//! * its stream waits for an event that was recorded after the other, as the event was recorded at the
//!   time of the call that waits;
//! * it was enqueued when the host had been told that the other is done: by a call that waits for a stream,
//!   an event or a context, a question after one of those that was answered with "done", an elapsed time, a
//!   copy that waits for its end, a call that frees memory, or a host function of a stream, which comes
//!   after what is before it in its stream;
//! * both are nodes of one launch of a graph, and edges lead from the other to it; or both are of launches
//!   of the same executable graph, and it was launched later;
//! * a third comes after the one and before the other.
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
//! * Work that is never done, of which there is some where nobody waits for it.
//! * The host's own loads and stores: of a buffer in page-locked memory that it fills again while a copy
//!   from it waits in a queue, or reads before the copy to it is done.
//! * Orders among the host's threads. What one thread has been told, all are taken to know; so a race
//!   between two threads' work may go unseen, and none is reported that is not there.
//! * Copies that are not asked for as asynchronous count as done when the call returns, and so do those
//!   from pageable memory, although a real driver may still be on the way to the device then.
//! * A host that learns otherwise that work is done, from a word of page-locked memory that it keeps
//!   reading: what it enqueues then counts as unordered. So do kernels of two streams that pass a flag to each
//!   other while both run.
//! * Where a host function is a node of a graph, the whole launch of the graph counts as known to the host
//!   from then on.
//! * Memory that is allocated in a stream's order and used in another without an order.
//!
//! What is remembered takes memory by the number of bytes touched and of streams that are not ordered, not by
//! the number of launches; all that comes before everything that can still happen is forgotten.

mod clock;
mod orders;
mod piece;
mod report;
mod shadow;
mod touched;

pub(crate) use clock::Clock;
pub(crate) use orders::Orders;
pub(crate) use piece::{NodePlace, Piece, What};
pub use report::{Doer, StreamKind, StreamName, StreamRace, StreamSide, ThreadPlace};
pub(crate) use touched::{Access, Grid, Run, Thread, Touched, add};
