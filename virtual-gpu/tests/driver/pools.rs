//! Memory pools, and managed memory.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;

#[test]
fn a_device_has_a_pool_to_allocate_from() {
    if virtual_only("a real device's pool may have other settings") {
        return;
    }
    let _context = Context::new();
    let (mut pool, mut same, mut address, mut kept) = (0, 0, 0, 1_u64);
    assert_eq!(cuDeviceGetMemPool(&mut pool, 0), 0);
    assert_eq!(cuDeviceGetDefaultMemPool(&mut same, 0), 0);
    assert_eq!(pool, same);
    assert_eq!(cuDeviceGetMemPool(&mut same, 99), INVALID_DEVICE);
    assert_eq!(cuMemAllocFromPoolAsync(&mut address, 64, pool, 0), 0);
    assert_eq!(cuMemFreeAsync(address, 0), 0);
    assert_eq!(
        cuMemAllocFromPoolAsync(&mut address, 64, pool + 1, 0),
        INVALID_VALUE
    );
    const KEPT_BYTES: i32 = 4;
    // SAFETY: `kept` has eight bytes, like this setting.
    unsafe {
        assert_eq!(
            cuMemPoolGetAttribute(pool, KEPT_BYTES, (&raw mut kept).cast()),
            0
        );
        assert_eq!(kept, 0);
        kept = 1 << 40;
        assert_eq!(
            cuMemPoolSetAttribute(pool, KEPT_BYTES, (&raw mut kept).cast()),
            0
        );
        kept = 0;
        assert_eq!(
            cuMemPoolGetAttribute(pool, KEPT_BYTES, (&raw mut kept).cast()),
            0
        );
        assert_eq!(kept, 1 << 40);
        assert_eq!(
            cuMemPoolGetAttribute(pool, 99, (&raw mut kept).cast()),
            INVALID_VALUE
        );
    }
    assert_eq!(cuMemPoolDestroy(pool), INVALID_VALUE);
    assert_eq!(cuCtxSynchronize(), 0);
}

#[test]
fn host_and_kernels_reach_managed_memory_at_one_address() {
    if virtual_only("a real device may not have such memory") {
        return;
    }
    let _context = Context::new();
    let mut address = 0;
    const TO_ALL_STREAMS: u32 = 1;
    assert_eq!(cuMemAllocManaged(&mut address, 8, TO_ALL_STREAMS), 0);
    assert_eq!(cuMemAllocManaged(&mut address, 8, 7), INVALID_VALUE);
    let words = std::ptr::with_exposed_provenance_mut::<u32>(address as usize);
    // SAFETY: the allocation has eight bytes until it is freed below, and no work of the device uses them now.
    unsafe { words.write(41) };
    let increment = function(load(PTX), c"increment");
    assert_eq!(launch(increment, 1, 1, 0, &[address]), 0);
    assert_eq!(cuCtxSynchronize(), 0);
    // SAFETY: as above: the allocation has eight bytes, and `cuCtxSynchronize` has ended the kernel that used them.
    assert_eq!(unsafe { words.read() }, 42);
    assert_eq!(cuMemFree_v2(address), 0);
    assert_eq!(cuMemFree_v2(address), INVALID_VALUE);
}
