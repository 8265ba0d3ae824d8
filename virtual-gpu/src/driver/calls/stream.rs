//! Streams: creating and destroying them, waiting for them, querying them, and their properties.

use crate::driver::abi::{Handle, Out};
use crate::driver::calls::context::{GREATEST_PRIORITY, LEAST_PRIORITY};
use crate::driver::calls::{check_legacy, check_unsafe_call, enqueue, finish};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::context::{Context, Ticket};
use crate::driver::objects::current::current;
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Ordering, Stream, resolve};
use crate::driver::objects::work::Action;
use std::sync::Arc;

const DEFAULT: u32 = 0;
const NON_BLOCKING: u32 = 1;

pub(crate) fn create(stream: Out<Handle<Stream>>, flags: u32) -> Outcome {
    create_with_priority(stream, flags, LEAST_PRIORITY)
}

/// A priority outside the range is clamped. Priorities have no effect on the order of work.
pub(crate) fn create_with_priority(
    stream: Out<Handle<Stream>>,
    flags: u32,
    priority: i32,
) -> Outcome {
    let context = current()?;
    let place = stream.required()?;
    let ordering = match flags {
        DEFAULT => Ordering::Blocking,
        NON_BLOCKING => Ordering::NonBlocking,
        _ => return Err(Code::INVALID_VALUE),
    };
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    let stream = Arc::new(Stream::new(&context, ordering, priority));
    context.add_stream(&stream);
    place.write(machine()?.streams.insert(stream))
}

/// First does the stream's remaining work. The host does not count as knowing that this work is done, because the real driver's call does
/// not wait.
pub(crate) fn destroy(handle: Handle<Stream>) -> Outcome {
    let machine = machine()?;
    let stream = machine.streams.get(handle)?;
    stream.context.check()?;
    machine.captures.leave(&stream);
    machine.streams.remove(handle)?;
    stream.last().finish();
    stream.context.remove_stream(&stream);
    stream.context.check()
}

pub(crate) fn synchronize(stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    stream.check_not_capturing()?;
    check_unsafe_call()?;
    let last = match stream.ordering {
        // `Action::Wait` is an empty piece of work. It waits for all earlier work of the legacy stream, and of the streams that the legacy
        // stream synchronises with.
        Ordering::Legacy => enqueue(&stream, Action::Wait)?,
        Ordering::Blocking | Ordering::NonBlocking => Some(stream.last()),
    };
    last.as_ref().map_or(Ok(()), finish)
}

/// If work is pending, does at most one piece of it. So the work proceeds while a program polls.
pub(crate) fn query(stream: Handle<Stream>) -> Outcome {
    let stream = resolve(stream)?;
    stream.check_not_capturing()?;
    check_legacy(&stream)?;
    check_unsafe_call()?;
    let mut tickets = vec![stream.last()];
    if stream.ordering == Ordering::Legacy {
        let others = stream.context.blocking_streams();
        tickets.extend(others.iter().map(|other| other.last()));
    }
    match tickets.iter().find(|ticket| !ticket.is_done()) {
        None => {
            tickets.iter().for_each(Ticket::tell);
            Ok(())
        }
        Some(ticket) => proceed(ticket),
    }
}

/// Does at most one piece of the work that a pending ticket waits for. Fails with `NOT_READY`, or with the error of the context.
pub(super) fn proceed(ticket: &Ticket) -> Outcome {
    ticket.nudge();
    ticket.stream.context.check()?;
    Err(Code::NOT_READY)
}

pub(crate) fn flags(stream: Handle<Stream>, flags: Out<u32>) -> Outcome {
    flags.write(match resolve(stream)?.ordering {
        Ordering::NonBlocking => NON_BLOCKING,
        Ordering::Legacy | Ordering::Blocking => DEFAULT,
    })
}

pub(crate) fn priority(stream: Handle<Stream>, priority: Out<i32>) -> Outcome {
    priority.write(resolve(stream)?.priority)
}

/// If the stream is capturing, this call fails and invalidates the capture, as the real driver does.
pub(crate) fn id(stream: Handle<Stream>, id: Out<u64>) -> Outcome {
    let stream = resolve(stream)?;
    stream.check_not_capturing()?;
    id.write(stream.id)
}

pub(crate) fn context(stream: Handle<Stream>, context: Out<Handle<Context>>) -> Outcome {
    context.write(resolve(stream)?.context.handle)
}
