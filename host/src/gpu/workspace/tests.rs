//! Workspaces are zeroed, they grow, and they still work when the launches' tags run out.

mod unowned;

use cust::memory::DeviceBuffer;
use warpfold_kernels::op::Sum;

use super::super::call_stream::{Progress, Scratch};
use super::*;
use crate::binding::{Lend, User};
use crate::gpu::{Entered, Gpu};
use crate::launch::Queue;
use crate::{Cpu, Kernel, kind, scan};

/// The byte of the workspace at which the epoch begins: it is the high half of `Control::tickets`.
const EPOCH_OFFSET: u64 = 4;

/// Runs `work` with a stream and its [`Scratch`].
fn with_scratch(work: impl FnOnce(Entered<'_>, &mut Scratch, Stream<'_>) -> Result<()>) {
    let gpu = Gpu::new().unwrap();
    gpu.enter(|entered| {
        let mut call = entered.call()?;
        call.begin();
        work(entered, &mut call.scratch(), call.stream())?;
        call.wait()
    })
    .unwrap();
}

/// Reads memory after the stream's work is done.
fn read(address: Address, bytes: usize, stream: Stream<'_>) -> Vec<u8> {
    let mut read = vec![0xAA; bytes];
    stream.synchronize().unwrap();
    driver::copy_to_host(&mut read, address).unwrap();
    read
}

#[test]
fn a_workspace_is_kept_until_it_is_too_small() {
    with_scratch(|entered, scratch, stream| {
        let mut place = |state_words| entered.workspace(scratch, stream, Need::states(state_words));
        let first = place(0)?;
        assert_eq!(first.state_words, LEAST_STATE_WORDS);
        assert_eq!(place(first.state_words)?, first);

        let grown = place(first.state_words + 1)?;
        assert_eq!(grown.state_words, 2 * first.state_words);
        assert_ne!(grown.control, first.control);
        assert_eq!(place(0)?, grown);
        let bytes = workspace_bytes(grown.state_words) as usize;
        assert!(
            read(grown.control, bytes, stream)
                .iter()
                .all(|&byte| byte == 0)
        );
        // The outgrown workspace still exists.
        assert_eq!(read(first.control, 4, stream), [0; 4]);
        Ok(())
    });
}

#[test]
fn only_the_part_that_is_too_small_grows() {
    with_scratch(|entered, scratch, stream| {
        let need = |state_words, head_bytes| Need {
            state_words,
            head_bytes,
        };
        let first = entered.workspace(scratch, stream, need(0, 1000))?;
        assert_eq!(entered.workspace(scratch, stream, need(0, 1000))?, first);
        let grown = entered.workspace(scratch, stream, need(0, 1001))?;
        assert_eq!(grown.state_words, first.state_words);
        assert_eq!(grown.head_bytes, 2000);
        assert!(grown.heads >= grown.states + 8 * grown.state_words);
        assert!(
            read(grown.heads, 2000, stream)
                .iter()
                .all(|&byte| byte == 0)
        );
        Ok(())
    });
}

#[test]
fn the_workspace_of_a_half_finished_call_is_replaced() {
    with_scratch(|entered, scratch, stream| {
        let place = entered.workspace(scratch, stream, Need::states(0))?;
        stream.synchronize()?;
        driver::copy_to_device(place.control, &[1; 8])?;
        scratch.begin_call();
        assert_eq!(entered.workspace(scratch, stream, Need::states(0))?, place);
        scratch.set_progress(Progress::Halfway);
        scratch.begin_call();
        let other = entered.workspace(scratch, stream, Need::states(0))?;
        assert_eq!(read(other.control, 8, stream), [0; 8]);
        Ok(())
    });
}

#[test]
fn scans_go_on_when_the_tags_are_used_up() {
    let gpu = Gpu::new().unwrap();
    gpu.make_current().unwrap();
    let items: Vec<u32> = (0..20_000).collect();
    let expected = scan::<Sum, _>(&items).wait(Cpu).unwrap();
    let row = <Sum as Kernel<kind::inclusive_scan, u32>>::row();
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let mut output = DeviceBuffer::<u32>::zeroed(items.len()).unwrap();
    gpu.enter(|entered| {
        let mut call = entered.call()?;
        call.begin();
        let mut scan_once = || -> Result<()> {
            output.set_zero().unwrap();
            call.come_after_default_stream()?;
            let (input, into) = (
                input.lend_span(User::WaitingCall).span,
                output.lend_span(User::WaitingCall).span,
            );
            Queue::on_own(entered, &call).scan(row, input, into)?;
            call.stream().synchronize()?;
            assert_eq!(output.as_host_vec().unwrap(), expected);
            Ok(())
        };
        scan_once()?;
        let place = entered.workspace(&mut call.scratch(), call.stream(), Need::states(0))?;
        let epoch = || {
            let epoch = read(place.control + EPOCH_OFFSET, 4, call.stream());
            u32::from_le_bytes([epoch[0], epoch[1], epoch[2], epoch[3]])
        };
        let all_clear = || {
            let states = read(place.states, 8 * place.state_words as usize, call.stream());
            states.iter().all(|&byte| byte == 0)
        };
        assert_eq!((epoch(), all_clear()), (1, false));

        let last_but_two = (u32::MAX - 2).to_le_bytes();
        driver::copy_to_device(place.control + EPOCH_OFFSET, &last_but_two)?;
        scan_once()?;
        assert_eq!((epoch(), all_clear()), (u32::MAX - 1, false));
        scan_once()?;
        assert_eq!((epoch(), all_clear()), (0, true));
        scan_once()?;
        assert_eq!((epoch(), all_clear()), (1, false));
        call.wait()
    })
    .unwrap();
}
