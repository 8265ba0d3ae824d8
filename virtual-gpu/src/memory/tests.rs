//! Allocation, bounds, copies, and which bytes count as written.

use super::*;

#[test]
fn allocations_have_gaps_and_addresses_are_not_reused() {
    let memory = Memory::new(1 << 20);
    let a = memory.alloc(100).unwrap();
    let b = memory.alloc(100).unwrap();
    assert_eq!((a % 256, b % 256), (0, 0));
    assert!(b - a >= 100 + GUARD_BYTES);
    memory.free(b).unwrap();
    assert!(memory.alloc(100).unwrap() > b);
}

#[test]
fn double_frees_and_stray_frees_have_different_errors() {
    let memory = Memory::new(1 << 20);
    let a = memory.alloc(64).unwrap();
    assert!(matches!(
        memory.free(a + 8),
        Err(MemoryError::NotAllocated {
            near: Near::Across(_),
            ..
        })
    ));
    memory.free(a).unwrap();
    let freed = Extent { base: a, bytes: 64 };
    assert_eq!(
        memory.free(a),
        Err(MemoryError::Freed { address: a, freed })
    );
    assert_eq!(
        memory.read(a, &mut [0; 4]),
        Err(MemoryError::Freed { address: a, freed })
    );
}

#[test]
fn bytes_round_trip_at_any_alignment() {
    let memory = Memory::new(1 << 20);
    let base = memory.alloc(67).unwrap();
    for offset in 0..8 {
        for len in 0..24_u8 {
            let data: Vec<u8> = (1..=len).collect();
            memory.fill(base, 67, &[0xee]).unwrap();
            memory.write(base + offset, &data).unwrap();
            let mut all = [0; 67];
            memory.read(base, &mut all).unwrap();
            let mut expected = [0xee; 67];
            expected[offset as usize..][..data.len()].copy_from_slice(&data);
            assert_eq!(all, expected);
        }
    }
    assert!(memory.write(base + 60, &[0; 8]).is_err());
}

#[test]
fn a_copy_copies_the_written_marks() {
    let memory = Memory::new(1 << 20);
    let (a, b) = (memory.alloc(100).unwrap(), memory.alloc(100).unwrap());
    memory.write(a, &[1; 50]).unwrap();
    memory.fill(b, 100, &[2]).unwrap();
    memory.copy(b + 3, a + 1, 90).unwrap();
    assert_eq!(memory.first_unwritten(a, 100), Ok(Some(50)));
    assert_eq!(memory.first_unwritten(b, 100), Ok(Some(52)));
    assert_eq!(memory.first_unwritten(b + 93, 7), Ok(None));
    memory.snapshot().trust();
    assert_eq!(memory.first_unwritten(b, 100), Ok(None));
}

#[test]
fn the_limit_counts_live_bytes() {
    let memory = Memory::new(1000);
    let a = memory.alloc(600).unwrap();
    assert_eq!(
        memory.alloc(600),
        Err(MemoryError::OutOfMemory {
            asked: 600,
            free: 400,
            capacity: 1000
        })
    );
    memory.free(a).unwrap();
    memory.alloc(1000).unwrap();
    assert_eq!(memory.live_bytes(), 1000);
}

#[test]
fn an_empty_pattern_writes_nothing() {
    let memory = Memory::new(1 << 20);
    let a = memory.alloc(8).unwrap();
    memory.fill(a, 8, &[]).unwrap();
    assert_eq!(memory.first_unwritten(a, 8), Ok(Some(0)));
    assert!(memory.fill(a, 9, &[]).is_err(), "it runs past the end");
}

#[test]
fn allocations_stay_below_the_addresses_of_the_next_device() {
    let memory = Memory::of_device(1, 1 << 20, Arc::default());
    let end = FIRST_ADDRESS + 2 * DEVICE_ADDRESSES;
    let left = 2 * GUARD_BYTES;
    // Pretends that earlier allocations took all addresses except the last `left`.
    memory.write_table().next = end - left;
    let refused = memory.alloc(left - GUARD_BYTES + 1);
    assert!(
        matches!(refused, Err(MemoryError::OutOfMemory { .. })),
        "{refused:?}"
    );
    assert_eq!(memory.alloc(left - GUARD_BYTES), Ok(end - left));
    assert!(memory.alloc(1).is_err(), "no address is left");
}
