//! Two devices in one machine: each has its own addresses, and a word is copied from one to the other.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use virtual_gpu::Settings;
use virtual_gpu::driver::{Choice, Devices};

/// Creates a context on a device, makes it current, and allocates a word that holds `value`. Returns the context and the word's address.
fn word_on(device: i32, value: u32) -> (usize, u64) {
    let mut context = 0;
    assert_eq!(cuCtxCreate_v2(&mut context, 0, device), 0);
    let address = alloc(1);
    assert_eq!(upload(address, &[value]), 0);
    (context, address)
}

fn device_of(address: u64) -> i32 {
    const DEVICE_ORDINAL: i32 = 9;
    let mut device = -1;
    // SAFETY: the call writes the attribute's 32 bits to `device`, which has 32 bits.
    let found = unsafe { cuPointerGetAttribute((&raw mut device).cast(), DEVICE_ORDINAL, address) };
    assert_eq!(found, 0);
    device
}

#[test]
fn every_address_belongs_to_one_device() {
    if !in_a_process_of_its_own("devices::every_address_belongs_to_one_device") {
        return;
    }
    let settings = Settings {
        choice: Choice::On,
        devices: Devices::new(2).unwrap(),
        ..Default::default()
    };
    assert_eq!(virtual_gpu::start(settings), Ok(()));
    start();
    let (here, first) = word_on(0, 5);
    let (there, second) = word_on(1, 6);
    assert_ne!(first, second);
    // The second device's context is current. In this context, addresses of both devices work.
    assert_eq!((device_of(first), device_of(second)), (0, 1));
    assert_eq!((peek(first), peek(second)), (5, 6));
    assert_eq!(cuMemcpyPeer(second, there, first, here, 4), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    assert_eq!(peek(second), 5);
    assert_eq!(cuMemFree_v2(first), 0);
    assert_eq!(cuMemFree_v2(first), INVALID_VALUE);

    // A kernel cannot access another device's memory.
    assert_eq!(cuCtxSetCurrent(here), 0);
    let write = function(load(PTX), c"write");
    assert_eq!(launch(write, 1, 1, 0, &[second, 1]), 0);
    assert_eq!(cuCtxSynchronize(), ILLEGAL_ADDRESS);
}
