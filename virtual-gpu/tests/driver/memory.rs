//! Device memory, pinned host memory, copies and fills.

use crate::kernels::PTX;
use crate::raw::*;
use crate::support::*;
use virtual_gpu::driver::live_of_this_thread;

#[test]
fn bytes_round_trip() {
    let _context = Context::new();
    let address = alloc(3);
    assert_eq!(upload(address, &[1, 2, 3]), 0);
    assert_eq!(cuMemsetD32_v2(address + 4, 9, 1), 0);
    let mut words = [0; 3];
    assert_eq!(download(&mut words, address), 0);
    assert_eq!(words, [1, 9, 3]);
    assert_eq!(cuMemFree_v2(address), 0);
}

#[test]
fn wrong_sizes_and_addresses_are_refused() {
    let _context = Context::new();
    assert_eq!(cuMemAlloc_v2(Some(&mut 0), 0), INVALID_VALUE);
    assert_eq!(cuMemAlloc_v2(None, 4), INVALID_VALUE);
    let address = alloc(2);
    let mut words = [0; 3];
    assert_eq!(download(&mut words, address), INVALID_VALUE, "past the end");
    assert_eq!(upload(address + 4, &[1, 2]), INVALID_VALUE, "past the end");
    assert_eq!(
        cuMemsetD32_v2(address + 1, 0, 1),
        INVALID_VALUE,
        "misaligned"
    );
    assert_eq!(cuMemFree_v2(address + 4), INVALID_VALUE, "not the start");
    assert_eq!(cuMemFree_v2(address), 0);
    assert_eq!(cuMemFree_v2(address), INVALID_VALUE, "a second time");
    assert_eq!(download(&mut words[..1], address), INVALID_VALUE, "freed");
}

#[test]
fn empty_copies_and_frees_are_no_error() {
    let _context = Context::new();
    assert_eq!(upload(0, &[]), 0);
    assert_eq!(cuMemsetD32_v2(0, 0, 0), 0);
    assert_eq!(cuMemFree_v2(0), 0);
}

#[test]
fn an_allocation_beyond_the_total_is_out_of_memory() {
    let _context = Context::new();
    let total = total_memory();
    let mut address = 0;
    assert_eq!(cuMemAlloc_v2(Some(&mut address), total + 1), OUT_OF_MEMORY);
    assert_eq!(cuMemAlloc_v2(Some(&mut address), usize::MAX), OUT_OF_MEMORY);
    assert_eq!(address, 0, "nothing was written");
    alloc(1);
}

fn total_memory() -> usize {
    let (mut free, mut total) = (0, 0);
    assert_eq!(cuMemGetInfo_v2(&mut free, &mut total), 0);
    assert!(0 < free && free <= total);
    total
}

#[test]
fn a_queued_free_makes_room_for_its_stream() {
    let _context = Context::new();
    // Other tests hold little memory, so two thirds of the total fit once and not twice.
    let bytes = total_memory() / 3 * 2;
    let stream = stream(1);
    let (mut first, mut second) = (0, 0);
    let mut compare = Comparison::default();
    let mut alloc = |what: &str, address: &mut u64, expected| {
        let code = cuMemAllocAsync(address, bytes, stream);
        compare.expect(what, code, expected);
    };
    alloc("the first", &mut first, 0);
    alloc("a second beside it", &mut second, OUT_OF_MEMORY);
    assert_eq!(cuMemFreeAsync(first, stream), 0);
    alloc("a second in its place", &mut second, 0);
    assert_eq!(cuMemFreeAsync(second, stream), 0);
    let again = cuMemFreeAsync(second, stream);
    compare.expect("freeing a second time", again, INVALID_VALUE);
    assert_eq!(cuStreamSynchronize(stream), 0);
}

#[test]
fn pointer_attributes_have_the_memory_type_and_range() {
    const MEMORY_TYPE: i32 = 2;
    const RANGE_SIZE: i32 = 12;
    let _context = Context::new();
    let address = alloc(5);
    let (mut kind, mut bytes) = (0_u32, 0_u64);
    // SAFETY: the two attributes have 32 and 64 bits, like the variables that they are written to.
    unsafe {
        let kind = (&raw mut kind).cast();
        assert_eq!(cuPointerGetAttribute(kind, MEMORY_TYPE, address + 8), 0);
        let bytes = (&raw mut bytes).cast();
        assert_eq!(cuPointerGetAttribute(bytes, RANGE_SIZE, address + 8), 0);
        assert_eq!(
            cuPointerGetAttribute(kind, MEMORY_TYPE, address + 20),
            INVALID_VALUE
        );
    }
    assert_eq!((kind, bytes), (2, 20));
    let pinned = pinned(1);
    // SAFETY: the attribute has 32 bits, like `kind`.
    let found =
        unsafe { cuPointerGetAttribute((&raw mut kind).cast(), MEMORY_TYPE, pinned.addr() as u64) };
    assert_eq!((found, kind), (0, 1));
}

#[test]
fn pinned_memory_is_freed_once() {
    let _context = Context::new();
    let pointer = pinned(4);
    assert_eq!(cuMemFreeHost(pointer.wrapping_add(1)), INVALID_VALUE);
    assert_eq!(cuMemFreeHost(pointer), 0);
    assert_eq!(cuMemFreeHost(pointer), INVALID_VALUE);
}

#[test]
fn a_kernel_writes_to_pinned_memory() {
    let _context = Context::new();
    let pointer = pinned(4);
    let mut address = 0;
    assert_eq!(
        cuMemHostGetDevicePointer_v2(&mut address, pointer, 1),
        INVALID_VALUE
    );
    assert_eq!(cuMemHostGetDevicePointer_v2(&mut address, pointer, 0), 0);
    let write = function(load(PTX), c"write");
    assert_eq!(launch(write, 1, 1, 0, &[address + 8, 77]), 0);
    assert_eq!(cuStreamSynchronize(0), 0);
    // SAFETY: `pointer` has four words until it is freed below, and no work writes to them any more.
    let words = unsafe { std::slice::from_raw_parts(pointer, 4) };
    assert_eq!(words[2], 77);
    assert_eq!(cuMemFreeHost(pointer), 0);
    let freed = cuMemHostGetDevicePointer_v2(&mut address, pointer, 0);
    assert_eq!(freed, INVALID_VALUE);
}

#[test]
fn destroying_a_context_frees_its_objects() {
    if virtual_only("nothing is known of what lives on a real device") {
        return;
    }
    let before = live_of_this_thread().unwrap();
    let context = Context::new();
    alloc(10);
    pinned(10);
    let (_, _) = (stream(0), event());
    let within = live_of_this_thread().unwrap();
    assert_eq!((within.contexts, within.streams, within.events), (1, 1, 1));
    assert_eq!((within.allocations, within.allocated_bytes), (1, 40));
    assert_eq!((within.pinned, within.pinned_bytes), (1, 40));
    drop(context);
    assert_eq!(live_of_this_thread().unwrap(), before);
}
