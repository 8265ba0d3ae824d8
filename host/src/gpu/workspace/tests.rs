//! Workspaces as the kernels find them: zeroed, grown, and when the launches' tags run out.

use cust::memory::DeviceBuffer;
use warpfold_kernels::op::Sum;

use super::*;
use crate::error::{Error, WarmUp};
use crate::gpu::{Capture, Gpu, Progress};
use crate::{inclusive_scan, reference};

/// Where the epoch is: the high half of the first word.
const EPOCH_OFFSET: u64 = 4;

/// The default stream's workspace: where it is, and its state words.
fn workspace(gpu: &Gpu, capture: Capture, state_words: u64) -> Result<(Address, u64)> {
    gpu.enter(|entered| {
        entered.with_stream(Stream::DEFAULT, capture, |known| {
            known.begin_call(capture)?;
            let workspace = known.workspace(Stream::DEFAULT, capture, state_words)?;
            Ok((workspace.control(), workspace.state_words()))
        })
    })
}

fn read(gpu: &Gpu, address: Address, bytes: usize) -> Vec<u8> {
    gpu.enter(|_| {
        let mut read = vec![0xAA; bytes];
        driver::copy_to_host(&mut read, address)?;
        Ok(read)
    })
    .unwrap()
}

#[test]
fn a_workspace_is_kept_until_it_is_too_small() {
    let gpu = Gpu::new().unwrap();
    let first = workspace(&gpu, Capture::Off, 0).unwrap();
    assert_eq!(first.1, INITIAL_STATE_WORDS);
    assert_eq!(workspace(&gpu, Capture::Off, first.1), Ok(first));
    assert_eq!(workspace(&gpu, Capture::On, first.1), Ok(first));

    let missing = WarmUp::Scratch;
    let refused = workspace(&gpu, Capture::On, first.1 + 1);
    assert_eq!(refused, Err(Error::NotWarmedUp { missing }));
    assert_eq!(workspace(&gpu, Capture::Off, 0), Ok(first));

    let grown = workspace(&gpu, Capture::Off, first.1 + 1).unwrap();
    assert_eq!(grown.1, 2 * first.1);
    assert_ne!(grown.0, first.0);
    assert_eq!(workspace(&gpu, Capture::On, grown.1), Ok(grown));
    let bytes = workspace_bytes(grown.1) as usize;
    assert!(read(&gpu, grown.0, bytes).iter().all(|&byte| byte == 0));
    // The outgrown one is still there.
    assert_eq!(read(&gpu, first.0, 4), [0; 4]);
}

#[test]
fn a_workspace_of_a_call_that_failed_halfway_is_not_used_again() {
    let gpu = Gpu::new().unwrap();
    let stop_halfway = || {
        gpu.enter(|entered| {
            entered.with_stream(Stream::DEFAULT, Capture::Off, |known| {
                known.set_progress(Progress::Halfway);
                Ok(())
            })
        })
        .unwrap();
    };
    let (control, state_words) = workspace(&gpu, Capture::Off, 0).unwrap();
    gpu.enter(|_| Ok(driver::copy_to_device(control, &[1; 8])?))
        .unwrap();
    stop_halfway();
    let missing = WarmUp::Scratch;
    let refused = workspace(&gpu, Capture::On, state_words);
    assert_eq!(refused, Err(Error::NotWarmedUp { missing }));
    let (control, _) = workspace(&gpu, Capture::Off, 0).unwrap();
    assert_eq!(read(&gpu, control, 8), [0; 8]);

    // One that a graph may use stays where it is.
    workspace(&gpu, Capture::On, 0).unwrap();
    gpu.enter(|_| Ok(driver::copy_to_device(control, &[1; 8])?))
        .unwrap();
    stop_halfway();
    let (other, _) = workspace(&gpu, Capture::Off, 0).unwrap();
    assert_ne!(other, control);
    assert_eq!(read(&gpu, control, 8), [1; 8]);
}

#[test]
fn scans_go_on_when_the_tags_are_used_up() {
    let gpu = Gpu::new().unwrap();
    gpu.make_current().unwrap();
    let items: Vec<u32> = (0..20_000).collect();
    let expected = reference::inclusive_scan::<Sum, _>(&items);
    let input = DeviceBuffer::from_slice(&items).unwrap();
    let mut output = DeviceBuffer::zeroed(items.len()).unwrap();
    let mut scan = || {
        output.set_zero().unwrap();
        inclusive_scan::<Sum, _>(&gpu, &input, &mut output).unwrap();
        assert_eq!(output.as_host_vec().unwrap(), expected);
    };
    scan();
    let (control, state_words) = workspace(&gpu, Capture::Off, 0).unwrap();
    let states = control + STATES_OFFSET;
    let epoch = || {
        let epoch = read(&gpu, control + EPOCH_OFFSET, 4);
        u32::from_le_bytes([epoch[0], epoch[1], epoch[2], epoch[3]])
    };
    let all_clear = || {
        let states = read(&gpu, states, 8 * state_words as usize);
        states.iter().all(|&byte| byte == 0)
    };
    assert_eq!((epoch(), all_clear()), (1, false));

    gpu.enter(|_| {
        Ok(driver::copy_to_device(
            control + EPOCH_OFFSET,
            &(u32::MAX - 2).to_le_bytes(),
        )?)
    })
    .unwrap();
    scan();
    assert_eq!((epoch(), all_clear()), (u32::MAX - 1, false));
    scan();
    assert_eq!((epoch(), all_clear()), (0, true));
    scan();
    assert_eq!((epoch(), all_clear()), (1, false));
}
