//! Which pairs of accesses race, and how a race is reported.

use super::*;
use crate::kernels::DEPENDENT;
use crate::launching::{self, FIRE_AND_FORGET};
use std::ffi::CString;
use virtual_gpu::driver::last_fault;
use virtual_gpu::{AccessKind, FaultKind, StreamKind};

/// Work for a stream.
type Work = fn(&Bed, usize);

const READERS: [(&str, Work); 2] = [("get", Bed::get), ("cuMemcpyDtoDAsync_v2", Bed::copy_out)];
const WRITERS: [(&str, Work); 3] = [
    ("set", Bed::set),
    ("cuMemsetD32Async", Bed::fill),
    ("cuMemcpyDtoDAsync_v2", Bed::copy_in),
];

/// Enqueues `one` on stream A and then `other` on stream B, and expects a race. If B waits for A in between, expects no race.
fn expect_race((first, one): (&str, Work), (second, other): (&str, Work)) {
    for flags in [BLOCKING, NON_BLOCKING] {
        let race = race_in(flags, |bed| {
            one(bed, bed.a);
            other(bed, bed.b);
            assert_eq!(cuStreamQuery(bed.a), NOT_READY);
        });
        let race = race.unwrap_or_else(|| panic!("{first} and {second}"));
        let sides = [&race.earlier, &race.later].map(|side| name(&side.by).to_owned());
        assert_eq!(sides, [first, second], "{race}");
        let mended = race_in(flags, |bed| {
            one(bed, bed.a);
            bed.a_before_b();
            other(bed, bed.b);
        });
        assert_eq!(mended, None);
    }
}

#[test]
fn a_write_races_with_any_access_of_another_stream() {
    if only_on_virtual_devices() {
        return;
    }
    for writer in WRITERS {
        for other in WRITERS {
            expect_race(writer, other);
        }
        for reader in READERS {
            expect_race(writer, reader);
            expect_race(reader, writer);
        }
    }
}

#[test]
fn reads_do_not_race() {
    if only_on_virtual_devices() {
        return;
    }
    let read_twice = |bed: &Bed| {
        bed.get(bed.a);
        let other = zeros(WORDS);
        let copied = cuMemcpyDtoDAsync_v2(other, bed.shared, 4 * WORDS, bed.b);
        assert_eq!(copied, 0);
    };
    assert!(!races(read_twice));
}

#[test]
fn neighbouring_bytes_do_not_race() {
    if only_on_virtual_devices() {
        return;
    }
    let side_by_side = |apart: u64| {
        races(|bed| {
            let bytes = [bed.shared, bed.shared + apart];
            for (bytes, stream) in bytes.into_iter().zip([bed.a, bed.b]) {
                assert_eq!(launch(bed.set_bytes, 1, 7, stream, &[bytes]), 0);
            }
        })
    };
    assert!(!side_by_side(7));
    assert!(side_by_side(6));
}

#[test]
fn atomic_operations_do_not_race_with_each_other_but_with_plain_accesses() {
    if only_on_virtual_devices() {
        return;
    }
    let increment = |bed: &Bed, stream| {
        assert_eq!(launch(bed.increment, 2, 32, stream, &[bed.shared]), 0);
    };
    let both = |bed: &Bed| {
        increment(bed, bed.a);
        increment(bed, bed.b);
    };
    assert!(!races(both));
    for plain in [Bed::get, Bed::set, Bed::copy_out, Bed::fill] {
        assert!(races(|bed| {
            increment(bed, bed.a);
            plain(bed, bed.b);
        }));
        assert!(races(|bed| {
            plain(bed, bed.a);
            increment(bed, bed.b);
        }));
    }
}

#[test]
fn a_kernels_race_is_its_fault_and_names_both_accesses() {
    if only_on_virtual_devices() {
        return;
    }
    let bed = Bed::new(NON_BLOCKING);
    let second_half = bed.shared + 4 * 40;
    assert_eq!(cuMemsetD32Async(second_half, 1, 3, bed.b), 0);
    bed.set(bed.a);
    let mut ids = [0; 2];
    for (id, stream) in ids.iter_mut().zip([bed.a, bed.b]) {
        assert_eq!(cuStreamGetId(stream, id), 0);
    }
    assert_eq!(cuStreamSynchronize(bed.b), 0, "nothing is wrong yet");
    // The host's wait for B does not order the work that was already enqueued on A.
    assert_eq!(cuStreamSynchronize(bed.a), LAUNCH_FAILED);
    let fault = last_fault().expect("a fault");
    let races = found();
    let [race] = races.as_slice() else {
        panic!("{races:?}");
    };
    assert_eq!(fault.kind, FaultKind::StreamRace(Box::new(race.clone())));
    assert_eq!(
        (fault.kernel.as_str(), fault.block, fault.thread),
        ("set", [1, 0, 0], [8, 0, 0])
    );
    assert!(fault.instruction.contains("st.global.u32"), "{fault}");
    assert_eq!(race.address, second_half);
    let extent = race.allocation.expect("an allocation");
    assert_eq!((extent.base, extent.bytes), (bed.shared, 4 * WORDS as u64));
    let (earlier, later) = (&race.earlier, &race.later);
    assert_eq!((earlier.stream.id, later.stream.id), (ids[1], ids[0]));
    assert_eq!(later.stream.kind, StreamKind::NonBlocking);
    assert_eq!(
        (earlier.access, later.access),
        (AccessKind::Write, AccessKind::Write)
    );
    let text = race.to_string();
    for part in [
        "write of 12 bytes by cuMemsetD32Async, in the non-blocking stream",
        "write of 4 bytes by kernel `set`, block (1, 0, 0), thread (8, 0, 0), at PTX line",
        "st.global.u32",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// If a kernel made the earlier of the two accesses, the report names the block, the thread and the PTX line of this access too.
#[test]
fn the_report_includes_the_earlier_kernels_thread() {
    if only_on_virtual_devices() {
        return;
    }
    let race = race_in(NON_BLOCKING, |bed| {
        bed.get(bed.a);
        assert_eq!(cuMemsetD32Async(bed.shared + 4 * 33, 1, 1, bed.b), 0);
    });
    let text = race.expect("a race").earlier.to_string();
    let expected =
        "read of 4 bytes by kernel `get`, block (1, 0, 0), thread (1, 0, 0), at PTX line";
    assert!(text.contains(expected), "{text}");
}

#[test]
fn a_grid_is_ordered_like_its_launching_kernel() {
    if only_on_virtual_devices() {
        return;
    }
    let text = launching::text(&launching::launch("set", "7", FIRE_AND_FORGET));
    let text = CString::new(text).unwrap();
    let outcome = |is_ordered: bool| {
        race_in(NON_BLOCKING, |bed| {
            let parent = function(load(&text), c"k");
            assert_eq!(launch(parent, 1, 1, bed.a, &[bed.shared, 0]), 0);
            if is_ordered {
                bed.a_before_b();
            }
            bed.get(bed.b);
        })
    };
    assert_eq!(outcome(true), None);
    let race = outcome(false).expect("a race");
    assert_eq!(name(&race.earlier.by), "set", "{race}");
}

#[test]
fn a_programmatic_launch_is_ordered_after_its_stream_only() {
    const PROGRAMMATIC: [(i32, i32); 1] = [(6, 1)];
    if only_on_virtual_devices() {
        return;
    }
    let increments_in = |own: bool| {
        races(|bed| {
            let kernel = function(load(DEPENDENT), c"await_and_increment");
            let stream = if own { bed.a } else { bed.b };
            bed.fill(bed.a);
            let launched = launch_with(&PROGRAMMATIC, kernel, stream, &[bed.shared]);
            assert_eq!(launched, 0);
        })
    };
    assert!(!increments_in(true));
    assert!(increments_in(false));
}

#[test]
fn work_without_the_race_check_is_not_compared() {
    if only_on_virtual_devices() {
        return;
    }
    assert!(!races(|bed| {
        bed.set(bed.a);
        without_race_check(|| bed.set(bed.b));
        without_race_check(|| bed.fill(bed.b));
    }));
}
