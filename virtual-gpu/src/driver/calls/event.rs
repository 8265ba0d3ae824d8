//! The calls for events.

use crate::driver::abi::{Handle, Out};
use crate::driver::calls::stream::proceed;
use crate::driver::calls::{check_unsafe_call, enqueue, enqueue_after, finish};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::capture::Status;
use crate::driver::objects::context::Ticket;
use crate::driver::objects::current::current;
use crate::driver::objects::event::{Event, Recording, Timing};
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Stream, resolve};
use crate::driver::objects::work::Action;
use std::sync::{Arc, OnceLock};

const BLOCKING_SYNC: u32 = 1;
const DISABLE_TIMING: u32 = 2;
const INTERPROCESS: u32 = 4;

pub(crate) fn create(event: Out<Handle<Event>>, flags: u32) -> Outcome {
    let context = current()?;
    let place = event.required()?;
    if flags & !(BLOCKING_SYNC | DISABLE_TIMING | INTERPROCESS) != 0 {
        return Err(Code::INVALID_VALUE);
    }
    if flags & INTERPROCESS != 0 {
        return Err(Code::NOT_SUPPORTED);
    }
    let timing = match flags & DISABLE_TIMING {
        0 => Timing::Kept,
        _ => Timing::Disabled,
    };
    place.write(machine()?.events.insert(Event::new(context, timing)))
}

pub(crate) fn destroy(event: Handle<Event>) -> Outcome {
    find(event)?;
    machine()?.events.remove(event)?;
    Ok(())
}

fn find(event: Handle<Event>) -> Outcome<Arc<Event>> {
    let event = machine()?.events.get(event)?;
    event.context.check()?;
    Ok(event)
}

pub(crate) fn record(event: Handle<Event>, stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    let event = find(event)?;
    if !Arc::ptr_eq(&event.context, &stream.context) {
        return Err(Code::INVALID_HANDLE);
    }
    if let Some(tail) = stream.tail() {
        tail.capture.check()?;
        event.record(Recording::Capture(tail));
        return Ok(());
    }
    let time = Arc::new(OnceLock::new());
    if let Some(ticket) = enqueue(&stream, Action::Record(Arc::clone(&time)))? {
        event.record(Recording::Stream { ticket, time });
    }
    Ok(())
}

pub(crate) fn record_with_flags(
    event: Handle<Event>,
    stream: Handle<Stream>,
    flags: u32,
) -> Outcome {
    if flags != 0 {
        return Err(Code::NOT_SUPPORTED);
    }
    record(event, stream)
}

pub(crate) fn synchronize(event: Handle<Event>) -> Outcome {
    match waited_for(event)? {
        Some(ticket) => finish(&ticket),
        None => Ok(()),
    }
}

/// Does at most one piece of the pending work. So a program that polls makes progress.
pub(crate) fn query(event: Handle<Event>) -> Outcome {
    match waited_for(event)? {
        Some(ticket) if !ticket.is_done() => proceed(&ticket),
        Some(ticket) => {
            ticket.tell();
            Ok(())
        }
        None => Ok(()),
    }
}

/// The ticket of the event's last recording. `None` if the event was never recorded. Fails if the recording was captured, or if a capture
/// does not allow the calling thread to make potentially unsafe calls.
fn waited_for(event: Handle<Event>) -> Outcome<Option<Ticket>> {
    let event = find(event)?;
    match event.recording() {
        Recording::Capture(tail) if tail.capture.status() == Status::Ended => {
            Err(Code::INVALID_VALUE)
        }
        Recording::Capture(tail) => {
            tail.capture.make_void();
            Err(Code::CAPTURED_EVENT)
        }
        Recording::Never => check_unsafe_call().map(|()| None),
        Recording::Stream { ticket, .. } => check_unsafe_call().map(|()| Some(ticket)),
    }
}

pub(crate) fn elapsed(milliseconds: Out<f32>, start: Handle<Event>, end: Handle<Event>) -> Outcome {
    let ((start, first), (end, second)) = (find(start)?.reached()?, find(end)?.reached()?);
    first.tell();
    second.tell();
    let seconds = match end.checked_duration_since(start) {
        Some(after) => after.as_secs_f32(),
        None => -start.duration_since(end).as_secs_f32(),
    };
    milliseconds.write(seconds * 1e3)
}

/// `cuStreamWaitEvent`.
pub(crate) fn stream_waits(stream: Handle<Stream>, event: Handle<Event>, flags: u32) -> Outcome {
    let stream = resolve(stream)?;
    let event = find(event)?;
    if flags > 1 {
        return Err(Code::INVALID_VALUE);
    }
    match (event.recording(), stream.tail()) {
        (Recording::Never, _) => Ok(()),
        (Recording::Capture(tail), _) => stream.join_capture(&tail),
        (Recording::Stream { .. }, Some(tail)) => {
            tail.capture.make_void();
            Err(Code::STREAM_CAPTURE_ISOLATION)
        }
        (Recording::Stream { ticket, .. }, None) => {
            enqueue_after(&stream, Action::Wait, vec![ticket])?;
            Ok(())
        }
    }
}
