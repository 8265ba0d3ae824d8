//! Page-locked memory of the host, and freed memory.

use super::*;

/// Copies some words from page-locked memory to the device, and waits for the copy.
fn upload_pinned(to: u64, words: *const u32) -> i32 {
    // SAFETY: `words` are `WORDS` page-locked words. The call reads them before it returns. The work of the virtual device is done inside
    // driver calls of this thread, so nothing writes the words meanwhile.
    unsafe { cuMemcpyHtoD_v2(to, words, 4 * WORDS) }
}

#[test]
fn a_copy_from_pinned_memory_races_with_unordered_writes() {
    if only_on_virtual_devices() {
        return;
    }
    for is_kernel in [false, true] {
        for waits in [false, true] {
            let bed = Bed::new(NON_BLOCKING);
            let words = pinned(WORDS);
            let begun = match is_kernel {
                true => launch(bed.set, 2, 32, bed.a, &[words.addr() as u64]),
                // SAFETY: `words` are `WORDS` page-locked words, which live as long as the context.
                false => unsafe { cuMemcpyDtoHAsync_v2(words, bed.shared, 4 * WORDS, bed.a) },
            };
            assert_eq!(begun, 0);
            if waits {
                assert_eq!(cuStreamSynchronize(bed.a), 0);
            }
            let read = upload_pinned(bed.own, words);
            let last = cuCtxSynchronize();
            let found = found();
            assert_eq!((read, last), (0, if waits { 0 } else { LAUNCH_FAILED }));
            assert_eq!(found.len(), usize::from(!waits), "{found:?}");
            for race in found {
                assert_eq!(race.address, words.addr() as u64);
                let extent = race.allocation.expect("pinned memory is known");
                assert_eq!(
                    (extent.base, extent.bytes),
                    (race.address, 4 * WORDS as u64)
                );
                assert_eq!(name(&race.earlier.by), "cuMemcpyHtoD_v2");
            }
        }
    }
}

/// Addresses of freed page-locked memory are reused. Earlier accesses of another context, which the host did not wait for, must be
/// forgotten.
#[test]
fn accesses_to_freed_memory_are_forgotten() {
    if only_on_virtual_devices() {
        return;
    }
    let write = |bed: &Bed, words: *mut u32, stream: usize| {
        // SAFETY: `words` are `WORDS` page-locked words, which live until the stream's work is done.
        let copied = unsafe { cuMemcpyDtoHAsync_v2(words, bed.shared, 4 * WORDS, stream) };
        assert_eq!(copied, 0);
    };
    let owner = Bed::new(NON_BLOCKING);
    let mut addresses = std::collections::BTreeSet::new();
    for _ in 0..50 {
        let words = pinned(WORDS);
        addresses.insert(words.addr());
        let other = Bed::new(NON_BLOCKING);
        write(&other, words, other.a);
        // Destroying the stream carries out its work.
        assert_eq!(cuStreamDestroy_v2(other.a), 0);
        assert_eq!(cuCtxSetCurrent(owner._context.0), 0);
        assert_eq!(cuMemFreeHost(words), 0);
        let again = pinned(WORDS);
        addresses.insert(again.addr());
        write(&owner, again, owner.b);
        assert_eq!((cuCtxSynchronize(), found()), (0, Vec::new()));
        assert_eq!(cuMemFreeHost(again), 0);
    }
    assert!(addresses.len() < 100, "no address came back");
}

#[test]
fn a_stream_ordered_free_races_with_unordered_kernels() {
    if only_on_virtual_devices() {
        return;
    }
    let free_beside = |is_ordered: bool| {
        race_in(NON_BLOCKING, |bed| {
            let mut memory = 0;
            assert_eq!(cuMemAllocAsync(&mut memory, 4 * WORDS, bed.a), 0);
            assert_eq!(launch(bed.set, 2, 32, bed.a, &[memory]), 0);
            if is_ordered {
                bed.a_before_b();
            }
            assert_eq!(cuMemFreeAsync(memory, bed.b), 0);
        })
    };
    assert_eq!(free_beside(true), None);
    let race = free_beside(false).expect("a race");
    assert_eq!(name(&race.later.by), "cuMemFreeAsync", "{race}");
}
