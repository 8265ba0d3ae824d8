//! Capturing streams.

use crate::driver::abi::{Handle, HostPointer, Out};
use crate::driver::code::{Code, Outcome};
use crate::driver::objects::capture::{self, Capture, CaptureMode, Status};
use crate::driver::objects::graph::Graph;
use crate::driver::objects::machine::machine;
use crate::driver::objects::stream::{Ordering, Stream, resolve};
use std::sync::Arc;

const NOT_CAPTURING: i32 = 0;
const CAPTURING: i32 = 1;
const VOID: i32 = 2;

pub(crate) fn begin(stream: Handle<Stream>, mode: i32) -> Outcome {
    let stream = resolve(stream)?;
    let mode = CaptureMode::from_number(mode)?;
    machine()?.captures.begin(&stream, mode)
}

/// If the capture gives no graph, the call fails and writes a null handle.
pub(crate) fn end(stream: Handle<Stream>, graph: Out<Handle<Graph>>) -> Outcome {
    let machine = machine()?;
    let stream = resolve(stream)?;
    let place = graph.required()?;
    match machine.captures.end(&stream) {
        Ok(graph) => place.write(graph),
        Err(code) => {
            place.write(Handle::NULL)?;
            Err(code)
        }
    }
}

pub(crate) fn status(stream: Handle<Stream>, status: Out<i32>) -> Outcome {
    status.write(info_of(stream)?.0)
}

pub(crate) fn info(stream: Handle<Stream>, status: Out<i32>, id: Out<u64>) -> Outcome {
    let (number, capture) = info_of(stream)?;
    status.write(number)?;
    if let Some(capture) = capture {
        id.write_unless_null(capture.id);
    }
    Ok(())
}

/// Like [`info`], and also returns the graph that an active capture will make. For a void capture, returns only the status. Fails if the
/// caller asks for the nodes that the stream's next node depends on, because nodes have no handles before the capture ends.
pub(crate) fn info_with_graph(
    stream: Handle<Stream>,
    status: Out<i32>,
    id: Out<u64>,
    graph: Out<Handle<Graph>>,
    after: Out<HostPointer>,
    after_count: Out<usize>,
) -> Outcome {
    if !after.is_null() || !after_count.is_null() {
        return Err(Code::NOT_SUPPORTED);
    }
    let (number, capture) = info_of(stream)?;
    status.write(number)?;
    if let Some(capture) = capture
        && number == CAPTURING
    {
        id.write_unless_null(capture.id);
        if !graph.is_null() {
            graph.write(capture.graph()?)?;
        }
    }
    Ok(())
}

/// Like [`info_with_graph`]. Fails if the caller asks for edges.
pub(crate) fn info_with_edges(
    stream: Handle<Stream>,
    status: Out<i32>,
    id: Out<u64>,
    graph: Out<Handle<Graph>>,
    after: Out<HostPointer>,
    edges: Out<HostPointer>,
    after_count: Out<usize>,
) -> Outcome {
    if !edges.is_null() {
        return Err(Code::NOT_SUPPORTED);
    }
    info_with_graph(stream, status, id, graph, after, after_count)
}

fn info_of(stream: Handle<Stream>) -> Outcome<(i32, Option<Arc<Capture>>)> {
    let stream = resolve(stream)?;
    if stream.ordering == Ordering::Legacy {
        machine()?.captures.ask_legacy(&stream.context)?;
    }
    Ok(match stream.tail() {
        None => (NOT_CAPTURING, None),
        Some(tail) if tail.capture.status() == Status::Active => (CAPTURING, Some(tail.capture)),
        Some(tail) => (VOID, Some(tail.capture)),
    })
}

pub(crate) fn exchange_thread_mode(mode: Out<i32>) -> Outcome {
    let wanted = CaptureMode::from_number(mode.read()?)?;
    let before = capture::exchange_thread_mode(wanted);
    mode.write(before.number())
}
