//! Tests of the records of streams: with a handle that is reused, with more streams than are kept, and with a stream of another context.

use super::*;
use crate::driver::OwnStream;
use crate::error::Error;
use crate::gpu::{Entered, Gpu};

/// The stream's workspace, for a call that is not captured.
fn place(entered: Entered<'_>, stream: Stream<'_>) -> Result<WorkspaceSpan> {
    let slot = entered.slot(stream);
    let mut known = entered.known(&slot, stream, None)?;
    entered.workspace(&mut known.scratch, stream, Need::states(0))
}

#[test]
fn each_stream_keeps_its_own_workspace() {
    let gpu = Gpu::new().unwrap();
    gpu.enter(|entered| {
        let streams = [OwnStream::create().unwrap(), OwnStream::create().unwrap()];
        let [first, second] = streams.each_ref().map(OwnStream::as_stream);
        let control = place(entered, first)?.control;
        assert_eq!(place(entered, first)?.control, control);
        assert_ne!(place(entered, second)?.control, control);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_stream_with_a_reused_handle_gets_a_new_workspace() {
    let gpu = Gpu::new().unwrap();
    gpu.enter(|entered| {
        let one = OwnStream::create().unwrap();
        let before = place(entered, one.as_stream())?;
        let slot = entered.slot(one.as_stream());
        let mut known = entered.known(&slot, one.as_stream(), None)?;
        // Pretends that the handle was another stream's, so that the next call sees a new stream.
        known.id = known.id.map(|id| id + 1000);
        drop(known);
        assert_ne!(place(entered, one.as_stream())?.control, before.control);
        Ok(())
    })
    .unwrap();
}

#[test]
fn the_most_recently_used_streams_are_kept() {
    let gpu = Gpu::new().unwrap();
    gpu.enter(|entered| {
        let streams: Vec<OwnStream> = (0..=MOST_STREAMS)
            .map(|_| OwnStream::create().unwrap())
            .collect();
        let (last, others) = streams.split_last().unwrap();
        for stream in others {
            place(entered, stream.as_stream())?;
        }
        // The first stream is used again, so that it is not among the oldest.
        let first = place(entered, streams[0].as_stream())?.control;
        place(entered, last.as_stream())?;
        let known = &entered.streams().by_handle;
        let known_count = known.read().unwrap().len();
        assert!(
            (MOST_STREAMS / 2..=MOST_STREAMS / 2 + 2).contains(&known_count),
            "{known_count}"
        );
        assert_eq!(place(entered, streams[0].as_stream())?.control, first);
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_stream_of_another_context_is_refused() {
    let gpu = Gpu::new().unwrap();
    let created = cust::context::legacy::Context::create_and_push(
        cust::context::legacy::ContextFlags::SCHED_AUTO,
        cust::device::Device::get_device(0).unwrap(),
    )
    .unwrap();
    let stream = OwnStream::create().unwrap();
    let found = gpu.enter(|entered| place(entered, stream.as_stream()));
    assert_eq!(found, Err(Error::ForeignStream));
    drop(stream);
    cust::context::legacy::ContextStack::pop().unwrap();
    drop(created);
}
