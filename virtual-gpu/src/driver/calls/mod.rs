//! The calls of the driver API on the virtual device, by subject. Each function checks its arguments as the CUDA documentation says, in the
//! documented order if the order matters. A call that refuses its arguments has no effect, with three exceptions: it may invalidate or end
//! a capture, load a library into a context, or wait for work.

pub(crate) mod attributes;
pub(crate) mod capture;
pub(crate) mod context;
pub(crate) mod copy;
pub(crate) mod copy_rows;
pub(crate) mod device;
pub(crate) mod error_names;
pub(crate) mod event;
pub(crate) mod fill;
pub(crate) mod function;
pub(crate) mod graph;
pub(crate) mod host_memory;
pub(crate) mod jit;
pub(crate) mod launch;
pub(crate) mod library;
pub(crate) mod link;
pub(crate) mod managed;
pub(crate) mod memory;
pub(crate) mod module;
pub(crate) mod occupancy;
pub(crate) mod pointer;
pub(crate) mod pool;
pub(crate) mod primary;
pub(crate) mod proc_address;
pub(crate) mod profiler;
pub(crate) mod setup;
pub(crate) mod stream;
pub(crate) mod user_object;

use crate::driver::code::Outcome;
use crate::driver::launches::Enqueuer;
use crate::driver::objects::capture::Captured;
use crate::driver::objects::context::{Context, Ticket};
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Ordering, Stream};
use crate::driver::objects::work::Action;
use std::sync::Arc;

/// If the stream is capturing, adds the work to the stream's capture, and returns no ticket. Otherwise, puts the work in the stream's
/// queue, and returns its ticket.
fn enqueue(stream: &Arc<Stream>, action: Action) -> Outcome<Option<Ticket>> {
    enqueue_after(stream, action, Vec::new())
}

/// Like [`enqueue`], but queued work also waits for the tickets in `after`. If the stream is capturing, these tickets are ignored.
fn enqueue_after(
    stream: &Arc<Stream>,
    action: Action,
    after: Vec<Ticket>,
) -> Outcome<Option<Ticket>> {
    if stream.capture_node(&action)? == Captured::Yes {
        return Ok(None);
    }
    check_legacy(stream)?;
    let by = Enqueuer::this_thread();
    Ok(Some(stream.context.enqueue(stream, action, after, by)))
}

/// If the stream is the legacy default stream and would have to wait for a capture, invalidates that capture and fails.
fn check_legacy(stream: &Arc<Stream>) -> Outcome {
    match stream.ordering {
        Ordering::Legacy => machine()?.captures.check_legacy(&stream.context),
        Ordering::Blocking | Ordering::NonBlocking => Ok(()),
    }
}

/// If the calling thread must not make potentially unsafe calls because of a capture, invalidates that capture and fails.
fn check_unsafe_call() -> Outcome {
    machine()?.captures.check_unsafe_call()
}

/// Does the work up to a ticket, and records that the host knows that this work is done. Returns the error of the context, if any.
fn finish(ticket: &Ticket) -> Outcome {
    ticket.finish();
    ticket.tell();
    ticket.stream.context.check()
}

/// Does all work of a context, and returns the context's error, if any.
fn finish_context(context: &Context) -> Outcome {
    context.drain();
    context.check()
}
